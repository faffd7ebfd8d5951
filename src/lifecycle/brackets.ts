import {
  add,
  averagePriceOf,
  executedText,
  hasExecuted,
  max,
  min,
  PRICE_LIMIT,
  type Quantity,
  roundedUp,
  subtract,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import type { ParentOrder, StopMove } from "../model/index.ts";
import { restOf } from "./child-size.ts";
import { isBetterLevel, movedLevel } from "./list-form.ts";
import type { ParentEvent, TransitionContext } from "./parent-event.ts";
import { type Transition, transition } from "./transition.ts";

/** An event of one leg of a list, and the legs in memory: all, or this one of a list that is done. */
type KindEvent = Readonly<{ legs: readonly ParentOrder[]; before: ParentOrder; event: ParentEvent }>;

/**
 * The rules of lists of a kind of their own, a bracket by fills or an OCA. Like `transitionList`: one record, a loser before the
 * winner, a fill before what follows from it. Every rule is derived from the legs alone.
 */
export function transitionOfKind(
  { legs, before, event }: KindEvent,
  context: TransitionContext,
): readonly Transition[] {
  if (event.kind === "NOTHING_TO_REDUCE" && roleOf(before) !== "working" && isOpen(entryOf(legs)))
    // What the entry executes next must find its exits.
    return [unchanged(before, "NO_EXPOSURE")];
  const record = new ListRecord(legs, context);
  const isAlone = event.kind === "CANCEL" && event.alone === true && roleOf(before) === "working";
  if (event.kind === "CANCEL") for (const leg of isAlone ? [before] : legs) record.meet(leg, event);
  else follow(record, before, transition(before, event, { ...context, ...partOf(legs, before, context) }));
  settle(record, legs);
  return record.steps;
}

const unchanged = (order: ParentOrder, wait: Transition["wait"]): Transition => ({
  order,
  facts: [],
  effects: [],
  ...(wait !== undefined && { wait }),
});

/** The changes of one record, each leg once, in their order. */
class ListRecord {
  readonly #legs: readonly ParentOrder[];
  readonly #context: TransitionContext;
  readonly #steps: Map<number, Transition> = new Map();

  constructor(legs: readonly ParentOrder[], context: TransitionContext) {
    this.#legs = legs;
    this.#context = context;
  }

  get steps(): readonly Transition[] {
    return [...this.#steps.values()];
  }

  /** The legs after the changes so far. */
  get legs(): readonly ParentOrder[] {
    return this.#legs.map((leg) => this.#steps.get(leg.orderId)?.order ?? leg);
  }

  add(step: Transition): void {
    this.#steps.set(step.order.orderId, step);
  }

  /** Applies an event to a leg that may have changed in this record. */
  meet(leg: ParentOrder, event: ParentEvent): void {
    const known = this.#steps.get(leg.orderId);
    const step = transition(known?.order ?? leg, event, this.#context);
    if (known === undefined) this.add(step);
    else this.add({ ...known, order: step.order, facts: [...known.facts, ...step.facts] });
  }
}

/** Adds the transition of the leg of an event, after what it does to the others. */
function follow(record: ListRecord, before: ParentOrder, lead: Transition): void {
  const others = record.legs.filter((leg) => leg.orderId !== before.orderId);
  if (wins(before, lead.order)) for (const leg of others) record.meet(leg, { kind: "SIBLING_WON" });
  record.add(lead);
  if (!lostItsPosition(lead)) return;
  for (const leg of others) if (leg.intent.reduceOnly) record.meet(leg, { kind: "SIBLING_HAS_NOTHING" });
}

/**
 * The stop of a bracket wins when it triggers, and an order of an OCA that cancels the others when it triggers or its child is
 * intended.
 */
function wins(before: ParentOrder, after: ParentOrder): boolean {
  const winsAlone = roleOf(after) === "protective" || after.list?.mode === "CANCEL";
  return winsAlone && hasWon(after) && !hasWon(before);
}

/**
 * Returns whether a leg of which one wins has won: its trigger fired, or, without a trigger, a child of it was intended. A
 * restored leg can have executions of children that the engine does not know.
 */
export function hasWon(leg: ParentOrder): boolean {
  return leg.trigger !== undefined || leg.lastChildId !== undefined || hasExecuted(leg);
}

/** Returns whether a leg has ended because the position that it reduced is gone. */
export const lostItsPosition = ({ facts }: Transition): boolean =>
  facts.some((fact) => fact.kind === "ENDED" && fact.reason === "NOTHING_TO_REDUCE");

/**
 * Returns the most that a leg may execute in all, of what legs share: what the entry of a bracket has executed, or the quantity
 * of an OCA that reduces. The other legs have taken of it what they executed and the full size of their unresolved children.
 * Empty for a leg that shares nothing.
 */
export function partOf(
  legs: readonly ParentOrder[],
  leg: ParentOrder,
  { isLookedUp }: Pick<TransitionContext, "isLookedUp"> = {},
): Pick<TransitionContext, "releasedFor" | "part"> {
  const { list } = leg;
  const shares = list?.mode === "REDUCE" || (list?.kind === "BRACKET" && list.role !== "working");
  if (!shares || legs.length < list.legs.length) return {};
  const entry = entryOf(legs);
  const exits = exitsOf(legs);
  const others = exits.filter(({ orderId }) => orderId !== leg.orderId);
  const whole = entry?.executedQuantity ?? leg.intent.quantity;
  const unsettled = others.map((other) => unsettledOf(other, isLookedUp));
  const free = [...others.map(roundedUp), ...unsettled].reduce((rest, one) => subtract(rest, one), whole);
  const goal = list.role === "profit" ? goalOf(legs, leg) : free;
  const isWhole = goal >= leg.intent.quantity && free >= goal;
  const mayGrow = !isWhole && (isOpen(entry) || unsettled.some((quantity) => quantity > 0));
  const isBegun = (entry ?? exits.find(hasExecuted)) !== undefined;
  return { releasedFor: min(free, goal), part: { mayGrow, isBegun } };
}

/** Returns what a leg may still execute of a child that is not settled, or that closed early and is not looked up yet. */
function unsettledOf(
  { orderId, child, earlyClose }: ParentOrder,
  isLookedUp: (orderId: number) => boolean = () => false,
): Quantity {
  const open = child ?? (isLookedUp(orderId) ? undefined : earlyClose?.child);
  return open === undefined
    ? ZERO_QUANTITY
    : max(subtract(open.quantity, open.executedQuantity), ZERO_QUANTITY);
}

/** Returns the part of a take-profit in what the entry has executed so far: those before it come first. */
function goalOf(legs: readonly ParentOrder[], leg: ParentOrder): Quantity {
  let left = entryOf(legs)?.executedQuantity ?? ZERO_QUANTITY;
  for (const profit of profitsOf(legs)) {
    if (profit.orderId === leg.orderId) break;
    left = subtract(left, profit.intent.quantity);
  }
  return min(leg.intent.quantity, max(left, ZERO_QUANTITY));
}

/** Derives from the legs what else changes in a record. */
function settle(record: ListRecord, before: readonly ParentOrder[]): void {
  const { list } = before[0] as ParentOrder;
  if (list?.kind === "OCA") return endShared(record);
  if (before.length === list?.legs.length) {
    settleExits(record);
    moveStop(record, before);
  }
  alertUnprotected(record, before);
}

/** Ends the orders of an OCA whose whole quantity is executed. */
function endShared(record: ListRecord): void {
  const { legs } = record;
  const { list, intent } = legs[0] as ParentOrder;
  if (list?.mode !== "REDUCE" || legs.length < list.legs.length || sumOf(legs) < intent.quantity) return;
  for (const leg of legs) if (isOpen(leg)) record.meet(leg, { kind: "SIBLING_WON" });
}

/**
 * Releases the stop with the first execution of the entry, each take-profit with the first execution that is a part of its own,
 * and one that trails when the entry has ended: it must not sell at any price what the entry buys later. Ends the exits that can
 * never act again.
 */
function settleExits(record: ListRecord): void {
  const entry = entryOf(record.legs);
  const executed = entry?.executedQuantity ?? ZERO_QUANTITY;
  const open = exitsOf(record.legs).filter(isOpen);
  const hasPart = (leg: ParentOrder): boolean =>
    roleOf(leg) === "protective"
      ? executed > 0
      : goalOf(record.legs, leg) > 0 && !(isOpen(entry) && leg.intent.trailing !== undefined);
  for (const leg of open) if (leg.held && hasPart(leg)) record.meet(leg, { kind: "RELEASED" });
  const { legs } = record;
  if (isOpen(entry) || open.some(({ child }) => child !== undefined)) return;
  const exits = exitsOf(legs);
  const isDone = sumOf(exits) >= executed;
  for (const leg of open) {
    const others = exits.filter(({ orderId }) => orderId !== leg.orderId);
    if (isDone && others.some(hasExecuted)) record.meet(leg, { kind: "SIBLING_WON" });
    else if (isDone || (roleOf(leg) === "profit" && restOf(leg, goalOf(legs, leg)) <= 0))
      record.meet(leg, { kind: "WORKING_LEG_ENDED" });
  }
}

/** Moves the stop in the record in which the last of its take-profits has executed whole. */
function moveStop(record: ListRecord, before: readonly ParentOrder[]): void {
  const { legs } = record;
  const [stop, entry] = [stopOf(legs), entryOf(legs)];
  const move = stop?.list?.stopMove;
  if (stop === undefined || entry === undefined || move === undefined) return;
  if (!isOpen(stop) || stop.child !== undefined || stop.trigger !== undefined) return;
  if (entry.executedQuantity <= 0) return;
  if (isMoveDue(before, move) || !isMoveDue(legs, move)) return;
  const { intent } = stop;
  // The average of the entry is rounded so that it is never worse than the entry.
  const from = move.to === "ENTRY" ? averagePriceOf(entry, intent.side === "SELL" ? "up" : "down") : move.to;
  const level = movedLevel(from, intent, move.offset);
  if (isBetterLevel(level, intent) && level > 0 && level < PRICE_LIMIT)
    record.meet(stop, { kind: "STOP_MOVED", stopPrice: level });
}

/** Returns whether the first take-profits, as many as a move names, have executed whole what they can. */
function isMoveDue(legs: readonly ParentOrder[], { after }: StopMove): boolean {
  const isFinal = !isOpen(entryOf(legs));
  return profitsOf(legs)
    .slice(0, after)
    .every((leg) => {
      const goal = isFinal ? goalOf(legs, leg) : leg.intent.quantity;
      const isResidual = leg.ended?.reason === "RESIDUAL_BELOW_MIN_NOTIONAL";
      return hasExecuted(leg) && (isResidual || restOf(leg, goal) <= 0);
    });
}

/**
 * Adds an alert if the stop ends before the exits have executed what the entry has, except for a rest below the minimum; and for
 * every execution of the entry after that.
 */
function alertUnprotected(record: ListRecord, before: readonly ParentOrder[]): void {
  const { legs } = record;
  const [entry, stop, exits] = [entryOf(legs), stopOf(legs), exitsOf(legs)];
  if (entry === undefined) return;
  const isWhole = stop !== undefined;
  if (isWhole && (isOpen(stop) || sumOf(exits) >= entry.executedQuantity)) return;
  const ends = isWhole && isOpen(stopOf(before)) && !LEAVES_NOTHING.has(stop.ended?.reason);
  const grows = entry.executedQuantity > (entryOf(before)?.executedQuantity ?? ZERO_QUANTITY);
  if (!ends && !grows) return;
  const executed = exits.map((leg) => executedText(leg)).join(" + ");
  const detail = `executed ${executedText(entry)}, its exits ${executed}, and its stop has ended`;
  record.meet(entry, { kind: "UNPROTECTED", ...(isWhole && { detail }) });
}

/** Ends of a stop that leave nothing which it could protect. */
const LEAVES_NOTHING: ReadonlySet<string | undefined> = new Set([
  "RESIDUAL_BELOW_MIN_NOTIONAL",
  "NOTHING_TO_REDUCE",
]);

const sumOf = (legs: readonly ParentOrder[]): Quantity =>
  legs.reduce((sum, leg) => add(sum, roundedUp(leg)), ZERO_QUANTITY);

const roleOf = ({ list }: ParentOrder): string | undefined => list?.role;
const isOpen = (leg: ParentOrder | undefined): boolean => leg !== undefined && leg.ended === undefined;

type Legs = readonly ParentOrder[];
const entryOf = (legs: Legs): ParentOrder | undefined => legs.find((leg) => roleOf(leg) === "working");
const stopOf = (legs: Legs): ParentOrder | undefined => legs.find((leg) => roleOf(leg) === "protective");
const exitsOf = (legs: Legs): Legs => legs.filter((leg) => roleOf(leg) !== "working");
const profitsOf = (legs: Legs): Legs => legs.filter((leg) => roleOf(leg) === "profit");
