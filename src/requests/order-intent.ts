import {
  functionOption,
  type OptionCheck,
  objectOption,
  optionalOption,
  optionsOf,
} from "../common/index.ts";
import type { Price, Quantity } from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import {
  mayTrailAsLeg,
  type ParentIntent,
  type TimeInForce,
  TRAITS,
  type TrailingDistance,
} from "../model/index.ts";
import { ORDER_NAMES } from "./known-names.ts";
import { INTENT_MEMBERS, type OrderFieldValues } from "./order-fields.ts";
import { LEG_SETS, ORDER_SETS, readTyped } from "./order-sets.ts";
import { type LegPlace, typedLeg, typedOrder } from "./order-type.ts";
import type { OrderFields } from "./orders.ts";
import type { PlainFields } from "./plain-fields.ts";
import { conflict, type NameOf, ownName, unread } from "./refusals.ts";
import { scheduleTerms } from "./schedule-terms.ts";

/** Options for reading an order or a list in process. */
export interface OrderIntentOptions {
  /** Generates the id of an order or leg without one. It receives the name of the field, such as aboveClientOrderId. */
  readonly clientId?: (field: string) => string;
}

/** Checks the options of an intent. */
export const intentOptions: OptionCheck = /* @__PURE__ */ (() =>
  optionsOf<OrderIntentOptions>({
    clientId: optionalOption(functionOption("returns a client id, given the name of its field")),
  }))();

/** Checks that the fields of an order or a list are an object. */
export const fieldsOption: OptionCheck = /* @__PURE__ */ objectOption("an object of fields by name");

/**
 * Returns the canonical intent of an order given in process. Rules and errors are the same as on the wire. Without
 * newClientOrderId the id comes from `options.clientId`; without both, PARAMETER_MISSING (-1102) is thrown.
 * Throws an OrderError that names the invalid field, and a TypeError for fields that are not an object and for an
 * option that is unknown or wrong.
 * Source: contract, Order input fields; decisions 7, 10, 18, 19, 28-32.
 *
 * @example
 * ```ts
 * import { orderIntent } from "managed-orders";
 * const intent = orderIntent({
 *   symbol: "BTC/USD",
 *   side: "SELL",
 *   type: "STOP_LOSS",
 *   quantity: "0.010",
 *   stopPrice: "7400",
 *   newClientOrderId: "stop-1",
 * });
 * console.log(intent.type, intent.timeInForce); // STOP_MARKET GTC
 * ```
 */
export function orderIntent(fields: OrderFields, options: OrderIntentOptions = {}): ParentIntent {
  fieldsOption(fields, "orderIntent.fields");
  intentOptions(options, "orderIntent.options");
  const plain = sentFields(fields, ORDER_NAMES);
  if (plain.newClientOrderId !== undefined || options.clientId === undefined) return intentOf(plain);
  return intentOf({ ...plain, newClientOrderId: options.clientId("newClientOrderId") });
}

/**
 * Returns fields given in process, without the undefined ones. Throws UNREAD_PARAMETER (-1104) for an unknown field.
 */
export function sentFields(fields: object, known: ReadonlySet<string>): PlainFields {
  const sent = Object.entries(fields).filter(([, value]) => value !== undefined);
  const names = sent.map(([name]) => name);
  if (names.some((name) => !known.has(name))) throw unread(names, known);
  return Object.fromEntries(sent);
}

/** Returns the intent that plain fields express. Throws the OrderError of an invalid field. */
export function intentOf(fields: PlainFields): ParentIntent {
  return intentFrom(readTyped(ORDER_SETS, typedOrder(fields)), ownName);
}

/** Returns the intent of a leg. Throws the OrderError of an invalid field; it names fields as the request does. */
export function legIntentOf(fields: PlainFields, place: LegPlace): ParentIntent {
  const { nameOf } = place;
  return intentFrom(readTyped(LEG_SETS, typedLeg(fields, place), nameOf), nameOf);
}

type MemberReader = (order: OrderFieldValues, nameOf: NameOf) => unknown;

/** Members of an intent that combine several fields. */
const COMPOSED: Readonly<Partial<Record<keyof ParentIntent, MemberReader>>> = {
  trailing: trailingDistance,
  limitOffset: dynamicOffset,
  icebergQuantity: icebergQuantity,
  schedule: scheduleTerms,
  timeInForce: timeInForce,
  expireTimeMs: ({ expireTime, goodTillDate }) => expireTime ?? goodTillDate,
};

const MEMBERS = (Object.keys(INTENT_MEMBERS) as (keyof ParentIntent)[]).map((member) => {
  const [field] = INTENT_MEMBERS[member].of;
  const read: MemberReader = COMPOSED[member] ?? ((order) => order[field]);
  return [member, read] as const;
});

/**
 * Builds an intent from the members that are present, in the order of the table. The table says which fields each
 * member is made of.
 */
function intentFrom(order: OrderFieldValues, nameOf: NameOf): ParentIntent {
  const intent: Partial<Record<keyof ParentIntent, unknown>> = {};
  for (const [member, read] of MEMBERS) {
    const value = read(order, nameOf);
    if (value !== undefined) intent[member] = value;
  }
  return intent as ParentIntent;
}

/** Alternative limits of a type that takes either: a fixed price, or a distance from the trigger (decision 19). */
export const TRAILING_LIMITS = ["price", "limitOffset"] as const;

/** Returns the trailing distance. A stop or take-profit leg that does not trail needs its stop price (decision 18). */
function trailingDistance(order: OrderFieldValues, nameOf: NameOf): TrailingDistance | undefined {
  if (TRAITS[order.type].trigger === "trailing") requireOne(order, INTENT_MEMBERS.trailing.of, nameOf);
  const { trailingDelta, price2, trailingAmount } = order;
  if (trailingDelta !== undefined) return { kind: "bps", bps: trailingDelta };
  if (price2 !== undefined) return { kind: "percent", percent: price2 };
  if (trailingAmount !== undefined) return { kind: "amount", amount: trailingAmount };
  if (mayTrailAsLeg(order.type) && order.stopPrice === undefined) {
    const [field, other] = [nameOf("stopPrice"), nameOf("trailingDelta")];
    throw new OrderError("PARAMETER_MISSING_BOTH", { field, other });
  }
  return undefined;
}

function dynamicOffset(order: OrderFieldValues, nameOf: NameOf): Price | undefined {
  if (TRAITS[order.type].limit === "fixedOrOffset") requireOne(order, TRAILING_LIMITS, nameOf);
  return order.limitOffset;
}

function icebergQuantity({ icebergQty, quantity }: OrderFieldValues, nameOf: NameOf): Quantity | undefined {
  if (icebergQty === undefined || icebergQty <= quantity) return icebergQty;
  throw new OrderError("ICEBERG_EXCEEDS_QUANTITY", { field: nameOf("icebergQty") });
}

/** Requires exactly one of the fields (-1128). */
function requireOne(
  order: OrderFieldValues,
  fields: readonly (keyof OrderFieldValues)[],
  nameOf: NameOf,
): void {
  const sent = fields.filter((field) => order[field] !== undefined);
  if (sent.length === 1) return;
  const advice = `Send exactly one of ${fields.map(nameOf).join(", ")}.`;
  throw conflict((sent.length === 0 ? fields : sent).map(nameOf), advice);
}

/**
 * Returns the lifetime (decision 10). Both names of the expiry must agree. The lifetime is GTD if and only if there is
 * an expiry.
 */
function timeInForce(order: OrderFieldValues, nameOf: NameOf): TimeInForce {
  const { expireTime, goodTillDate } = order;
  const expireTimeMs = expireTime ?? goodTillDate;
  const names = [nameOf("expireTime"), nameOf("goodTillDate")] as const;
  if (goodTillDate !== undefined && goodTillDate !== expireTimeMs) {
    throw conflict(names, "Send only one of them, or send the same time in both.");
  }
  const lifetime = order.timeInForce ?? (expireTimeMs === undefined ? "GTC" : "GTD");
  if ((lifetime === "GTD") === (expireTimeMs !== undefined)) return lifetime;
  if (expireTimeMs === undefined) {
    throw new OrderError("PARAMETER_MISSING_BOTH", { field: names[0], other: names[1] });
  }
  const expiry = expireTime === undefined ? names[1] : names[0];
  throw conflict(
    [nameOf("timeInForce"), expiry],
    "An order with an expiry is GTD. Omit the expiry, or send GTD instead of GTC.",
  );
}
