import { describe, expect, it } from "vitest";
import { QuietTelemetry } from "../../src/host-answers/index.ts";
import { openWorld, place } from "../support/service-world.ts";

describe("telemetry", () => {
  it("gets at most 1,000 characters of a text, and everything else as it is", () => {
    const reported: unknown[] = [];
    const telemetry = new QuietTelemetry({ event: (...event) => void reported.push(event) });
    const whole = { message: "x".repeat(1_000), orderId: -256 };
    telemetry.event("warn", "exposure.failed", whole);
    telemetry.event("warn", "exposure.failed", { ...whole, message: "x".repeat(10_000_000) });
    expect(reported).toEqual([
      ["warn", "exposure.failed", whole],
      ["warn", "exposure.failed", { ...whole, message: `${"x".repeat(1_000)}...` }],
    ]);
  });

  it("gets no more of the error that a venue throws", async () => {
    const world = await openWorld();
    world.venue.onSubmit = () => {
      throw new Error("x".repeat(1_000_000));
    };
    world.venue.onLookup = () => {
      throw new Error("x".repeat(1_000_000));
    };
    await place(world);
    world.feed.quote({ symbol: "BTC/USD", bid: "6990", ask: "6991" });
    await world.clock.advanceBy(60_000);
    expect(world.reported.some((event) => event.includes("xxx"))).toBe(true);
    for (const event of world.reported) expect(event.length).toBeLessThan(2_000);
  });
});
