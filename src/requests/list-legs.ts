import { type ErrorName, OrderError } from "../errors/index.ts";
import {
  type LegIntent,
  type LegRole,
  type OrderTypeAlias,
  type ParentIntent,
  type ParentType,
  type ScheduledType,
  type Side,
  type TimeInForce,
  TRAITS,
} from "../model/index.ts";
import { legIntentOf } from "./order-intent.ts";
import type { OrderTerms, Sized } from "./orders.ts";
import {
  type KnownNames,
  type NameOf,
  namesOfWrite,
  ORDER_NAMES,
  type PlainFields,
  type PlainValue,
} from "./parameters.ts";

/**
 * Fields of a leg of a pair, without the rules of its type: in a request they are prefixed, and the type is read when
 * the leg is. Schedules are not supported in lists (contract rule 8).
 */
export interface LegFields extends Omit<OrderTerms, "timeInForce"> {
  readonly type: Exclude<ParentType | OrderTypeAlias, ScheduledType>;
  readonly price?: string;
  readonly stopPrice?: string;
  readonly trailingDelta?: number;
  readonly price2?: string;
  readonly trailingAmount?: string;
  readonly limitOffset?: string;
  readonly icebergQty?: string;
  readonly timeInForce?: TimeInForce | "GTX" | "POST_ONLY";
}

/** Fields of a leg with its own side and quantity. */
export interface FreeLegFields extends LegFields, Sized {}

/**
 * The fields of a leg under their names in the request: price is abovePrice, newClientOrderId is aboveClientOrderId.
 */
export type Prefixed<P extends string, T> = {
  [K in keyof T as K extends "newClientOrderId"
    ? `${P}ClientOrderId`
    : `${P}${Capitalize<K & string>}`]: T[K];
};

/** Fields of every list. The expiry applies to each leg whose TimeInForce is GTD and that has no expiry of its own. */
export type ListCommonFields = Readonly<{
  /** The canonical symbol, such as BTC/USD. */
  symbol: string;
  /** Your id of the list: 1-36 letters, digits, `.`, `_` or `-`. */
  listClientOrderId: string;
  /** Epoch milliseconds. */
  expireTime?: number;
  /** Alias of `expireTime`. */
  goodTillDate?: number;
}>;

/** A pair of legs of which one wins. Source: contract, List creation rule 2. */
export type OcoFields = ListCommonFields &
  Readonly<{ side: Side; quantity: string }> &
  Prefixed<"above", LegFields> &
  Prefixed<"below", LegFields>;

/** A working order that releases a pending order when it is filled. Source: contract, List creation rule 3. */
export type OtoFields = ListCommonFields &
  Prefixed<"working", FreeLegFields> &
  Prefixed<"pending", FreeLegFields>;

/** A working order that releases an OCO pair when it is filled. Source: contract, List creation rule 4. */
export type OtocoFields = ListCommonFields &
  Prefixed<"working", FreeLegFields> &
  Readonly<{ pendingSide: Side; pendingQuantity: string }> &
  Prefixed<"pendingAbove", LegFields> &
  Prefixed<"pendingBelow", LegFields>;

/** A limit and a stop, in the fields of the older call. Source: contract, List creation rule 5. */
export type LegacyOcoFields = ListCommonFields &
  Readonly<{
    side: Side;
    quantity: string;
    price: string;
    limitClientOrderId?: string;
    limitIcebergQty?: string;
    /** The stop needs stopPrice or trailingDelta, or takes both. */
    stopPrice?: string;
    trailingDelta?: number;
    /** Makes the stop a stop-limit. */
    stopLimitPrice?: string;
    stopLimitTimeInForce?: TimeInForce;
    stopClientOrderId?: string;
    stopIcebergQty?: string;
  }>;

/**
 * A leg of a form: the names of its fields in the request, whether it is part of an OCO pair, and its type if the
 * request does not name one.
 */
export type LegNames = Readonly<{
  nameOf: NameOf;
  /** Names by order field, for all fields that the leg may have. */
  names: ReadonlyMap<string, string>;
  inPair: boolean;
  impliedType?: (fields: PlainFields) => PlainValue;
  /** Whether a list may do without the leg. */
  isOptional?: boolean;
  /** Values of fields for which the request has no name. */
  given?: PlainFields;
}>;

/** Fields of a list that no leg has: the name in the request, and the parameter whose rule reads it. */
export type OwnFields = Readonly<Record<string, string>>;

/**
 * The legs of a form, its further fields, the field names it knows in process and on the wire, and the field whose rule
 * reads each name.
 */
export type FormNames<Part extends string> = Readonly<{
  legs: Readonly<Record<Part, LegNames>>;
  own: OwnFields;
  known: ReadonlySet<string>;
  parameters: KnownNames;
  fieldOf: NameOf;
}>;

/** Fields of the list itself, with the order field whose rules they follow. */
export const OWN_NAMES: readonly (readonly [string, string])[] = [
  ["newClientOrderId", "listClientOrderId"],
  ["expireTime", "expireTime"],
  ["goodTillDate", "goodTillDate"],
];

/** Names of a leg's fields that have not its prefix. */
export type SharedNames = Readonly<Record<string, string>>;

/** Returns the names of a leg by order field. */
export function legNames(
  names: ReadonlyMap<string, string>,
  more: Omit<LegNames, "nameOf" | "names">,
): LegNames {
  return { names, nameOf: (field) => names.get(field) ?? field, ...more };
}

/** Returns the names of a leg whose fields have a prefix, except those that it shares with other legs. */
export function prefixedLeg(
  prefix: string,
  { inPair, shared }: Readonly<{ inPair: boolean; shared: SharedNames }>,
): LegNames {
  const prefixed = (field: string): string =>
    field === "newClientOrderId"
      ? `${prefix}ClientOrderId`
      : `${prefix}${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  const names = [...ORDER_NAMES].map((field) => [field, shared[field] ?? prefixed(field)] as const);
  return legNames(new Map(names), { inPair });
}

/** Returns the names of a form with these legs and further fields. */
export function formNames<Part extends string>(
  legs: Readonly<Record<Part, LegNames>>,
  own: OwnFields = {},
): FormNames<Part> {
  const ofLegs = Object.values<LegNames>(legs).flatMap(({ names }) => [...names]);
  const ofOrders = [...ofLegs, ...OWN_NAMES].map(([field, name]) => [name, field] as const);
  const fields = new Map([...ofOrders, ...Object.entries(own)]);
  const known = new Set(fields.keys());
  return { legs, own, known, parameters: namesOfWrite(known), fieldOf: (name) => fields.get(name) ?? name };
}

/** What legs with sides and quantities of their own share. */
export const SYMBOL: SharedNames = { symbol: "symbol" };
/** What legs with one side and quantity share. */
export const ONE_ORDER: SharedNames = { symbol: "symbol", side: "side", quantity: "quantity" };
const EXIT: SharedNames = { symbol: "symbol", side: "pendingSide", quantity: "pendingQuantity" };

const LEGACY_SHARED = Object.entries(ONE_ORDER);

const LEGACY_LIMIT: LegNames = legNames(
  new Map([
    ...LEGACY_SHARED,
    ["price", "price"],
    ["icebergQty", "limitIcebergQty"],
    ["newClientOrderId", "limitClientOrderId"],
  ]),
  { inPair: true, impliedType: () => "SYNTHETIC_LIMIT" },
);

const LEGACY_STOP: LegNames = legNames(
  new Map([
    ...LEGACY_SHARED,
    ["stopPrice", "stopPrice"],
    ["trailingDelta", "trailingDelta"],
    ["price", "stopLimitPrice"],
    ["timeInForce", "stopLimitTimeInForce"],
    ["icebergQty", "stopIcebergQty"],
    ["newClientOrderId", "stopClientOrderId"],
  ]),
  { inPair: true, impliedType: ({ price }) => (price === undefined ? "STOP_MARKET" : "STOP_LOSS_LIMIT") },
);

/** The names of the working leg of every form that has one. */
export const WORKING: LegNames = prefixedLeg("working", { inPair: false, shared: SYMBOL });

type Names = Readonly<{
  oco: FormNames<"above" | "below">;
  oto: FormNames<"working" | "pending">;
  otoco: FormNames<"working" | "above" | "below">;
  legacyOco: FormNames<"limit" | "stop">;
}>;

/** The field names of the forms whose legs are the same in every list. */
export const FIXED_NAMES: Names = {
  oco: formNames({
    above: prefixedLeg("above", { inPair: true, shared: ONE_ORDER }),
    below: prefixedLeg("below", { inPair: true, shared: ONE_ORDER }),
  }),
  oto: formNames({
    working: WORKING,
    pending: prefixedLeg("pending", { inPair: false, shared: SYMBOL }),
  }),
  otoco: formNames({
    working: WORKING,
    above: prefixedLeg("pendingAbove", { inPair: true, shared: EXIT }),
    below: prefixedLeg("pendingBelow", { inPair: true, shared: EXIT }),
  }),
  legacyOco: formNames({ limit: LEGACY_LIMIT, stop: LEGACY_STOP }),
};

/** A parsed leg: its intent, whether its client id was generated, and the request's names of its fields. */
export type Leg = Readonly<{ intent: ParentIntent; generatedClientId: boolean; nameOf: NameOf }>;

/** The fields of a list as sent, and a generator of client ids for legs without one. */
export type LegSource = Readonly<{
  fields: PlainFields;
  clientId?: ((field: string) => string) | undefined;
}>;

/** The names of the expiry of the whole list. */
const EXPIRY = ["expireTime", "goodTillDate"] as const;

/**
 * Reads the legs of a list in sequence. Throws an OrderError that names a field as the request does: the error of an
 * invalid leg, DUPLICATE_ORDER (-2010) for two legs with the same client id, PARAMETER_NOT_REQUIRED (-1106) for an expiry
 * of the list that no leg uses. Source: contract, List creation rules.
 */
export function readLegs<Part extends string>(
  legs: Readonly<Record<Part, LegNames>>,
  source: LegSource,
): Readonly<Record<Part, Leg>> {
  const drafts = Object.entries<LegNames>(legs).map(
    ([part, leg]) => [part, draftOf(leg, source.fields)] as const,
  );
  const read = drafts.map(([part, draft]) => [part, legOf(draft, source)] as const);
  refuseSameId(read.map(([, leg]) => leg));
  const expiry = EXPIRY.find((name) => source.fields[name] !== undefined);
  if (expiry !== undefined && drafts.every(([, { inherited }]) => inherited.length === 0)) {
    throw new OrderError("PARAMETER_NOT_REQUIRED", { field: expiry });
  }
  return Object.fromEntries(read) as Readonly<Record<Part, Leg>>;
}

/** The fields of one leg under the names of an order. `inherited` lists those taken from the list. */
type LegDraft = Readonly<{ leg: LegNames; fields: PlainFields; inherited: readonly string[] }>;

function draftOf(leg: LegNames, source: PlainFields): LegDraft {
  const fields: Record<string, PlainValue> = {};
  for (const [field, name] of leg.names) {
    const value = source[name];
    if (value !== undefined) fields[field] = value;
  }
  Object.assign(fields, leg.given);
  if (leg.impliedType !== undefined) fields.type = leg.impliedType(fields);
  const lacksExpiry = fields.timeInForce === "GTD" && EXPIRY.every((name) => fields[name] === undefined);
  const inherited = lacksExpiry ? EXPIRY.filter((name) => source[name] !== undefined) : [];
  const expiry = inherited.map((name) => [name, source[name]]);
  return { leg, fields: { ...fields, ...Object.fromEntries(expiry) }, inherited };
}

function legOf({ leg, fields, inherited }: LegDraft, { clientId }: LegSource): Leg {
  const nameOf: NameOf = (field) => (inherited.includes(field) ? field : leg.nameOf(field));
  const place = { nameOf, inPair: leg.inPair };
  if (fields.newClientOrderId !== undefined || clientId === undefined) {
    return { intent: legIntentOf(fields, place), generatedClientId: false, nameOf };
  }
  const newClientOrderId = clientId(nameOf("newClientOrderId"));
  return { intent: legIntentOf({ ...fields, newClientOrderId }, place), generatedClientId: true, nameOf };
}

function refuseSameId(legs: readonly Leg[]): void {
  const ids = new Set<string>();
  for (const { intent, nameOf } of legs) {
    const field = nameOf("newClientOrderId");
    if (ids.has(intent.clientOrderId)) throw new OrderError("DUPLICATE_ORDER", { field });
    ids.add(intent.clientOrderId);
  }
}

/** The two legs of an OCO by position. */
type LegPair = Readonly<{ upper: Leg; lower: Leg }>;

/**
 * Returns the legs of a pair in display order: protective, then profit. The profit leg is the lower leg of a BUY and the
 * upper leg of a SELL. Throws OCO_BOTH_LIMIT (-1168) or OCO_TYPE_REJECTED (-1158) for two legs of one kind; -1165, -1166 or
 * -1196 to -1199 for a leg on the wrong side; BAD_PRICE_RELATION (-2010) with both fields if the upper level is not above
 * the lower one. Source: contract, List creation rules 2 and 5; complaint 44.
 */
export function pairOf({ upper, lower }: LegPair): readonly LegIntent[] {
  refuseOneKind(upper, lower);
  const { side } = upper.intent;
  const [protective, profit] = side === "BUY" ? [upper, lower] : [lower, upper];
  if (!takesProfit(profit)) throw wrongSide(side, { protective: profit, profit: protective });
  refuseCrossed(upper, lower);
  return [asLeg(protective, "protective"), asLeg(profit, "profit")];
}

/** Returns the pair of a leg that takes the profit and one that stops, in display order. Throws as {@link pairOf}. */
export function exitsOf({ profit, stop }: Readonly<{ profit: Leg; stop: Leg }>): readonly LegIntent[] {
  const isBuy = profit.intent.side === "BUY";
  return pairOf(isBuy ? { upper: stop, lower: profit } : { upper: profit, lower: stop });
}

/** Returns the leg with its role in the list. */
export function asLeg({ intent, generatedClientId }: Leg, role: LegRole): LegIntent {
  return { role, intent, generatedClientId };
}

const isLimit = ({ intent }: Leg): boolean => TRAITS[intent.type].trigger === undefined;
const takesProfit = (leg: Leg): boolean => isLimit(leg) || TRAITS[leg.intent.type].trigger === "takeProfit";

/** Refuses two legs of the same kind, whatever their prices. The error names the lower leg. */
function refuseOneKind(upper: Leg, lower: Leg): void {
  const field = lower.nameOf("type");
  if (isLimit(upper) && isLimit(lower)) throw new OrderError("OCO_BOTH_LIMIT", { field });
  if (takesProfit(upper) === takesProfit(lower)) throw new OrderError("OCO_TYPE_REJECTED", { field });
}

type WrongSide = Readonly<Record<"limit" | "stop" | "takeProfit", ErrorName>>;

const WRONG_SIDE: Readonly<Record<Side, WrongSide>> = {
  BUY: {
    limit: "BUY_OCO_LIMIT_BELOW",
    stop: "BUY_OCO_STOP_ABOVE",
    takeProfit: "BUY_OCO_TAKE_PROFIT_BELOW",
  },
  SELL: {
    limit: "SELL_OCO_LIMIT_ABOVE",
    stop: "SELL_OCO_STOP_BELOW",
    takeProfit: "SELL_OCO_TAKE_PROFIT_ABOVE",
  },
};

/**
 * Returns the error for legs on the wrong sides. Both are wrong then. The error names the limit, else a trailing leg,
 * else the take-profit.
 */
function wrongSide(
  side: Side,
  { protective, profit }: Readonly<Record<"protective" | "profit", Leg>>,
): OrderError {
  const errors = WRONG_SIDE[side];
  if (isLimit(profit)) return new OrderError(errors.limit, { field: profit.nameOf("type") });
  return protective.intent.trailing === undefined
    ? new OrderError(errors.takeProfit, { field: profit.nameOf("type") })
    : new OrderError(errors.stop, { field: protective.nameOf("type") });
}

/** Refuses levels that are equal or in the wrong order. A leg without a level is not compared. */
function refuseCrossed(upper: Leg, lower: Leg): void {
  const [high, low] = [levelOf(upper.intent), levelOf(lower.intent)];
  if (high === undefined || low === undefined || high.price > low.price) return;
  const [upperName, lowerName] = [upper.nameOf(high.field), lower.nameOf(low.field)];
  const advice = `'${upperName}' must be higher than '${lowerName}'.`;
  throw new OrderError("BAD_PRICE_RELATION", {
    field: upperName,
    upper: upperName,
    lower: lowerName,
    advice,
  });
}

type Level = Readonly<{ field: "price" | "stopPrice"; price: NonNullable<ParentIntent["price"]> }>;

function levelOf({ price, stopPrice }: ParentIntent): Level | undefined {
  if (stopPrice !== undefined) return { field: "stopPrice", price: stopPrice };
  return price === undefined ? undefined : { field: "price", price };
}
