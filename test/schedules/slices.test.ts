import { describe, expect, it } from "vitest";
import { formatQuantity, type Quantity, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import { InvariantError } from "../../src/errors/index.ts";
import type { SchedulePlan } from "../../src/model/index.ts";
import {
  joinSmallSlices,
  largestSlice,
  schedulePlan,
  sliceOf,
  slotsOf,
  smallestSlice,
  weightsOf,
} from "../../src/schedules/index.ts";

const SCHEDULE = { intervalMs: 60_000, intervalDelayMs: 0 };

const twap = (count: number): SchedulePlan => schedulePlan({ acceptedAtMs: 0, schedule: SCHEDULE, count });
const vwap = (weights: readonly (number | bigint)[]): SchedulePlan =>
  schedulePlan({ acceptedAtMs: 0, schedule: SCHEDULE, count: weights.length, weights });
const slicesOf = (plan: SchedulePlan, of: Quantity): readonly string[] =>
  Array.from({ length: plan.count }, (_, slot) => formatQuantity(sliceOf(plan, of, slot)));
const ends = (plan: SchedulePlan, of: Quantity): readonly string[] =>
  [smallestSlice(plan, of), largestSlice(plan, of)].map(formatQuantity);

describe("the slices of a TWAP", () => {
  it.each([
    ["divides evenly", "0.9", 3, ["0.3", "0.3", "0.3"]],
    ["leaves one step", "0.000010", 3, ["0.000003", "0.000003", "0.000004"]],
    ["leaves two steps", "0.000011", 3, ["0.000003", "0.000004", "0.000004"]],
    ["complaint 7: fewer steps than slots", "0.000002", 5, ["0", "0", "0.000001", "0", "0.000001"]],
    ["two slots", "0.000003", 2, ["0.000001", "0.000002"]],
  ])("%s", (_what, of, count, slices) => {
    expect(slicesOf(twap(count), quantity(of))).toEqual(slices);
  });

  it("the largest quantity over the most slots leaves no rest", () => {
    const plan = twap(10_000);
    const of = quantity("999999999999.999999");
    let sum = 0n;
    for (let slot = 0; slot < plan.count; slot++) sum += BigInt(sliceOf(plan, of, slot));
    expect(sum).toBe(BigInt(of));
    expect(ends(plan, of)).toEqual(["99999999.999999", "100000000"]);
  });

  it.each([
    ["0.9", 3, ["0.3", "0.3"]],
    ["0.000011", 3, ["0.000003", "0.000004"]],
    ["0.000003", 10, ["0", "0.000001"]],
  ])("the smallest and largest of %s in %d slots are computed directly", (of, count, expected) => {
    expect(ends(twap(count), quantity(of))).toEqual(expected);
  });
});

describe("the slices of a VWAP", () => {
  it("follow the weights", () => {
    expect(slicesOf(vwap([1, 2, 1]), quantity("1"))).toEqual(["0.25", "0.5", "0.25"]);
  });

  it("a zero weight gets nothing and leaves nothing to catch up, at either end and in between", () => {
    expect(slicesOf(vwap([0, 3, 0, 0, 1, 0]), quantity("1"))).toEqual(["0", "0.75", "0", "0", "0.25", "0"]);
  });

  it("the rest after rounding down goes to a slot with weight", () => {
    expect(slicesOf(vwap([1, 0, 1, 0, 1]), quantity("0.000004"))).toEqual([
      "0.000001",
      "0",
      "0.000001",
      "0",
      "0.000002",
    ]);
  });

  it("equal weights slice as a TWAP does", () => {
    for (const of of ["1", "0.000011", "987654321.123457"]) {
      expect(slicesOf(vwap([7, 7, 7]), quantity(of))).toEqual(slicesOf(twap(3), quantity(of)));
    }
  });

  it("are exact where doubles are not", () => {
    const of = quantity("999999999999.999999");
    expect(slicesOf(vwap([1, Number.MAX_SAFE_INTEGER]), of)).toEqual(["0.000111", "999999999999.999888"]);
    expect(slicesOf(vwap([1n, 10n ** 18n]), of)).toEqual(["0", "999999999999.999999"]);
  });

  it("the smallest is the smallest above zero; the largest is the overall largest", () => {
    expect(ends(vwap([0, 5, 1, 2]), quantity("0.8"))).toEqual(["0.1", "0.5"]);
    expect(ends(vwap([1, 1_000_000]), quantity("0.000001"))).toEqual(["0.000001", "0.000001"]);
  });

  it("the largest belongs to the given quantity and plan, also when asked repeatedly", () => {
    const plan = vwap([1, 3]);
    const requested = ["1", "2", "2", "1"].map((of) => formatQuantity(largestSlice(plan, quantity(of))));
    expect(requested).toEqual(["0.75", "1.5", "1.5", "0.75"]);
    expect(formatQuantity(largestSlice(vwap([1, 1]), quantity("1")))).toBe("0.5");
  });

  it("a damaged plan is a broken invariant, never a wrong size", () => {
    const damaged: SchedulePlan = { startsAtMs: 0, intervalMs: 1_000, count: 3, cumulative: [1, 2] };
    expect(() => sliceOf(damaged, quantity("1"), 0)).toThrow(
      new InvariantError("I33", "the plan has no cumulative sum for slot 2"),
    );
  });
});

describe("slices of weights from history that are too small", () => {
  const joined = (weights: readonly number[], least: string): readonly string[] =>
    slicesOf(joinSmallSlices(vwap(weights), quantity("1"), quantity(least)), quantity("1"));

  it.each([
    ["one is large enough at exactly the minimum", [1, 2, 1], "0.25", ["0.25", "0.5", "0.25"]],
    ["the first joins the next, and the last the same slot", [1, 2, 1], "0.26", ["0", "1", "0"]],
    ["the last one joins the slot before", [5, 0, 4, 1], "0.2", ["0.5", "0", "0.5", "0"]],
    ["several join until they are enough", [1, 1, 0, 1, 7], "0.3", ["0", "0", "0", "0.3", "0.7"]],
    ["all of them are one", [1, 1], "1", ["0", "1"]],
    ["all of them are one, though even that is too small", [1, 1], "2", ["0", "1"]],
  ])("%s", (_what, weights, least, expected) => {
    expect(joined(weights, least)).toEqual(expected);
  });

  it("without a minimum a slot of less than one step still joins the next", () => {
    const whole = joinSmallSlices(vwap([1, 2_000_000]), quantity("1"), ZERO_QUANTITY);
    expect(weightsOf(whole)).toEqual([0, 2_000_001]);
  });

  it("I33: they sum to the quantity, and none is too small", () => {
    const plan = vwap(Array.from({ length: 200 }, (_, slot) => (slot * 37) % 11));
    const of = quantity("3.333333");
    const whole = joinSmallSlices(plan, of, quantity("0.02"));
    const slots = [...slotsOf(whole, of)].map((slot) => Number(slot.quantity));
    expect(slots.reduce((sum, slot) => sum + slot, 0)).toBe(3_333_333);
    expect(Math.min(...slots)).toBeGreaterThanOrEqual(20_000);
    expect(whole).toMatchObject({ startsAtMs: plan.startsAtMs, count: 200 });
  });
});

describe("I33: slots", () => {
  it.each([-1, -2, -0.5, 3, 1_000, Number.NaN])("slot %d of three does not exist", (slot) => {
    expect(sliceOf(twap(3), quantity("1"), slot)).toBe(ZERO_QUANTITY);
    expect(sliceOf(vwap([1, 1, 1]), quantity("1"), slot)).toBe(ZERO_QUANTITY);
  });

  it("those with a slice come in time order, with their times", () => {
    expect([...slotsOf(vwap([1, 0, 3]), quantity("1"))]).toEqual([
      { slot: 0, opensAtMs: 0, closesAtMs: 60_000, quantity: quantity("0.25") },
      { slot: 2, opensAtMs: 120_000, closesAtMs: 180_000, quantity: quantity("0.75") },
    ]);
  });

  it("a quantity of zero has none", () => {
    for (const plan of [twap(3), vwap([1, 2])]) {
      expect([...slotsOf(plan, ZERO_QUANTITY)]).toEqual([]);
      expect(ends(plan, ZERO_QUANTITY)).toEqual(["0", "0"]);
    }
  });
});
