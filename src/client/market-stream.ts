import {
  listOption,
  nameOption,
  optionalOption,
  optionsOf,
  wholeOption,
  wordOption,
} from "../common/index.ts";
import {
  BOOK_TICKER,
  type BookTickerEvent,
  object,
  PARTIAL_DEPTH,
  type PartialDepthEvent,
  PUBLIC_TRADE,
  type PublicTradeEvent,
  type Reader,
} from "../replies/index.ts";
import { type Lasting, lasting } from "./again.ts";
import { TransportError } from "./errors.ts";
import type { AbortLike } from "./http.ts";
import { Outlet, type OverrunEvent } from "./outlet.ts";
import { control, type Members, MessageInbox, readMessage, streamName } from "./socket.ts";
import { type SocketClientOptions, type SocketWorks, socketChecks, socketWorks } from "./socket-client.ts";

/** Options of {@link followMarkets}. */
export interface MarketStreamOptions extends Omit<SocketClientOptions, "checks" | "apiKey" | "secret"> {
  /** The markets, such as BTC/USD. */
  readonly symbols: readonly string[];
  /** The kinds of events; default all of them. */
  readonly kinds?: readonly MarketKind[];
  /** How many events wait for an iterator before it is given an `overrun` in their place; default 1,000. */
  readonly maxWaiting?: number;
  /** After this time without an event the stream checks its connection, in milliseconds; default 30,000. */
  readonly quietMs?: number;
}

/** What a market stream tells. */
export type MarketStreamEvent =
  | { readonly [K in MarketKind]: Readonly<{ kind: K; event: MarketEvents[K] }> }[MarketKind]
  /** All events from now on are handed out. */
  | Readonly<{ kind: "synced" }>
  /** Events may be missing until the next `synced`. */
  | Readonly<{ kind: "lost" }>;

/** The public events of some markets. The stream connects again by itself. */
export interface MarketStream extends AsyncIterable<MarketStreamEvent | OverrunEvent>, Lasting {
  /** Calls a function with each event of a kind. The returned function stops that. */
  on<K extends MarketStreamEvent["kind"]>(
    kind: K,
    listener: (event: Extract<MarketStreamEvent, { kind: K }>) => void,
  ): () => void;
}

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

const OPTIONS = /* @__PURE__ */ (() => {
  const { checks: _checks, apiKey: _apiKey, secret: _secret, ...shared } = socketChecks();
  return optionsOf<MarketStreamOptions>({
    ...shared,
    symbols: listOption("an array of symbols", nameOption),
    kinds: optionalOption(listOption("an array of kinds", wordOption(MARKET_KINDS))),
    maxWaiting: optionalOption(wholeOption({ from: 1 })),
    quietMs: optionalOption(wholeOption({ from: 1 }, " of milliseconds")),
  });
})();

/** Events that wait to be handed out before the stream begins anew. */
const MAX_HELD = 10_000;

type SessionParts = Pick<SocketWorks, "link" | "caller"> &
  Readonly<{ streams: readonly string[]; quietMs: number; outlet: Outlet<MarketStreamEvent> }>;

/**
 * Follows the best prices, the best twenty levels and the trades of markets. Prices and quantities are texts, numbers of
 * quotes and trades too. Events that are missed while the connection is lost are not sent again: `lost` and `synced`
 * tell when that was. Begins at once. Throws a TypeError for an option that cannot be used.
 *
 * @example
 * ```ts
 * import { followMarkets } from "managed-orders/client";
 * export function tellTrades(baseUrl: string): () => void {
 *   const stream = followMarkets({ baseUrl, symbols: ["BTC/USD"], kinds: ["trade"] });
 *   stream.on("trade", ({ event }) => console.log(event.s, event.q, event.p));
 *   return () => stream.close();
 * }
 * ```
 */
export function followMarkets(given: MarketStreamOptions): MarketStream {
  OPTIONS(given, "followMarkets");
  const { symbols, kinds = MARKET_KINDS, maxWaiting = 1_000, quietMs = 30_000, ...options } = given;
  const { link, caller, platform } = socketWorks(options, { name: "followMarkets", path: "/ws/liquidity" });
  const outlet = new Outlet<MarketStreamEvent>(maxWaiting);
  const streams = symbols.flatMap((symbol) => kinds.map((kind) => streamName(symbol, kind)));
  const parts = { link, caller, streams, quietMs, outlet };
  const { ended, close } = lasting(
    { platform, link },
    (signal) => follow(parts, signal),
    (why) => outlet.end(why),
  );
  return Object.freeze<MarketStream>({
    ended,
    on: (kind, listener) => outlet.on(kind, listener),
    close,
    [Symbol.asyncIterator]: () => outlet.iterate(),
  });
}

/** Follows over one connection until it ends. Rejects with the reason. */
async function follow(parts: SessionParts, signal: AbortLike): Promise<never> {
  const { link, caller, streams, outlet } = parts;
  const bounds = { timeoutMs: caller.settings.timeoutMs, signal };
  const inbox = new MessageInbox(await link.connected(bounds), MAX_HELD, readMarketEvent);
  let isCurrent = false;
  try {
    await control(link, { method: "SUBSCRIBE", streams }, bounds);
    isCurrent = true;
    outlet.emit({ kind: "synced" });
    for (;;) {
      const event = await inbox.next(caller.platform.clock, parts.quietMs);
      // A quiet market and a dead connection look the same: a request tells them apart.
      if (event === undefined) await control(link, { method: "LIST_SUBSCRIPTIONS", streams: [] }, bounds);
      else outlet.emit({ kind: event.e, event } as MarketStreamEvent);
    }
  } catch (error) {
    if (isCurrent) outlet.emit({ kind: "lost" });
    link.drop(new TransportError("connection", "the stream begins anew"));
    throw error;
  } finally {
    inbox.leave();
  }
}
