import type { Quote } from "../../model/index.ts";
import type { MarketSink } from "../../ports/index.ts";

/** A source of quotes and prints on the clock of the sandbox. */
export type Market = {
  /** Starts to deliver to the sink. Called once. */
  start(sink: MarketSink): void;
  /** Runs or pauses the market. Data that would have come during a pause is dropped. */
  run(on: boolean): void;
  /** Whether the market is running. */
  readonly running: boolean;
  /** Returns the monotonic time of the next delivery, or `undefined` if nothing is planned. */
  nextTimeMs(): number | undefined;
  /** Whether a delivery is pending that needs no time. */
  readonly busy: boolean;
  /** Resolves when the pending delivery is done. Rejects if it fails. */
  settled(): Promise<void>;
  /** Stops the market permanently. */
  stop(): void;
};

/** Creates a market without data of its own: quotes and prints come from the control interface. */
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

/** The part of an engine that a market needs. */
export type MarketEngine = Readonly<{
  market: MarketSink;
  quote: (symbol: string) => Readonly<{ quote: Quote }> | undefined;
}>;

/**
 * Returns the sink of an engine that also passes on every counted quote, as counted, before anything else can happen.
 * The paper venue receives them: its sizes must be those of the quote on which the engine decides.
 */
export function tapCountedQuotes(engine: MarketEngine, onCounted: (quote: Quote) => void): MarketSink {
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
