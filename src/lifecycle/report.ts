import type { AlertKind, ChildOutcome, ChildReport, Fill, Quote } from "../model/index.ts";
import { isDustResidual } from "./child-size.ts";
import { type Draft, isPast, note } from "./draft.ts";
import { isScheduleOver } from "./slots.ts";

/** Takes in what the venue said of a child: new fills once each, then whether the child is resolved. */
export function reportChild(draft: Draft, report: ChildReport, quote?: Quote): void {
  const late = draft.order.child?.childId !== report.childId;
  for (const fill of report.fills) takeFill(draft, report.childId, fill);
  if (late) return settleLate(draft);
  if (isOverfilled(draft)) return stopOverfilled(draft, report);
  const child = draft.order.child;
  if (child === undefined) return;
  if (report.state === "rejected") {
    const outcome = report.final === true ? "REJECTED_FINAL" : "REJECTED";
    return closeChild(draft, { childId: child.childId, outcome, ...detailOf(report) }, quote);
  }
  if (report.state === "closed" || child.executedQuantity >= child.quantity) {
    return closeChild(draft, { childId: child.childId, outcome: "DONE", ...detailOf(report) }, quote);
  }
  if (child.state !== "OPEN") note(draft, { kind: "CHILD_OPEN", childId: child.childId });
}

const detailOf = (report: ChildReport): Readonly<{ detail?: string }> =>
  report.detail === undefined ? {} : { detail: report.detail };

/** Counts one execution once (I15). Facts of the venue are never hidden: a late one is counted and flagged (I50). */
function takeFill(draft: Draft, childId: string, fill: Fill): void {
  if (draft.order.executions.includes(fill.executionId)) return;
  const late = draft.order.child?.childId !== childId;
  note(draft, { kind: "FILLED", childId, fill });
  if (late)
    alert(draft, "LATE_FILL", `execution ${fill.executionId} of ${childId} came after the child was closed`);
}

function alert(draft: Draft, kind: AlertKind, detail: string): void {
  note(draft, { kind: "ALERT", alert: kind, detail });
}

function isOverfilled(draft: Draft): boolean {
  const { child, executedQuantity, intent } = draft.order;
  return (
    executedQuantity > intent.quantity || (child !== undefined && child.executedQuantity > child.quantity)
  );
}

/** An overfill stops the parent (decision 11): nothing more is sent, whatever is still in flight is awaited. */
function stopOverfilled(draft: Draft, report: ChildReport): void {
  const isNews = draft.facts.length > 0;
  if (isNews) alert(draft, "OVERFILL", `${report.childId} executed more than it was sent for`);
  const { child, executedQuantity, intent, pendingEnd } = draft.order;
  const complete = executedQuantity >= intent.quantity;
  const mayFillMore = child !== undefined && child.executedQuantity < child.quantity;
  if (report.state === "open" && (!complete || mayFillMore)) {
    const isAsked = pendingEnd?.reason === "OVERFILL";
    if (isNews && !isAsked)
      note(draft, { kind: "END_REQUESTED", end: { status: "CANCELED", reason: "OVERFILL" } });
    return;
  }
  note(draft, { kind: "CHILD_CLOSED", childId: report.childId, outcome: "DONE" });
  note(draft, { kind: "ENDED", status: complete ? "FILLED" : "CANCELED", reason: "OVERFILL" });
}

/** After late fills: the parent may be complete now, or hold more than it asked for. */
function settleLate(draft: Draft): void {
  const { order } = draft;
  if (draft.facts.length === 0) return;
  if (order.executedQuantity > order.intent.quantity)
    alert(draft, "OVERFILL", "late executions exceed the quantity");
  if (order.ended !== undefined || order.executedQuantity < order.intent.quantity) return;
  if (order.child === undefined) return note(draft, { kind: "ENDED", status: "FILLED", reason: "FILLED" });
  if (order.pendingEnd === undefined) {
    note(draft, { kind: "END_REQUESTED", end: { status: "CANCELED", reason: "OVERFILL" } });
  }
}

/** How a child is closed. */
export type Closing = Readonly<{ childId: string; outcome: ChildOutcome; detail?: string }>;

/** Closes the outstanding child and decides what becomes of the parent (decisions 13, 25, 26). */
export function closeChild(draft: Draft, closing: Closing, quote?: Quote): void {
  const child = draft.order.child;
  if (child?.childId !== closing.childId) return;
  const pace = child.executedQuantity > 0 ? {} : { notBeforeMs: draft.context.nowMs + paceOf(draft) };
  note(draft, { kind: "CHILD_CLOSED", ...closing, ...pace });
  settleClosed(draft, closing.outcome, quote);
}

/** Pause after a child that filled nothing: from the minimum, doubled each time, up to the maximum. */
function paceOf(draft: Draft): number {
  const { retryMinMs, retryMaxMs } = draft.context.rules;
  return Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(draft.order.misses, 30));
}

function settleClosed(draft: Draft, outcome: ChildOutcome, quote: Quote | undefined): void {
  const { order, context } = draft;
  if (order.executedQuantity >= order.intent.quantity) {
    return note(draft, { kind: "ENDED", status: "FILLED", reason: "FILLED" });
  }
  if (order.pendingEnd !== undefined) return note(draft, { kind: "ENDED", ...order.pendingEnd });
  if (outcome === "REJECTED_FINAL") {
    return note(draft, { kind: "ENDED", status: "REJECTED", reason: "REJECTED_BY_VENUE" });
  }
  if (isPast(order, context.nowMs))
    return note(draft, { kind: "ENDED", status: "EXPIRED", reason: "EXPIRED_GTD" });
  if (isScheduleOver(order, context.nowMs))
    return note(draft, { kind: "ENDED", status: "EXPIRED", reason: "SCHEDULE_ENDED" });
  if (quote !== undefined && isDustResidual(order, quote, context.rules.minimum)) {
    note(draft, { kind: "ENDED", status: "EXPIRED", reason: "RESIDUAL_BELOW_MIN_NOTIONAL" });
  }
}
