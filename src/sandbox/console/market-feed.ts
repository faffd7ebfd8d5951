import {
  type Client,
  createClient,
  followMarkets,
  type Lasting,
  type SymbolReply,
} from "../../client/index.ts";
import type { BestQuote } from "./defaults.ts";
import { readPast, type Trade } from "./past.ts";
import { plotNumber } from "./plot-number.ts";
import { PriceTrack } from "./price-track.ts";

/** A market that accepts orders, with the prices that it has now. */
export type Market = {
  readonly symbol: string;
  readonly base: string;
  readonly name: string;
  readonly track: PriceTrack;
  /** Trades from before the page was opened. */
  past: readonly Trade[];
  quote: BestQuote | undefined;
};

/** Public data of the sandbox: its markets, and whether their prices are live. */
export type MarketFeed = Readonly<{
  client: Client;
  markets: readonly Market[];
  /** The time of the service at its first answer. */
  serverTimeMs: number;
  close: Lasting["close"];
}>;

/** Reads the trades of a market of which the page has not heard. Those that it knows stay if that fails. */
export async function refreshPast(baseUrl: string, market: Market): Promise<void> {
  market.past = await readPast(baseUrl, market.symbol).catch(() => market.past);
}

/** What a feed tells. */
export type FeedListener = Readonly<{ changed: (market: Market) => void; live: (isLive: boolean) => void }>;

const WITHOUT_QUOTE = "0";

/** Reads the markets and follows their quotes. Needs no key. Rejects if the sandbox does not answer. */
export async function openMarketFeed(baseUrl: string, listener: FeedListener): Promise<MarketFeed> {
  const client = createClient({ baseUrl });
  const { symbols, serverTime: serverTimeMs } = await client.exchangeInfo();
  const markets = symbols.filter(acceptsOrders).map(marketOf);
  const bySymbol = new Map(markets.map((market) => [market.symbol, market]));
  const tickers = await client.dayTickers();
  for (const { symbol, bid, ask } of tickers) {
    const market = bySymbol.get(symbol);
    if (market === undefined || bid === undefined || ask === undefined) continue;
    market.quote = { bid, ask };
    market.track.add({ timeMs: serverTimeMs, bid: plotNumber(bid), ask: plotNumber(ask) });
  }
  const stream = followMarkets({ baseUrl, symbols: [...bySymbol.keys()], kinds: ["bookTicker"] });
  stream.on("bookTicker", ({ event }) => {
    const market = bySymbol.get(event.s);
    if (market === undefined || event.b === WITHOUT_QUOTE || event.a === WITHOUT_QUOTE) return;
    market.quote = { bid: event.b, ask: event.a };
    market.track.add({ timeMs: event.E, bid: plotNumber(event.b), ask: plotNumber(event.a) });
    listener.changed(market);
  });
  stream.on("synced", () => listener.live(true));
  stream.on("lost", () => listener.live(false));
  return { client, markets, serverTimeMs, close: stream.close };
}

const acceptsOrders = ({ kind, status }: SymbolReply): boolean =>
  kind === "liquidity" && status === "TRADING";

function marketOf({ symbol, baseAsset, name }: SymbolReply): Market {
  return { symbol, base: baseAsset, name, track: new PriceTrack(), past: [], quote: undefined };
}
