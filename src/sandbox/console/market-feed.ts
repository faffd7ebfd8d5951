import {
  type Client,
  createClient,
  followMarkets,
  type Lasting,
  type SymbolReply,
} from "../../client/index.ts";
import type { BestQuote } from "./defaults.ts";
import { ageText } from "./number-texts.ts";
import { readPast, type Trade } from "./past.ts";
import { plotNumber } from "./plot-number.ts";
import { PriceTrack } from "./price-track.ts";
import { serverTime } from "./server-time.ts";

/** A market that accepts orders, with the prices that it has now. */
export type Market = {
  readonly symbol: string;
  readonly base: string;
  readonly name: string;
  readonly track: PriceTrack;
  /** Trades from before the page was opened. */
  past: readonly Trade[];
  quote: BestQuote | undefined;
  /** Since when nothing is heard of it, on the clock of `performance.now()`; undefined while it is followed. */
  oldSinceMs: number | undefined;
};

/** Returns the markets whose symbol or name contains a text, those first whose symbol begins with it. */
export function searched<M extends Pick<Market, "symbol" | "name">>(
  markets: readonly M[],
  text: string,
): readonly M[] {
  const wanted = text.trim().toLowerCase();
  const begins = ({ symbol }: M): boolean => symbol.toLowerCase().startsWith(wanted);
  const found = markets.filter(({ symbol, name }) => `${symbol} ${name}`.toLowerCase().includes(wanted));
  return [...found.filter(begins), ...found.filter((market) => !begins(market))];
}

/** Returns how old the price of a market is, in words; empty while it is followed. */
export const ageOf = ({ oldSinceMs, quote }: Market): string =>
  oldSinceMs === undefined || quote === undefined ? "" : ageText(performance.now() - oldSinceMs);

/** Public data of the sandbox: its markets, and whether their prices are live. */
export type MarketFeed = Readonly<{
  client: Client;
  markets: readonly Market[];
  /** The time of the service. */
  nowMs: () => number;
  close: Lasting["close"];
}>;

/** Reads the trades of a market of which the page has not heard. Those that it knows stay if that fails. */
export async function refreshPast(baseUrl: string, market: Market): Promise<void> {
  market.past = await readPast(baseUrl, market.symbol).catch(() => market.past);
}

/** What a feed tells. `passes`: whether the time of the service passes by itself. */
export type FeedListener = Readonly<{
  passes: boolean;
  changed: (market: Market) => void;
  live: (isLive: boolean) => void;
}>;

const WITHOUT_QUOTE = "0";

/** Reads the markets and follows their quotes. Needs no key. Rejects if the sandbox does not answer. */
export async function openMarketFeed(baseUrl: string, listener: FeedListener): Promise<MarketFeed> {
  const client = createClient({ baseUrl });
  const { symbols, serverTime: serverTimeMs } = await client.exchangeInfo();
  const nowMs = serverTime(serverTimeMs, listener.passes);
  const markets = symbols.filter(acceptsOrders).map(marketOf);
  const bySymbol = new Map(markets.map((market) => [market.symbol, market]));
  const heard = (symbol: string, { bid, ask, timeMs }: BestQuote & Readonly<{ timeMs: number }>): void => {
    const market = bySymbol.get(symbol);
    if (market === undefined || bid === WITHOUT_QUOTE || ask === WITHOUT_QUOTE) return;
    market.quote = { bid, ask };
    market.oldSinceMs = undefined;
    market.track.add({ timeMs, bid: plotNumber(bid), ask: plotNumber(ask) });
    listener.changed(market);
  };
  const readAll = async (timeMs: number): Promise<void> => {
    for (const { symbol, bid, ask } of await client.dayTickers())
      if (bid !== undefined && ask !== undefined) heard(symbol, { bid, ask, timeMs });
  };
  await readAll(serverTimeMs);
  let isLost = false;
  const stream = followMarkets({ baseUrl, symbols: [...bySymbol.keys()], kinds: ["bookTicker"] });
  stream.on("bookTicker", ({ event }) => {
    heard(event.s, { bid: event.b, ask: event.a, timeMs: event.E });
  });
  stream.on("synced", () => {
    // What has changed meanwhile was told to nobody.
    const current = isLost ? readAll(nowMs()).catch(() => undefined) : Promise.resolve();
    isLost = false;
    void current.then(() => {
      if (!isLost) listener.live(true);
    });
  });
  stream.on("lost", () => {
    isLost = true;
    for (const market of markets) {
      market.oldSinceMs ??= performance.now();
      market.track.end(nowMs());
    }
    listener.live(false);
  });
  return { client, markets, nowMs, close: stream.close };
}

const acceptsOrders = ({ kind, status }: SymbolReply): boolean =>
  kind === "liquidity" && status === "TRADING";

function marketOf({ symbol, baseAsset, name }: SymbolReply): Market {
  return {
    ...{ symbol, base: baseAsset, name, track: new PriceTrack(), past: [] },
    ...{ quote: undefined, oldSinceMs: undefined },
  };
}
