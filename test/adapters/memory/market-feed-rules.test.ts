import { describe, it } from "vitest";
import { createMarketFeed } from "../../../src/adapters/memory/index.ts";
import { type QuoteSourcePlace, testQuoteSource } from "../../../src/conformance/index.ts";

/** The memory feed, which a host feeds itself: it has no connection of its own. */
function createPlace(): QuoteSourcePlace {
  const feed = createMarketFeed();
  let isOpen = true;
  const open = () => {
    const close = (): void => {
      isOpen = false;
    };
    return { marketData: feed, close };
  };
  return {
    open,
    quote: (quote) => void (isOpen && feed.quote(quote)),
    idle: async () => undefined,
    remove: () => undefined,
    trade: ({ tradeId, ...print }) => feed.print({ ...print, id: String(tradeId) }),
    ownTrade: ({ tradeId: _, ...print }, executionId) => feed.print({ ...print, id: executionId }),
    confirm: (symbol) => feed.heartbeat(symbol),
  };
}

testQuoteSource(
  { describe, it },
  {
    name: "memory feed",
    supports: { times: true, sizes: true, prints: true, heartbeats: true, reconnects: false },
    createPlace,
  },
);
