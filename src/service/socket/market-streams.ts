import type { Engine, PrintUpdate } from "../../engine/index.ts";
import type { Quote } from "../../model/index.ts";
import type { Clock } from "../../ports/index.ts";
import type { PeriodMs } from "../../requests/index.ts";
import type { QuoteSeries } from "../rest/quote-series.ts";
import type { TrafficTurns } from "../traffic/turns.ts";
import type { MarketStream } from "./market-stream.ts";
import { PeriodStreams } from "./period-streams.ts";
import { publish, ReadStreams } from "./read-streams.ts";
import type { MarketReader } from "./stream-readers.ts";

type Parts = Readonly<{ engine: Engine; clock: Clock; turns: TrafficTurns; series: Pick<QuoteSeries, "id"> }>;

/**
 * The public streams. An event goes out for each counted quote or print, or at the end of a period. Its text is made once
 * for all readers. While there are none, the streams do not listen to the engine. Source: decisions 45 and NI; convention
 * 4.12.
 */
export class MarketStreams {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #series: Pick<QuoteSeries, "id">;
  /** The streams of quotes and prints, with the latest quote of each market. */
  readonly #live: ReadStreams<{ before: Quote | undefined }>;
  readonly #periods: Readonly<Record<PeriodMs, PeriodStreams>>;
  #unsubscribes: (() => void)[] = [];

  constructor({ engine, clock, turns, series }: Parts) {
    this.#engine = engine;
    this.#clock = clock;
    this.#series = series;
    const quoteOf = (symbol: string): Quote | undefined => engine.quote(symbol)?.quote;
    this.#live = new ReadStreams(turns, (symbol) => ({ before: quoteOf(symbol) }));
    const every = (periodMs: PeriodMs): PeriodStreams =>
      new PeriodStreams({ clock, turns, quoteOf }, periodMs);
    this.#periods = { 100: every(100), 1000: every(1_000) };
  }

  /** Passes every later event of a stream to a reader until the returned function is called. */
  subscribe(stream: MarketStream, reader: MarketReader): () => void {
    if (this.#isQuiet) this.#listen();
    const { payload } = stream;
    const streams = payload.on === "period" ? this.#periods[payload.everyMs] : this.#live;
    streams.add(stream, reader);
    return () => {
      streams.delete(stream, reader);
      if (this.#isQuiet) for (const unsubscribe of this.#unsubscribes.splice(0)) unsubscribe();
    };
  }

  get #isQuiet(): boolean {
    return this.#live.isEmpty && this.#periods[100].isEmpty && this.#periods[1_000].isEmpty;
  }

  #listen(): void {
    const { events } = this.#engine;
    this.#unsubscribes = [
      events.on("quote", (quote) => this.#quote(quote)),
      events.on("print", (print) => this.#print(print)),
    ];
  }

  #quote(quote: Quote): void {
    for (const periods of Object.values(this.#periods)) periods.quote(quote);
    const market = this.#live.market(quote.symbol);
    if (market === undefined) return;
    const { before } = market.state;
    market.state.before = quote;
    const nowMs = this.#clock.nowMs();
    const change = { before, quote, first: quote.sequence, seriesId: this.#series.id };
    for (const read of [...market.streams.values()]) {
      const { payload } = read.stream;
      if (payload.on === "quote") publish(read, payload.event(change, nowMs));
    }
  }

  #print(print: PrintUpdate): void {
    for (const periods of Object.values(this.#periods)) periods.print(print.symbol);
    const nowMs = this.#clock.nowMs();
    for (const read of [...(this.#live.market(print.symbol)?.streams.values() ?? [])]) {
      const { payload } = read.stream;
      if (payload.on === "print") publish(read, payload.event(print, nowMs));
    }
  }
}
