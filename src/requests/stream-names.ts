import { KLINE_INTERVALS, type KlineInterval } from "./market-queries.ts";
import type { ResolveSymbol } from "./symbols.ts";

/** The kind of events of a public stream. */
type StreamKind = "bookTicker" | "depth" | "depth20" | "trade";

/** One public stream. `name` is its name in lists, such as `btcusd@bookTicker`. */
export type StreamName = Readonly<{ name: string; symbol: string; kind: StreamKind }>;

/** Control methods of the public WebSocket. Source: convention 4.12. */
export const STREAM_METHODS = ["SUBSCRIBE", "UNSUBSCRIBE", "LIST_SUBSCRIPTIONS"] as const;

/** Bytes of a message of the public WebSocket for which it weighs 1. */
const BYTES_PER_WEIGHT = 512;

/**
 * Returns the weight of a message of the public WebSocket: one for each stream that it names, and no less than its length
 * calls for. It needs no key, it is read completely, and each name is looked up and may cost an event for every quote.
 */
export const streamMessageWeight = ({ names, bytes }: Readonly<{ names: number; bytes: number }>): number =>
  Math.max(1, names, Math.ceil(bytes / BYTES_PER_WEIGHT));

/** Kinds of public streams. */
export const STREAM_KINDS: readonly StreamKind[] = ["bookTicker", "depth", "depth20", "trade"];

/**
 * Returns the stream with a name, or `undefined` if there is none. The symbol before the `@` is the canonical one or an
 * alias, in any letter case. Source: convention 4.12.
 */
export function readStreamName(text: string, resolve: ResolveSymbol): StreamName | undefined {
  const at = text.indexOf("@");
  if (at < 0) return undefined;
  const kind = STREAM_KINDS.find((known) => known === text.slice(at + 1));
  const instrument = resolve(text.slice(0, at).toUpperCase());
  if (kind === undefined || instrument === undefined) return undefined;
  const { symbol } = instrument;
  return { name: `${symbol.replace("/", "").toLowerCase()}@${kind}`, symbol, kind };
}

/** The speed of a stream that does not send every quote or print, in milliseconds. */
export type PeriodMs = 100 | 1_000;

/**
 * The contents of a stream for clients of the public convention. `levels` is the size of a partial book, `everyMs` the
 * speed of a book, `interval` the length of a kline.
 */
type ClientStreamTerms =
  | Readonly<{ kind: "trade" | "aggTrade" | "bookTicker" | "ticker" | "miniTicker" }>
  | Readonly<{ kind: "depth"; everyMs: PeriodMs }>
  | Readonly<{ kind: "partialDepth"; everyMs: PeriodMs; levels: number }>
  | Readonly<{ kind: "kline"; interval: KlineInterval }>;

/** One stream of the convention. `suffix` is its name behind the `@`, such as `kline_1m`. */
export type ClientStreamName = Readonly<{ symbol: string; suffix: string; terms: ClientStreamTerms }>;

/** The speeds of a book by the end of its name. */
const SPEEDS: readonly (readonly [string, PeriodMs])[] = [
  ["", 1_000],
  ["@100ms", 100],
  ["@1000ms", 1_000],
];

/** The streams of the convention by the name behind the `@`. */
const CLIENT_STREAMS: ReadonlyMap<string, ClientStreamTerms> = new Map<string, ClientStreamTerms>([
  ["trade", { kind: "trade" }],
  ["aggTrade", { kind: "aggTrade" }],
  ["bookTicker", { kind: "bookTicker" }],
  ["ticker", { kind: "ticker" }],
  ["miniTicker", { kind: "miniTicker" }],
  ...SPEEDS.flatMap(([speed, everyMs]): [string, ClientStreamTerms][] => [
    [`depth${speed}`, { kind: "depth", everyMs }],
    ...[5, 10, 20].map((levels): [string, ClientStreamTerms] => [
      `depth${levels}${speed}`,
      { kind: "partialDepth", everyMs, levels },
    ]),
  ]),
  ...KLINE_INTERVALS.map((interval): [string, ClientStreamTerms] => [
    `kline_${interval}`,
    { kind: "kline", interval },
  ]),
]);

/** The names of these streams behind the `@`. */
export const CLIENT_STREAM_SUFFIXES: readonly string[] = [...CLIENT_STREAMS.keys()];

/**
 * Returns the stream of the convention with a name, or `undefined` if there is none. The symbol is read in any letter case.
 * Source: convention 4.12.
 */
export function readClientStreamName(text: string, resolve: ResolveSymbol): ClientStreamName | undefined {
  const at = text.indexOf("@");
  if (at < 0) return undefined;
  const suffix = text.slice(at + 1);
  const terms = CLIENT_STREAMS.get(suffix);
  const instrument = terms && resolve(text.slice(0, at).toUpperCase());
  return terms && instrument && { symbol: instrument.symbol, suffix, terms };
}
