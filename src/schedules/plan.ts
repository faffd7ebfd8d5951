import {
  add,
  max,
  min,
  type NumberRow,
  normalise,
  packed,
  type Quantity,
  type Scaled,
  subtract,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import { InvariantError } from "../errors/index.ts";
import type { SchedulePlan, ScheduleTerms } from "../model/index.ts";

/** A part of a whole as a fraction; the denominator is above 0. */
export type Fraction = Readonly<{ numerator: Scaled; denominator: Scaled }>;

/**
 * Returns `value · numerator / denominator` cut to whole steps. The result is exact for values of at least 0. Doubles
 * are used only while the product is a safe integer: then the remainder is exact, and the rest divides evenly.
 */
export function share<T extends Scaled>(value: T, of: Fraction): T {
  const { numerator, denominator } = of;
  if (typeof value === "number" && typeof numerator === "number" && typeof denominator === "number") {
    const product = value * numerator;
    if (Number.isSafeInteger(product)) return ((product - (product % denominator)) / denominator) as T;
  }
  return normalise((BigInt(value) * BigInt(numerator)) / BigInt(denominator)) as T;
}

/** Inputs of a plan. Weights come from the terms or from the volumes of the service. */
export interface PlanTerms {
  readonly acceptedAtMs: number;
  readonly schedule: ScheduleTerms;
  readonly count: number;
  readonly weights?: NumberRow;
}

/**
 * Freezes a schedule at admission. `weights` replace those of the schedule itself. Without either all slots weigh the same
 * (TWAP). Throws a RangeError unless `count` is a whole number above 0, and the weights are `count` values of at least 0
 * with at least one above 0 (contract, POST /api/order rules 3-4).
 *
 *
 * @example
 * ```ts
 * import { schedulePlan } from "managed-orders/rules";
 * const schedule = { intervalMs: 60_000, intervalDelayMs: 5_000 };
 * const plan = schedulePlan({ acceptedAtMs: 1_000, schedule, count: 3, weights: [1, 0, 2] });
 * console.log(plan.startsAtMs, plan.cumulative?.join(" ")); // 6000 1 1 3
 * ```
 */
export function schedulePlan(terms: PlanTerms): SchedulePlan {
  const { acceptedAtMs, schedule, count, weights = schedule.weights } = terms;
  if (!(Number.isSafeInteger(count) && count > 0))
    throw new RangeError(`count must be a whole number of slots of at least 1, got ${count}`);
  const plan = {
    startsAtMs: acceptedAtMs + schedule.intervalDelayMs,
    intervalMs: schedule.intervalMs,
    count,
  };
  return weights === undefined ? plan : { ...plan, cumulative: cumulate(weights, count) };
}

function cumulate(weights: NumberRow, count: number): NumberRow {
  if (weights.length !== count)
    throw new RangeError(`weights must have one entry for each of the ${count} slots, got ${weights.length}`);
  let sum: Scaled = 0;
  const cumulative: Scaled[] = [];
  for (const weight of weights) {
    if (!(weight >= 0)) throw new RangeError(`each of the weights must be at least 0, got ${weight}`);
    sum = add(sum, weight);
    cumulative.push(sum);
  }
  if (!(sum > 0)) throw new RangeError("at least one of the weights must be above 0");
  return packed(cumulative);
}

/** Returns the weights of a plan, one per slot; undefined for a TWAP. */
export function weightsOf({ cumulative }: SchedulePlan): readonly Scaled[] | undefined {
  if (cumulative === undefined) return undefined;
  let before: Scaled = 0;
  return Array.from(cumulative, (sum) => {
    const weight = subtract(sum, before);
    before = sum;
    return weight;
  });
}

/**
 * Returns when a slot opens, in epoch milliseconds. Slots count from 0 and continue beyond the plan.
 *
 *
 * @example
 * ```ts
 * import { opensAtMs } from "managed-orders/rules";
 * console.log(opensAtMs({ startsAtMs: 6_000, intervalMs: 60_000, count: 3 }, 2)); // 126000
 * ```
 */
export function opensAtMs(plan: SchedulePlan, slot: number): number {
  return plan.startsAtMs + slot * plan.intervalMs;
}

/**
 * Returns when a slot closes and the next one opens, in epoch milliseconds. At that moment it is already closed.
 *
 *
 * @example
 * ```ts
 * import { closesAtMs } from "managed-orders/rules";
 * console.log(closesAtMs({ startsAtMs: 6_000, intervalMs: 60_000, count: 3 }, 0)); // 66000
 * ```
 */
export function closesAtMs(plan: SchedulePlan, slot: number): number {
  return opensAtMs(plan, slot + 1);
}

/**
 * Returns when the last slot of the plan closes, in epoch milliseconds.
 *
 *
 * @example
 * ```ts
 * import { endsAtMs } from "managed-orders/rules";
 * console.log(endsAtMs({ startsAtMs: 6_000, intervalMs: 60_000, count: 3 })); // 186000
 * ```
 */
export function endsAtMs(plan: SchedulePlan): number {
  return opensAtMs(plan, plan.count);
}

/**
 * Returns the slot that is open at a time in epoch milliseconds: `undefined` before the first slot opens, and `plan.count`
 * or more once the last has closed.
 *
 *
 * @example
 * ```ts
 * import { slotAt } from "managed-orders/rules";
 * const plan = { startsAtMs: 6_000, intervalMs: 60_000, count: 3 };
 * console.log(slotAt(plan, 5_999), slotAt(plan, 65_999), slotAt(plan, 66_000)); // undefined 0 1
 * ```
 */
export function slotAt(plan: SchedulePlan, ms: number): number | undefined {
  return ms < plan.startsAtMs ? undefined : Math.floor((ms - plan.startsAtMs) / plan.intervalMs);
}

/** One slot of a plan with a quantity to send. Times are epoch milliseconds. */
export interface PlannedSlot {
  readonly slot: number;
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  readonly quantity: Quantity;
}

/**
 * Returns the part of a quantity that belongs to a slot: the cumulative share including the slot less the one before it,
 * each cut to whole 1e-6 steps, so that all slices sum to the quantity exactly. Zero outside the plan. Throws an
 * InvariantError for a plan whose sums are damaged (contract, POST /api/order rules 3-4).
 *
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * import { sliceOf } from "managed-orders/rules";
 * const plan = { startsAtMs: 0, intervalMs: 60_000, count: 3 };
 * console.log(Quantity.format(sliceOf(plan, Quantity.parse("1"), 0))); // 0.333333
 * console.log(Quantity.format(sliceOf(plan, Quantity.parse("1"), 2))); // 0.333334
 * ```
 */
export function sliceOf(plan: SchedulePlan, quantity: Quantity, slot: number): Quantity {
  if (!(slot < plan.count)) return ZERO_QUANTITY;
  return subtract(sharedUpTo(plan, quantity, slot), sharedUpTo(plan, quantity, slot - 1));
}

/** Returns the part of a quantity that belongs to all slots up to and including this one. */
function sharedUpTo(plan: SchedulePlan, quantity: Quantity, slot: number): Quantity {
  if (slot < 0) return ZERO_QUANTITY;
  return share(quantity, { numerator: sumAt(plan, slot), denominator: sumAt(plan, plan.count - 1) });
}

function sumAt({ cumulative }: SchedulePlan, slot: number): Scaled {
  if (cumulative === undefined) return slot + 1;
  const sum = cumulative.at(slot);
  if (sum === undefined) throw new InvariantError("I33", `the plan has no cumulative sum for slot ${slot}`);
  return sum;
}

/**
 * Returns the smallest slice of a plan. For TWAP this is the equal share cut to whole steps, which is zero for a quantity
 * of fewer steps than slots. For a weighted plan it is the smallest slice above zero (contract, POST /api/order rules 1 and
 * 3).
 *
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * import { smallestSlice } from "managed-orders/rules";
 * const plan = { startsAtMs: 0, intervalMs: 60_000, count: 10 };
 * console.log(Quantity.format(smallestSlice(plan, Quantity.parse("0.000003")))); // 0
 * ```
 */
export function smallestSlice(plan: SchedulePlan, quantity: Quantity): Quantity {
  if (plan.cumulative === undefined) return share(quantity, { numerator: 1, denominator: plan.count });
  let smallest: Quantity | undefined;
  for (const slot of slotsOf(plan, quantity)) {
    smallest = smallest === undefined ? slot.quantity : min(smallest, slot.quantity);
  }
  return smallest ?? ZERO_QUANTITY;
}

/**
 * Returns the plan of a VWAP in which no slice is smaller than `least`: a smaller one joins the next slot, the last one the
 * slot before. If the whole quantity is smaller, one slot has all of it.
 */
export function joinSmallSlices(plan: SchedulePlan, quantity: Quantity, least: Quantity): SchedulePlan {
  const cumulative: Scaled[] = [];
  let lastSlot = plan.count - 1;
  let sent = ZERO_QUANTITY;
  for (let slot = 0; slot < plan.count; slot++) {
    const shared = sharedUpTo(plan, quantity, slot);
    const isRetained = shared > sent && subtract(shared, sent) >= least;
    cumulative.push(isRetained ? sumAt(plan, slot) : (cumulative.at(-1) ?? 0));
    if (!isRetained) continue;
    sent = shared;
    lastSlot = slot;
  }
  return { ...plan, cumulative: packed(cumulative.fill(sumAt(plan, plan.count - 1), lastSlot)) };
}

/**
 * Returns the largest slice of a plan, which is the most that one attempt after the last slot of a VWAP may take.
 *
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * import { largestSlice } from "managed-orders/rules";
 * const plan = { startsAtMs: 0, intervalMs: 60_000, count: 3, cumulative: [1, 1, 4] };
 * console.log(Quantity.format(largestSlice(plan, Quantity.parse("1")))); // 0.75
 * ```
 */
export function largestSlice(plan: SchedulePlan, quantity: Quantity): Quantity {
  if (plan.cumulative === undefined) return sliceOf(plan, quantity, plan.count - 1);
  const known = largestSlices.get(plan);
  if (known?.quantity === quantity) return known.largest;
  let largest = ZERO_QUANTITY;
  for (const slot of slotsOf(plan, quantity)) largest = max(largest, slot.quantity);
  largestSlices.set(plan, { quantity, largest });
  return largest;
}

/**
 * Cache of largest slices, because a VWAP asks on every quote after its last slot. A plan never changes and has one
 * quantity.
 */
const largestSlices: WeakMap<
  SchedulePlan,
  Readonly<{ quantity: Quantity; largest: Quantity }>
> = new WeakMap();

/**
 * Yields the slots of a plan that have a quantity to send, in order of time. A zero weight has no slot.
 *
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * import { slotsOf } from "managed-orders/rules";
 * const plan = { startsAtMs: 6_000, intervalMs: 60_000, count: 3, cumulative: [1, 1, 4] };
 * for (const { slot, opensAtMs, quantity: slice } of slotsOf(plan, Quantity.parse("1")))
 *   console.log(slot, opensAtMs, Quantity.format(slice));
 * ```
 */
export function* slotsOf(plan: SchedulePlan, quantity: Quantity): Iterable<PlannedSlot> {
  let before = ZERO_QUANTITY;
  for (let slot = 0; slot < plan.count; slot++) {
    const shared = sharedUpTo(plan, quantity, slot);
    const slice = subtract(shared, before);
    before = shared;
    if (slice > 0) {
      yield { slot, opensAtMs: opensAtMs(plan, slot), closesAtMs: closesAtMs(plan, slot), quantity: slice };
    }
  }
}
