import type { Parameters } from "../wire/index.ts";
import { textRule } from "./field-rules.ts";
import { type FieldSet, fieldSet, type RequestShape } from "./field-set.ts";

import { pickFields } from "./plain-fields.ts";
import { capped, optionalField, preset, whole } from "./rule.ts";

/** A request for the ticker of one symbol. */
export type TickerQuery = Readonly<{ symbol: string }>;

/** A request for the last day of one symbol, or of all. */
export type DayTickerQuery = Readonly<{ symbol?: string }>;

/** A request for the order book of one symbol, with `limit` levels per side. */
export type DepthQuery = Readonly<{ symbol: string; limit: number }>;

/** A request for the first `limit` instrument pairs. */
export type PairsQuery = Readonly<{ limit: number }>;

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 5_000;

const SYMBOL: ReadonlySet<string> = new Set(["symbol"]);
const LIMIT: ReadonlySet<string> = new Set(["limit"]);
const SYMBOL_AND_LIMIT: ReadonlySet<string> = new Set(["symbol", "limit"]);

const TICKER_SET = fieldSet({ symbol: textRule });

const DAY_TICKER_SET = fieldSet({ symbol: optionalField(textRule) });

const DEPTH_SET = fieldSet({
  symbol: textRule,
  limit: preset(capped({ from: 1, cap: MAX_LIMIT }), DEFAULT_LIMIT),
});

const PAIRS_SET = fieldSet({ limit: preset(whole({ from: 1, to: MAX_LIMIT }), DEFAULT_LIMIT) });

/** Returns the shape of a public query. It ignores all other parameters (convention 1.2 t). */
const picked = (read: ReadonlySet<string>, set: FieldSet<unknown>): RequestShape => ({
  names: { read, ignored: new Set() },
  set,
});

/** The parameters of the public queries, by route. */
export const PUBLIC_QUERIES: Readonly<
  Record<"ticker" | "ticker24hr" | "depth" | "instrumentPairs", RequestShape>
> = {
  ticker: picked(SYMBOL, TICKER_SET),
  ticker24hr: picked(SYMBOL, DAY_TICKER_SET),
  depth: picked(SYMBOL_AND_LIMIT, DEPTH_SET),
  instrumentPairs: picked(LIMIT, PAIRS_SET),
};

/**
 * Reads the parameters of GET /api/ticker and ignores all others. Throws an OrderError if symbol is missing (-1102) or
 * empty (-1105). The catalogue decides whether the symbol exists. Source: contract, Public market data.
 */
export function readTickerQuery(parameters: Parameters): TickerQuery {
  return TICKER_SET.read(pickFields(parameters, SYMBOL));
}

/**
 * Reads the parameters of GET /api/ticker/24hr and ignores all others. Throws an OrderError -1105 for an empty symbol.
 * Source: decision 43.
 */
export function readDayTickerQuery(parameters: Parameters): DayTickerQuery {
  const { symbol } = DAY_TICKER_SET.read(pickFields(parameters, SYMBOL));
  return symbol === undefined ? {} : { symbol };
}

/**
 * Reads the parameters of GET /api/depth. A limit above 5000 counts as 5000; below 1 it throws -1130.
 * Source: contract, Public market data; convention 1, gap 8.
 */
export function readDepthQuery(parameters: Parameters): DepthQuery {
  return DEPTH_SET.read(pickFields(parameters, SYMBOL_AND_LIMIT));
}

/**
 * Reads the parameters of GET /api/getInstrumentPairs: a limit of 1-5000. Above it throws -1102, below it -1130.
 * Source: contract, Public market data.
 */
export function readPairsQuery(parameters: Parameters): PairsQuery {
  return PAIRS_SET.read(pickFields(parameters, LIMIT));
}
