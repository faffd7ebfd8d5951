import { flagOption, type OptionCheck } from "../../common/index.ts";
import { parsePrice, parseQuantity } from "../../decimal/index.ts";
import { readPrintInput, readQuoteInput } from "../../host-answers/index.ts";
import type { Awaitable, MarketData, PrintInput, QuoteInput } from "../../ports/index.ts";
import { marketDataOption } from "../../ports/internal.ts";
import { Mismatch, shown } from "../checks.ts";
import { type AtEnd, createdPlace, type Rules, subjectOption } from "../suite.ts";

/** A source that runs, as in a process of the engine. */
export interface OpenQuoteSource {
  readonly marketData: MarketData;
  /** Ends it, as the end of its process does. */
  close(): Awaitable<void>;
}

/** A quote as the exchange publishes it, in decimal strings. The sizes are those of the best prices. */
export interface PublishedQuote {
  readonly symbol: string;
  readonly bid: string;
  readonly ask: string;
  readonly bidQuantity: string;
  readonly askQuantity: string;
  /** The exchange's time in epoch milliseconds. */
  readonly timeMs: number;
}

/** A trade as the exchange publishes it. `tradeId` is unique in its market. */
export interface PublishedTrade {
  readonly symbol: string;
  readonly price: string;
  readonly quantity: string;
  readonly tradeId: number;
  /** The exchange's time in epoch milliseconds. */
  readonly timeMs: number;
}

/**
 * A market data feed behind the source, and what the suite needs of it: a stand-in for the feed, which publishes only
 * what the suite says. Its markets are BTC/USD and ETH/USD.
 */
export interface QuoteSourcePlace {
  /** Opens the source on the feed. The suite subscribes to it, and closes it once. */
  open(): Awaitable<OpenQuoteSource>;
  /** Publishes a quote. It is the current one of its market from then on. */
  quote(quote: PublishedQuote): Awaitable<void>;
  /** Resolves when the source has delivered everything that it has received. */
  idle(): Promise<void>;
  /** Removes the place. The source is closed. */
  remove(): Awaitable<void>;
  /** With `prints`: publishes a trade, or the same trade again. */
  trade?(trade: PublishedTrade): Awaitable<void>;
  /**
   * With `prints`: publishes the trade of a fill of one of the engine's children, as the feed would. The source says with
   * `ownFillsInPrints` what becomes of it.
   */
  ownTrade?(trade: PublishedTrade, executionId: string): Awaitable<void>;
  /** With `heartbeats`: lets the feed say that the last quote of a market still holds. */
  confirm?(symbol: string): Awaitable<void>;
  /** With `reconnects`: breaks the connection to the feed, or lets the source connect again. */
  setOutage?(isOut: boolean): Awaitable<void>;
}

/** The optional parts of a source, each declared as present or absent. */
export interface QuoteSourceSupport {
  /** Whether quotes have the time of the exchange. Without it, a quote is of the time at which it arrives. */
  readonly times: boolean;
  /** Whether quotes have sizes. Without them, every size counts as available. */
  readonly sizes: boolean;
  /** Whether it delivers trades. */
  readonly prints: boolean;
  /** Whether it confirms quotes that have not changed. */
  readonly heartbeats: boolean;
  /** Whether it has a connection that can break, and connects again by itself. */
  readonly reconnects: boolean;
}

/** An adapter of the market data port as its author describes it to the suite. */
export interface QuoteSourceSubject {
  /** The name of the adapter in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: QuoteSourceSupport;
  /** Creates a feed without quotes. The suite creates one per test, and removes it at the end. */
  createPlace(): Awaitable<QuoteSourcePlace>;
}

/** Checks an adapter that is handed to the suite. */
export const quoteSourceSubject: OptionCheck = /* @__PURE__ */ subjectOption<QuoteSourceSupport>(
  {
    ...{ times: flagOption, sizes: flagOption, prints: flagOption },
    ...{ heartbeats: flagOption, reconnects: flagOption },
  },
  "creates a feed",
);

/** Rules of the market data port about one subject. */
export type QuoteRules = Rules<QuoteWorld, QuoteSourceSupport>;

/** What a source has delivered to one sink. */
type Delivered = Readonly<{
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
    const { prints, heartbeats, reconnects } = subject.supports;
    const place = await createdPlace(subject, atEnd, "QuoteSourcePlace", {
      ...{ open: true, quote: true, idle: true, remove: true },
      ...{ trade: prints, ownTrade: prints, confirm: heartbeats, setOutage: reconnects },
    });
    const opened = await place.open();
    let world: QuoteWorld | undefined;
    atEnd(() => (world ?? opened).close());
    marketDataOption(opened.marketData, "the market data that open returned");
    world = new QuoteWorld(place, opened);
    return world;
  }

  /** Returns the quotes since it was opened. Throws a Mismatch for one that the engine cannot read. */
  quotes(): readonly QuoteInput[] {
    return this.delivered.quotes.map(readQuote);
  }

  /** Returns the prints since it was opened. Throws a Mismatch for one that the engine cannot read. */
  prints(): readonly PrintInput[] {
    return this.delivered.prints.map((given) => required("print", given, readPrintInput(given)));
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
export const readQuote = (given: unknown): QuoteInput => required("quote", given, readQuoteInput(given));

function required<T>(what: string, given: unknown, read: T | undefined): T {
  if (read !== undefined) return read;
  const expected = `a ${what} whose members are text, and whose timeMs is a number`;
  throw new Mismatch({ call: `a delivered ${what}`, expected, answered: shown(given) });
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
