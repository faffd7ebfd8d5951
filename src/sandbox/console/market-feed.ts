import {
  type Client,
  createClient,
  followMarkets,
  type Lasting,
  type SymbolReply,
} from "../../client/index.ts";
import { ageText, plotNumber } from "./numbers.ts";
import type { BestQuote } from "./ticket.ts";

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
  const query = text.trim().toLowerCase();
  const begins = ({ symbol }: M): boolean => symbol.toLowerCase().startsWith(query);
  const found = markets.filter(({ symbol, name }) => `${symbol} ${name}`.toLowerCase().includes(query));
  return [...found.filter(begins), ...found.filter((market) => !begins(market))];
}

/** Returns how old the price of a market is, in words; empty while it is followed. */
export const ageOf = ({ oldSinceMs, quote }: Market): string =>
  oldSinceMs === undefined || quote === undefined ? "" : ageText(performance.now() - oldSinceMs);

/** Public data of the sandbox: its markets, and whether their prices are live. */
type MarketFeed = Readonly<{
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
type FeedListener = Readonly<{
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
  const applyQuote = (
    symbol: string,
    { bid, ask, timeMs }: BestQuote & Readonly<{ timeMs: number }>,
  ): void => {
    const market = bySymbol.get(symbol);
    if (market === undefined || bid === WITHOUT_QUOTE || ask === WITHOUT_QUOTE) return;
    market.quote = { bid, ask };
    market.oldSinceMs = undefined;
    market.track.add({ timeMs, bid: plotNumber(bid), ask: plotNumber(ask) });
    listener.changed(market);
  };
  const readAll = async (timeMs: number): Promise<void> => {
    for (const { symbol, bid, ask } of await client.dayTickers())
      if (bid !== undefined && ask !== undefined) applyQuote(symbol, { bid, ask, timeMs });
  };
  await readAll(serverTimeMs);
  let isLost = false;
  const stream = followMarkets({ baseUrl, symbols: [...bySymbol.keys()], kinds: ["bookTicker"] });
  stream.on("bookTicker", ({ event }) => {
    applyQuote(event.s, { bid: event.b, ask: event.a, timeMs: event.E });
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

/**
 * Returns a function that tells the time of the service, of which the service told one moment. It goes on with the time
 * that passes here, unless the service has a clock that is moved by hand. The clock of the browser may be wrong.
 */
export function serverTime(
  serviceMs: number,
  passes: boolean,
  monotonicMs: () => number = () => performance.now(),
): () => number {
  const beganMs = monotonicMs();
  return () => serviceMs + (passes ? Math.round(monotonicMs() - beganMs) : 0);
}

/** The price of trades at a time. */
export type Trade = Readonly<{ timeMs: number; price: number }>;

/** Minutes whose last price is read, and trades, which show the newest minutes more exactly. */
const MINUTES = 61;
const TRADES = 1_000;
const READ_MS = 10_000;

type Fetch = (url: string, init: RequestInit) => Promise<Pick<Response, "ok" | "json">>;

/**
 * Reads the prices of the last hour from what existing clients read, because the page has seen none of it. Without a
 * trade, as in a market that is moved by hand, there is none.
 */
export async function readPast(
  baseUrl: string,
  symbol: string,
  send: Fetch = (...call) => fetch(...call),
): Promise<readonly Trade[]> {
  const rows = async (path: string): Promise<readonly unknown[]> => {
    const url = `${baseUrl}/compat/api/v3/${path}&symbol=${encodeURIComponent(symbol)}`;
    const reply = await send(url, { signal: AbortSignal.timeout(READ_MS) });
    const read: unknown = reply.ok ? await reply.json() : [];
    return Array.isArray(read) ? read : [];
  };
  const [klines, trades] = await Promise.all([
    rows(`klines?interval=1m&limit=${MINUTES}`),
    rows(`trades?limit=${TRADES}`),
  ]);
  const exact = trades.map((trade) => tradeOf(at(trade, "time"), at(trade, "price")));
  const before = exact[0]?.timeMs ?? Number.POSITIVE_INFINITY;
  const minutes = klines.map((kline) => tradeOf(at(kline, 6), at(kline, 4)));
  const all = [...minutes.filter(({ timeMs }) => timeMs < before), ...exact];
  return all.filter(({ timeMs, price }) => Number.isFinite(timeMs + price));
}

/** Returns a member as text; one that is missing becomes no number. */
const at = (row: unknown, name: string | number): string => String(Reflect.get(Object(row), name));

const tradeOf = (time: string, price: string): Trade => ({
  timeMs: plotNumber(time),
  price: plotNumber(price),
});

/** A moment of a market, for the chart. */
export type Tick = Readonly<{ timeMs: number; bid: number; ask: number }>;

/**
 * A place of the time axis of the chart, whose places are of equal length. `source`: whether it is known from quotes or
 * from trades, or whether nothing was observed.
 */
export type Row = Tick & Readonly<{ source: "quotes" | "trades" | "nothing" }>;

/** Length of a place of the time axis. */
export const PLACE_MS = 500;
/** How long quotes are kept at most. */
export const RETAINED_MS = 900_000;

/** What was observed in one place: the lowest bid, the highest ask and the newest tick. `untilMs`: when nothing is known any more. */
type Observed = {
  readonly startMs: number;
  readonly source: Row["source"];
  low: number;
  high: number;
  last: Tick;
  untilMs: number;
};

/** Returns the beginning of the place of a time. */
export const placeOf = (timeMs: number): number => Math.floor(timeMs / PLACE_MS) * PLACE_MS;

/** Adds a tick to the place of its time, so that no spike is lost. */
function observe(observed: Observed[], tick: Tick, source: Row["source"]): void {
  const newest = observed.at(-1);
  const startMs = placeOf(tick.timeMs);
  const untilMs = Number.POSITIVE_INFINITY;
  if (newest === undefined || newest.startMs < startMs)
    observed.push({ startMs, source, low: tick.bid, high: tick.ask, last: tick, untilMs });
  else {
    const [low, high] = [Math.min(newest.low, tick.bid), Math.max(newest.high, tick.ask)];
    Object.assign(newest, { low, high, last: tick, untilMs });
  }
}

/** The last minutes of a market. */
export class PriceTrack {
  #observed: Observed[] = [];

  /** Takes a moment in. One that is older than the newest replaces nothing and is left out. */
  add(tick: Tick): void {
    if (tick.timeMs < (this.last?.timeMs ?? 0)) return;
    observe(this.#observed, tick, "quotes");
    const oldestMs = tick.timeMs - RETAINED_MS;
    // Cut in larger pieces, because each cut copies the rest.
    if ((this.#observed[0]?.startMs ?? oldestMs) < oldestMs)
      this.#observed = this.#observed.filter(({ startMs }) => startMs >= oldestMs + RETAINED_MS / 10);
  }

  /** Ends the line at a time: of what comes then, nothing is known until the next moment is told. */
  end(timeMs: number): void {
    const newest = this.#observed.at(-1);
    if (newest !== undefined) newest.untilMs = Math.min(newest.untilMs, timeMs);
  }

  /** The newest moment. */
  get last(): Tick | undefined {
    return this.#observed.at(-1)?.last;
  }

  /** The first moment that is kept. */
  get first(): Tick | undefined {
    return this.#observed[0]?.last;
  }

  /**
   * Returns every place between two times, from the first of which something is known. A price holds until the next one.
   * `past`: trades, which are shown up to the first quote.
   */
  rows(fromMs: number, toMs: number, past: readonly Trade[] = []): readonly Row[] {
    const traded: Observed[] = [];
    const quotedMs = this.#observed[0]?.startMs ?? Number.POSITIVE_INFINITY;
    for (const { timeMs, price } of past)
      if (timeMs < quotedMs) observe(traded, { timeMs, bid: price, ask: price }, "trades");
    const all = [...traded, ...this.#observed];
    const rows: Row[] = [];
    let next = 0;
    for (
      let timeMs = placeOf(Math.max(fromMs, all[0]?.startMs ?? toMs));
      timeMs <= toMs;
      timeMs += PLACE_MS
    ) {
      while ((all[next]?.startMs ?? Number.POSITIVE_INFINITY) <= timeMs) next++;
      const observed = all[next - 1];
      if (observed !== undefined) rows.push(rowOf(observed, timeMs, toMs));
    }
    return rows;
  }
}

/** In the newest place, the newest price counts. */
function rowOf({ startMs, source, low, high, last, untilMs }: Observed, timeMs: number, toMs: number): Row {
  if (timeMs > untilMs) return { timeMs, bid: last.bid, ask: last.ask, source: "nothing" };
  const isWhole = startMs === timeMs && startMs + PLACE_MS <= toMs;
  return { timeMs, bid: isWhole ? low : last.bid, ask: isWhole ? high : last.ask, source };
}
