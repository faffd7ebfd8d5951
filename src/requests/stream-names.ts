import type { ResolveSymbol } from "./symbols.ts";

/** What a public stream of one market tells. */
export type StreamKind = "bookTicker" | "depth" | "depth20" | "trade";

/** One public stream; `name` is how it is listed, such as `btcusd@bookTicker`. */
export type StreamName = Readonly<{ name: string; symbol: string; kind: StreamKind }>;

/** Control methods of the public WebSocket. Source: decision 45; convention 4.12. */
export const STREAM_METHODS = ["SUBSCRIBE", "UNSUBSCRIBE", "LIST_SUBSCRIPTIONS"] as const;

/** Weight of every message of the public WebSocket: it needs no key, and is read to its end. Source: decision GF. */
export const STREAM_METHOD_WEIGHT = 1;

/** Kinds of public streams. Source: decision 45. */
export const STREAM_KINDS: readonly StreamKind[] = ["bookTicker", "depth", "depth20", "trade"];

/**
 * The stream that a name means, `undefined` when there is none. The symbol before the `@` is the canonical one or an
 * alias, in any letter case. Source: decision 45; convention 4.12.
 *
 * @example
 * ```ts
 * import { readStreamName } from "managed-orders";
 * console.log(readStreamName("btcusd@candles", () => undefined)); // undefined
 * ```
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
