import { max, min, packed, type Quantity, type Scaled, subtract, ZERO_QUANTITY } from "../decimal/index.ts";
import { InvariantError } from "../errors/index.ts";
import type { SchedulePlan } from "../model/index.ts";
import { closesAtMs, opensAtMs } from "./plan.ts";
import { share } from "./share.ts";

/** One slot of a plan with a quantity to send. Times are epoch milliseconds. */
export interface PlannedSlot {
  readonly slot: number;
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  readonly quantity: Quantity;
}

/**
 * Returns the part of a quantity that belongs to a slot: the cumulative share including the slot less the one before
 * it, each cut to whole 1e-6 steps, so that all slices sum to the quantity exactly. Zero outside the plan. Throws an
 * InvariantError for a plan whose sums are damaged (contract, POST /api/order rules 3-4; decisions 28-29).
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
 * Returns the smallest slice of a plan. For TWAP this is the equal share cut to whole steps, which is zero for a
 * quantity of fewer steps than slots. For a weighted plan it is the smallest slice above zero (contract, POST
 * /api/order rules 1 and 3; decision 28).
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
 * Returns the plan of a VWAP in which no slice is smaller than `least`: a smaller one joins the next slot, the last one
 * the slot before (decision 29). If the whole quantity is smaller, one slot has all of it.
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
 * Returns the largest slice of a plan, which is the most that one attempt after the last slot of a VWAP may take
 * (decision 29).
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
 * Yields the slots of a plan that have a quantity to send, in order of time. A zero weight has no slot (decision 29).
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
