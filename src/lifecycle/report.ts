import {
  type Executed,
  exceeds,
  executedText,
  formatPrice,
  hasExecuted,
  withExecution,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import {
  type AlertKind,
  type ChildOrder,
  type ChildOutcome,
  type ChildReport,
  copyOf,
  type Fact,
  type Fill,
  type ParentCopy,
  type ParentOrder,
  type Quote,
  type StallCause,
} from "../model/index.ts";
import { executableSide, type LevelCondition, meets } from "../triggers/index.ts";
import {
  awaitsPostOnlyCheck,
  isDustResidual,
  isScheduleOver,
  isSpent,
  limitConditionOf,
  needsTrigger,
  openSlotOf,
  type WaitReason,
} from "./child-size.ts";
import { type ChangingFact, evolveInPlace } from "./evolve.ts";
import type { ChildFills, Effect, ParentEvent, TransitionContext } from "./parent-event.ts";

/** An unfinished transition: the facts so far, and the parent after them. */
export type Draft = {
  order: ParentOrder;
  /** The same parent from the first fact on: a private copy, which further facts change in place. */
  own?: ParentCopy;
  readonly facts: Fact[];
  readonly effects: Effect[];
  wait?: WaitReason;
  readonly context: TransitionContext;
};

/** Adds a fact to a draft and applies it. */
export function addFact(draft: Draft, fact: ChangingFact): void {
  const { sequence, nowMs } = draft.context;
  draft.own ??= copyOf(draft.order);
  draft.order = draft.own;
  evolveInPlace(draft.own, fact, { orderId: draft.own.orderId, sequence, timeMs: nowMs });
  draft.facts.push(fact);
}

/**
 * Returns when a GTD parent expires, in engine time; undefined for a GTC one. Its `expireTimeMs` is by the wall clock
 * at its acceptance.
 */
export function expiresAtMs({ intent, aheadMs }: ParentOrder): number | undefined {
  return intent.expireTimeMs === undefined ? undefined : intent.expireTimeMs + (aheadMs ?? 0);
}

/** Returns whether a GTD parent has expired in engine time. Nothing is placed from then on (I55). */
export function isExpired(order: ParentOrder, nowMs: number): boolean {
  const atMs = expiresAtMs(order);
  return atMs !== undefined && nowMs >= atMs;
}

/** What comes with a report: the fresh quote, and when a child that it closes with less than asked is looked up. */
type ReportContext = Pick<Extract<ParentEvent, { kind: "REPORTED" }>, "quote" | "lookUpAfterMs">;

/**
 * Processes a report of the venue on a child: counts new fills once each, then settles the child if it is resolved.
 */
export function reportChild(draft: Draft, report: ChildReport, context: ReportContext = {}): void {
  const late = draft.order.child?.childId !== report.childId;
  takeFills(draft, report.childId, report.fills);
  if (late) return settleLate(draft);
  const child = draft.order.child;
  if (child === undefined) return;
  const contradiction = contradictionIn(child, report);
  if (contradiction !== undefined) return readAgain(draft, report.childId, contradiction);
  if (isOverfilled(draft)) return stopOverfilled(draft, report);
  if (report.state === "closed" || child.executedQuantity >= child.quantity) {
    const { quote, lookUpAfterMs } = context;
    const isEarly = child.executedQuantity < child.quantity && lookUpAfterMs !== undefined;
    const closing = { childId: child.childId, outcome: "DONE", ...detailOf(report) } as const;
    return closeChild(draft, { ...closing, ...(isEarly && { lookUpAfterMs }) }, { quote });
  }
  if (report.state === "rejected") return refuseChild(draft, { child, report }, context.quote);
  if (child.state !== "OPEN") addFact(draft, { kind: "CHILD_OPEN", childId: child.childId });
}

/**
 * Returns how a report contradicts what was counted of its child (I17): it has executed more, under ids that were counted
 * with less. One that has executed less is older, or leaves out what it told before, and that stays counted.
 */
function contradictionIn(child: ChildOrder, { fills }: ChildReport): string | undefined {
  const reported = fills.reduce<Executed>(withExecution, { executedQuantity: ZERO_QUANTITY });
  const fine = child.executedFine ?? 0;
  const isMore =
    reported.executedQuantity > child.executedQuantity ||
    (reported.executedQuantity === child.executedQuantity && (reported.executedFine ?? 0) > fine);
  if (!isMore) return undefined;
  return `its executions sum to ${executedText(reported)}, but ${executedText(child)} was counted of it`;
}

/** Treats a report that is readable in its parts, and not as a whole. */
function readAgain(draft: Draft, childId: string, problem: string): void {
  markUnknown(draft, childId, problem);
  alertOnce(draft, childId, problem);
}

/** What is kept of a child that the venue calls rejected although it has executed a part of it. */
const REJECTED_AFTER_EXECUTION = "it is called rejected, but has executions";

/**
 * Closes a child that the venue did not accept. One that has executed was accepted: the refusal is perhaps that of a second
 * attempt with the same id, and the rest may still be live.
 */
function refuseChild(
  draft: Draft,
  { child, report }: Readonly<{ child: ChildOrder; report: ChildReport }>,
  quote: Quote | undefined,
): void {
  const { childId } = child;
  if (hasExecuted(child)) return readAgain(draft, childId, REJECTED_AFTER_EXECUTION);
  const outcome = report.final === true ? "REJECTED_FINAL" : "REJECTED";
  closeChild(draft, { childId, outcome, ...detailOf(report) }, { quote });
}

const detailOf = (report: ChildReport): Readonly<{ detail?: string }> =>
  report.detail === undefined ? {} : { detail: report.detail };

type Settlement = Extract<ParentEvent, { kind: "SETTLED" }>;

/** The readable part of an unreadable report, and what is wrong with the rest. */
type InvalidReport = Readonly<{ childId: string; fills: readonly Fill[]; problem: string }>;

/**
 * Processes a report that is partly unreadable. Its readable executions count as usual. The child stays reserved with an
 * unknown outcome, whatever else the report says.
 */
export function reportInvalid(draft: Draft, { childId, fills, problem }: InvalidReport): void {
  const late = draft.order.child?.childId !== childId;
  takeFills(draft, childId, fills);
  if (late) settleLate(draft);
  else if (draft.facts.length > 0 && isOverfilled(draft)) {
    alertOverfill(draft, childId);
    stop(draft, "OVERFILL");
  }
  readAgain(draft, childId, problem);
}

/** What is kept of a child that the venue has reported on and then does not tell the outcome of. */
const REPORTED_BEFORE = "its outcome was lost after the venue had reported it";

/** Marks the outcome of the outstanding child as unknown. Keeps the first reason for which "not found" settles nothing. */
export function markUnknown(draft: Draft, childId: string, answer?: string): void {
  const child = draft.order.child;
  if (child?.childId !== childId) return;
  const problem = answer ?? (hasArrived(child) ? REPORTED_BEFORE : undefined);
  const isNews = problem !== undefined && child.problem === undefined;
  if (child.state === "UNKNOWN" && !isNews) return;
  addFact(draft, { kind: "CHILD_UNKNOWN", childId, ...(problem !== undefined && { problem }) });
}

/** Whether the venue has reported on a child: it did arrive, and may have executed since. */
const hasArrived = (child: ChildOrder): boolean =>
  child.state === "OPEN" || hasExecuted(child) || child.problem !== undefined;

/**
 * Voids a child that the venue does not find. A child that the venue has reported on did arrive: for it, "not found"
 * settles nothing.
 */
export function voidChild(draft: Draft, childId: string): void {
  const child = draft.order.child;
  if (child?.childId !== childId) return;
  if (!hasArrived(child)) return closeChild(draft, { childId, outcome: "VOIDED" });
  alertOnce(draft, childId, "the venue does not know it any more, only a person can settle it");
}

/** Settles an unknown child on an operator's word as by a report, whatever the venue said of it before. */
export function settleChild(draft: Draft, answer: Settlement): void {
  const { childId, state, fills } = answer;
  if (draft.order.child?.childId !== childId) return;
  if (state === "never") return closeChild(draft, { childId, outcome: "VOIDED" });
  reportChild(draft, { childId, state, fills });
}

/** Counts what the venue has executed for a restored parent, and lets it go on. */
export function resume(draft: Draft, children: readonly ChildFills[]): void {
  if (draft.order.restored === undefined || draft.order.ended !== undefined) return;
  for (const { childId, fills } of children) takeFills(draft, childId, fills);
  addFact(draft, { kind: "RESUMED" });
  settleLate(draft);
}

/**
 * Most alerts about unreadable reports of one parent. The limit keeps a venue that goes on sending such reports from
 * filling the journal.
 */
const MOST_INVALID_REPORTS = 50;

function alertOnce(draft: Draft, childId: string, problem: string): void {
  const detail = `child ${childId}: ${problem}`;
  const reports = draft.order.invalidReports ?? [];
  if (reports.length < MOST_INVALID_REPORTS && !reports.includes(detail))
    alert(draft, "VENUE_REPORT_INVALID", detail);
}

/**
 * Counts each execution once (I15). Facts of the venue are never hidden: a late execution (I50) or one beyond the limit is
 * counted and raises an alert. One beyond the limit also stops the parent.
 */
function takeFills(draft: Draft, childId: string, fills: readonly Fill[]): void {
  const late = draft.order.child?.childId !== childId;
  const inside = late ? looseLimitOf(draft.order) : limitConditionOf(draft.order);
  for (const fill of fills) {
    if (draft.order.executions.has(childId, fill.executionId)) continue;
    addFact(draft, { kind: "FILLED", childId, fill });
    const name = (): string => `execution ${fill.executionId} of ${childId}`;
    // A restored parent is known to lack executions.
    if (late && draft.order.restored === undefined)
      alert(draft, "LATE_FILL", `${name()} came after the child was closed${earlyCloseNote(draft)}`);
    if (inside === undefined || meets(inside, fill.price)) continue;
    const limit = formatPrice(inside.level);
    alert(
      draft,
      "CHILD_BEYOND_LIMIT",
      `${name()} at ${formatPrice(fill.price)} lies beyond the limit ${limit}`,
    );
  }
  if (draft.facts.some((fact) => fact.kind === "ALERT" && fact.alert === "CHILD_BEYOND_LIMIT"))
    stop(draft, "BEYOND_LIMIT");
}

/** Returns the prices inside the limits that an order has had: a child that was closed before an amend had another one. */
function looseLimitOf(order: ParentOrder): LevelCondition | undefined {
  const inside = limitConditionOf(order);
  const loosest = order.amends?.loosest;
  if (inside === undefined || loosest === undefined || meets(inside, loosest)) return inside;
  return { ...inside, level: loosest };
}

/** What the engine does about a venue that executes after it has closed a child. */
function earlyCloseNote({ order: { earlyClose } }: Draft): string {
  if (earlyClose === undefined || earlyClose.waitMs === 0) return "";
  return `; a child that closes with less than asked is looked up after ${earlyClose.waitMs} ms, before the next one`;
}

function alert(draft: Draft, kind: AlertKind, detail: string): void {
  addFact(draft, { kind: "ALERT", alert: kind, detail });
}

const alertOverfill = (draft: Draft, childId: string): void =>
  alert(draft, "OVERFILL", `${childId} executed more than it was sent for`);

/** Stops a parent that is not filled: nothing more is sent. A child in flight is awaited. */
function stop(draft: Draft, reason: "OVERFILL" | "BEYOND_LIMIT"): void {
  const { order } = draft;
  if (order.ended !== undefined || order.pendingEnd?.status === "CANCELED") return;
  if (order.executedQuantity >= order.intent.quantity) return;
  const end = { status: "CANCELED", reason } as const;
  addFact(draft, order.child === undefined ? { kind: "ENDED", ...end } : { kind: "END_REQUESTED", end });
}

function isOverfilled(draft: Draft): boolean {
  const { child, intent } = draft.order;
  return exceeds(draft.order, intent.quantity) || (child !== undefined && exceeds(child, child.quantity));
}

/** Stops a parent after an overfill: nothing more is sent, and a child in flight is awaited. */
function stopOverfilled(draft: Draft, report: ChildReport): void {
  const isNews = draft.facts.length > 0;
  if (isNews) alertOverfill(draft, report.childId);
  const { child, executedQuantity, intent, pendingEnd } = draft.order;
  const complete = executedQuantity >= intent.quantity;
  const mayFillMore = child !== undefined && child.executedQuantity < child.quantity;
  if (report.state === "open" && (!complete || mayFillMore)) {
    const isRequested = pendingEnd?.reason === "OVERFILL";
    if (isNews && !isRequested)
      addFact(draft, { kind: "END_REQUESTED", end: { status: "CANCELED", reason: "OVERFILL" } });
    return;
  }
  addFact(draft, { kind: "CHILD_CLOSED", childId: report.childId, outcome: "DONE" });
  addFact(draft, { kind: "ENDED", status: complete ? "FILLED" : "CANCELED", reason: "OVERFILL" });
}

/** Settles a parent after late fills: it may be complete now, or overfilled. */
function settleLate(draft: Draft): void {
  const { order } = draft;
  if (draft.facts.length === 0) return;
  if (exceeds(order, order.intent.quantity)) alert(draft, "OVERFILL", "late executions exceed the quantity");
  const isComplete = order.executedQuantity >= order.intent.quantity;
  if (order.ended !== undefined || !(isComplete || isSpent(order, draft.context))) return;
  if (order.child === undefined)
    return addFact(
      draft,
      isComplete
        ? { kind: "ENDED", status: "FILLED", reason: "FILLED" }
        : { kind: "ENDED", status: "EXPIRED", reason: "RESIDUAL_BELOW_MIN_NOTIONAL" },
    );
  if (order.pendingEnd === undefined) {
    addFact(draft, { kind: "END_REQUESTED", end: { status: "CANCELED", reason: "OVERFILL" } });
  }
}

/** How a child is closed. */
export type Closing = Readonly<{
  childId: string;
  outcome: ChildOutcome;
  detail?: string;
  lookUpAfterMs?: number;
}>;

/** What decides how a parent continues: the fresh quote, and whether its next child needs no pause. */
type Continuation = Readonly<{ quote?: Quote | undefined; atOnce?: boolean | undefined }>;

/** Closes the outstanding child and decides how the parent continues. */
export function closeChild(
  draft: Draft,
  closing: Closing,
  { quote, atOnce = false }: Continuation = {},
): void {
  const child = draft.order.child;
  if (child?.childId !== closing.childId) return;
  const isUnpaced = atOnce || hasExecuted(child);
  const pace = isUnpaced ? {} : { notBeforeMs: draft.context.nowMs + paceOf(draft) };
  addFact(draft, { kind: "CHILD_CLOSED", ...closing, ...pace });
  settleClosed(draft, closing.outcome, quote);
}

/** Returns the pause after a child that filled nothing: the minimum, doubled each time, up to the maximum. */
function paceOf(draft: Draft): number {
  const { retryMinMs, retryMaxMs } = draft.context.rules;
  return Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(draft.order.consecutiveUnfilled, 30));
}

function settleClosed(draft: Draft, outcome: ChildOutcome, quote: Quote | undefined): void {
  const { order, context } = draft;
  if (order.executedQuantity >= order.intent.quantity) {
    return addFact(draft, { kind: "ENDED", status: "FILLED", reason: "FILLED" });
  }
  if (order.pendingEnd !== undefined) return addFact(draft, { kind: "ENDED", ...order.pendingEnd });
  if (outcome === "REJECTED_FINAL") {
    return addFact(draft, { kind: "ENDED", status: "REJECTED", reason: "REJECTED_BY_VENUE" });
  }
  if (isExpired(order, context.nowMs))
    return addFact(draft, { kind: "ENDED", status: "EXPIRED", reason: "EXPIRED_GTD" });
  if (isScheduleOver(order, context.nowMs))
    return addFact(draft, { kind: "ENDED", status: "EXPIRED", reason: "SCHEDULE_ENDED" });
  const dust = { ...context, minimum: context.rules.minimum };
  if (isSpent(order, context) || (quote !== undefined && isDustResidual(order, quote, dust))) {
    addFact(draft, { kind: "ENDED", status: "EXPIRED", reason: "RESIDUAL_BELOW_MIN_NOTIONAL" });
  }
}

/** The alert of a parent that stays stalled is raised again after this time. */
const STALL_REPEAT_MS = 600_000;

/** The best executable price of a quote lies inside the limit of a parent, or it has none. */
export function isInside(order: ParentOrder, quote: Quote): boolean {
  const inside = limitConditionOf(order);
  return inside === undefined || meets(inside, quote[executableSide(order.intent.side)]);
}

/**
 * Returns whether the condition of a parent is met, so that it acts unless something keeps it from it: its trigger fired, a
 * slot is open, or it has neither and its price is there. One that waits for its price does not count, nor one that ends or
 * is held. That a POV parent has volume to follow is not judged here.
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
type StallFound = Readonly<{ cause: StallCause; detail: string; wait: WaitReason | undefined }>;

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

/** Ends the stall of a parent that has executed something. A child that was refused is no progress. */
export function resumeAfterFill(draft: Draft, before: ParentOrder): void {
  if (before.stall === undefined || before.stall.over === true) return;
  if (!draft.facts.some(({ kind }) => kind === "FILLED")) return;
  addFact(draft, { kind: "ALERT", alert: "ORDER_RESUMED", detail: "something of it has executed" });
}
