import { hasExecuted } from "../decimal/index.ts";
import { InvariantError } from "../errors/index.ts";
import type { LegRole, ListMembership, ListTerms, OrderList, ParentOrder } from "../model/index.ts";
import { amendObstacle, legAmends } from "./amending.ts";
import { hasWon, lostItsPosition, transitionOfKind } from "./brackets.ts";
import type { ParentEvent, TransitionContext } from "./parent-event.ts";
import { type Transition, transition } from "./transition.ts";

/** Public members that describe the state of a list (contract, Linked order list reply). */
export interface ListStatusView {
  readonly listStatusType: "EXEC_STARTED" | "ALL_DONE";
  readonly listOrderStatus: "EXECUTING" | "ALL_DONE";
}

/**
 * Returns the status of a list. It is done if and only if every leg has ended (I44).
 *
 *
 * @example
 * ```ts
 * import { listStatusOf, type OrderList } from "managed-orders";
 * const isOpen = (list: OrderList): boolean => listStatusOf(list).listOrderStatus === "EXECUTING";
 * ```
 */
export function listStatusOf(list: Pick<OrderList, "legs">): ListStatusView {
  return list.legs.every((leg) => leg.ended !== undefined)
    ? { listStatusType: "ALL_DONE", listOrderStatus: "ALL_DONE" }
    : { listStatusType: "EXEC_STARTED", listOrderStatus: "EXECUTING" };
}

/** Returns the list of these legs. Throws an InvariantError I53 for orders that are not the legs of one list. */
export function orderListOf(legs: readonly ParentOrder[]): OrderList {
  const [first] = legs;
  const list = first?.list;
  const whole =
    list !== undefined &&
    legs.length === list.legs.length &&
    legs.every((leg, index) => leg.orderId === list.legs[index]);
  if (!whole)
    throw new InvariantError(
      "I53",
      `orders ${legs.map(({ orderId }) => orderId).join(", ")} do not form one list`,
    );
  const { listId, listClientOrderId, contingency } = list;
  const { accountId, acceptedAtMs, intent } = first as ParentOrder;
  const named = { listId, accountId, listClientOrderId, contingency, ...listTermsOf(list) };
  return { ...named, symbol: intent.symbol, acceptedAtMs, legs };
}

/** Returns the terms of a list of a kind of its own; nothing for another list. */
export const listTermsOf = ({ kind, mode, stopMove }: ListTerms): ListTerms => ({
  ...(kind !== undefined && { kind }),
  ...(mode !== undefined && { mode }),
  ...(stopMove !== undefined && { stopMove }),
});

/**
 * Yields parents in the order in which they meet one quote: as they fired, except that the protective leg of a pair goes
 * before the other, so that it wins where both would. A caller that already has the fired parents by id can pass them as
 * `waiting`, which is empty at the end.
 */
export function* protectiveFirst<T extends Readonly<{ orderId: number }>>(
  fired: readonly T[],
  orderOf: (orderId: number) => ParentOrder | undefined,
  waiting: Pick<Map<number, T>, "get" | "has" | "delete"> = new Map(fired.map((one) => [one.orderId, one])),
): Iterable<T> {
  for (const { orderId } of fired) {
    const list = waiting.has(orderId) ? orderOf(orderId)?.list : undefined;
    for (const next of inTurn(orderId, list)) {
      const one = waiting.get(next);
      if (one !== undefined && waiting.delete(next)) yield one;
    }
  }
}

/** Returns the leg that goes before another, if it fired too, and the other. A bracket's stop also goes before its entry. */
function inTurn(orderId: number, list: ListMembership | undefined): readonly number[] {
  if (list?.kind === "BRACKET") return [...list.legs.slice(1, 2), orderId];
  return list?.role === "profit" ? list.legs : [orderId];
}

/** An event of one leg, and all legs of its list in their current state, in display order. */
export interface LegEvent {
  readonly legs: readonly ParentOrder[];
  readonly orderId: number;
  readonly event: ParentEvent;
}

/**
 * The rules of an order list. Returns what an event of one leg does to all legs, for one journal record. The transitions
 * are in the order of the record: a loser before the winner, a fill before the release that follows from it. Unchanged legs
 * are left out. A parent outside lists is a list of one (contract "States and transitions"; invariants I40-I43).
 *
 *
 * @example
 * ```ts
 * import type { ParentOrder } from "managed-orders";
 * import { type TransitionContext, transitionList } from "managed-orders/rules";
 * const canceled = (legs: readonly ParentOrder[], orderId: number, context: TransitionContext): number =>
 *   transitionList({ legs, orderId, event: { kind: "CANCEL" } }, context).length;
 * ```
 */
export function transitionList(
  { legs, orderId, event }: LegEvent,
  context: TransitionContext,
): readonly Transition[] {
  const before = legs.find((leg) => leg.orderId === orderId);
  if (before === undefined) throw new InvariantError("I53", `order ${orderId} is not a leg of its list`);
  if (before.list === undefined) return [transition(before, event, context)];
  if (event.kind === "AMEND") return amendLegs({ legs, before, event }, context);
  if (
    (executes(event) || event.kind === "NOTHING_TO_REDUCE") &&
    legs.some((leg) => leg !== before && isRestored(leg))
  )
    return [{ order: before, facts: [], effects: [], wait: "LIST_UNKNOWN" }];
  const isUnknown = legs.some((leg) => leg.child?.state === "UNKNOWN");
  const { kind } = before.list;
  const known = isUnknown && kind !== "BRACKET" ? { ...context, listUnknown: true as const } : context;
  if (kind !== undefined) return touched(transitionOfKind({ legs, before, event }, known), orderId);
  const leadContext = {
    ...known,
    ...releasedFor(legs, before),
  };
  const steps =
    event.kind === "CANCEL"
      ? legs.map((leg) => transition(leg, event, context))
      : withConsequences({ legs, before, lead: transition(before, event, leadContext) }, context);
  return touched(withAlert(legs, steps, context), orderId);
}

/** An amend of a leg, and with its quantity that of the legs that share it. Changes nothing while any leg is not settled. */
function amendLegs({ legs, before, event }: LegAmended, context: TransitionContext): readonly Transition[] {
  if (amendObstacle(before, legs) !== undefined) return [];
  return legAmends(before, legs, event.terms).map(({ leg, terms }) =>
    transition(leg, leg === before ? event : { kind: "AMEND", terms }, context),
  );
}

type LegAmended = Readonly<{
  legs: readonly ParentOrder[];
  before: ParentOrder;
  event: Extract<ParentEvent, { kind: "AMEND" }>;
}>;

const touched = (steps: readonly Transition[], orderId: number): readonly Transition[] =>
  steps.filter((step) => step.order.orderId === orderId || step.facts.length > 0);

type LegOutcome = Readonly<{ legs: readonly ParentOrder[]; before: ParentOrder; lead: Transition }>;

/** Returns the consequences of one leg's transition for the other legs. */
function withConsequences(
  { legs, before, lead }: LegOutcome,
  context: TransitionContext,
): readonly Transition[] {
  const after = lead.order;
  const others = (concerned: (leg: ParentOrder) => boolean, event: ParentEvent): readonly Transition[] =>
    legs
      .filter((leg) => leg.orderId !== after.orderId && concerned(leg))
      .map((leg) => transition(leg, event, context));
  if (isOfPair(after) && hasWon(after) && !hasWon(before)) {
    return [...others(isOfPair, { kind: "SIBLING_WON" }), lead];
  }
  if (roleOf(after) !== "working") {
    // The other reduce-only legs would reduce the next position.
    return lostItsPosition(lead) ? [lead, ...others(reduces, { kind: "SIBLING_HAS_NOTHING" })] : [lead];
  }
  if (isWhole(after)) return [lead, ...others(isHeld, { kind: "RELEASED" })];
  if (after.ended === undefined) return [lead];
  const counts = context.rules.residualCountsAsFilled === true && isResidual(after);
  return [lead, ...others(isHeld, { kind: counts ? "RELEASED" : "WORKING_LEG_ENDED" })];
}

/**
 * Returns the most that a released leg may execute if its entry ended with less than its quantity: what the entry has
 * executed, late fills included. The legs of an entry that filled whole have no such bound.
 */
function releasedFor(legs: readonly ParentOrder[], leg: ParentOrder): Pick<TransitionContext, "releasedFor"> {
  const entry = legs.find((other) => roleOf(other) === "working");
  if (entry === undefined || entry === leg || isHeld(leg) || isWhole(entry)) return {};
  return { releasedFor: entry.executedQuantity };
}

const isResidual = ({ ended }: ParentOrder): boolean => ended?.reason === "RESIDUAL_BELOW_MIN_NOTIONAL";

/**
 * Returns whether a working leg has executed its whole quantity. This is so in the record of that fill. A child of the leg
 * may still be in flight then, if the fill was a late one of another child.
 */
const isWhole = ({ executedQuantity, intent }: ParentOrder): boolean => executedQuantity >= intent.quantity;

const reduces = ({ intent }: ParentOrder): boolean => intent.reduceOnly;

/** Returns whether an event can lead to a child. */
export const executes = ({ kind }: ParentEvent): boolean =>
  kind === "FIRED" || kind === "MEASURED" || kind === "PRINTED";

/**
 * Returns whether a leg waits to be resumed after a restore. It may have won since the backup, so that no other leg may
 * fire before its executions are known.
 */
const isRestored = ({ restored, ended }: ParentOrder): boolean =>
  restored !== undefined && ended === undefined;

/**
 * Adds an alert when a working leg ends with fills while none of its pending legs was released: the fills are unprotected
 * then.
 */
function withAlert(
  legs: readonly ParentOrder[],
  steps: readonly Transition[],
  context: TransitionContext,
): readonly Transition[] {
  const ended = steps.find(({ order, facts }) => {
    return roleOf(order) === "working" && facts.some(({ kind }) => kind === "ENDED");
  });
  if (ended === undefined || !hasExecuted(ended.order)) return steps;
  const after = new Map(legs.map((leg) => [leg.orderId, leg]));
  for (const { order } of steps) after.set(order.orderId, order);
  const isProtected = [...after.values()].some((leg) => roleOf(leg) !== "working" && !isHeld(leg));
  if (isProtected) return steps;
  const alert = transition(ended.order, { kind: "UNPROTECTED" }, context);
  const alerted = { ...ended, order: alert.order, facts: [...ended.facts, ...alert.facts] };
  return steps.map((step) => (step === ended ? alerted : step));
}

const roleOf = (leg: ParentOrder): LegRole | undefined => leg.list?.role;
/** Returns whether a leg was never released; it may have ended. */
const isHeld = (leg: ParentOrder): boolean => leg.held === true;
const isOfPair = (leg: ParentOrder): boolean => roleOf(leg) === "protective" || roleOf(leg) === "profit";
