import { describe, expect, it } from "vitest";
import {
  createManualClock,
  createMemoryRateLimiter,
  type ManualClock,
  type RateLimiterOptions,
} from "../../../src/adapters/memory/index.ts";
import { testRateLimiter } from "../../../src/conformance/index.ts";
import type { RateLimiter } from "../../../src/ports/index.ts";

/** A whole minute. */
const START_MS = 1_767_355_200_000;
const DAY_MS = 86_400_000;

function limiterAt(
  options: Omit<RateLimiterOptions, "clock"> = {},
): Readonly<{ clock: ManualClock; limiter: RateLimiter }> {
  const clock = createManualClock({ startMs: START_MS });
  return { clock, limiter: createMemoryRateLimiter({ clock, ...options }) };
}

const ping = { address: "a", weight: 1 };
/** A single order of account 1. */
const one = { accountId: 1, count: 1 };

const placeOf = (clock: ManualClock, reopen: () => RateLimiter) => ({
  limiter: reopen(),
  reopen,
  advanceBy: (ms: number) => clock.advanceBy(ms),
  remove: () => {},
});

testRateLimiter(
  { describe, it },
  {
    name: "memory",
    supports: { limits: true, connect: true, bans: true, durable: false, nodes: false },
    createPlace({ limits, startMs }) {
      const clock = createManualClock({ startMs });
      return placeOf(clock, () => createMemoryRateLimiter({ clock, ...limits }));
    },
  },
);

testRateLimiter(
  { describe, it },
  {
    name: "memory that only counts",
    supports: { limits: false, connect: true, bans: false, durable: false, nodes: false },
    createPlace({ limits, startMs }) {
      const clock = createManualClock({ startMs });
      return placeOf(clock, () => createMemoryRateLimiter({ clock, enforce: false, ...limits }));
    },
  },
);

describe("request weight", () => {
  it("ten refusals in a minute cause a ban, doubled each time up to three days", async () => {
    const { clock, limiter } = limiterAt({ weightPerMinute: 1 });
    const banMs = async (): Promise<number> => {
      for (;;) {
        const { refused } = await limiter.weigh(ping);
        if (refused?.kind === "ban") return refused.untilMs - clock.nowMs();
      }
    };
    for (const lengthMs of [120_000, 240_000, 480_000]) {
      expect(await banMs()).toBe(lengthMs);
      await clock.advanceBy(lengthMs);
      expect((await limiter.weigh({ address: "a", weight: 0 })).refused).toBeUndefined();
    }
    for (let count = 0; count < 10; count++) await clock.advanceBy(await banMs());
    expect(await banMs()).toBe(3 * DAY_MS);
    await clock.advanceBy(6 * DAY_MS);
    expect(await banMs()).toBe(120_000);
  });

  it("a ban keeps its announced length, whichever client continues during it", async () => {
    const { clock, limiter } = limiterAt({ weightPerMinute: 1, banMs: 1_000 });
    for (let count = 0; count < 11; count++) await limiter.weigh(ping);
    for (let count = 0; count < 50; count++) {
      expect((await limiter.weigh(ping)).refused).toEqual({ kind: "ban", untilMs: START_MS + 1_000 });
    }
    await clock.advanceBy(1_000);
    expect((await limiter.weigh(ping)).refused).toEqual({ kind: "limit", untilMs: START_MS + 60_000 });
    await clock.advanceBy(60_000);
    expect((await limiter.weigh(ping)).refused).toBeUndefined();
  });

  it("a window and a ban keep their length when the wall clock is set; they end at the time that it shows", async () => {
    const { clock, limiter } = limiterAt({ weightPerMinute: 1 });
    await limiter.weigh(ping);
    clock.stepWall(-3_600_000);
    expect(await limiter.weigh(ping)).toMatchObject({ used: 2 });
    clock.stepWall(7_200_000);
    expect(await limiter.weigh(ping)).toMatchObject({ used: 3 });
    for (let count = 0; count < 10; count++) await limiter.weigh(ping);
    const ban = await limiter.weigh(ping);
    expect(ban.refused).toEqual({ kind: "ban", untilMs: clock.nowMs() + 120_000 });
    clock.stepWall(3_600_000);
    expect((await limiter.weigh(ping)).refused).toEqual({ kind: "ban", untilMs: clock.nowMs() + 120_000 });
    clock.stepWall(-7_200_000);
    await clock.advanceBy(119_999);
    expect((await limiter.weigh(ping)).refused).toEqual({ kind: "ban", untilMs: clock.nowMs() + 1 });
    await clock.advanceBy(1);
    expect((await limiter.weigh(ping)).refused).toBeUndefined();
  });
});

describe("order counts", () => {
  it("returning never counts below zero, even if the account was forgotten and came again", async () => {
    const { limiter } = limiterAt({ maxTracked: 1 });
    const { takenAtMs } = await limiter.takeOrders({ accountId: 1, count: 3 });
    await limiter.takeOrders({ accountId: 2, count: 1 });
    await limiter.takeOrders(one);
    const after = await limiter.returnOrders({ accountId: 1, count: 3, takenAtMs });
    expect(after).toEqual({ per10s: 0, perDay: 0 });
  });
});

describe("a limiter", () => {
  it("shows its limits; a limiter that does not enforce them counts and shows none", async () => {
    expect(limiterAt().limiter.limits).toEqual({
      weightPerMinute: 6_000,
      ordersPer10s: 50,
      ordersPerDay: 160_000,
      connectionsPer5Min: 300,
    });
    const { limiter } = limiterAt({ enforce: false, weightPerMinute: 1, ordersPer10s: 1 });
    expect(limiter.limits).toBeUndefined();
    for (let count = 0; count < 20; count++) {
      expect((await limiter.weigh(ping)).refused).toBeUndefined();
      expect((await limiter.takeOrders({ accountId: 1, count: 3 })).refused).toBeUndefined();
    }
    expect(await limiter.weigh(ping)).toEqual({ used: 21 });
  });

  it("forgets the oldest address when it has too many", async () => {
    const { limiter } = limiterAt({ maxTracked: 2 });
    for (const address of ["a", "b", "c"]) await limiter.weigh({ address, weight: 1 });
    expect(await limiter.weigh({ address: "b", weight: 1 })).toEqual({ used: 2 });
    expect(await limiter.weigh({ address: "a", weight: 1 })).toEqual({ used: 1 });
  });

  it("refuses limits below 1", () => {
    expect(() => limiterAt({ banMs: 0 })).toThrow(RangeError);
    expect(() => limiterAt({ weightPerMinute: Number.NaN })).toThrow("weightPerMinute");
  });
});
