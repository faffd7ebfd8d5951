import {
  add,
  afterExecution,
  hasExecuted,
  max,
  min,
  type Price,
  type Quantity,
  roundedUp,
  withExecution,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import { InvariantError } from "../errors/index.ts";
import {
  type ChildCopy,
  type ChildOrder,
  childCopyOf,
  copyOf,
  ExecutionIds,
  type Fact,
  type JournalRecord,
  MOST_CLOSE_WAIT_MS,
  type ParentChange,
  type ParentCopy,
  type ParentOrder,
  packedIntent,
  packedPlan,
  sameTerms,
  shardOfId,
  termsLike,
} from "../model/index.ts";

/** The record that contains a fact. */
export interface FactContext {
  readonly orderId: number;
  readonly sequence: number;
  readonly timeMs: number;
}

/**
 * Applies one fact to a parent. Replay and live running both use this function, so they agree by construction. Throws
 * InvariantError I53 when the fact does not fit the parent, or is of a kind that this version does not know.
 *
 * @example
 * ```ts
 * import type { Fact, ParentOrder } from "managed-orders";
 * import { evolve, type FactContext } from "managed-orders/rules";
 * const replayed = (facts: readonly Fact[], context: FactContext): ParentOrder | undefined =>
 *   facts.reduce<ParentOrder | undefined>((order, fact) => evolve(order, fact, context), undefined);
 * ```
 */
export function evolve(order: ParentOrder | undefined, fact: Fact, context: FactContext): ParentOrder {
  if (fact.kind === "ACCEPTED") {
    if (order !== undefined) throw new InvariantError("I53", `parent ${context.orderId} is accepted twice`);
    return acceptedParent(fact, context);
  }
  if (order === undefined)
    throw new InvariantError("I53", `fact ${fact.kind} for the unknown parent ${context.orderId}`);
  const next = copyOf(order);
  evolveInPlace(next, fact, context);
  return next;
}

/**
 * Applies the facts of one change of a record to a parent. Throws InvariantError I53 when one does not fit, such as a
 * fact of an unknown parent before it is accepted.
 */
export function evolveAll(
  before: ParentOrder | undefined,
  { orderId, facts }: ParentChange,
  { sequence, timeMs }: Pick<JournalRecord, "sequence" | "timeMs">,
): ParentOrder | undefined {
  const context = { orderId, sequence, timeMs };
  let order = before;
  for (const fact of facts) order = evolve(order, fact, context);
  return order;
}

/** Like {@link evolve}, but changes the parent in place. Only for a parent that no other code refers to yet. */
export function evolveInPlace(next: ParentCopy, fact: ChangingFact, context: FactContext): void {
  next.lastSequence = context.sequence;
  next.updatedAtMs = context.timeMs;
  change(next, fact, context);
}

/** A fact of an existing parent. */
export type ChangingFact = Exclude<Fact, { kind: "ACCEPTED" }>;

function acceptedParent(fact: Accepted, context: FactContext): ParentOrder {
  const order: ParentOrder = {
    orderId: context.orderId,
    accountId: fact.accountId,
    intent: packedIntent(fact.intent),
    acceptedAtMs: context.timeMs,
    acceptance: fact.acceptance,
    updatedAtMs: context.timeMs,
    lastSequence: context.sequence,
    attempts: 0,
    consecutiveUnfilled: 0,
    notBeforeMs: 0,
    executedQuantity: ZERO_QUANTITY,
    executedNotional: ZERO_NOTIONAL,
    executions: ExecutionIds.NONE,
  };
  return hasMore(fact) ? withMore(order, fact) : order;
}

type Accepted = Extract<Fact, { kind: "ACCEPTED" }>;

/**
 * Returns whether an accepted parent has any of these properties. Most parents have none, and take half of the memory
 * if the properties are left out.
 */
function hasMore({ aheadMs, posted, plan, volumeBefore, list, held, replaces }: Accepted): boolean {
  return (aheadMs ?? posted ?? plan ?? volumeBefore ?? list ?? held ?? replaces) !== undefined;
}

function withMore(order: ParentOrder, fact: Accepted): ParentOrder {
  const more = copyOf(order);
  more.aheadMs = fact.aheadMs;
  more.postOnlyCleared = fact.posted;
  more.plan = fact.plan && packedPlan(fact.plan);
  more.volumeBefore = fact.volumeBefore;
  more.volumeLogged = fact.volumeLogged;
  more.list = fact.list;
  more.held = fact.held;
  more.replaces = fact.replaces;
  return more;
}

function change(next: ParentCopy, fact: ChangingFact, context: FactContext): void {
  switch (fact.kind) {
    case "RELEASED":
      return release(next, context.timeMs);
    case "POSTED":
      next.postOnlyCleared = true;
      return;
    case "ACTIVATED":
      next.activation = fact.activation;
      return;
    case "TRIGGERED":
      next.trigger = fact.trigger;
      return;
    case "CHILD_INTENDED":
      return takeChild(next, fact.child);
    case "CHILD_OPEN":
      return openChild(next, fact.childId);
    case "CHILD_UNKNOWN":
      return loseChild(next, fact);
    case "FILLED":
      return fill(next, fact, context.timeMs);
    case "CHILD_CLOSED":
      return closeChild(next, fact, context.timeMs);
    case "END_REQUESTED":
      next.pendingEnd = fact.end;
      if (fact.unreplaced !== undefined) next.unreplaced = fact.unreplaced;
      return;
    case "ENDED":
      return end(next, { status: fact.status, reason: fact.reason, atMs: context.timeMs });
    case "FROZEN":
      next.frozen = true;
      return;
    case "RESTORED":
      next.restored = true;
      next.attempts = fact.attempts;
      return;
    case "RESUMED":
      next.restored = undefined;
      return;
    case "AMENDED":
      return amend(next, fact, context);
    case "ALERT":
      return retainAlert(next, fact, context.timeMs);
    default:
      return refuseUnknown(fact, context);
  }
}

/** Throws for an unknown kind of fact. A parent must never be lost because of a fact that a newer version wrote. */
function refuseUnknown(fact: never, { orderId, sequence }: FactContext): never {
  const { kind } = fact as Readonly<{ kind: unknown }>;
  throw new InvariantError(
    "I53",
    `record ${sequence} of shard ${shardOfId(orderId)} holds a fact of the kind ${String(kind)} for parent ${orderId}, which this version does not know: run the newer version that wrote it`,
  );
}

function release(next: ParentCopy, atMs: number): void {
  if (next.held !== true || next.ended !== undefined)
    throw new InvariantError("I41", `leg ${next.orderId} is released twice`);
  next.held = undefined;
  next.releasedAtMs = atMs;
}

/**
 * Replaces terms. Throws unless the parent has those before: a replay must not make another order of it. What was accepted
 * is kept, and the loosest limit of earlier children, which is theirs.
 */
function amend(next: ParentCopy, fact: Extract<Fact, { kind: "AMENDED" }>, context: FactContext): void {
  const { before, after, amendId } = fact;
  const { intent, amends } = next;
  const isOpen = next.ended === undefined && next.pendingEnd === undefined && next.child === undefined;
  if (!isOpen || !sameTerms(before, termsLike(intent, after)))
    throw new InvariantError("I53", `an amend does not fit the parent ${context.orderId}`);
  const named = amends?.named ?? [];
  const loosest =
    after.price !== undefined && next.attempts > 0 ? looser(next, before.price) : amends?.loosest;
  next.intent = { ...intent, ...after };
  next.amends = {
    count: (amends?.count ?? 0) + 1,
    accepted: { ...before, ...amends?.accepted },
    named: amendId === undefined ? named : [...named, { amendId, terms: after }],
    ...(loosest !== undefined && { loosest }),
  };
  if (after.expireTimeMs !== undefined) next.aheadMs = fact.aheadMs;
}

/** Returns the looser of a limit and of those before it. */
function looser({ intent, amends }: ParentOrder, limit: Price | undefined): Price | undefined {
  const known = amends?.loosest;
  if (known === undefined || limit === undefined) return limit ?? known;
  return intent.side === "BUY" ? max(known, limit) : min(known, limit);
}

/** Returns a copy of the outstanding child that can be changed in place. */
function currentChild(next: ParentCopy, childId: string): ChildCopy {
  if (next.child?.childId !== childId)
    throw new InvariantError("I24", `parent ${next.orderId} has no outstanding child ${childId}`);
  const child = childCopyOf(next.child);
  next.child = child;
  return child;
}

function openChild(next: ParentCopy, childId: string): void {
  const child = currentChild(next, childId);
  child.problem = undefined;
  child.state = "OPEN";
}

function loseChild(next: ParentCopy, { childId, problem }: Extract<Fact, { kind: "CHILD_UNKNOWN" }>): void {
  const child = currentChild(next, childId);
  child.state = "UNKNOWN";
  if (problem !== undefined) child.problem = problem;
}

/**
 * Keeps what was reported about unreadable reports, so that each problem is reported once, and that the parent is stalled.
 */
function retainAlert(
  next: ParentCopy,
  { alert, detail, cause }: Extract<Fact, { kind: "ALERT" }>,
  atMs: number,
): void {
  if (alert === "VENUE_REPORT_INVALID") next.invalidReports = [...(next.invalidReports ?? []), detail];
  else if (alert === "ORDER_STALLED" && cause !== undefined) next.stall = { cause, alertedAtMs: atMs };
  else if (alert === "ORDER_RESUMED" && next.stall !== undefined) next.stall = { ...next.stall, over: true };
}

function takeChild(next: ParentCopy, child: ChildOrder): void {
  if (next.child !== undefined)
    throw new InvariantError("I24", `parent ${next.orderId} already has an outstanding child`);
  if (next.ended !== undefined || next.pendingEnd !== undefined || next.held !== undefined)
    throw new InvariantError("I23", `parent ${next.orderId} is held or ending`);
  const committed: Quantity = add(roundedUp(next), child.quantity);
  if (committed > next.intent.quantity)
    throw new InvariantError("I12", `parent ${next.orderId} would commit more than its quantity`);
  next.child = child;
  stopLookUp(next);
  next.attempts = child.attempt;
  next.lastChildId = child.childId;
  if (child.slot === undefined) return;
  if (child.slot < (next.nextSlot ?? 0))
    throw new InvariantError("I33", `slot ${child.slot} of parent ${next.orderId} is used already`);
  next.nextSlot = child.slot + 1;
}

/** The next child is sent, or none will be: the child that was closed before need not be looked up any more. */
function stopLookUp(next: ParentCopy): void {
  if (next.earlyClose?.child !== undefined) next.earlyClose = { ...next.earlyClose, child: undefined };
}

function fill(next: ParentCopy, { fill, childId }: Extract<Fact, { kind: "FILLED" }>, atMs: number): void {
  if (next.executions.has(childId, fill.executionId))
    throw new InvariantError("I15", `execution ${fill.executionId} of ${childId} is counted already`);
  if (next.child?.childId === childId) {
    const child = currentChild(next, childId);
    const { executedQuantity, executedFine } = withExecution(child, fill);
    child.executedQuantity = executedQuantity;
    child.executedFine = executedFine;
  } else if (next.earlyClose !== undefined) {
    const { earlyClose } = next;
    const tookMs = Math.min(atMs - earlyClose.atMs, MOST_CLOSE_WAIT_MS);
    next.earlyClose = { ...earlyClose, waitMs: Math.max(earlyClose.waitMs, tookMs) };
  }
  const total = afterExecution(next, fill);
  next.executedQuantity = total.executedQuantity;
  next.executedFine = total.executedFine;
  next.executedNotional = total.executedNotional;
  next.notionalFine = total.notionalFine;
  next.executions = next.executions.with(childId, fill.executionId);
  next.consecutiveUnfilled = 0;
  next.stall = undefined;
}

function closeChild(next: ParentCopy, fact: Extract<Fact, { kind: "CHILD_CLOSED" }>, atMs: number): void {
  const child = currentChild(next, fact.childId);
  const { slot } = child;
  next.child = undefined;
  if (fact.lookUpAfterMs !== undefined) {
    const waitMs = Math.max(fact.lookUpAfterMs, next.earlyClose?.waitMs ?? 0);
    next.earlyClose = { child, atMs, waitMs };
  }
  // A child that was never handed over, or refused without execution, has not used its slot.
  const isUnused = fact.outcome === "WITHDRAWN" || fact.outcome === "REJECTED";
  if (isUnused && !hasExecuted(child) && slot !== undefined) next.nextSlot = slot;
  if (fact.notBeforeMs === undefined) return;
  next.notBeforeMs = fact.notBeforeMs;
  next.consecutiveUnfilled++;
}

function end(next: ParentCopy, ended: NonNullable<ParentOrder["ended"]>): void {
  if (next.ended !== undefined) throw new InvariantError("I50", `parent ${next.orderId} ends twice`);
  if (next.child !== undefined)
    throw new InvariantError("I23", `parent ${next.orderId} ends with a child in flight`);
  next.pendingEnd = undefined;
  stopLookUp(next);
  next.stall = undefined;
  next.ended = ended;
}
