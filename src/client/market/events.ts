import {
  BOOK_TICKER,
  type BookTickerEvent,
  object,
  PARTIAL_DEPTH,
  type PartialDepthEvent,
  PUBLIC_TRADE,
  type PublicTradeEvent,
  type Reader,
} from "../../replies/index.ts";
import type { Members } from "../socket/connection.ts";
import { readMessage } from "../socket/read-message.ts";

/** The events of public streams by kind. */
export interface MarketEvents {
  readonly bookTicker: BookTickerEvent;
  readonly depth20: PartialDepthEvent;
  readonly trade: PublicTradeEvent;
}

/** A kind of public stream. */
export type MarketKind = keyof MarketEvents;

const READERS: { readonly [K in MarketKind]: Reader<MarketEvents[K]> } = /* @__PURE__ */ (() => ({
  bookTicker: object(BOOK_TICKER),
  depth20: object(PARTIAL_DEPTH),
  trade: object(PUBLIC_TRADE),
}))();

/** The kinds of public streams. */
export const MARKET_KINDS: readonly MarketKind[] = ["bookTicker", "depth20", "trade"];

/**
 * Reads a message of a public stream; undefined for one of another kind. Throws a ProtocolError for a member of another
 * type.
 */
export function readMarketEvent(message: Members): MarketEvents[MarketKind] | undefined {
  const kind = MARKET_KINDS.find((known) => known === message.e);
  if (kind === undefined) return undefined;
  return readMessage<MarketEvents[MarketKind]>(READERS[kind], message);
}
