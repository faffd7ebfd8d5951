import { type Quantity, ZERO_QUANTITY } from "../decimal/index.ts";
import type { ChildOrder, Fact, ParentOrder, PendingEnd, Quote, Trigger } from "../model/index.ts";
import { dynamicLimit, executableSide, type Fired } from "../triggers/index.ts";
import { type Sizing, sizeChild, type WaitReason } from "./child-size.ts";
import { isActive, needsTrigger } from "./conditions.ts";
import { type Draft, isPast, note } from "./draft.ts";
import { childIdOf } from "./identity.ts";
import type { Effect, ParentEvent, TransitionContext } from "./parent-event.ts";
import { closeChild, reportChild } from "./report.ts";

/** The outcome of a transition: the parent after it, the facts to make durable, what to do then, why it waits. */
export type Transition = Readonly<{
  order: ParentOrder;
  facts: readonly Fact[];
  effects: readonly Effect[];
  wait?: WaitReason;
}>;

/**
 * The rules of a parent order: state and event in, facts and effects out; no clock, no chance, no I/O.
 * An event that does not concern the parent as it is now yields no facts.
 * Source: contract "States and transitions", decisions 11-13, 17-26.
 *
 * @example
 * ```ts
 * import { type ParentOrder, transition, type TransitionContext } from "managed-orders";
 * const canceled = (order: ParentOrder, context: TransitionContext): ParentOrder =>
 *   transition(order, { kind: "CANCEL" }, context).order;
 * ```
 */
export function transition(order: ParentOrder, event: ParentEvent, context: TransitionContext): Transition {
  const draft: Draft = { order, facts: [], effects: [], context };
  step(draft, event);
  return {
    order: draft.order,
    facts: draft.facts,
    effects: draft.effects,
    ...(draft.wait === undefined ? {} : { wait: draft.wait }),
  };
}

function step(draft: Draft, event: ParentEvent): void {
  switch (event.kind) {
    case "FIRED":
      return fire(draft, event);
    case "ACTIVATED":
      return activate(draft, event);
    case "MEASURED":
      return attempt(draft, event);
    case "REPORTED":
      return reportChild(draft, event.report, event.quote);
    case "OUTCOME_UNKNOWN":
      return loseSight(draft, event.childId);
    case "CHILD_VOIDED":
      return closeChild(draft, { childId: event.childId, outcome: "VOIDED" });
    case "CHILD_WITHDRAWN":
      return closeChild(draft, { childId: event.childId, outcome: "WITHDRAWN", detail: event.detail });
    case "CANCEL":
      return endBy(draft, { status: "CANCELED", reason: "USER_CANCELED" });
    case "EXPIRED":
      return endBy(draft, { status: "EXPIRED", reason: "EXPIRED_GTD" });
    case "ESCALATED":
      return note(draft, { kind: "ALERT", alert: "UNKNOWN_ESCALATED", detail: event.detail });
    case "BROKEN":
      return breakOff(draft, event.detail);
  }
}

function fire(draft: Draft, event: Extract<ParentEvent, { kind: "FIRED" }>): void {
  if (!isActive(draft.order) || draft.order.child !== undefined || isPast(draft.order, draft.context.nowMs))
    return;
  if (needsTrigger(draft.order.intent.type) && draft.order.trigger === undefined) {
    note(draft, { kind: "TRIGGERED", trigger: triggerOf(draft.order, event.fired, draft.context.nowMs) });
  }
  attempt(draft, event);
}

/** The trigger as it is kept: a dynamic limit is frozen here, once (decision 19). */
function triggerOf(order: ParentOrder, fired: Fired, atMs: number): Trigger {
  const { intent } = order;
  const trigger = {
    level: fired.level ?? fired.observed,
    observed: fired.observed,
    ...(fired.reference === undefined ? {} : { reference: fired.reference }),
    atMs,
  };
  if (intent.limitOffset === undefined || intent.trailing === undefined || fired.reference === undefined)
    return trigger;
  const limit = dynamicLimit({
    side: executableSide(intent.side),
    reference: fired.reference,
    distance: intent.trailing,
    limitOffset: intent.limitOffset,
  });
  return { ...trigger, limit };
}

function activate(draft: Draft, event: Extract<ParentEvent, { kind: "ACTIVATED" }>): void {
  if (!isActive(draft.order) || draft.order.activation !== undefined) return;
  note(draft, { kind: "ACTIVATED", activation: event.activation });
}

type Chance = Readonly<{ quote: Quote; fresh: boolean; exposure?: Quantity }>;

function attempt(draft: Draft, chance: Chance): void {
  const { order, context } = draft;
  if (!isActive(order) || order.child !== undefined || isPast(order, context.nowMs)) return;
  if (needsTrigger(order.intent.type) && order.trigger === undefined) return;
  if (!chance.fresh) return wait(draft, "STALE_QUOTE");
  if (context.nowMs < order.notBeforeMs) return wait(draft, "RETRY_PACE");
  if (order.intent.reduceOnly && chance.exposure === undefined) {
    draft.effects.push({ kind: "MEASURE" });
    return;
  }
  const sizing = sizeChild(order, chance.quote, {
    minimum: context.rules.minimum,
    ...(order.intent.reduceOnly && chance.exposure !== undefined ? { reducible: chance.exposure } : {}),
  });
  if (sizing.kind === "wait") return wait(draft, sizing.reason);
  if (sizing.kind === "residual") {
    return note(draft, { kind: "ENDED", status: "EXPIRED", reason: "RESIDUAL_BELOW_MIN_NOTIONAL" });
  }
  intend(draft, sizing, chance.exposure);
}

function wait(draft: Draft, reason: WaitReason): void {
  draft.wait = reason;
}

function intend(
  draft: Draft,
  sizing: Extract<Sizing, { kind: "send" }>,
  exposure: Quantity | undefined,
): void {
  const { order, context } = draft;
  const attemptNumber = order.attempts + 1;
  const child: ChildOrder = {
    childId: childIdOf(order, attemptNumber),
    attempt: attemptNumber,
    quantity: sizing.quantity,
    ...(sizing.limitPrice === undefined ? {} : { limitPrice: sizing.limitPrice }),
    executedQuantity: ZERO_QUANTITY,
    state: "SENT",
    intendedAtMs: context.nowMs,
  };
  note(draft, { kind: "CHILD_INTENDED", child, ...(exposure === undefined ? {} : { exposure }) });
  draft.effects.push({ kind: "SUBMIT" });
}

function loseSight(draft: Draft, childId: string): void {
  const child = draft.order.child;
  if (child?.childId !== childId || child.state === "UNKNOWN") return;
  note(draft, { kind: "CHILD_UNKNOWN", childId });
}

/** Ends a parent now, or once its child is resolved (decision 13). A cancel overrides a pending expiry. */
function endBy(draft: Draft, end: PendingEnd): void {
  const { order } = draft;
  if (order.ended !== undefined || order.pendingEnd?.status === "CANCELED") return;
  if (order.child === undefined) return note(draft, { kind: "ENDED", ...end });
  if (order.pendingEnd?.status === end.status) return;
  note(draft, { kind: "END_REQUESTED", end });
}

function breakOff(draft: Draft, detail: string): void {
  if (draft.order.frozen !== undefined) return;
  note(draft, { kind: "ALERT", alert: "INVARIANT_BROKEN", detail });
  note(draft, { kind: "FROZEN" });
}
