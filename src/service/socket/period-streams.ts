import type { Quote } from "../../model/index.ts";
import type { Clock } from "../../ports/index.ts";
import type { PeriodMs } from "../../requests/index.ts";
import type { TrafficTurns } from "../traffic/turns.ts";
import type { MarketPeriod, MarketStream } from "./market-stream.ts";
import { publish, type ReadMarket, ReadStreams } from "./read-streams.ts";
import type { MarketReader } from "./stream-readers.ts";

/** What happened in the current period of a market. `before` is its quote when the period began. */
type Current = {
  before: Quote | undefined;
  quote: Quote | undefined;
  /** Number of the first quote of the period. */
  first: number | undefined;
  isPrinted: boolean;
};

type Parts = Readonly<{ clock: Clock; turns: TrafficTurns; quoteOf: (symbol: string) => Quote | undefined }>;

/** Streams whose period one turn of the event loop ends, which takes at most some milliseconds. */
const STREAMS_PER_TURN = 32;

/**
 * The public streams whose events go out at the end of a period, all of one length. One timer serves all of them. The end
 * of a period takes several turns of the event loop if it concerns many streams.
 */
export class PeriodStreams {
  readonly #clock: Clock;
  readonly #everyMs: PeriodMs;
  readonly #read: ReadStreams<Current>;
  #cancel: (() => void) | undefined;
  #beganMs = 0;
  /** Whether streams have not been told yet of a period that has ended. */
  #isPublishing = false;

  constructor({ clock, turns, quoteOf }: Parts, everyMs: PeriodMs) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#read = new ReadStreams(turns, (symbol) => begin(quoteOf(symbol)));
  }

  get isEmpty(): boolean {
    return this.#read.isEmpty;
  }

  add(stream: MarketStream, reader: MarketReader): void {
    if (this.#cancel === undefined) this.#begin();
    this.#read.add(stream, reader);
  }

  delete(stream: MarketStream, reader: MarketReader): void {
    this.#read.delete(stream, reader);
    if (!this.#read.isEmpty) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  quote(quote: Quote): void {
    const current = this.#read.market(quote.symbol)?.state;
    if (current === undefined) return;
    current.quote = quote;
    current.first ??= quote.sequence;
  }

  print(symbol: string): void {
    const current = this.#read.market(symbol)?.state;
    if (current !== undefined) current.isPrinted = true;
  }

  #begin(): void {
    this.#beganMs = this.#clock.nowMs();
    this.#await();
  }

  /** Waits for the next moment of the wall clock that is a whole number of periods. */
  #await(): void {
    const atMs = this.#clock.monotonicMs() + this.#everyMs - (this.#clock.nowMs() % this.#everyMs);
    this.#cancel = this.#clock.schedule(atMs, () => this.#end());
  }

  /** Ends the period, unless the streams of the one before are still told: it then lasts until the end of the next. */
  #end(): void {
    if (this.#isPublishing) return this.#await();
    const fromMs = this.#beganMs;
    this.#begin();
    const nowMs = this.#beganMs;
    this.#publish(
      publishPeriods(this.#read.markets.map((market) => [market, take(market.state, { fromMs, nowMs })])),
    );
  }

  /** Does one turn's share of the telling, and the rest in later turns. An event that fails ends it. */
  #publish(steps: Iterator<void>): void {
    this.#isPublishing = false;
    if (steps.next().done) return;
    this.#isPublishing = true;
    this.#clock.soon(() => this.#publish(steps));
  }
}

const begin = (quote: Quote | undefined): Current => ({
  before: quote,
  quote,
  first: undefined,
  isPrinted: false,
});

/** Returns what happened in the period of a market, and begins its next one. */
function take(current: Current, times: Pick<MarketPeriod, "fromMs" | "nowMs">): MarketPeriod {
  const { before, quote, first, isPrinted } = current;
  Object.assign(current, begin(quote));
  const change = quote === undefined || first === undefined ? undefined : { before, quote, first };
  return { ...times, change, isPrinted };
}

/** Tells each stream its events, one step per turn. */
function* publishPeriods(
  ended: readonly (readonly [ReadMarket<Current>, MarketPeriod])[],
): Generator<void, void> {
  let published = 0;
  for (const [market, period] of ended) {
    for (const read of [...market.streams.values()]) {
      const { payload } = read.stream;
      if (payload.on !== "period") continue;
      if (published > 0 && published % STREAMS_PER_TURN === 0) yield;
      published++;
      // A stream may have lost its last reader meanwhile.
      if (read.readers.isEmpty) continue;
      for (const event of payload.events(period)) publish(read, event);
    }
  }
}
