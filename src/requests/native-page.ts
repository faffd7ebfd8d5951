import { OrderError } from "../errors/index.ts";
import type { Parameters } from "../wire/index.ts";
import { ACTOR_RULES, type Actor, actorOf } from "./actor.ts";
import { oneClientId } from "./client-id-aliases.ts";
import { lookupIdRule, textRule, timeRule } from "./field-rules.ts";
import { fieldSet, type RequestShape, type ValuesOf } from "./field-set.ts";
import { type KnownNames, namesOfRead } from "./known-names.ts";
import { ORDER_ID_ALIASES } from "./order-key.ts";
import { plainFields } from "./plain-fields.ts";
import { int64, optionalField, preset, whole } from "./rule.ts";
import { instrumentOf, type ResolveSymbol, type SymbolContext } from "./symbols.ts";

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

const NAMES: KnownNames = namesOfRead([
  "symbol",
  "orderId",
  ...ORDER_ID_ALIASES,
  "startTime",
  "endTime",
  "limit",
]);

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 1_000;

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

const PAGE_SET = fieldSet({ ...HISTORY_RULES, symbol: textRule, limit: preset(limitRule, DEFAULT_LIMIT) });

/** The parameters of a page of native orders. */
export const ALL_ORDERS_PAGE: RequestShape = { names: NAMES, set: PAGE_SET };

/** The parameters of a page of executions. */
export const ORDER_HISTORY_PAGE: RequestShape = { names: NAMES, set: HISTORY_SET };

/**
 * Reads the parameters of GET /api/v2/allOrders, and of GET /compat/api/v3/allOrders, where the symbol may be an alias.
 * Throws an OrderError: -1102 without a symbol or with a limit above 1000, -1130 for a limit below 1, -1121 for a
 * symbol that is unknown or not accepted, -1128 for client-id aliases that differ, -1023 for a start after the end, -1104
 * for an unknown parameter. Source: contract, Native status and history; decision 44.
 */
export function readAllOrdersPage(parameters: Parameters, context: SymbolContext): AllOrdersPage {
  const fields = PAGE_SET.read(plainFields(parameters, NAMES));
  return { symbol: instrumentOf(fields.symbol, context).symbol, ...rangeOf(fields) };
}

/**
 * Reads the parameters of POST /api/v2/getOrderHistory. Without a symbol it covers all markets. Throws as {@link
 * readAllOrdersPage} does. Source: contract, Native status and history; convention 1, gap 13.
 */
export function readOrderHistoryPage(parameters: Parameters, resolve: ResolveSymbol): OrderHistoryPage {
  const fields = HISTORY_SET.read(plainFields(parameters, NAMES));
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
