import { OrderError } from "../../../errors/index.ts";
import { type JsonInput, type JsonValue, type Parameters, readJson } from "../../../wire/index.ts";
import type { ServiceParts } from "../parts.ts";
import { typesForClient } from "./order-types.ts";
import { compatSymbol, symbolForClient } from "./symbols.ts";
import { type Members, merged } from "./views.ts";

/** Orders of the convention that a market takes. Trailing is a distance of a stop or take-profit. */
const FLAGS = {
  opoAllowed: false,
  quoteOrderQtyMarketAllowed: true,
  allowTrailingStop: true,
  cancelReplaceAllowed: false,
  amendAllowed: false,
  pegInstructionsAllowed: false,
  isMarginTradingAllowed: false,
  permissions: [],
  permissionSets: [["SPOT"]],
  defaultSelfTradePreventionMode: "NONE",
  allowedSelfTradePreventionModes: ["NONE"],
} as const;

/**
 * Returns exchangeInfo with the members that clients of the convention read of each symbol, for all symbols or for those
 * asked for. Source: convention 5.1.
 */
export function exchangeInfoForClient(parts: ServiceParts, info: Members, requested: Parameters): Members {
  const symbols = info.symbols as readonly Members[];
  return {
    ...info,
    symbols: onlyRequested(parts, symbols, requested).map((each) => symbolMembers(parts, each)),
  };
}

function symbolMembers(parts: ServiceParts, own: Members): Members {
  const instrument = parts.instruments.find(String(own.symbol));
  const { quoteAssetPrecision, baseAssetPrecision, orderTypes } = own;
  const types = typesForClient(orderTypes as readonly string[]);
  return merged(merged(own, FLAGS), {
    symbol: instrument === undefined ? own.symbol : compatSymbol(parts, instrument),
    quotePrecision: quoteAssetPrecision,
    baseCommissionPrecision: baseAssetPrecision,
    quoteCommissionPrecision: quoteAssetPrecision,
    orderTypes: types,
    isSpotTradingAllowed: types.length > 0,
    quoteOrderQtyMarketAllowed: parts.native !== undefined,
  });
}

/** Returns the order book with a numeric update id, as clients of the convention compare it. */
export function depthForClient({ lastUpdateId, bids, asks }: Members): Members {
  return { lastUpdateId: Number.parseInt(String(lastUpdateId), 10), bids, asks };
}

/** Returns one ticker, or all of those asked for, under the client's names of the markets. */
export function tickersForClient(parts: ServiceParts, body: JsonInput, requested: Parameters): JsonInput {
  const shown = (ticker: Members): Members => ({
    ...ticker,
    symbol: symbolForClient(parts, String(ticker.symbol)),
  });
  if (!Array.isArray(body)) return shown(body as Members);
  return onlyRequested(parts, body, requested).map(shown);
}

/**
 * Returns the rows of the markets that `symbol` or `symbols` names, or all rows. Throws an OrderError -1121 at the first
 * unknown name.
 */
function onlyRequested(
  parts: ServiceParts,
  rows: readonly Members[],
  requested: Parameters,
): readonly Members[] {
  const names = requestedNames(requested);
  if (names === undefined) return rows;
  const symbols = new Set<string>();
  for (const name of new Set(names)) {
    const symbol = parts.clientSymbols.canonical(name);
    if (parts.instruments.find(symbol) === undefined) throw new OrderError("BAD_SYMBOL", { field: "symbol" });
    symbols.add(symbol);
  }
  return rows.filter(({ symbol }) => symbols.has(String(symbol)));
}

const LIST = 'Send a JSON array of symbols, such as ["BTCUSD","ETHUSD"].';

/** Reads the names in `symbol`, or in `symbols`, which is a JSON array. Throws an OrderError -1130 for anything else. */
function requestedNames(requested: Parameters): readonly string[] | undefined {
  const one = requested.get("symbol")?.text;
  if (one !== undefined) return [one];
  const many = requested.get("symbols")?.text;
  if (many === undefined) return undefined;
  const names = listIn(many);
  if (names?.every((name) => typeof name === "string")) return names;
  throw new OrderError("INVALID_PARAMETER", { field: "symbols", advice: LIST });
}

/** Returns the items of a JSON array; undefined for any other text. */
function listIn(text: string): readonly JsonValue[] | undefined {
  try {
    const value = readJson(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
