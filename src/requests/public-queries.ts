import * as z from "zod";
import type { Parameters } from "../wire/index.ts";
import { textSchema } from "./field-schemas.ts";
import type { RequestShape } from "./known-names.ts";
import { pickFields } from "./plain-fields.ts";
import { readWith } from "./read-with.ts";

/** A request for the ticker of one symbol. */
export type TickerQuery = Readonly<{ symbol: string }>;

/** A request for the last day of one symbol, or of all. */
export type DayTickerQuery = Readonly<{ symbol?: string }>;

/** A request for the order book of one symbol, `limit` levels a side. */
export type DepthQuery = Readonly<{ symbol: string; limit: number }>;

/** A request for the first `limit` instrument pairs. */
export type PairsQuery = Readonly<{ limit: number }>;

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 5_000;

const SYMBOL: ReadonlySet<string> = new Set(["symbol"]);
const LIMIT: ReadonlySet<string> = new Set(["limit"]);
const SYMBOL_AND_LIMIT: ReadonlySet<string> = new Set(["symbol", "limit"]);

const tickerSchema = z.object({ symbol: textSchema });

const dayTickerSchema = z.object({ symbol: textSchema.exactOptional() });

const depthSchema = z.object({
  symbol: textSchema,
  limit: z
    .number()
    .min(1)
    .default(DEFAULT_LIMIT)
    .transform((limit) => Math.min(limit, MAX_LIMIT))
    .meta({ type: "integer" }),
});

const pairsSchema = z.object({ limit: z.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT) });

/** A public query reads these parameters and passes over all others (convention 1.2 t). */
const picked = (read: ReadonlySet<string>, schema: z.ZodType): RequestShape => ({
  names: { read, ignored: new Set() },
  schema,
});

/** What the public queries read, by route. */
export const PUBLIC_QUERIES: Readonly<
  Record<"ticker" | "ticker24hr" | "depth" | "instrumentPairs", RequestShape>
> = {
  ticker: picked(SYMBOL, tickerSchema),
  ticker24hr: picked(SYMBOL, dayTickerSchema),
  depth: picked(SYMBOL_AND_LIMIT, depthSchema),
  instrumentPairs: picked(LIMIT, pairsSchema),
};

/**
 * Reads the parameters of GET /api/ticker; others are ignored. Throws an OrderError when symbol is missing (-1102)
 * or empty (-1105); whether it exists is for the catalogue to say. Source: contract, Public market data.
 */
export function readTickerQuery(parameters: Parameters): TickerQuery {
  return readWith(tickerSchema, pickFields(parameters, SYMBOL));
}

/**
 * Reads the parameters of GET /api/ticker/24hr; others are ignored. Throws an OrderError -1105 for an empty symbol.
 * Source: decision 43.
 */
export function readDayTickerQuery(parameters: Parameters): DayTickerQuery {
  return readWith(dayTickerSchema, pickFields(parameters, SYMBOL));
}

/**
 * Reads the parameters of GET /api/depth. A limit above 5000 counts as 5000; below 1 it is -1130.
 * Source: contract, Public market data; convention 1, gap 8.
 */
export function readDepthQuery(parameters: Parameters): DepthQuery {
  return readWith(depthSchema, pickFields(parameters, SYMBOL_AND_LIMIT));
}

/**
 * Reads the parameters of GET /api/getInstrumentPairs: a limit of 1-5000, above it -1102, below it -1130.
 * Source: contract, Public market data.
 */
export function readPairsQuery(parameters: Parameters): PairsQuery {
  return readWith(pairsSchema, pickFields(parameters, LIMIT));
}
