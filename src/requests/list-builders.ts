import { OrderError } from "../errors/index.ts";
import type { ListIntent } from "../model/index.ts";
import {
  asLeg,
  exitsOf,
  type LegNames,
  type ListCommonFields,
  legNames,
  OWN_NAMES,
  readLegs,
} from "./list-legs.ts";
import { listOf, type ReadOrders } from "./list-placement.ts";
import { sentFields } from "./order-intent.ts";
import type { FreeLeg, ProfitLeg, Sized, StopLeg } from "./orders.ts";
import { ORDER_NAMES, type PlainFields } from "./parameters.ts";

/** The orders of a bracket: an entry, and two exits of which only one executes. */
export interface BracketOrders extends ListCommonFields, Pick<Sized, "quantity"> {
  readonly entry: Pick<Sized, "side"> & FreeLeg;
  /** On the other side than the entry, and reduce-only unless it says otherwise. */
  readonly takeProfit: ProfitLeg;
  /** On the other side than the entry, and reduce-only unless it says otherwise. */
  readonly stopLoss: StopLeg;
}

/** The orders of an OCO, of which only one executes. Both have the same side and quantity. */
export interface OcoOrders extends ListCommonFields, Sized {
  readonly takeProfit: ProfitLeg;
  readonly stopLoss: StopLeg;
}

/** The orders of an OTO: a working order that releases a pending one when it is filled. */
export interface OtoOrders extends ListCommonFields {
  readonly working: Sized & FreeLeg;
  readonly pending: Sized & FreeLeg;
}

/**
 * Returns the intent of a bracket (an OTOCO): when the entry is filled, the exits are released, and only one of them
 * executes. The exits have the entry's quantity and the other side, and are reduce-only unless they say otherwise. A leg
 * without a client id gets that of the list with `-entry`, `-profit` or `-stop` behind it. Throws an OrderError that names
 * the invalid field, such as stopLoss.stopPrice. Rules and codes are those of {@link listIntent}. Source: contract, List
 * creation rule 4.
 *
 * @example
 * ```ts
 * import { bracket } from "managed-orders";
 * const list = bracket({
 *   symbol: "BTC/USD",
 *   listClientOrderId: "trade-7",
 *   quantity: "0.5",
 *   entry: { side: "BUY", type: "LIMIT", price: "60000" },
 *   takeProfit: { type: "LIMIT", price: "63000" },
 *   stopLoss: { type: "STOP_MARKET", stopPrice: "58500" },
 * });
 * console.log(list.legs.map(({ intent }) => `${intent.side} ${intent.clientOrderId}`).join());
 * // BUY trade-7-entry,SELL trade-7-stop,SELL trade-7-profit
 * ```
 */
export function bracket(orders: BracketOrders): ListIntent {
  const sent = sentOrders(orders, BRACKET);
  const side = sent["entry.side"] === "BUY" ? "SELL" : "BUY";
  const fields = {
    "takeProfit.reduceOnly": true,
    "stopLoss.reduceOnly": true,
    ...sent,
    "takeProfit.side": side,
    "stopLoss.side": side,
  };
  return listOf({ fields }, BRACKET.readOrders);
}

/**
 * Returns the intent of an OCO: two orders of which only one executes. With SELL, `takeProfit` is the upper order; with
 * BUY, the lower one. A leg without a client id gets that of the list with `-profit` or `-stop` behind it. Throws an
 * OrderError that names the invalid field, such as stopLoss.stopPrice. Rules and codes are those of {@link listIntent}.
 * Source: contract, List creation rule 2.
 *
 * @example
 * ```ts
 * import { oco } from "managed-orders";
 * const list = oco({
 *   symbol: "BTC/USD",
 *   listClientOrderId: "exit-1",
 *   side: "SELL",
 *   quantity: "0.5",
 *   takeProfit: { type: "LIMIT", price: "8000" },
 *   stopLoss: { type: "TRAILING_STOP", trailingDelta: 200 },
 * });
 * console.log(list.legs.map(({ role, intent }) => `${role} ${intent.type}`).join());
 * // protective TRAILING_STOP_MARKET,profit SYNTHETIC_LIMIT
 * ```
 */
export function oco(orders: OcoOrders): ListIntent {
  return listOf({ fields: sentOrders(orders, OCO) }, OCO.readOrders);
}

/**
 * Returns the intent of an OTO: a working order that releases a pending order when it is filled. A leg without a client id
 * gets that of the list with `-working` or `-pending` behind it. Throws an OrderError that names the invalid field, such as
 * pending.price. Rules and codes are those of {@link listIntent}. Source: contract, List creation rule 3.
 *
 * @example
 * ```ts
 * import { oto } from "managed-orders";
 * const list = oto({
 *   symbol: "BTC/USD",
 *   listClientOrderId: "step-1",
 *   working: { side: "BUY", quantity: "0.5", type: "LIMIT", price: "7000" },
 *   pending: { side: "SELL", quantity: "0.25", type: "TAKE_PROFIT", stopPrice: "8000" },
 * });
 * console.log(list.legs.map(({ role, intent }) => `${role} ${intent.clientOrderId}`).join());
 * // working step-1-working,pending step-1-pending
 * ```
 */
export function oto(orders: OtoOrders): ListIntent {
  return listOf({ fields: sentOrders(orders, OTO) }, OTO.readOrders);
}

/**
 * A leg of a builder: what follows the list's id in its own, and the fields that it does not have for itself: those
 * that stand beside the legs, and those that the builder sets.
 */
type PartTerms = Readonly<{ suffix: string; inPair: boolean; shared: readonly string[]; set?: string }>;

type Parts = Readonly<Record<string, PartTerms>>;

/** A builder: its legs, the names that its caller may use, and the reader of its orders. */
type Form = Readonly<{ parts: Parts; known: ReadonlySet<string>; readOrders: ReadOrders }>;

type LegsOf<P extends Parts> = Readonly<Record<keyof P, LegNames>>;

/** Fields of a leg are named as the caller writes them: stopLoss.stopPrice. */
function formOf<P extends Parts>(parts: P, readerOf: (legs: LegsOf<P>) => ReadOrders): Form {
  const legs = Object.entries<PartTerms>(parts).map(([part, { inPair, shared }]) => {
    const nameOf = (field: string): string => (shared.includes(field) ? field : `${part}.${field}`);
    return [
      part,
      legNames(new Map([...ORDER_NAMES].map((field) => [field, nameOf(field)])), { inPair }),
    ] as const;
  });
  const known = new Set([
    ...OWN_NAMES.map(([, name]) => name),
    ...legs.flatMap(([, { names }]) => [...names.values()]),
  ]);
  for (const [part, { set }] of Object.entries<PartTerms>(parts)) known.delete(`${part}.${set}`);
  return { parts, known, readOrders: readerOf(Object.fromEntries(legs) as LegsOf<P>) };
}

const EXIT = { inPair: true, shared: ["symbol", "quantity"], set: "side" };
const PAIRED = { inPair: true, shared: ["symbol", "side", "quantity"] };
const SINGLE = { inPair: false, shared: ["symbol"] };

const BRACKET = formOf(
  {
    entry: { suffix: "entry", inPair: false, shared: ["symbol", "quantity"] },
    takeProfit: { suffix: "profit", ...EXIT },
    stopLoss: { suffix: "stop", ...EXIT },
  },
  (legs) => (source) => {
    const { entry, takeProfit, stopLoss } = readLegs(legs, source);
    const exits = exitsOf({ profit: takeProfit, stop: stopLoss });
    return { contingency: "OTOCO", legs: [asLeg(entry, "working"), ...exits] };
  },
);

const OCO = formOf(
  { takeProfit: { suffix: "profit", ...PAIRED }, stopLoss: { suffix: "stop", ...PAIRED } },
  (legs) => (source) => {
    const { takeProfit, stopLoss } = readLegs(legs, source);
    return { contingency: "OCO", legs: exitsOf({ profit: takeProfit, stop: stopLoss }) };
  },
);

const OTO = formOf(
  { working: { suffix: "working", ...SINGLE }, pending: { suffix: "pending", ...SINGLE } },
  (legs) => (source) => {
    const { working, pending } = readLegs(legs, source);
    return { contingency: "OTO", legs: [asLeg(working, "working"), asLeg(pending, "pending")] };
  },
);

/**
 * Returns the fields of all legs by name, with a client id for each. Throws PARAMETER_MISSING (-1102) for a leg that is
 * missing, UNREAD_PARAMETER (-1104) for an unknown field.
 */
function sentOrders(orders: ListCommonFields, { parts, known }: Form): PlainFields {
  const given: Readonly<Record<string, unknown>> = { ...orders };
  const named = Object.entries(parts).map(([part, { suffix }]) => {
    const leg = given[part];
    if (typeof leg !== "object" || leg === null) throw new OrderError("PARAMETER_MISSING", { field: part });
    const newClientOrderId = `${orders.listClientOrderId}-${suffix}`;
    const sent = Object.entries(leg).filter(([, value]) => value !== undefined);
    return [["newClientOrderId", newClientOrderId], ...sent].map(([field, value]) => [
      `${part}.${field}`,
      value,
    ]);
  });
  const own = Object.entries(given).filter(([name]) => parts[name] === undefined);
  return sentFields(Object.fromEntries([...own, ...named.flat()]), known);
}
