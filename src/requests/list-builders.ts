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
import { exitNames, MOST_SHARES, readBracket, readOca } from "./shared-lists.ts";

/** The orders of a bracket: an entry, and two exits of which only one executes. */
export interface BracketOrders extends ListCommonFields, Pick<Sized, "quantity"> {
  readonly exits?: undefined;
  readonly entry: Pick<Sized, "side"> & FreeLeg;
  /** On the other side than the entry, and reduce-only unless it says otherwise. */
  readonly takeProfit: ProfitLeg;
  /** On the other side than the entry, and reduce-only unless it says otherwise. */
  readonly stopLoss: StopLeg;
}

/**
 * The orders of a bracket by fills: an entry, one stop, and one to ten take-profits. The exits are on the other side than the
 * entry, and reduce-only unless they say otherwise.
 */
export interface BracketByFillsOrders extends ListCommonFields, Pick<Sized, "quantity"> {
  readonly exits: "by-fills";
  readonly entry: Pick<Sized, "side"> & FreeLeg;
  /** Nearest first. `shareBips` is the share of the quantity in basis points; it may be left out of the only one. */
  readonly takeProfits: readonly (ProfitLeg & Readonly<{ shareBips?: number }>)[];
  readonly stopLoss: StopLeg;
  /**
   * Once that many take-profits have executed whole, the stop moves to the average price of the entry or to a price, plus an
   * offset toward the take-profits; both in USD as decimal strings.
   */
  readonly moveStop?: Readonly<{ after: number; to: string; offset?: string }>;
}

/** The orders of an OCA: two to ten orders that share one quantity. */
export interface OcaOrders extends ListCommonFields, Sized {
  /** CANCEL: the first that acts ends the others. REDUCE: an execution of one leaves the others less. */
  readonly mode: "CANCEL" | "REDUCE";
  readonly orders: readonly (ProfitLeg | StopLeg)[];
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
 * executes. With `exits: "by-fills"` they are active from the first execution of the entry, and together never execute more than
 * it did. The exits have the entry's quantity and the other side, and are reduce-only unless they say otherwise. A leg
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
 * @example
 * ```ts
 * import { bracket } from "managed-orders";
 * const list = bracket({
 *   symbol: "BTC/USD",
 *   listClientOrderId: "ladder-1",
 *   quantity: "0.5",
 *   exits: "by-fills",
 *   entry: { side: "BUY", type: "LIMIT", price: "60000" },
 *   takeProfits: [
 *     { type: "LIMIT", price: "63000", shareBips: 5_000 },
 *     { type: "LIMIT", price: "66000", shareBips: 5_000 },
 *   ],
 *   stopLoss: { type: "STOP_MARKET", stopPrice: "58500" },
 *   moveStop: { after: 1, to: "ENTRY" },
 * });
 * console.log(list.legs.map(({ role }) => role).join()); // working,protective,profit,profit
 * ```
 */
export function bracket(orders: BracketOrders | BracketByFillsOrders): ListIntent {
  if (orders.exits === "by-fills") return bracketByFills(orders);
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

function bracketByFills({
  exits: _exits,
  takeProfits,
  moveStop,
  ...orders
}: BracketByFillsOrders): ListIntent {
  const move = Object.entries(moveStop ?? {}).map(([field, value]) => [`moveStop.${field}`, value]);
  const all = { ...orders, ...numbered("takeProfits", takeProfits), ...Object.fromEntries(move) };
  const sent = sentOrders(all, BY_FILLS);
  const reducing = Object.keys(BY_FILLS.parts).flatMap((part) =>
    part === "entry" || sent[`${part}.newClientOrderId`] === undefined ? [] : [[`${part}.reduceOnly`, true]],
  );
  return listOf({ fields: { ...Object.fromEntries(reducing), ...sent } }, BY_FILLS.readOrders);
}

/**
 * Returns the intent of an OCA: two to ten orders of one side that share one quantity. A leg without a client id gets that of
 * the list with `-1` to `-10` behind it. Throws an OrderError that names the invalid field, such as orders[1].stopPrice.
 *
 * @example
 * ```ts
 * import { oca } from "managed-orders";
 * const list = oca({
 *   symbol: "BTC/USD",
 *   listClientOrderId: "exit-1",
 *   side: "SELL",
 *   quantity: "0.5",
 *   mode: "REDUCE",
 *   orders: [
 *     { type: "LIMIT", price: "8000" },
 *     { type: "STOP_MARKET", stopPrice: "6000" },
 *   ],
 * });
 * console.log(list.legs.map(({ intent }) => intent.clientOrderId).join()); // exit-1-1,exit-1-2
 * ```
 */
export function oca({ orders, ...own }: OcaOrders): ListIntent {
  return listOf({ fields: sentOrders({ ...own, ...numbered("orders", orders) }, OCA) }, OCA.readOrders);
}

/** Returns orders under the names of their places: takeProfits[0]. Throws PARAMETER_MISSING (-1102) without an array. */
function numbered(name: string, orders: readonly object[]): Readonly<Record<string, object>> {
  if (!Array.isArray(orders)) throw new OrderError("PARAMETER_MISSING", { field: name });
  return Object.fromEntries(orders.map((order: object, index) => [`${name}[${index}]`, order]));
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
type PartTerms = Readonly<{
  suffix: string;
  inPair: boolean;
  shared: readonly string[];
  set?: string;
  isOptional?: boolean;
}>;

type Parts = Readonly<Record<string, PartTerms>>;

/** A builder: its legs, the names that its caller may use, and the reader of its orders. */
type Form = Readonly<{ parts: Parts; known: ReadonlySet<string>; readOrders: ReadOrders }>;

type LegsOf<P extends Parts> = Readonly<Record<keyof P, LegNames>>;

/** Fields of a leg are named as the caller writes them: stopLoss.stopPrice. */
function formOf<P extends Parts>(
  parts: P,
  readerOf: (legs: LegsOf<P>) => ReadOrders,
  own: readonly string[] = [],
): Form {
  const legs = Object.entries<PartTerms>(parts).map(([part, { inPair, shared }]) => {
    const nameOf = (field: string): string => (shared.includes(field) ? field : `${part}.${field}`);
    return [
      part,
      legNames(new Map([...ORDER_NAMES].map((field) => [field, nameOf(field)])), { inPair }),
    ] as const;
  });
  const known = new Set([
    ...OWN_NAMES.map(([, name]) => name),
    ...own,
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

const PLACES = Array.from({ length: MOST_SHARES }, (_, index) => index);
const share = (index: number): string => `takeProfits[${index}].shareBips`;
const partsAt = (name: string, least: number, terms: (n: number) => PartTerms): Parts =>
  Object.fromEntries(
    PLACES.map((index) => [`${name}[${index}]`, { ...terms(index + 1), isOptional: index >= least }]),
  );

const BY_FILLS = formOf(
  {
    entry: { suffix: "entry", inPair: false, shared: ["symbol", "quantity"] },
    stopLoss: { suffix: "stop", ...EXIT },
    ...partsAt("takeProfits", 1, (n) => ({ suffix: `profit-${n}`, ...EXIT })),
  } as Parts,
  ({ entry, stopLoss, ...profits }) => {
    const names = {
      working: entry as LegNames,
      stop: exitNames(stopLoss as LegNames),
      profits: Object.values(profits).map((leg) => exitNames(leg)),
      shareOf: share,
      move: (field: string) => `moveStop.${field.slice("moveStop".length).toLowerCase()}`,
    };
    return (source) => readBracket(names, source);
  },
  [...PLACES.map(share), "moveStop.after", "moveStop.to", "moveStop.offset"],
);

const OCA = formOf(
  partsAt("orders", 2, (n) => ({ suffix: `${n}`, ...PAIRED })),
  (legs) => (source) => readOca(Object.values(legs), source),
  ["mode"],
);

/**
 * Returns the fields of all legs by name, with a client id for each. Throws PARAMETER_MISSING (-1102) for a leg that is
 * missing, UNREAD_PARAMETER (-1104) for an unknown field.
 */
function sentOrders(orders: ListCommonFields, { parts, known }: Form): PlainFields {
  const given: Readonly<Record<string, unknown>> = { ...orders };
  const named = Object.entries(parts).map(([part, { suffix, isOptional }]) => {
    const leg = given[part];
    if (leg === undefined && isOptional === true) return [];
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
