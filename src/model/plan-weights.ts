import { bytesOfRow, packed } from "../decimal/index.ts";
import type { ParentIntent, ParentOrder, SchedulePlan } from "./parent-order.ts";

/** Returns the intent with the weights of its schedule packed. */
export function packedIntent(intent: ParentIntent): ParentIntent {
  const { schedule } = intent;
  if (schedule?.weights === undefined) return intent;
  const weights = packed(schedule.weights);
  return weights === schedule.weights ? intent : { ...intent, schedule: { ...schedule, weights } };
}

/** Returns the plan with the sums of its weights packed. */
export function packedPlan(plan: SchedulePlan): SchedulePlan {
  if (plan.cumulative === undefined) return plan;
  const cumulative = packed(plan.cumulative);
  return cumulative === plan.cumulative ? plan : { ...plan, cumulative };
}

/** Returns the bytes of memory that the weights of a parent and their sums take when packed; 0 without weights. */
export function weightBytesOf({ intent, plan }: Pick<ParentOrder, "intent" | "plan">): number {
  const weights = intent.schedule?.weights;
  const sums = plan?.cumulative;
  return (weights === undefined ? 0 : bytesOfRow(weights)) + (sums === undefined ? 0 : bytesOfRow(sums));
}
