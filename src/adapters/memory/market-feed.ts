import type {
  MarketData,
  MarketSink,
  OwnFillsInPrints,
  PrintInput,
  QuoteInput,
  QuoteVerdict,
} from "../../ports/index.ts";

/** A market data source that the host feeds. Each call reaches all subscribers before it returns. */
export interface MarketFeed extends MarketData {
  /** Passes a quote on. Returns the verdict of every subscriber, in subscription order. */
  quote(quote: QuoteInput): readonly QuoteVerdict[];
  /** Tells every subscriber that the last quote of a symbol still holds. */
  heartbeat(symbol: string): void;
  /** Passes a trade on to every subscriber. */
  print(print: PrintInput): void;
}

/**
 * Creates a source of quotes and prints for tests, replays and hosts with their own market data. `ownFillsInPrints` says
 * how the host's prints name the fills of the engine's children.
 *
 * @example
 * ```ts
 * import { createMarketFeed } from "managed-orders/memory";
 * const feed = createMarketFeed();
 * console.log(feed.quote({ symbol: "BTC/USD", bid: "7424.9", ask: "7424.91" })); // []
 * ```
 */
export function createMarketFeed(ownFillsInPrints?: OwnFillsInPrints): MarketFeed {
  const sinks = new Set<MarketSink>();
  return {
    ...(ownFillsInPrints !== undefined && { ownFillsInPrints }),
    subscribe(sink) {
      sinks.add(sink);
      return () => {
        sinks.delete(sink);
      };
    },
    quote: (quote) => [...sinks].map((sink) => sink.quote(quote)),
    heartbeat(symbol) {
      for (const sink of [...sinks]) sink.heartbeat(symbol);
    },
    print(print) {
      for (const sink of [...sinks]) sink.print(print);
    },
  };
}
