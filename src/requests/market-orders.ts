import { OrderError } from "../errors/index.ts";
import type { Parameters } from "../wire/index.ts";
import { ACTOR_RULES, type Actor, actorOf } from "./actor.ts";
import { textRule, timeRule } from "./field-rules.ts";
import { fieldSet, type RequestShape } from "./field-set.ts";
import { type KnownNames, namesOfRead, namesOfWrite } from "./known-names.ts";
import { plainFields } from "./plain-fields.ts";
import { flag, int64, optionalField, preset, whole } from "./rule.ts";
import { instrumentOf, type ResolveSymbol } from "./symbols.ts";

/** The open orders of one market, or of all. */
export type OpenMarketOrders = Actor & Readonly<{ symbol?: string }>;

/** All open orders of one market, to cancel. */
export type CanceledMarket = Actor & Readonly<{ symbol: string }>;

const OPEN_NAMES: KnownNames = namesOfRead(["symbol"]);
const CANCEL_NAMES: KnownNames = namesOfWrite(["symbol"]);
const ACCOUNT_NAMES: KnownNames = namesOfRead(["omitZeroBalances"]);
const TRADES_NAMES: KnownNames = namesOfRead(["symbol", "orderId", "startTime", "endTime", "limit"]);

const OPEN_SET = fieldSet({ symbol: optionalField(textRule), ...ACTOR_RULES });
const CANCEL_SET = fieldSet({ symbol: textRule, ...ACTOR_RULES });
const ACCOUNT_SET = fieldSet({ omitZeroBalances: preset(flag, false), ...ACTOR_RULES });

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 1_000;

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
  "openOrders.cancelMarket": { names: CANCEL_NAMES, set: CANCEL_SET },
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
  const fields = CANCEL_SET.read(plainFields(parameters, CANCEL_NAMES));
  return { symbol: marketSymbol(fields.symbol, resolve), ...actorOf(fields) };
}

/** The balances of an account, with or without those that are zero. */
export type AccountQuery = Actor & Readonly<{ omitZeroBalances: boolean }>;

/** Reads the parameters of GET /compat/api/v3/account. Throws an OrderError -1104 for an unknown parameter. */
export function readAccountQuery(parameters: Parameters): AccountQuery {
  const fields = ACCOUNT_SET.read(plainFields(parameters, ACCOUNT_NAMES));
  return { omitZeroBalances: fields.omitZeroBalances, ...actorOf(fields) };
}

/** The newest trades of one market. Times are in epoch milliseconds, both ends included. */
export type TradesPage = Actor &
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
