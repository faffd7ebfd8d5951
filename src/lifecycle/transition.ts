import { executedText, type Price, type Quantity, ZERO_QUANTITY } from "../decimal/index.ts";
import { InvariantError } from "../errors/index.ts";
import {
  type ChildOrder,
  type Fact,
  type Mutable,
  type ParentOrder,
  type PendingEnd,
  SHARD_COUNT,
  type Trigger,
  termsLike,
} from "../model/index.ts";
import {
  dynamicLimit,
  executableSide,
  type Fired,
  gateDirection,
  limitAt,
  meets,
  trailingLevel,
} from "../triggers/index.ts";
import { amendObstacle } from "./amending.ts";
import {
  allowanceOf,
  awaitsPostOnlyCheck,
  isActive,
  isScheduleOver,
  limitConditionOf,
  needsTrigger,
  type SizingContext,
  sizeChild,
  type WaitReason,
} from "./child-size.ts";
import type { Effect, ExecutionAttempt, ParentEvent, TransitionContext } from "./parent-event.ts";
import {
  addFact,
  closeChild,
  type Draft,
  endStall,
  expiresAtMs,
  isExpired,
  markUnknown,
  raiseStall,
  reportChild,
  reportInvalid,
  resume,
  resumeAfterFill,
  settleChild,
  voidChild,
} from "./report.ts";

/** Returns the managed id of the `count`-th order (from 1) of a shard. Ids are negative, falling and unique. */
export function managedIdOf(place: Readonly<{ count: number; shard: number }>): number {
  const id = -(place.count * SHARD_COUNT + place.shard);
  if (!Number.isSafeInteger(id) || id >= 0)
    throw new InvariantError("I05", `shard ${place.shard} has used up its ids`);
  return id;
}

/** Returns the number of a managed id within its shard, from 1. */
export function countOfId(orderId: number): number {
  return Math.floor(-orderId / SHARD_COUNT);
}

/** Returns the shard of an account: FNV-1a over its decimal text. The mapping never changes. */
export function shardOf(accountId: number): number {
  let hash = 0x811c9dc5;
  for (const character of String(accountId)) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  }
  return (hash >>> 0) % SHARD_COUNT;
}

/** Prefix of child ids. It is reserved for them in any letter case. */
export const CHILD_PREFIX = "aqc-";

const BASE = 36;

/**
 * Returns the id of a parent's child: a pure function of parent and attempt, at most 36 characters. It contains the
 * acceptance time, so that ids differ from those of an earlier, lost journal.
 */
export function childIdOf(
  parent: Readonly<{ orderId: number; acceptedAtMs: number }>,
  attempt: number,
): string {
  const id = `${CHILD_PREFIX}${(-parent.orderId).toString(BASE)}-${parent.acceptedAtMs.toString(BASE)}-${attempt.toString(BASE)}`;
  if (id.length > 36) throw new InvariantError("I06", `child id ${id} is too long`);
  return id;
}

const CHILD_ID = /^aqc-([0-9a-z]{1,11})-([0-9a-z]{1,10})-([0-9a-z]{1,8})$/;

/**
 * Returns the parent, its acceptance time and the attempt in a child id; undefined when the text is not a child id.
 */
export function readChildId(
  childId: string,
): Readonly<{ orderId: number; acceptedAtMs: number; attempt: number }> | undefined {
  const match = CHILD_ID.exec(childId);
  const orderId = -Number.parseInt(match?.[1] ?? "", BASE);
  if (match === null || !Number.isSafeInteger(orderId) || orderId >= 0) return undefined;
  const [acceptedAtMs, attempt] = [match[2], match[3]].map((text) => Number.parseInt(text ?? "", BASE));
  return { orderId, acceptedAtMs: acceptedAtMs ?? 0, attempt: attempt ?? 0 };
}

/**
 * The result of a transition: the parent after it, the facts to make durable, the effects that follow them, and the
 * reason for a wait.
 */
export interface Transition {
  readonly order: ParentOrder;
  readonly facts: readonly Fact[];
  readonly effects: readonly Effect[];
  readonly wait?: WaitReason;
}

/**
 * The rules of a parent order: state and event in, facts and effects out, without clock, randomness or I/O. An event that
 * does not concern the parent's current state yields no facts (contract "States and transitions").
 *
 *
 * @example
 * ```ts
 * import type { ParentOrder } from "managed-orders";
 * import { transition, type TransitionContext } from "managed-orders/rules";
 * const canceled = (order: ParentOrder, context: TransitionContext): ParentOrder =>
 *   transition(order, { kind: "CANCEL" }, context).order;
 * ```
 */
export function transition(order: ParentOrder, event: ParentEvent, context: TransitionContext): Transition {
  const draft: Draft = { order, facts: [], effects: [], context };
  step(draft, event);
  resumeAfterFill(draft, order);
  const { facts, effects, wait } = draft;
  return { order: draft.order, facts, effects, ...(wait !== undefined && { wait }) };
}

function step(draft: Draft, event: ParentEvent): void {
  switch (event.kind) {
    case "FIRED":
      return fire(draft, event);
    case "ACTIVATED":
      return activate(draft, event);
    case "MEASURED":
    case "PRINTED":
      return attemptExecution(draft, event);
    case "REPORTED":
      return reportChild(draft, event.report, event);
    case "REPORT_INVALID":
      return reportInvalid(draft, event);
    case "SETTLED":
      return settleChild(draft, event);
    case "RESUMED":
      return resume(draft, event.children);
    case "OUTCOME_UNKNOWN":
      return markUnknown(draft, event.childId);
    case "CHILD_VOIDED":
      return voidChild(draft, event.childId);
    case "CHILD_WITHDRAWN":
      return withdrawChild(draft, event);
    case "CANCEL":
      return cancel(draft, event);
    case "AMEND":
      return amend(draft, event);
    case "EXPIRED":
      return expire(draft, event.atMs);
    case "SCHEDULE_OVER":
      return endSchedule(draft);
    case "RELEASED":
      return release(draft);
    case "SIBLING_WON":
      return endBy(draft, { status: "CANCELED", reason: "OCO_TRIGGER" });
    case "NOTHING_TO_REDUCE":
      return endWithPosition(draft);
    case "SIBLING_HAS_NOTHING":
      return endBy(draft, { status: "CANCELED", reason: "NOTHING_TO_REDUCE" });
    case "WORKING_LEG_ENDED":
      return endBy(draft, { status: "CANCELED", reason: "WORKING_LEG_ENDED" });
    case "UNPROTECTED":
      return alertUnprotected(draft, event.detail);
    case "STOP_MOVED":
      return moveStop(draft, event.stopPrice);
    case "ESCALATED":
      return addFact(draft, { kind: "ALERT", alert: "UNKNOWN_ESCALATED", detail: event.detail });
    case "STALLED":
      return raiseStall(draft, event);
    case "STALL_OVER":
      return endStall(draft, event.wait);
    case "INVARIANT_BROKEN":
      return freeze(draft, event.detail);
  }
}

function fire(draft: Draft, event: Extract<ParentEvent, { kind: "FIRED" }>): void {
  if (
    !isActive(draft.order) ||
    draft.order.child !== undefined ||
    isExpired(draft.order, draft.context.nowMs)
  )
    return;
  if (awaitsPostOnlyCheck(draft.order)) return meetFirstQuote(draft, event);
  if (needsTrigger(draft.order.intent.type) && draft.order.trigger === undefined) {
    addFact(draft, { kind: "TRIGGERED", trigger: triggerOf(draft.order, event.fired, draft.context.nowMs) });
  }
  attemptExecution(draft, event);
}

/**
 * Applies the first quote to a post-only order. An order that would cross it is rejected; otherwise it waits for the market
 * to reach its price.
 */
function meetFirstQuote(draft: Draft, { quote, fresh }: ExecutionAttempt): void {
  if (!fresh) return wait(draft, "STALE_QUOTE");
  const inside = limitConditionOf(draft.order);
  if (inside === undefined || !meets(inside, quote[executableSide(draft.order.intent.side)])) {
    return addFact(draft, { kind: "POSTED" });
  }
  addFact(draft, { kind: "ENDED", status: "REJECTED", reason: "WOULD_MATCH_IMMEDIATELY" });
}

/** Returns the trigger to store. A dynamic limit is frozen here, once. */
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
  const { trailing: distance, limitOffset } = intent;
  const [side, { level }] = [executableSide(intent.side), trigger];
  const point = { side, reference: fired.reference, distance };
  // It may have fired by the distance before an amend or replacement that came in between.
  const isOfNow = (order.amends ?? order.replaces) === undefined || trailingLevel(point) === level;
  const limit = isOfNow ? dynamicLimit({ ...point, limitOffset }) : limitAt({ side, level, limitOffset });
  return { ...trigger, limit };
}

type Withdrawal = Extract<ParentEvent, { kind: "CHILD_WITHDRAWN" }>;

function withdrawChild(draft: Draft, { childId, detail, atOnce }: Withdrawal): void {
  closeChild(draft, { childId, outcome: "WITHDRAWN", detail }, { atOnce });
}

function activate(draft: Draft, event: Extract<ParentEvent, { kind: "ACTIVATED" }>): void {
  if (!isActive(draft.order) || draft.order.activation !== undefined) return;
  addFact(draft, { kind: "ACTIVATED", activation: event.activation });
}

function attemptExecution(draft: Draft, attempt: ExecutionAttempt): void {
  const { order, context } = draft;
  if (!isActive(order) || order.child !== undefined || isExpired(order, context.nowMs)) return;
  if (awaitsPostOnlyCheck(order) || (needsTrigger(order.intent.type) && order.trigger === undefined)) return;
  if (!attempt.fresh) return wait(draft, "STALE_QUOTE");
  if (context.nowMs < order.notBeforeMs) return wait(draft, "RETRY_PACE");
  if (context.listUnknown) return wait(draft, "LIST_UNKNOWN");
  if (isAwayFromProfit(order, attempt)) return wait(draft, "PRICE_OUTSIDE_LIMIT");
  const { exposure, volume } = attempt;
  const allowance = allowanceOf(order, { nowMs: context.nowMs, volume });
  if (allowance.kind === "wait") return wait(draft, allowance.reason);
  if (order.intent.reduceOnly && exposure === undefined) {
    draft.effects.push({ kind: "MEASURE" });
    return wait(draft, "MEASURING");
  }
  const { most, largest, slot } = allowance;
  const limits: Mutable<SizingContext> = { minimum: context.rules.minimum };
  if (most !== undefined) limits.most = most;
  if (largest !== undefined) limits.largest = largest;
  if (context.releasedFor !== undefined) limits.releasedFor = context.releasedFor;
  if (context.part !== undefined) limits.part = context.part;
  if (order.intent.reduceOnly && exposure !== undefined) limits.reducible = exposure;
  const sizing = sizeChild(order, attempt.quote, limits);
  if (sizing.kind === "wait") return wait(draft, sizing.reason);
  if (sizing.kind === "residual") {
    return addFact(draft, { kind: "ENDED", status: "EXPIRED", reason: "RESIDUAL_BELOW_MIN_NOTIONAL" });
  }
  intend(draft, { ...sizing, slot }, attempt);
}

/**
 * Returns whether the market is not at the level of a take-profit of a bracket. One that executes at market waits there: the entry
 * may execute long after it has triggered.
 */
function isAwayFromProfit({ list, trigger, intent }: ParentOrder, { quote }: ExecutionAttempt): boolean {
  const { type, side, price, stopPrice, trailing } = intent;
  if (list?.kind !== "BRACKET" || list.role !== "profit" || trigger === undefined) return false;
  if (price !== undefined || stopPrice === undefined || trailing !== undefined || !needsTrigger(type))
    return false;
  return !meets({ direction: gateDirection({ type, side }), level: stopPrice }, quote[executableSide(side)]);
}

function wait(draft: Draft, reason: WaitReason): void {
  draft.wait = reason;
}

type Intention = Readonly<{ quantity: Quantity; limitPrice?: Price; slot: number | undefined }>;

function intend(draft: Draft, { quantity, limitPrice, slot }: Intention, attempt: ExecutionAttempt): void {
  const { order, context } = draft;
  const { exposure, volume } = attempt;
  const attemptNumber = order.attempts + 1;
  const child: ChildOrder = {
    childId: childIdOf(order, attemptNumber),
    attempt: attemptNumber,
    quantity,
    limitPrice,
    executedQuantity: ZERO_QUANTITY,
    state: "SENT",
    intendedAtMs: context.nowMs,
    notAfterMs: context.notAfterMs,
    slot,
    problem: undefined,
  };
  const fact: Mutable<Extract<Fact, { kind: "CHILD_INTENDED" }>> = { kind: "CHILD_INTENDED", child };
  if (exposure !== undefined) fact.exposure = exposure;
  if (volume !== undefined) fact.volume = volume;
  addFact(draft, fact);
  draft.effects.push({ kind: "SUBMIT" });
}

/** Changes terms, of a parent on which nothing depends now: see {@link amendObstacle}. */
function amend(draft: Draft, { terms, amendId, aheadMs }: Extract<ParentEvent, { kind: "AMEND" }>): void {
  if (amendObstacle(draft.order) !== undefined) return;
  addFact(draft, {
    kind: "AMENDED",
    before: termsLike(draft.order.intent, terms),
    after: terms,
    ...(amendId !== undefined && { amendId }),
    ...(aheadMs !== undefined && { aheadMs }),
  });
}

/** Ends a parent whose time is over, unless an amend has moved its expiry to after the one that the timer was for. */
function expire(draft: Draft, atMs: number | undefined): void {
  const expiryMs = expiresAtMs(draft.order);
  if (atMs !== undefined && expiryMs !== undefined && atMs < expiryMs) return;
  endBy(draft, { status: "EXPIRED", reason: "EXPIRED_GTD" });
}

/** Cancels a parent. What was not placed in its place is kept also if it is being canceled already. */
function cancel(draft: Draft, { unreplaced }: Extract<ParentEvent, { kind: "CANCEL" }>): void {
  const { order } = draft;
  const end: PendingEnd = { status: "CANCELED", reason: "USER_CANCELED" };
  if (unreplaced === undefined || order.child === undefined) return endBy(draft, end);
  if (order.ended !== undefined || order.unreplaced !== undefined) return;
  const { pendingEnd } = order;
  addFact(draft, {
    kind: "END_REQUESTED",
    end: pendingEnd?.status === "CANCELED" ? pendingEnd : end,
    unreplaced,
  });
}

/** Ends a parent now, or once its child is resolved. A cancel overrides a pending expiry. */
function endBy(draft: Draft, end: PendingEnd): void {
  const { order } = draft;
  if (order.ended !== undefined || order.pendingEnd?.status === "CANCELED") return;
  if (order.child === undefined) return addFact(draft, { kind: "ENDED", ...end });
  if (order.pendingEnd?.status === end.status) return;
  addFact(draft, { kind: "END_REQUESTED", end });
}

/** Expires the unfilled rest of a schedule whose final attempt has passed. A child in flight is awaited. */
function endSchedule(draft: Draft): void {
  const { order, context } = draft;
  if (!isActive(order) || order.child !== undefined || !isScheduleOver(order, context.nowMs)) return;
  addFact(draft, { kind: "ENDED", status: "EXPIRED", reason: "SCHEDULE_ENDED" });
}

/** Expires a reduce-only parent whose position is gone: it must not reduce the next one. */
function endWithPosition(draft: Draft): void {
  const { order } = draft;
  if (!order.intent.reduceOnly || !isActive(order) || order.child !== undefined) return;
  addFact(draft, {
    kind: "ENDED",
    status: "EXPIRED",
    reason: "NOTHING_TO_REDUCE",
  });
}

function release(draft: Draft): void {
  if (draft.order.held && draft.order.ended === undefined) addFact(draft, { kind: "RELEASED" });
}

/** Changes the level of a stop as an amend does. */
function moveStop(draft: Draft, stopPrice: Price): void {
  const before = termsLike(draft.order.intent, { stopPrice });
  addFact(draft, { kind: "AMENDED", before, after: { stopPrice } });
}

function alertUnprotected(draft: Draft, known: string | undefined): void {
  const { ended } = draft.order;
  const advice =
    ended?.reason === "RESIDUAL_BELOW_MIN_NOTIONAL"
      ? "; the setting residualCountsAsFilled releases the exits of such an entry"
      : "";
  const detail =
    known ?? `executed ${executedText(draft.order)}, and no order is left that would close it${advice}`;
  addFact(draft, { kind: "ALERT", alert: "POSITION_UNPROTECTED", detail });
}

function freeze(draft: Draft, detail: string): void {
  if (draft.order.frozen !== undefined) return;
  addFact(draft, { kind: "ALERT", alert: "INVARIANT_BROKEN", detail });
  addFact(draft, { kind: "FROZEN" });
}
