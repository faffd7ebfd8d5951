import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryHost } from "../../src/adapters/memory/index.ts";
import { openEngine } from "../../src/engine/index.ts";
import { checkedClock } from "../../src/host-answers/index.ts";
import type { Clock } from "../../src/ports/index.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { createWorld } from "../support/world.ts";

/** A clock that the test sets, and the messages to the operator. */
function handClock() {
  const hands: { wall: unknown; monotonic: unknown } = { wall: 1_000, monotonic: 50 };
  const reported: unknown[] = [];
  const host: Clock = {
    ...createManualClock({ startMs: 0 }),
    nowMs: () => hands.wall as number,
    monotonicMs: () => hands.monotonic as number,
  };
  const telemetry = { event: (...event: readonly unknown[]) => void reported.push(event[2]) };
  return { hands, reported, open: () => checkedClock(host, telemetry) };
}

const UNREADABLE = ["text", Number.NaN, Number.POSITIVE_INFINITY, -1, 8_640_000_000_000_001, undefined, 7n];

describe("reading a host's clock", () => {
  it.each(UNREADABLE)(
    "%s is not a time: the clock stands still, and the operator is told once until it continues",
    (shown) => {
      const { hands, reported, open } = handClock();
      const clock = open();
      Object.assign(hands, { wall: shown, monotonic: shown });
      expect([clock.nowMs(), clock.nowMs(), clock.monotonicMs()]).toEqual([1_000, 1_000, 50]);
      const problem = "no valid time";
      expect(reported).toEqual([
        { port: "clock.nowMs", problem },
        { port: "clock.monotonicMs", problem },
      ]);
      Object.assign(hands, { wall: 2_000, monotonic: 60 });
      expect([clock.nowMs(), clock.monotonicMs()]).toEqual([2_000, 60]);
      hands.wall = shown;
      expect([clock.nowMs(), reported.length]).toEqual([2_000, 3]);
    },
  );

  it("the monotonic clock never falls; the wall clock may be set back", () => {
    const { hands, open } = handClock();
    const clock = open();
    Object.assign(hands, { wall: 10, monotonic: 10 });
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([10, 50]);
  });

  it("a fraction counts as the millisecond that has begun", () => {
    const { hands, open } = handClock();
    const clock = open();
    Object.assign(hands, { wall: 1_700.9, monotonic: 99.999 });
    expect([clock.nowMs(), clock.monotonicMs()]).toEqual([1_700, 99]);
  });

  it.each(UNREADABLE)("an engine does not open on a clock that begins with %s", async (shown) => {
    const { hands, open } = handClock();
    hands.wall = shown;
    expect(open).toThrow("clock.nowMs must return a number of milliseconds");
    const host = createMemoryHost({ symbols: ["BTC/USD"] });
    const clock = { ...host.clock, nowMs: () => shown as number };
    await expect(openEngine({ ...host, clock, venue: createScriptedVenue() })).rejects.toThrow(
      "clock.nowMs must return a number of milliseconds",
    );
  });

  it("I53: records written under a clock that returns no time, or fractions, can be read back", async () => {
    const world = await createWorld();
    for (const shown of [Number.NaN, 1_760_000_000_000.5, -5]) {
      const { nowMs } = world.clock;
      Object.assign(world.clock, { nowMs: () => shown });
      const order = await world.place({ price: "100" });
      expect(await world.status(order)).toBe("NEW WAITING");
      Object.assign(world.clock, { nowMs });
    }
    expect((await world.engine.verify()).equal).toBe(true);
  });
});
