import { needsTrigger, openSlotOf, type WaitReason } from "../../lifecycle/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { QuoteNow } from "../core/core.ts";
import type { LiveOrder } from "../core/live-order.ts";

const REASONS: Readonly<Record<WaitReason, string>> = {
  PRICE_OUTSIDE_LIMIT: "nothing is on offer inside its limit price",
  BELOW_MINIMUM_NOTIONAL: "what is on offer is worth less than the minimum",
  NOT_FILLABLE_WHOLE: "the whole quantity is not on offer, and its children are FOK",
  NO_EXPOSURE: "there is no exposure left to reduce",
  MEASURING: "its exposure, which the account's host is asked for",
  RETRY_PACE: "the pause after an unsuccessful child is not over",
  STALE_QUOTE: "the last quote is too old",
  NO_OPEN_SLOT: "the next slot of its schedule",
  NO_VOLUME: "somebody else's trade that it can follow",
  SHARE_USED: "more executed volume: its share of it is used",
  LIST_UNKNOWN: "the outcome of a child of its list, which is being looked up",
};

/** Context of a wait besides the parent: the quote, the time, and whether the account is stopped or out of funds. */
export type WaitContext = Readonly<{
  now: QuoteNow | undefined;
  nowMs: number;
  frozen: boolean;
  waitsForFunds: boolean;
}>;

/** Returns what an open parent waits for now, in a trader's words; undefined for an ended parent. */
export function explainWait(
  live: LiveOrder,
  { now, nowMs, frozen, waitsForFunds }: WaitContext,
): string | undefined {
  const order = live.durable;
  if (order === undefined || order.ended !== undefined) return undefined;
  if (order.frozen !== undefined)
    return "it is stopped: something that must never happen was found; see its alerts";
  if (frozen) return "its account is stopped: another order of it was found broken; see its alerts";
  if (order.child !== undefined) return explainChild(order);
  if (order.held) return "its working order to fill whole";
  if (order.plan !== undefined && openSlotOf(order, nowMs) === undefined) return REASONS.NO_OPEN_SLOT;
  if (waitsForFunds)
    return "its turn to try again: the venue has refused children of its account for want of funds";
  if (now === undefined) return "no quote of its market has come yet";
  if (!now.fresh) return REASONS.STALE_QUOTE;
  if (needsTrigger(order.intent.type) && order.trigger === undefined) return explainTrigger(order);
  if (order.notBeforeMs > nowMs) return REASONS.RETRY_PACE;
  if (order.intent.participationBips !== undefined && live.wait === undefined) return REASONS.NO_VOLUME;
  return live.wait === undefined ? "the next quote inside its limit price" : REASONS[live.wait];
}

function explainChild(order: ParentOrder): string {
  const childId = order.child?.childId ?? "";
  return order.child?.state === "UNKNOWN"
    ? `the outcome of its child ${childId}, which is being looked up`
    : `the venue's answer to its child ${childId}`;
}

function explainTrigger(order: ParentOrder): string {
  if (order.intent.trailing === undefined) return "its stop price";
  return order.activation === undefined
    ? "the price that activates its trailing"
    : "its trailing distance to be met";
}
