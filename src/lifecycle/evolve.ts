import {
  add,
  type Notional,
  notionalOf,
  type Quantity,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import { InvariantError, invariant } from "../errors/index.ts";
import {
  type ChildOrder,
  ExecutionIds,
  type Fact,
  type ParentOrder,
  packedIntent,
  packedPlan,
} from "../model/index.ts";
import { shardOfId } from "./identity.ts";

/** Which record a fact stands in. */
export type FactContext = Readonly<{ orderId: number; sequence: number; timeMs: number }>;

/**
 * Applies one fact to a parent; replay and live running both go through here, so they agree by construction.
 * Throws InvariantError I53 when the fact does not fit the parent, or is of a kind that this version does not know.
 */
export function evolve(order: ParentOrder | undefined, fact: Fact, context: FactContext): ParentOrder {
  if (fact.kind === "ACCEPTED") {
    invariant(order === undefined, "I53", `parent ${context.orderId} is accepted twice`);
    return acceptedParent(fact, context);
  }
  invariant(order !== undefined, "I53", `fact ${fact.kind} for the unknown parent ${context.orderId}`);
  return { ...changed(order, fact, context), lastSequence: context.sequence, updatedAtMs: context.timeMs };
}

function acceptedParent(fact: Extract<Fact, { kind: "ACCEPTED" }>, context: FactContext): ParentOrder {
  return {
    orderId: context.orderId,
    accountId: fact.accountId,
    intent: packedIntent(fact.intent),
    acceptedAtMs: context.timeMs,
    ...(fact.acceptance !== undefined && { acceptance: fact.acceptance }),
    ...(fact.aheadMs !== undefined && { aheadMs: fact.aheadMs }),
    updatedAtMs: context.timeMs,
    lastSequence: context.sequence,
    attempts: 0,
    consecutiveUnfilled: 0,
    notBeforeMs: 0,
    executedQuantity: ZERO_QUANTITY,
    executedNotional: ZERO_NOTIONAL,
    executions: ExecutionIds.NONE,
    ...(fact.posted && { postOnlyCleared: fact.posted }),
    ...(fact.plan !== undefined && { plan: packedPlan(fact.plan) }),
    ...(fact.volumeBefore !== undefined && { volumeBefore: fact.volumeBefore }),
    ...(fact.list !== undefined && { list: fact.list }),
    ...(fact.held && { held: fact.held }),
  };
}

function changed(
  order: ParentOrder,
  fact: Exclude<Fact, { kind: "ACCEPTED" }>,
  context: FactContext,
): ParentOrder {
  switch (fact.kind) {
    case "RELEASED":
      return released(order, context.timeMs);
    case "POSTED":
      return { ...order, postOnlyCleared: true };
    case "ACTIVATED":
      return { ...order, activation: fact.activation };
    case "TRIGGERED":
      return { ...order, trigger: fact.trigger };
    case "CHILD_INTENDED":
      return withChild(order, fact.child);
    case "CHILD_OPEN":
      return { ...order, child: openChild(currentChild(order, fact.childId)) };
    case "CHILD_UNKNOWN":
      return { ...order, child: lostChild(currentChild(order, fact.childId), fact.problem) };
    case "FILLED":
      return withFill(order, fact);
    case "CHILD_CLOSED":
      return withoutChild(order, fact);
    case "END_REQUESTED":
      return { ...order, pendingEnd: fact.end };
    case "ENDED":
      return withEnd(order, { status: fact.status, reason: fact.reason, atMs: context.timeMs });
    case "FROZEN":
      return { ...order, frozen: true };
    case "ALERT":
      return withAlert(order, fact);
    default:
      return refuseUnknown(fact, context);
  }
}

/** A parent must never be lost to a fact that a newer version wrote. */
function refuseUnknown(fact: never, { orderId, sequence }: FactContext): never {
  const { kind } = fact as Readonly<{ kind: unknown }>;
  throw new InvariantError(
    "I53",
    `record ${sequence} of shard ${shardOfId(orderId)} holds a fact of the kind ${String(kind)} for parent ${orderId}, which this version does not know: run the newer version that wrote it`,
  );
}

function released(order: ParentOrder, atMs: number): ParentOrder {
  invariant(
    order.held === true && order.ended === undefined,
    "I41",
    `leg ${order.orderId} is released twice`,
  );
  const { held: _held, ...rest } = order;
  return { ...rest, releasedAtMs: atMs };
}

function currentChild(order: ParentOrder, childId: string): ChildOrder {
  invariant(
    order.child?.childId === childId,
    "I24",
    `parent ${order.orderId} has no outstanding child ${childId}`,
  );
  return order.child;
}

function openChild(child: ChildOrder): ChildOrder {
  const { problem: _read, ...rest } = child;
  return { ...rest, state: "OPEN" };
}

function lostChild(child: ChildOrder, problem: string | undefined): ChildOrder {
  return { ...child, state: "UNKNOWN", ...(problem !== undefined && { problem }) };
}

/** Of reports that cannot be read it is kept what was told, so that it is told once. */
function withAlert(order: ParentOrder, { alert, detail }: Extract<Fact, { kind: "ALERT" }>): ParentOrder {
  if (alert !== "VENUE_REPORT_INVALID") return order;
  return { ...order, invalidReports: [...(order.invalidReports ?? []), detail] };
}

function withChild(order: ParentOrder, child: ChildOrder): ParentOrder {
  invariant(order.child === undefined, "I24", `parent ${order.orderId} already has an outstanding child`);
  invariant(
    order.ended === undefined && order.pendingEnd === undefined && order.held === undefined,
    "I23",
    `parent ${order.orderId} is held or ending`,
  );
  const committed: Quantity = add(order.executedQuantity, child.quantity);
  invariant(
    committed <= order.intent.quantity,
    "I12",
    `parent ${order.orderId} would commit more than its quantity`,
  );
  const sent = { ...order, child, attempts: child.attempt, lastChildId: child.childId };
  if (child.slot === undefined) return sent;
  invariant(
    child.slot >= (order.nextSlot ?? 0),
    "I33",
    `slot ${child.slot} of parent ${order.orderId} is used already`,
  );
  return { ...sent, nextSlot: child.slot + 1 };
}

function withFill(order: ParentOrder, fact: Extract<Fact, { kind: "FILLED" }>): ParentOrder {
  const { fill, childId } = fact;
  invariant(
    !order.executions.has(fill.executionId),
    "I15",
    `execution ${fill.executionId} is counted already`,
  );
  const child = order.child;
  const executedNotional: Notional = add(order.executedNotional, notionalOf(fill.price, fill.quantity));
  return {
    ...order,
    ...(child?.childId === childId
      ? { child: { ...child, executedQuantity: add(child.executedQuantity, fill.quantity) } }
      : {}),
    executedQuantity: add(order.executedQuantity, fill.quantity),
    executedNotional,
    executions: order.executions.with(fill.executionId),
    consecutiveUnfilled: 0,
  };
}

function withoutChild(order: ParentOrder, fact: Extract<Fact, { kind: "CHILD_CLOSED" }>): ParentOrder {
  const { slot } = currentChild(order, fact.childId);
  const { child: _closed, ...rest } = order;
  // What was never handed over has not used its slot.
  const unsent = fact.outcome === "WITHDRAWN" && slot !== undefined ? { nextSlot: slot } : {};
  if (fact.notBeforeMs === undefined) return { ...rest, ...unsent };
  return {
    ...rest,
    ...unsent,
    notBeforeMs: fact.notBeforeMs,
    consecutiveUnfilled: order.consecutiveUnfilled + 1,
  };
}

function withEnd(order: ParentOrder, ended: NonNullable<ParentOrder["ended"]>): ParentOrder {
  invariant(order.ended === undefined, "I50", `parent ${order.orderId} ends twice`);
  invariant(order.child === undefined, "I23", `parent ${order.orderId} ends with a child in flight`);
  const { pendingEnd: _pending, ...rest } = order;
  return { ...rest, ended };
}
