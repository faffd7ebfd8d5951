import { describe, expect, it } from "vitest";
import { sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS } from "../support/world.ts";

describe("decision 7: what a market says is read by its value", () => {
  it("a POV follows prints with eight written decimals, and finer ones are rounded down and counted", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    await world.place({ type: "POV", quantity: "10", participationBips: 1_000 });
    await world.print("2.00000000", { price: "100.0000000000" });
    expect(sentTo(world.venue)).toEqual(["BUY 0.2"]);
    await world.print("2.00000999");
    expect(sentTo(world.venue)).toEqual(["BUY 0.2", "BUY 0.2"]);
    await world.print("0.00000099");
    expect(world.engine.metrics()).toMatchObject({ printsCounted: 2, printsRounded: 1, printsDropped: 1 });
  });

  it("a quote with more written decimals than a price has counts, and one with a finer value does not", async () => {
    const world = await createWorld();
    expect(await world.quote("99.000000000000", "100.0000000000")).toBe("counted");
    expect(await world.quote("99.000000001", "100")).toBe("malformed");
    expect(await world.quote("0.000000000000", "100")).toBe("zero");
  });

  it("a VWAP takes its weights from prints with eight written decimals", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    for (let minute = 0; minute < 3; minute++)
      await world.print("2.00000000", { timeMs: START_MS - (4 - minute) * 60_000 });
    const order = await world.place({ type: "VWAP", quantity: "3", intervalCount: 2 });
    expect(order.plan?.count).toBe(2);
  });
});
