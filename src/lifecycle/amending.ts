import { roundedUp, subtract, ZERO_QUANTITY } from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import {
  type AmendedTerms,
  type Amends,
  type ParentOrder,
  sameTerms,
  TRAITS,
  termsLike,
} from "../model/index.ts";
import { type AdmissionContext, checkAmended, checkAmendedPair } from "./admission.ts";

/** Most amends of one order, so that its owner cannot make the journal grow for ever. */
const MOST_AMENDS = 1_000;

/** Most amends of one order with an id. All are remembered: a copy of a forgotten one would be carried out again. */
const MOST_NAMED_AMENDS = 100;

const REPLACE = "Cancel it and place a new one.";

/**
 * Returns the refusal of an amend by the state of an order and of the legs of its list; undefined if it can be amended. An order
 * that is amended has nothing under way: no child at the venue, in the queue or unknown, whose limit and size would be of other
 * terms than the order. Nor has another leg, whose child may end this one, release it or bound it.
 */
export function amendObstacle(
  order: ParentOrder,
  legs: readonly ParentOrder[] = [order],
): OrderError | undefined {
  if (order.ended !== undefined) return amendRejected("The order has already ended. Read its status.");
  if (order.pendingEnd !== undefined) return amendRejected("The order is being ended. Read its status.");
  const open = legs.filter(({ ended }) => ended === undefined);
  if (open.some(({ child }) => child !== undefined))
    return amendNotNow(
      `A child of the order${order.list && " or of its list"} is not settled. Wait until it is, or cancel the order and place a new one.`,
    );
  if (open.every(({ frozen, restored }) => frozen === undefined && restored === undefined)) return undefined;
  return amendRejected("The order is stopped until a person settles it. Ask the operator.");
}

/** A leg that an amend changes, and its new terms. */
export type LegAmend = Readonly<{ leg: ParentOrder; terms: AmendedTerms }>;

/**
 * Returns what an amend of an order changes: that order first, then the open legs of its list that take its new quantity. The
 * legs of a pair are for one quantity. An entry takes along the exits of what it executes.
 */
export function legAmends(
  order: ParentOrder,
  legs: readonly ParentOrder[],
  terms: AmendedTerms,
): readonly LegAmend[] {
  const { quantity } = terms;
  if (quantity === undefined || order.list?.kind !== undefined) return [{ leg: order, terms }];
  const follows = (leg: ParentOrder): boolean =>
    isOpenBeside(order, leg) &&
    leg.intent.quantity !== quantity &&
    (isEntry(order) || (isOfPair(order) && isOfPair(leg)));
  return [{ leg: order, terms }, ...legs.filter(follows).map((leg) => ({ leg, terms: { quantity } }))];
}

const isEntry = ({ list }: ParentOrder): boolean => list?.role === "working";

const isOfPair = ({ list }: ParentOrder): boolean => list?.role === "protective" || list?.role === "profit";

const isOpenBeside = (order: ParentOrder, leg: ParentOrder): boolean =>
  leg.orderId !== order.orderId && leg.ended === undefined;

/** Returns the earlier amend of an order with that id; undefined if there is none. Throws AMEND_REJECTED if it had other terms. */
export function amendNamed(
  { amends }: Pick<ParentOrder, "amends">,
  amendId: string | undefined,
  terms: AmendedTerms,
): Amends["named"][number] | undefined {
  const known = amendId === undefined ? undefined : amends?.named.find((one) => one.amendId === amendId);
  if (known !== undefined && !sameTerms(known.terms, terms))
    throw amendRejected("This amendId names another amend of the order. Use a new amendId for a new amend.");
  return known;
}

/** An amend of an order, and all legs of its list. Without a list, the order alone. */
type Requested = Readonly<{
  order: ParentOrder;
  legs: readonly ParentOrder[];
  terms: AmendedTerms;
  amendId?: string | undefined;
}>;

/**
 * Checks the order that an amend would make, and the legs that change with it, as an admission would, for what they have not
 * executed yet. With `mustStraddle` a new level of an OCO must leave the market between its legs. Throws the OrderError that
 * refuses it: AMEND_REJECTED for what cannot be changed in place.
 */
export function admitAmend(
  { order, legs, terms, amendId }: Requested,
  context: AdmissionContext & Readonly<{ mustStraddle?: boolean }>,
): void {
  const { quantity } = order.intent;
  const isNewQuantity = terms.quantity !== undefined && terms.quantity !== quantity;
  if (isNewQuantity && order.list?.kind !== undefined)
    throw amendRejected(
      "The legs of the list share one quantity, which is fixed. Cancel the list and place a new one.",
    );
  const isOfAll = !legs.some((leg) => isOpenBeside(order, leg) && leg.intent.quantity !== quantity);
  // Exits of more than the entry executes would open a position of the other side; exits of less would leave it open.
  if (isEntry(order) && isNewQuantity && !isOfAll)
    throw amendRejected(
      "The exits of the entry have another quantity, and follow it only with the same one. Give them the quantity of the entry first, or cancel the list and place a new one.",
    );
  if (amendId !== undefined && (order.amends?.named.length ?? 0) >= MOST_NAMED_AMENDS)
    throw amendRejected(`An order can be amended ${MOST_NAMED_AMENDS} times with an amendId. ${REPLACE}`);
  const changed = legAmends(order, legs, terms);
  for (const one of changed) admitLeg(one, context);
  if (!isOfPair(order)) return;
  const [stop, ...profits] = legs
    .filter(isOfPair)
    .map((leg) => ({ leg, intent: { ...leg.intent, ...changed.find((one) => one.leg === leg)?.terms } }));
  if (stop?.leg.ended !== undefined) return;
  const isLevel = terms.stopPrice !== undefined || terms.price !== undefined;
  const mustStraddle = context.mustStraddle && order.list?.contingency === "OCO" && isLevel;
  for (const { leg, intent } of profits)
    if (stop !== undefined && leg.ended === undefined)
      checkAmendedPair([stop.intent, intent], { quote: context.quote, mustStraddle });
}

function admitLeg({ leg: order, terms }: LegAmend, context: AdmissionContext): void {
  const { intent, amends, list, held } = order;
  for (const name of Object.keys(terms) as (keyof AmendedTerms)[]) {
    const why = fixedTerm(order, name, terms);
    if (why !== undefined) throw amendRejected(why);
  }
  if ((amends?.count ?? 0) >= MOST_AMENDS)
    throw amendRejected(`An order can be amended ${MOST_AMENDS} times. ${REPLACE}`);
  const amended = { ...intent, ...terms };
  const rest = subtract(amended.quantity, roundedUp(order));
  if (rest <= ZERO_QUANTITY)
    throw amendRejected(
      "The quantity must be greater than what the order has executed. To end it, cancel it.",
    );
  checkAmended(
    { order, amended, rest },
    list === undefined ? context : { ...context, leg: held ? "held" : "active" },
  );
}

/** Returns why an order cannot have another value of a term; undefined if it can. */
function fixedTerm(order: ParentOrder, name: keyof AmendedTerms, terms: AmendedTerms): string | undefined {
  const { intent } = order;
  if (sameTerms(termsLike(intent, { [name]: terms[name] }), { [name]: terms[name] })) return undefined;
  if (name === "trailing" && intent.trailing && intent.trailing.kind !== terms.trailing?.kind)
    return `Send the distance in the field in which the order has it, or cancel the order and place a new one.`;
  return whyFixed(order, name);
}

/** Returns why no amend can change a term of an order; undefined if one can. */
export function whyFixed(
  { intent, trigger, plan }: ParentOrder,
  name: keyof AmendedTerms,
): string | undefined {
  const field = FIELDS[name];
  if (intent[name] === undefined) return `The order has no ${field} that could be changed. ${REPLACE}`;
  if (name === "quantity" && plan !== undefined) return `The slices of a schedule are fixed. ${REPLACE}`;
  if (name === "stopPrice" && TRAITS[intent.type].trigger === "trailing")
    return `The price at which an order begins to trail is fixed. ${REPLACE}`;
  const isFrozen =
    trigger !== undefined && (name === "stopPrice" || name === "trailing" || name === "limitOffset");
  return isFrozen ? `The order has triggered: its ${field} is fixed. ${REPLACE}` : undefined;
}

/** The names of terms in words. */
const FIELDS: Readonly<Record<keyof AmendedTerms, string>> = {
  quantity: "quantity",
  price: "price",
  stopPrice: "stopPrice",
  trailing: "trailing distance",
  limitOffset: "limitOffset",
  icebergQuantity: "icebergQty",
  expireTimeMs: "expireTime",
};

/** Returns the refusal of an amend for good. */
export const amendRejected = (advice: string): OrderError => new OrderError("AMEND_REJECTED", { advice });

/** Returns the refusal of an amend that may be sent again. */
export const amendNotNow = (advice: string): OrderError => new OrderError("AMEND_NOT_NOW", { advice });
