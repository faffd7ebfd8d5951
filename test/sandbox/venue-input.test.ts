import { describe, expect, it } from "vitest";
import { readVenueEvent, readVenueFault } from "../../src/sandbox/venue-desk.ts";
import { START_MS } from "./venue-world.ts";

describe("reading a fault", () => {
  it.each([
    [{ mode: "explode" }, "mode"],
    [{ lookup: "maybe" }, "lookup"],
    [{ mode: "partial", fraction: 1.5 }, "fraction: must be a number from 0 to 1"],
    [{ mode: "partial", fraction: -0.5 }, "fraction"],
    [{ mode: "delay", delayMs: -1 }, "delayMs"],
    [{ mode: "hold", count: 0 }, "count"],
    [{ mode: "hold", accountId: 1.5 }, "accountId"],
    [{ mode: "hold", speed: 2 }, "speed"],
    ["hold", "body"],
  ])("%j is refused by name", (body, named) => {
    expect(() => readVenueFault(body)).toThrow(named);
  });
});

describe("reading a report", () => {
  it("executions are exact to 18 decimals", () => {
    const answer = { child: "c", executionId: "x", quantity: "0.12345678", price: "1" };
    expect(readVenueEvent(answer, START_MS).report.fills).toMatchObject([
      { quantity: 123_456, fine: 780_000_000_000 },
    ]);
  });

  it("trailing zeros never matter", () => {
    const answer = {
      child: "c",
      executionId: "x",
      quantity: "0.10000000",
      price: "65000.0000000000",
    };
    const { report } = readVenueEvent(answer, START_MS);
    expect(report.fills).toMatchObject([{ quantity: 100_000, price: 6_500_000_000_000 }]);
  });

  it.each([
    [{ executionId: "x", quantity: "1", price: "1" }, "child"],
    [
      { child: "c", executionId: "x", quantity: "1.0000000000000000001", price: "1" },
      "quantity: must have at most 18 decimals",
    ],
    [{ child: "c", executionId: "x", quantity: "1", price: "1e3" }, "price: must be a decimal"],
    [{ child: "c", executionId: "x", quantity: "1", price: "1", status: "GONE" }, "status"],
  ])("%j is refused by name", (body, named) => {
    expect(() => readVenueEvent(body, START_MS)).toThrow(named);
  });
});
