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
import { type AdmissionContext, checkAmended } from "./admission.ts";
import { isActive } from "./child-size.ts";

/** Most amends of one order, so that its owner cannot make the journal grow for ever. */
const MOST_AMENDS = 1_000;

/** Most amends of one order with an id. All are remembered: a copy of a forgotten one would be carried out again. */
const MOST_NAMED_AMENDS = 100;

const REPLACE = "Cancel it and place a new one.";

/**
 * Returns the refusal of an amend by the state of an order; undefined if it can be amended. An order that is amended has nothing
 * under way: no child at the venue, in the queue or unknown, whose limit and size would be of other terms than the order.
 */
export function amendObstacle(order: ParentOrder): OrderError | undefined {
  if (order.ended !== undefined) return amendRejected("The order has already ended. Read its status.");
  if (order.pendingEnd !== undefined) return amendRejected("The order is being ended. Read its status.");
  if (order.list !== undefined)
    return amendRejected("The order is a leg of a list. Cancel the list and place a new one.");
  if (order.child !== undefined)
    return amendNotNow(
      "A child of the order is not settled. Wait until it is, or cancel the order and place a new one.",
    );
  if (isActive(order)) return undefined;
  return amendRejected("The order is stopped until a person settles it. Ask the operator.");
}

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

/**
 * Checks the order that an amend would make, as an admission would, for what it has not executed yet. Throws the OrderError that
 * refuses it: AMEND_REJECTED for what cannot be changed in place.
 */
export function admitAmend(
  order: ParentOrder,
  { terms, amendId }: Readonly<{ terms: AmendedTerms; amendId?: string | undefined }>,
  context: AdmissionContext,
): void {
  const { intent, amends } = order;
  for (const name of Object.keys(terms) as (keyof AmendedTerms)[]) {
    const why = fixedTerm(order, name, terms);
    if (why !== undefined) throw amendRejected(why);
  }
  if ((amends?.count ?? 0) >= MOST_AMENDS)
    throw amendRejected(`An order can be amended ${MOST_AMENDS} times. ${REPLACE}`);
  if (amendId !== undefined && (amends?.named.length ?? 0) >= MOST_NAMED_AMENDS)
    throw amendRejected(`An order can be amended ${MOST_NAMED_AMENDS} times with an amendId. ${REPLACE}`);
  const amended = { ...intent, ...terms };
  const rest = subtract(amended.quantity, roundedUp(order));
  if (rest <= ZERO_QUANTITY)
    throw amendRejected(
      "The quantity must be greater than what the order has executed. To end it, cancel it.",
    );
  checkAmended({ order, amended, rest }, context);
}

/** Returns why an order cannot have another value of a term; undefined if it can. */
function fixedTerm(
  { intent, trigger, plan }: ParentOrder,
  name: keyof AmendedTerms,
  terms: AmendedTerms,
): string | undefined {
  if (sameTerms(termsLike(intent, { [name]: terms[name] }), { [name]: terms[name] })) return undefined;
  const field = FIELDS[name];
  if (intent[name] === undefined) return `The order has no ${field} that could be changed. ${REPLACE}`;
  if (name === "trailing" && intent.trailing?.kind !== terms.trailing?.kind)
    return `Send the distance in the field in which the order has it, or cancel the order and place a new one.`;
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
