import { add, type NumberRow, packed, type Scaled, subtract } from "../decimal/index.ts";
import type { SchedulePlan, ScheduleTerms } from "../model/index.ts";

/** Inputs of a plan. Weights come from the terms or from the volumes of the service. */
export interface PlanTerms {
  readonly acceptedAtMs: number;
  readonly schedule: ScheduleTerms;
  readonly count: number;
  readonly weights?: NumberRow;
}

/**
 * Freezes a schedule at admission. `weights` replace those of the schedule itself. Without either all slots weigh the
 * same (TWAP). Throws a RangeError unless `count` is a whole number above 0, and the weights are `count` values of at
 * least 0 with at least one above 0 (contract, POST /api/order rules 3-4; decisions 27-29).
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
 * Returns when a slot opens, in epoch milliseconds. Slots count from 0 and continue beyond the plan (decision 27).
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
 * Returns when a slot closes and the next one opens, in epoch milliseconds. At that moment it is already closed
 * (decision 27).
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
 * Returns when the last slot of the plan closes, in epoch milliseconds (decision 27).
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
 * Returns the slot that is open at a time in epoch milliseconds: `undefined` before the first slot opens, and
 * `plan.count` or more once the last has closed (decision 27).
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
