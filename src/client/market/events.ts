import { readLevel } from "../book/book-sides.ts";
import { decimal } from "../replies/decimal-text.ts";
import type { LevelReply } from "../replies/market.ts";
import { list, number, object, type Shape, text, type WholeText, whole } from "../replies/reader.ts";
import type { Members } from "../socket/connection.ts";
import { readMessage } from "../socket/read-message.ts";

/** The best prices of a market after a quote. */
export interface BookTickerEvent {
  readonly e: "bookTicker";
  /** Time at which it was sent, in epoch milliseconds. */
  readonly E: number;
  /** Number of the quote. */
  readonly u: WholeText;
  readonly s: string;
  /** Best bid and its quantity. */
  readonly b: string;
  readonly B: string;
  /** Best ask and its quantity. */
  readonly a: string;
  readonly A: string;
}

/** The best twenty levels of each side after a quote, best first. */
export interface PartialDepthEvent {
  readonly e: "depth20";
  readonly E: number;
  readonly s: string;
  readonly lastUpdateId: WholeText;
  readonly bids: readonly LevelReply[];
  readonly asks: readonly LevelReply[];
}

/** An execution on the service. */
export interface PublicTradeEvent {
  readonly e: "trade";
  readonly E: number;
  readonly s: string;
  /** Number of the execution. */
  readonly t: WholeText;
  readonly executionId: string;
  readonly p: string;
  readonly q: string;
  /** Time of the execution, in epoch milliseconds. */
  readonly T: number;
}

/** The events of public streams by kind. */
export interface MarketEvents {
  readonly bookTicker: BookTickerEvent;
  readonly depth20: PartialDepthEvent;
  readonly trade: PublicTradeEvent;
}

/** A kind of public stream. */
export type MarketKind = keyof MarketEvents;

/** Readers of the members of each event. */
export const MARKET_SHAPES: { readonly [K in MarketKind]: Shape<MarketEvents[K]> } = /* @__PURE__ */ (() => {
  const head = { e: text, E: number, s: text };
  return {
    bookTicker: { ...head, u: whole, b: decimal, B: decimal, a: decimal, A: decimal },
    depth20: { ...head, lastUpdateId: whole, bids: list(readLevel), asks: list(readLevel) },
    trade: { ...head, t: whole, executionId: text, p: decimal, q: decimal, T: number },
  } as { readonly [K in MarketKind]: Shape<MarketEvents[K]> };
})();

/** The kinds of public streams. */
export const MARKET_KINDS: readonly MarketKind[] = ["bookTicker", "depth20", "trade"];

/**
 * Reads a message of a public stream; undefined for one of another kind. Throws a ProtocolError for a member of another
 * type.
 */
export function readMarketEvent(message: Members): MarketEvents[MarketKind] | undefined {
  const kind = MARKET_KINDS.find((known) => known === message.e);
  if (kind === undefined) return undefined;
  return readMessage(object(MARKET_SHAPES[kind] as Shape<MarketEvents[MarketKind]>), message);
}
