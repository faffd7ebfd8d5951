import { needsTrigger, openSlotOf, type WaitReason } from "../../lifecycle/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { QuoteNow, Story } from "../core/api.ts";
import type { Core } from "../core/core.ts";
import { awaitsLookUp, type LiveOrder } from "../core/live-order.ts";
import type { FundsQueue } from "../eligibility/funds-queue.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shards } from "../shards/shards.ts";
import type { ReadModel } from "./read-model.ts";

const REASONS: Readonly<Record<WaitReason, string>> = {
  PRICE_OUTSIDE_LIMIT: "the market offers no quantity within its limit price",
  BELOW_MINIMUM_NOTIONAL: "the quantity on offer is worth less than the minimum",
  NOT_FILLABLE_WHOLE: "the market does not offer the whole quantity, and the children of the order are FOK",
  NO_EXPOSURE: "no exposure is left to reduce",
  MEASURING: "the host's answer about the exposure of the account",
  RETRY_PACE: "the end of the pause after an unsuccessful child",
  STALE_QUOTE: "a fresh quote: the last quote is too old",
  NO_OPEN_SLOT: "the next slot of its schedule",
  NO_VOLUME: "a trade of another participant that it can follow",
  SHARE_USED: "more executed volume: its share of the volume so far is used",
  LIST_UNKNOWN:
    "the outcome of a child of its list, which the engine is looking up, or the word of a person on a restored leg of its list",
  NO_SHARE:
    "executions of its entry, or the outcome of children of the other orders of its list: its part of what they share is used",
};

/** Context of a wait besides the parent: the quote, the time, and whether the account is stopped or out of funds. */
type WaitContext = Readonly<{
  now: QuoteNow | undefined;
  nowMs: number;
  frozen: boolean;
  waitsForFunds: boolean;
}>;

/** Returns what an open parent waits for now, in a trader's words; undefined for an ended parent. */
function explainWait(
  live: LiveOrder,
  { now, nowMs, frozen, waitsForFunds }: WaitContext,
): string | undefined {
  const order = live.durable;
  if (order === undefined || order.ended !== undefined) return undefined;
  if (order.frozen !== undefined)
    return "the order is stopped because an invariant is broken; see its alerts";
  if (frozen)
    return "the account is stopped because an invariant of another of its orders is broken; see the alerts of that order";
  if (order.restored !== undefined)
    return "a person who says what happened to it after the backup from which the store was restored";
  if (order.child !== undefined) return explainChild(order);
  if (order.held) return explainHeld(order);
  if (order.plan !== undefined && openSlotOf(order, nowMs) === undefined) return REASONS.NO_OPEN_SLOT;
  if (waitsForFunds)
    return "its turn to try again: the venue refused children of the account for lack of funds";
  if (awaitsLookUp(live))
    return `the look-up of its child ${order.earlyClose?.child?.childId}, which was closed with less than asked`;
  if (now === undefined) return "the first quote of its market";
  if (!now.fresh) return REASONS.STALE_QUOTE;
  if (needsTrigger(order.intent.type) && order.trigger === undefined) return explainTrigger(order);
  if (order.notBeforeMs > nowMs) return REASONS.RETRY_PACE;
  if (order.intent.participationBips !== undefined && live.wait === undefined) return REASONS.NO_VOLUME;
  return live.wait === undefined ? "the next quote within its limit price" : REASONS[live.wait];
}

const explainHeld = ({ list }: ParentOrder): string =>
  list?.kind === "BRACKET"
    ? "executions of its entry that are its part"
    : "its working order to fill completely";

function explainChild(order: ParentOrder): string {
  const childId = order.child?.childId ?? "";
  return order.child?.state === "UNKNOWN"
    ? `the outcome of its child ${childId}, which the engine is looking up`
    : `the venue's answer to its child ${childId}`;
}

function explainTrigger(order: ParentOrder): string {
  if (order.intent.trailing === undefined) return "its stop price";
  return order.activation === undefined
    ? "the price that activates the trailing stop"
    : "a move of the market by its trailing distance";
}

/** What tells of an order. */
type Sources = Readonly<{
  core: Core;
  shards: Shards;
  reads: ReadModel;
  market: MarketHub;
  funds: FundsQueue;
}>;

/** Explains the state of an order: its records, and what it waits for now. */
export async function storyOf(
  { core, shards, reads, market, funds }: Sources,
  orderId: number,
): Promise<Story | undefined> {
  const order = await reads.findAny(orderId);
  if (order === undefined) return undefined;
  const records = await reads.records(order);
  const live = shards.live(orderId);
  const context = {
    now: market.now(order.intent.symbol),
    nowMs: core.nowMs(),
    frozen: shards.isFrozen(order),
    waitsForFunds: funds.waits(order),
  };
  const waitingFor = live === undefined ? undefined : explainWait(live, context);
  return { records, ...(waitingFor === undefined ? {} : { waitingFor }) };
}
