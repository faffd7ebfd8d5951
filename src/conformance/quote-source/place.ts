import { flagOption, functionOption, nameOption, type OptionCheck, optionsOf } from "../../common/index.ts";
import type { Awaitable, MarketData } from "../../ports/index.ts";
import { controlsOf } from "../suite/index.ts";

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
export const quoteSourceSubject: OptionCheck = /* @__PURE__ */ optionsOf<QuoteSourceSubject>({
  name: nameOption,
  supports: optionsOf<QuoteSourceSupport>({
    ...{ times: flagOption, sizes: flagOption, prints: flagOption },
    ...{ heartbeats: flagOption, reconnects: flagOption },
  }),
  createPlace: functionOption("creates a feed"),
});

/** Returns the check of a place. It demands the controls of every part that is declared. */
export function quotePlaceCheck({ prints, heartbeats, reconnects }: QuoteSourceSupport): OptionCheck {
  const { always, where } = controlsOf("QuoteSourcePlace");
  return optionsOf<QuoteSourcePlace>(
    {
      ...{ open: always, quote: always, idle: always, remove: always },
      ...{
        trade: where(prints),
        ownTrade: where(prints),
        confirm: where(heartbeats),
        setOutage: where(reconnects),
      },
    },
    { open: true },
  );
}
