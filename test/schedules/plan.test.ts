import { describe, expect, it } from "vitest";
import { closesAtMs, endsAtMs, opensAtMs, schedulePlan, slotAt } from "../../src/schedules/index.ts";

const ACCEPTED = 1_700_000_000_000;
const SCHEDULE = { intervalMs: 60_000, intervalDelayMs: 5_000 };

const twap = schedulePlan({ acceptedAtMs: ACCEPTED, schedule: SCHEDULE, count: 3 });
const weighted = (weights: readonly (number | bigint)[], count = weights.length) =>
  schedulePlan({ acceptedAtMs: ACCEPTED, schedule: SCHEDULE, count, weights });

describe("slots", () => {
  it("slot k opens at acceptance + delay + k intervals and closes when the next opens", () => {
    expect([0, 1, 2].map((slot) => opensAtMs(twap, slot) - ACCEPTED)).toEqual([5_000, 65_000, 125_000]);
    expect([0, 1, 2].map((slot) => closesAtMs(twap, slot) - ACCEPTED)).toEqual([65_000, 125_000, 185_000]);
  });

  it("the last slot closes after one interval", () => {
    expect(endsAtMs(twap)).toBe(closesAtMs(twap, 2));
  });

  it("without a delay the first opens at acceptance", () => {
    const plan = schedulePlan({
      acceptedAtMs: ACCEPTED,
      schedule: { intervalMs: 1_000, intervalDelayMs: 0 },
      count: 2,
    });
    expect(slotAt(plan, ACCEPTED)).toBe(0);
  });

  it.each([
    ["a millisecond before the first opens", 4_999, undefined],
    ["when the first opens", 5_000, 0],
    ["a millisecond before the first closes", 64_999, 0],
    ["when the second opens", 65_000, 1],
    ["a millisecond before the last closes", 184_999, 2],
    ["when the last closes", 185_000, 3],
    ["long after", 5_000 + 60_000 * 1_000, 1_000],
  ])("the slot %s", (_when, afterMs, slot) => {
    expect(slotAt(twap, ACCEPTED + afterMs)).toBe(slot);
  });

  it("the longest possible schedule has exact times", () => {
    const schedule = { intervalMs: 86_400_000, intervalDelayMs: 604_800_000 };
    const plan = schedulePlan({ acceptedAtMs: ACCEPTED, schedule, count: 10_000 });
    expect(endsAtMs(plan)).toBe(ACCEPTED + 604_800_000 + 864_000_000_000);
    expect(slotAt(plan, endsAtMs(plan) - 1)).toBe(9_999);
  });
});

describe("I34: weights are frozen in the plan", () => {
  it("as sums up to and including each slot; TWAP has none", () => {
    expect(weighted([3, 0, 2]).cumulative).toEqual([3, 3, 5]);
    expect("cumulative" in twap).toBe(false);
  });

  it("exactly, also beyond 2^53, each value in its one form", () => {
    const { cumulative } = weighted([Number.MAX_SAFE_INTEGER, 2, 10n ** 20n]);
    expect(cumulative).toEqual([
      Number.MAX_SAFE_INTEGER,
      9_007_199_254_740_993n,
      100_009_007_199_254_740_993n,
    ]);
  });

  it("as the schedule's own weights if no others are given: never a silent TWAP (rule 4)", () => {
    const schedule = { ...SCHEDULE, weights: [1, 2] };
    const own = schedulePlan({ acceptedAtMs: ACCEPTED, schedule, count: 2 });
    const given = schedulePlan({ acceptedAtMs: ACCEPTED, schedule, count: 2, weights: [4, 5] });
    expect([own.cumulative, given.cumulative]).toEqual([
      [1, 3],
      [4, 9],
    ]);
  });

  it("as a copy, independent of later changes by the caller", () => {
    const weights = [1, 2];
    const plan = weighted(weights);
    weights[1] = 7;
    expect(plan.cumulative).toEqual([1, 3]);
  });

  const noEntry = "weights must have one entry for each of the";
  it.each([
    ["no weight", [], 0, "count must be a whole number of slots of at least 1, got 0"],
    ["fewer weights than slots", [1, 2], 3, `${noEntry} 3 slots, got 2`],
    ["more weights than slots", [1, 2], 1, `${noEntry} 1 slots, got 2`],
    ["no weight above 0", [0, 0, 0n], 3, "at least one of the weights must be above 0"],
    ["a weight below 0", [2, -1], 2, "each of the weights must be at least 0, got -1"],
    ["a weight that is not a number", [1, Number.NaN], 2, "each of the weights must be at least 0, got NaN"],
  ])("are refused, with the reason: %s", (_what, weights, count, reason) => {
    expect(() => weighted(weights, count)).toThrow(new RangeError(reason));
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("a count of %d is refused", (count) => {
    expect(() => schedulePlan({ acceptedAtMs: ACCEPTED, schedule: SCHEDULE, count })).toThrow(
      new RangeError(`count must be a whole number of slots of at least 1, got ${count}`),
    );
  });
});
