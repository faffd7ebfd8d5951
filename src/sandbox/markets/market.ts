import type { Quote } from "../../model/index.ts";
import type { MarketSink } from "../../ports/index.ts";

/** A source of quotes and prints on the clock of the sandbox. */
export type Market = {
  /** Begins to deliver to the sink; called once. */
  start(sink: MarketSink): void;
  /** Lets the market run or pauses it; what would have come during a pause is left out. */
  run(on: boolean): void;
  /** Whether it runs now. */
  readonly running: boolean;
  /** When it delivers next, by the monotonic clock; `undefined` when nothing is planned. */
  nextTimeMs(): number | undefined;
  /** Whether it is about to deliver something that needs no time. */
  readonly busy: boolean;
  /** Resolves when that is delivered; rejects when it cannot be. */
  settled(): Promise<void>;
  /** Ends it for good. */
  stop(): void;
};

/** The market that has nothing of its own: quotes and prints come from the control interface. */
export function createManualMarket(): Market {
  return {
    start: () => undefined,
    run: () => undefined,
    running: false,
    nextTimeMs: () => undefined,
    busy: false,
    settled: async () => undefined,
    stop: () => undefined,
  };
}

/** An engine as far as a market needs it. */
export type QuoteGate = Readonly<{
  market: MarketSink;
  quote: (symbol: string) => Readonly<{ quote: Quote }> | undefined;
}>;

/**
 * The sink of an engine that also hands every counted quote on, as counted, before anything else can happen: to the
 * paper venue, whose sizes must be those of the quote that the engine decides on.
 */
export function tapCountedQuotes(engine: QuoteGate, onCounted: (quote: Quote) => void): MarketSink {
  return {
    quote: (input) => {
      const verdict = engine.market.quote(input);
      const counted = verdict === "counted" ? engine.quote(input.symbol) : undefined;
      if (counted !== undefined) onCounted(counted.quote);
      return verdict;
    },
    heartbeat: (symbol) => engine.market.heartbeat(symbol),
    print: (print) => engine.market.print(print),
  };
}
