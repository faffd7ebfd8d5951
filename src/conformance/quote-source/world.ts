import { parsePrice, parseQuantity } from "../../decimal/index.ts";
import { readPrintInput, readQuoteInput } from "../../host-answers/index.ts";
import type { MarketData, PrintInput, QuoteInput } from "../../ports/index.ts";
import { marketDataOption } from "../../ports/internal.ts";
import { type AtEnd, Mismatch, type Rule, type RuleGroup, shown } from "../suite/index.ts";
import {
  type OpenQuoteSource,
  type PublishedQuote,
  type PublishedTrade,
  type QuoteSourcePlace,
  type QuoteSourceSubject,
  type QuoteSourceSupport,
  quotePlaceCheck,
} from "./place.ts";

/** A rule of the market data port. */
export type QuoteRule = Rule<QuoteWorld, QuoteSourceSupport>;
/** Rules of the market data port about one subject. */
export type QuoteRules = RuleGroup<QuoteWorld, QuoteSourceSupport>;

/** What a source has delivered to one sink. */
export type Delivered = Readonly<{
  quotes: unknown[];
  prints: unknown[];
  heartbeats: string[];
  leave: () => void;
}>;

const START_MS = 1_760_000_000_123;

/** Returns a quote of BTC/USD at 100 to 101. */
export const quoteOf = (fields: Partial<PublishedQuote> = {}): PublishedQuote => ({
  ...{ symbol: "BTC/USD", bid: "100", ask: "101", bidQuantity: "1", askQuantity: "2", timeMs: START_MS },
  ...fields,
});

/** Returns a trade of BTC/USD of 1 at 100. */
export const tradeOf = (fields: Partial<PublishedTrade> = {}): PublishedTrade => ({
  ...{ symbol: "BTC/USD", price: "100", quantity: "1", tradeId: 1, timeMs: START_MS },
  ...fields,
});

/** The surroundings of one rule: a feed, the source on it, and a sink that listens from the start. */
export class QuoteWorld {
  readonly place: QuoteSourcePlace;
  readonly source: MarketData;
  /** What the source has delivered since it was opened. */
  readonly delivered: Delivered;
  readonly #opened: OpenQuoteSource;
  #isClosed = false;

  private constructor(place: QuoteSourcePlace, opened: OpenQuoteSource) {
    this.place = place;
    this.#opened = opened;
    this.source = opened.marketData;
    this.delivered = this.listen();
  }

  /** Creates a feed and opens the source. Throws a TypeError for a place or a source that lacks a function. */
  static async create(subject: QuoteSourceSubject, atEnd: AtEnd): Promise<QuoteWorld> {
    const place = await subject.createPlace();
    atEnd(() => place.remove());
    quotePlaceCheck(subject.supports)(place, `the place that createPlace of ${subject.name} created`);
    const opened = await place.open();
    let world: QuoteWorld | undefined;
    atEnd(() => (world ?? opened).close());
    marketDataOption(opened.marketData, "the market data that open returned");
    world = new QuoteWorld(place, opened);
    return world;
  }

  /** Subscribes one more sink. */
  listen(): Delivered {
    const [quotes, prints, heartbeats]: [unknown[], unknown[], string[]] = [[], [], []];
    const leave = this.source.subscribe({
      quote(quote) {
        quotes.push(quote);
        return "counted";
      },
      heartbeat: (symbol) => void heartbeats.push(symbol),
      print: (print) => void prints.push(print),
    });
    return { quotes, prints, heartbeats, leave };
  }

  /** Publishes quotes, and waits until they have arrived. */
  async publish(quotes: readonly PublishedQuote[]): Promise<void> {
    for (const quote of quotes) await this.place.quote(quote);
    await this.place.idle();
  }

  /** Publishes trades, and waits until they have arrived. */
  async trade(trades: readonly PublishedTrade[]): Promise<void> {
    for (const trade of trades) await this.place.trade?.(trade);
    await this.place.idle();
  }

  async close(): Promise<void> {
    if (!this.#isClosed) await this.#opened.close();
    this.#isClosed = true;
  }
}

/** Returns a delivered quote. Throws a Mismatch for one that the engine cannot read. */
export function readQuote(given: unknown): QuoteInput {
  const quote = readQuoteInput(given);
  if (quote !== undefined) return quote;
  const expected = "a quote whose members are text, and whose timeMs is a number";
  throw new Mismatch({ call: "a delivered quote", expected, answered: shown(given) });
}

/** Returns a delivered print. Throws a Mismatch for one that the engine cannot read. */
export function readPrint(given: unknown): PrintInput {
  const print = readPrintInput(given);
  if (print !== undefined) return print;
  const expected = "a print whose members are text, and whose timeMs is a number";
  throw new Mismatch({ call: "a delivered print", expected, answered: shown(given) });
}

/** Returns the best price of one side as the engine takes it: that of the first level, if there are levels. */
export function bestOf(quote: QuoteInput, side: "bid" | "ask"): Readonly<{ price: unknown; size: unknown }> {
  const levels = side === "bid" ? quote.bids : quote.asks;
  const [at, size] =
    levels?.[0] ?? (side === "bid" ? [quote.bid, quote.bidQuantity] : [quote.ask, quote.askQuantity]);
  return {
    price: parsePrice(at) ?? at,
    size: size === undefined ? undefined : (parseQuantity(size) ?? size),
  };
}
