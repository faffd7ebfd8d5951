import type { ParentOrder, Quote, StallCause } from "../model/index.ts";
import { executableSide, meets } from "../triggers/index.ts";
import type { WaitReason } from "./child-size.ts";
import { awaitsPostOnlyCheck, limitConditionOf, needsTrigger } from "./conditions.ts";
import { addFact, type Draft, isExpired } from "./draft.ts";
import { openSlotOf } from "./slots.ts";

/** The alert of a parent that stays stalled is raised again after this time. */
export const STALL_REPEAT_MS = 600_000;

/** The best executable price of a quote lies inside the limit of a parent, or it has none. */
export function isInside(order: ParentOrder, quote: Quote): boolean {
  const inside = limitConditionOf(order);
  return inside === undefined || meets(inside, quote[executableSide(order.intent.side)]);
}

/**
 * Returns whether the condition of a parent is met, so that it acts unless something keeps it from it (decision 51): its
 * trigger fired, a slot is open, or it has neither and its price is there. One that waits for its price does not count, nor
 * one that ends or is held. That a POV parent has volume to follow is not judged here.
 */
export function isMet(order: ParentOrder, quote: Quote, nowMs: number): boolean {
  if (!mayStall(order) || isExpired(order, nowMs)) return false;
  if (needsTrigger(order.intent.type)) return order.trigger !== undefined;
  if (awaitsPostOnlyCheck(order)) return false;
  if (order.plan !== undefined) return openSlotOf(order, nowMs) !== undefined;
  return isInside(order, quote);
}

const mayStall = ({ ended, pendingEnd, held }: ParentOrder): boolean =>
  ended === undefined && pendingEnd === undefined && held === undefined;

/** Returns whether the alert that a parent is stalled is due at a time. It was raised once, and again after ten minutes. */
export function isStallAlertDue({ stall }: ParentOrder, nowMs: number): boolean {
  return stall === undefined || nowMs - stall.alertedAtMs >= STALL_REPEAT_MS;
}

/** Why a parent sends nothing that executes; `wait` is what its story says of the last quote. */
export type StallFound = Readonly<{ cause: StallCause; detail: string; wait: WaitReason | undefined }>;

/** Raises the alert that a parent is stalled, unless it ended meanwhile or the alert is not due. */
export function raiseStall(draft: Draft, { cause, detail, wait }: StallFound): void {
  if (wait !== undefined) draft.wait = wait;
  if (!mayStall(draft.order) || !isStallAlertDue(draft.order, draft.context.nowMs)) return;
  addFact(draft, { kind: "ALERT", alert: "ORDER_STALLED", detail: `${cause}: ${detail}`, cause });
}

/** Ends the stall of a parent whose price went away. The next one within ten minutes raises no alert. */
export function endStall(draft: Draft, wait: WaitReason | undefined): void {
  if (wait !== undefined) draft.wait = wait;
  const { stall } = draft.order;
  if (stall === undefined || stall.over === true) return;
  addFact(draft, { kind: "ALERT", alert: "ORDER_RESUMED", detail: "its price went away" });
}

/** Ends the stall of a parent that has executed something. A child that was refused is no progress (decision 51). */
export function resumeAfterFill(draft: Draft, before: ParentOrder): void {
  if (before.stall === undefined || before.stall.over === true) return;
  if (!draft.facts.some(({ kind }) => kind === "FILLED")) return;
  addFact(draft, { kind: "ALERT", alert: "ORDER_RESUMED", detail: "something of it has executed" });
}
