import { OrderError } from "../errors/index.ts";
import type { Parameters } from "../wire/index.ts";
import { ACTOR_RULES, type Actor, actorOf } from "./actor.ts";
import { fieldSet, type RequestShape, type ValuesOf } from "./field-set.ts";
import { ORDER_ID_ALIASES, oneClientId } from "./order-key.ts";
import { type KnownNames, namesOfRead, namesOfWrite, plainFields } from "./parameters.ts";
import { flag, int64, lookupIdRule, only, optionalField, preset, textRule, timeRule, whole } from "./rule.ts";
import { instrumentOf, type ResolveSymbol, type SymbolContext } from "./symbols.ts";

/** The newest `limit` lists of a time range. Both ends are included, in epoch milliseconds. */
type ListPage = Actor & Readonly<{ startTimeMs?: number; endTimeMs?: number; limit: number }>;

const LIST_PAGE_NAMES: KnownNames = namesOfRead(["limit", "startTime", "endTime"]);

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 1_000;

const LIST_PAGE_SET = fieldSet({
  limit: preset(whole({ from: 1, to: MAX_LIMIT }), DEFAULT_LIMIT),
  startTime: optionalField(timeRule),
  endTime: optionalField(timeRule),
  ...ACTOR_RULES,
});

/** The parameters of a page of lists. */
export const LIST_PAGE: RequestShape = { names: LIST_PAGE_NAMES, set: LIST_PAGE_SET };

/**
 * Reads the parameters of GET /api/v3/openOrderList and /api/v3/allOrderList. Throws an OrderError: limit above 1000 -1102,
 * below 1 -1130; a start after the end -1023; -1104 for an unknown parameter. Source: contract, List queries.
 */
export function readListPage(parameters: Parameters): ListPage {
  const fields = LIST_PAGE_SET.read(plainFields(parameters, LIST_PAGE_NAMES));
  const { limit, startTime, endTime } = fields;
  if (startTime !== undefined && endTime !== undefined && startTime > endTime) {
    throw new OrderError("TIMES_REVERSED", { field: "startTime" });
  }
  return {
    ...(startTime !== undefined && { startTimeMs: startTime }),
    ...(endTime !== undefined && { endTimeMs: endTime }),
    limit,
    ...actorOf(fields),
  };
}

/**
 * The newest executions of one market or of all. `orderId` limits them to one order. Times are in epoch milliseconds,
 * both ends included.
 */
export type OrderHistoryPage = Actor &
  Readonly<{
    symbol?: string;
    orderId?: bigint;
    clientOrderId?: string;
    startTimeMs?: number;
    endTimeMs?: number;
    limit: number;
  }>;

/** A page of native orders of one market. Here `orderId` is the lowest id of the page. */
export type AllOrdersPage = OrderHistoryPage & Readonly<{ symbol: string }>;

const HISTORY_NAMES: KnownNames = namesOfRead([
  "symbol",
  "orderId",
  ...ORDER_ID_ALIASES,
  "startTime",
  "endTime",
  "limit",
]);

const limitRule = whole({ from: 1, to: MAX_LIMIT });

const HISTORY_RULES = {
  symbol: optionalField(textRule),
  orderId: optionalField(int64),
  origClientOrderId: optionalField(lookupIdRule),
  clientOrderId: optionalField(lookupIdRule),
  clOrdId: optionalField(lookupIdRule),
  clordid: optionalField(lookupIdRule),
  startTime: optionalField(timeRule),
  endTime: optionalField(timeRule),
  limit: preset(limitRule, MAX_LIMIT),
  ...ACTOR_RULES,
};
const HISTORY_SET = fieldSet(HISTORY_RULES);

const ALL_ORDERS_SET = fieldSet({
  ...HISTORY_RULES,
  symbol: textRule,
  limit: preset(limitRule, DEFAULT_LIMIT),
});

/** The parameters of a page of native orders. */
export const ALL_ORDERS_PAGE: RequestShape = { names: HISTORY_NAMES, set: ALL_ORDERS_SET };

/** The parameters of a page of executions. */
export const ORDER_HISTORY_PAGE: RequestShape = { names: HISTORY_NAMES, set: HISTORY_SET };

/**
 * Reads the parameters of GET /api/v2/allOrders, and of GET /compat/api/v3/allOrders, where the symbol may be an alias.
 * Throws an OrderError: -1102 without a symbol or with a limit above 1000, -1130 for a limit below 1, -1121 for a symbol
 * that is unknown or not accepted, -1128 for client-id aliases that differ, -1023 for a start after the end, -1104 for an
 * unknown parameter. Source: contract, Native status and history.
 */
export function readAllOrdersPage(parameters: Parameters, context: SymbolContext): AllOrdersPage {
  const fields = ALL_ORDERS_SET.read(plainFields(parameters, HISTORY_NAMES));
  return { symbol: instrumentOf(fields.symbol, context).symbol, ...rangeOf(fields) };
}

/**
 * Reads the parameters of POST /api/v2/getOrderHistory. Without a symbol it covers all markets. Throws as {@link
 * readAllOrdersPage} does. Source: contract, Native status and history; convention 1, gap 13.
 */
export function readOrderHistoryPage(parameters: Parameters, resolve: ResolveSymbol): OrderHistoryPage {
  const fields = HISTORY_SET.read(plainFields(parameters, HISTORY_NAMES));
  const { symbol } = fields;
  const context = { resolve, exactSymbol: true };
  return {
    ...(symbol !== undefined && { symbol: instrumentOf(symbol, context).symbol }),
    ...rangeOf(fields),
  };
}

function rangeOf(fields: ValuesOf<typeof HISTORY_RULES>): Omit<OrderHistoryPage, "symbol"> {
  const { orderId, startTime, endTime, limit } = fields;
  const clientOrderId = oneClientId(fields, ORDER_ID_ALIASES);
  if (startTime !== undefined && endTime !== undefined && startTime > endTime) {
    throw new OrderError("TIMES_REVERSED", { field: "startTime" });
  }
  return {
    ...(orderId !== undefined && { orderId }),
    ...(clientOrderId !== undefined && { clientOrderId }),
    ...(startTime !== undefined && { startTimeMs: startTime }),
    ...(endTime !== undefined && { endTimeMs: endTime }),
    limit,
    ...actorOf(fields),
  };
}

/** A page of managed parents. `afterOrderId` is 0 for the first page, else the nextOrderId of the previous page. */
type OpenOrdersPage = Actor &
  Readonly<{ includeHistory: boolean; newestFirst: boolean; limit: number; afterOrderId: number }>;

/** Parameters that are known only to refuse them by name: pages and cancel-all cover all markets. */
const REFUSED = ["symbol", "instrumentId", "side"];
const PAGING = ["includeHistory", "newestFirst", "limit", "afterOrderId"];

const PAGE_NAMES: KnownNames = namesOfRead(["apiManaged", ...PAGING, ...REFUSED]);
const CANCEL_ALL_NAMES: KnownNames = namesOfWrite(["apiManaged", ...REFUSED]);

const OPEN_DEFAULT_LIMIT = 100;

const CANCEL_ALL_RULES = { apiManaged: only(true), ...ACTOR_RULES };
const CANCEL_ALL_SET = fieldSet(CANCEL_ALL_RULES);

const OPEN_PAGE_SET = fieldSet({
  ...CANCEL_ALL_RULES,
  includeHistory: preset(flag, false),
  newestFirst: preset(flag, false),
  limit: preset(whole({ from: 1, to: MAX_LIMIT }), OPEN_DEFAULT_LIMIT),
  afterOrderId: preset(whole({ to: 0 }), 0),
});

/** The parameters of a page of managed orders. */
export const OPEN_ORDERS_PAGE: RequestShape = { names: PAGE_NAMES, set: OPEN_PAGE_SET };

/** The parameters of a cancel of all managed orders. */
export const CANCEL_ALL: RequestShape = { names: CANCEL_ALL_NAMES, set: CANCEL_ALL_SET };

/**
 * Reads the parameters of GET /api/v3/openOrders.
 * Throws an OrderError: apiManaged missing -1102, not true -1130; symbol, instrumentId or side -1106; limit above
 * 1000 -1102, below 1 -1130; a positive cursor -1130. Source: contract, GET /api/v3/openOrders parameters.
 */
export function readOpenOrdersPage(parameters: Parameters): OpenOrdersPage {
  const fields = OPEN_PAGE_SET.read(plainFields(parameters, PAGE_NAMES));
  const { includeHistory, newestFirst, limit, afterOrderId } = fields;
  return { includeHistory, newestFirst, limit, afterOrderId, ...actorOf(fields) };
}

/**
 * Reads the parameters of DELETE /api/v3/openOrders. It knows only apiManaged, account and userId, so that a signed
 * page request cannot serve as a cancel-all. Throws an OrderError as {@link readOpenOrdersPage} does.
 * Source: contract, DELETE /api/v3/openOrders.
 */
export function readCancelAll(parameters: Parameters): Actor {
  return actorOf(CANCEL_ALL_SET.read(plainFields(parameters, CANCEL_ALL_NAMES)));
}

/** The open orders of one market, or of all. */
type OpenMarketOrders = Actor & Readonly<{ symbol?: string }>;

/** All open orders of one market, to cancel. */
type CanceledMarket = Actor & Readonly<{ symbol: string }>;

const OPEN_NAMES: KnownNames = namesOfRead(["symbol"]);
const CANCEL_MARKET_NAMES: KnownNames = namesOfWrite(["symbol"]);
const ACCOUNT_NAMES: KnownNames = namesOfRead(["omitZeroBalances"]);
const TRADES_NAMES: KnownNames = namesOfRead(["symbol", "orderId", "startTime", "endTime", "limit"]);

const OPEN_SET = fieldSet({ symbol: optionalField(textRule), ...ACTOR_RULES });
const CANCEL_SET = fieldSet({ symbol: textRule, ...ACTOR_RULES });
const ACCOUNT_SET = fieldSet({ omitZeroBalances: preset(flag, false), ...ACTOR_RULES });

const TRADES_SET = fieldSet({
  symbol: textRule,
  orderId: optionalField(int64),
  startTime: optionalField(timeRule),
  endTime: optionalField(timeRule),
  limit: preset(whole({ from: 1, to: MAX_LIMIT }), DEFAULT_LIMIT),
  ...ACTOR_RULES,
});

/** The parameters of the routes that only the compat prefix has, by route. */
export const MARKET_ORDERS: Readonly<
  Record<"openOrders.market" | "openOrders.cancelMarket" | "account.status" | "myTrades", RequestShape>
> = {
  "openOrders.market": { names: OPEN_NAMES, set: OPEN_SET },
  "openOrders.cancelMarket": { names: CANCEL_MARKET_NAMES, set: CANCEL_SET },
  "account.status": { names: ACCOUNT_NAMES, set: ACCOUNT_SET },
  myTrades: { names: TRADES_NAMES, set: TRADES_SET },
};

/**
 * Reads the parameters of GET /compat/api/v3/openOrders. Throws an OrderError: -1121 for an unknown symbol, -1104 for an
 * unknown parameter.
 */
export function readOpenMarketOrders(parameters: Parameters, resolve: ResolveSymbol): OpenMarketOrders {
  const fields = OPEN_SET.read(plainFields(parameters, OPEN_NAMES));
  const { symbol } = fields;
  return { ...(symbol !== undefined && { symbol: marketSymbol(symbol, resolve) }), ...actorOf(fields) };
}

/**
 * Reads the parameters of DELETE /compat/api/v3/openOrders. Throws as {@link readOpenMarketOrders} does, and -1102
 * without a symbol.
 */
export function readCanceledMarket(parameters: Parameters, resolve: ResolveSymbol): CanceledMarket {
  const fields = CANCEL_SET.read(plainFields(parameters, CANCEL_MARKET_NAMES));
  return { symbol: marketSymbol(fields.symbol, resolve), ...actorOf(fields) };
}

/** The balances of an account, with or without those that are zero. */
type AccountQuery = Actor & Readonly<{ omitZeroBalances: boolean }>;

/** Reads the parameters of GET /compat/api/v3/account. Throws an OrderError -1104 for an unknown parameter. */
export function readAccountQuery(parameters: Parameters): AccountQuery {
  const fields = ACCOUNT_SET.read(plainFields(parameters, ACCOUNT_NAMES));
  return { omitZeroBalances: fields.omitZeroBalances, ...actorOf(fields) };
}

/** The newest trades of one market. Times are in epoch milliseconds, both ends included. */
type TradesPage = Actor &
  Readonly<{ symbol: string; orderId?: bigint; startTimeMs?: number; endTimeMs?: number; limit: number }>;

/**
 * Reads the parameters of GET /compat/api/v3/myTrades. Throws an OrderError: -1102 without a symbol or with a limit
 * above 1000, -1130 for a limit below 1, -1121 for an unknown symbol, -1023 for a start after the end, -1104 for an
 * unknown parameter.
 */
export function readTradesPage(parameters: Parameters, resolve: ResolveSymbol): TradesPage {
  const fields = TRADES_SET.read(plainFields(parameters, TRADES_NAMES));
  const { orderId, startTime, endTime, limit } = fields;
  if (startTime !== undefined && endTime !== undefined && startTime > endTime) {
    throw new OrderError("TIMES_REVERSED", { field: "startTime" });
  }
  return {
    symbol: marketSymbol(fields.symbol, resolve),
    ...(orderId !== undefined && { orderId }),
    ...(startTime !== undefined && { startTimeMs: startTime }),
    ...(endTime !== undefined && { endTimeMs: endTime }),
    limit,
    ...actorOf(fields),
  };
}

function marketSymbol(symbol: string, resolve: ResolveSymbol): string {
  return instrumentOf(symbol, { resolve, exactSymbol: false }).symbol;
}
