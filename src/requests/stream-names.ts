import type { ResolveSymbol } from "./symbols.ts";

/** The kind of events of a public stream. */
export type StreamKind = "bookTicker" | "depth" | "depth20" | "trade";

/** One public stream. `name` is its name in lists, such as `btcusd@bookTicker`. */
export type StreamName = Readonly<{ name: string; symbol: string; kind: StreamKind }>;

/** Control methods of the public WebSocket. Source: decision 45; convention 4.12. */
export const STREAM_METHODS = ["SUBSCRIBE", "UNSUBSCRIBE", "LIST_SUBSCRIPTIONS"] as const;

/**
 * Weight of every message of the public WebSocket. It needs no key, and the message is read completely. Source:
 * decision GF.
 */
export const STREAM_METHOD_WEIGHT = 1;

/** Kinds of public streams. Source: decision 45. */
export const STREAM_KINDS: readonly StreamKind[] = ["bookTicker", "depth", "depth20", "trade"];

/**
 * Returns the stream with a name, or `undefined` if there is none. The symbol before the `@` is the canonical one or an
 * alias, in any letter case. Source: decision 45; convention 4.12.
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
