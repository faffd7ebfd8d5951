import { describe, it } from "vitest";
import { createMarketFeed } from "../../../src/adapters/memory/index.ts";
import type { VenueClient } from "../../../src/adapters/venue-http/index.ts";
import { type QuoteSourcePlace, testQuoteSource } from "../../../src/conformance/index.ts";
import type { MarketData } from "../../../src/ports/index.ts";
import { createScriptedVenue } from "../../support/scripted-venue.ts";
import { createCutter } from "./cutter.ts";
import { connect, serveVenue, until } from "./loopback.ts";

/** A feed behind a venue server, and a proxy between server and client that can break the connection. */
async function createPlace(): Promise<QuoteSourcePlace> {
  const feed = createMarketFeed("other-id");
  const running = await serveVenue({ venue: createScriptedVenue(), marketData: feed });
  const cutter = await createCutter(running.port);
  let client: VenueClient | undefined;
  let isOut = false;
  let published = 0;
  let [confirmed, received] = [0, 0];
  const streams = () => client?.status().streams ?? [];
  const areLive = (): boolean => streams().every(({ isLive }) => isLive);
  const settled = (): boolean => {
    if (isOut) return streams().every(({ isLive }) => !isLive);
    return areLive() && streams().every(({ after }) => after === published) && received >= confirmed;
  };
  const live = (): Promise<void> => until(() => isOut || areLive(), "the streams");
  const counting = (source: MarketData): MarketData => ({
    ...source,
    subscribe: (sink) =>
      source.subscribe({
        quote: (quote) => sink.quote(quote),
        print: (print) => sink.print(print),
        heartbeat(symbol) {
          received++;
          sink.heartbeat(symbol);
        },
      }),
  });
  return {
    async open() {
      client = await connect(cutter.url);
      const { marketData } = client;
      if (marketData === undefined) throw new Error("the server has no market");
      const close = (): void => {
        client?.close();
        client = undefined;
      };
      return { marketData: counting(marketData), close };
    },
    async quote(quote) {
      await live();
      published++;
      feed.quote(quote);
    },
    async trade({ tradeId, ...print }) {
      await live();
      published++;
      feed.print({ ...print, id: String(tradeId) });
    },
    async ownTrade({ tradeId, ...print }) {
      await live();
      published++;
      feed.print({ ...print, id: String(tradeId) });
    },
    async confirm(symbol) {
      await live();
      if (!isOut) confirmed += streams().length;
      feed.heartbeat(symbol);
    },
    idle: () => until(settled, "the events that are due"),
    setOutage(out) {
      isOut = out;
      cutter.setOutage(out);
    },
    async remove() {
      client?.close();
      await cutter.close();
      await running.close();
    },
  };
}

testQuoteSource(
  { describe, it },
  {
    name: "market over HTTP",
    supports: { times: true, sizes: true, prints: true, heartbeats: true, reconnects: true },
    createPlace,
  },
);
