import type { Engine, PrintUpdate } from "../../engine/index.ts";
import type { Quote } from "../../model/index.ts";
import type { Clock } from "../../ports/index.ts";
import { type JsonInput, writeJson } from "../../wire/index.ts";
import type { QuoteSeries } from "../rest/quote-series.ts";
import type { EventSink } from "./account-streams.ts";

/** A counted quote, the one before it, and the id of the series of their numbers, if there is one. */
export type QuoteChange = Readonly<{ before: Quote | undefined; quote: Quote; seriesId: string | undefined }>;

/** A second of one market: its first and last moment in epoch milliseconds, and whether it had a quote or a print. */
export type MarketSecond = Readonly<{ fromMs: number; nowMs: number; isQuoted: boolean; isPrinted: boolean }>;

/** When events of a stream are sent, and what they contain. `nowMs` is the current time in epoch milliseconds. */
export type StreamPayload =
  | Readonly<{ on: "quote"; event: (change: QuoteChange, nowMs: number) => JsonInput }>
  | Readonly<{ on: "print"; event: (print: PrintUpdate, nowMs: number) => JsonInput }>
  | Readonly<{ on: "second"; events: (second: MarketSecond) => readonly JsonInput[] }>;

/** A stream of one market. Streams of the same `kind` and symbol have the same payload. */
export type MarketStream = Readonly<{ symbol: string; kind: string; payload: StreamPayload }>;

type Sinks = Readonly<{ payload: StreamPayload; sinks: Set<EventSink> }>;
type Market = {
  readonly streams: Map<string, Sinks>;
  before: Quote | undefined;
  isQuoted: boolean;
  isPrinted: boolean;
};

const SECOND_MS = 1_000;

/** Streams whose second one turn of the event loop ends, which takes at most some milliseconds. */
const STREAMS_PER_TURN = 32;

/**
 * The public streams. An event goes out for each counted quote or print, or at the end of a second. Its text is made once
 * for all subscribers. While there are no subscribers, the streams do not listen to the engine. The end of a second takes
 * several turns of the event loop if it concerns many streams. Source: decisions 45 and NI; convention 4.12.
 */
export class MarketStreams {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #series: Pick<QuoteSeries, "id">;
  readonly #markets: Map<string, Market> = new Map();
  #unsubscribes: readonly (() => void)[] = [];
  #cancelSecond: (() => void) | undefined;
  #secondMs = 0;
  /** Whether streams have not been told yet of a second that has ended. */
  #isTelling = false;

  constructor(parts: Readonly<{ engine: Engine; clock: Clock; series: Pick<QuoteSeries, "id"> }>) {
    this.#engine = parts.engine;
    this.#clock = parts.clock;
    this.#series = parts.series;
  }

  /** Passes every later event of a stream to `sink` until the returned function is called. */
  subscribe({ symbol, kind, payload }: MarketStream, sink: EventSink): () => void {
    if (this.#markets.size === 0) this.#listen();
    if (payload.on === "second" && this.#cancelSecond === undefined) this.#beginSecond();
    const market = this.#market(symbol);
    const stream = market.streams.get(kind) ?? { payload, sinks: new Set() };
    stream.sinks.add(sink);
    market.streams.set(kind, stream);
    return () => {
      stream.sinks.delete(sink);
      if (stream.sinks.size === 0 && market.streams.get(kind) === stream) market.streams.delete(kind);
      if (market.streams.size > 0 || this.#markets.get(symbol) !== market) return;
      this.#markets.delete(symbol);
      if (this.#markets.size === 0) this.#rest();
    };
  }

  #market(symbol: string): Market {
    const known = this.#markets.get(symbol);
    if (known !== undefined) return known;
    const before = this.#engine.quote(symbol)?.quote;
    const market: Market = { streams: new Map(), before, isQuoted: false, isPrinted: false };
    this.#markets.set(symbol, market);
    return market;
  }

  #listen(): void {
    const { events } = this.#engine;
    this.#unsubscribes = [
      events.on("quote", (quote) => this.#quote(quote)),
      events.on("print", (print) => this.#print(print)),
    ];
  }

  #rest(): void {
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    this.#cancelSecond?.();
    this.#cancelSecond = undefined;
  }

  #quote(quote: Quote): void {
    const market = this.#markets.get(quote.symbol);
    if (market === undefined) return;
    const { before } = market;
    market.before = quote;
    market.isQuoted = true;
    const nowMs = this.#clock.nowMs();
    const change = { before, quote, seriesId: this.#series.id };
    for (const { payload, sinks } of market.streams.values()) {
      if (payload.on === "quote") tell(sinks, payload.event(change, nowMs));
    }
  }

  #print(print: PrintUpdate): void {
    const market = this.#markets.get(print.symbol);
    if (market === undefined) return;
    market.isPrinted = true;
    const nowMs = this.#clock.nowMs();
    for (const { payload, sinks } of market.streams.values()) {
      if (payload.on === "print") tell(sinks, payload.event(print, nowMs));
    }
  }

  #beginSecond(): void {
    this.#secondMs = this.#clock.nowMs();
    this.#awaitSecond();
  }

  /** Waits for the next whole second of the wall clock. */
  #awaitSecond(): void {
    const atMs = this.#clock.monotonicMs() + SECOND_MS - (this.#clock.nowMs() % SECOND_MS);
    this.#cancelSecond = this.#clock.schedule(atMs, () => this.#endSecond());
  }

  /** Ends the second, unless the streams of the one before are still told: it then lasts until the next whole second. */
  #endSecond(): void {
    if (this.#isTelling) return this.#awaitSecond();
    const fromMs = this.#secondMs;
    const markets = [...this.#markets.values()].filter(hasSeconds);
    this.#cancelSecond = undefined;
    if (markets.length === 0) return;
    this.#beginSecond();
    const nowMs = this.#secondMs;
    this.#tell(tellSeconds(markets.map((market) => [market, takeSecond(market, { fromMs, nowMs })])));
  }

  /** Does one turn's share of the telling, and the rest in later turns. An event that fails ends it. */
  #tell(steps: Iterator<void>): void {
    this.#isTelling = false;
    if (steps.next().done) return;
    this.#isTelling = true;
    this.#clock.soon(() => this.#tell(steps));
  }
}

/** Returns what happened in the second of a market, and begins its next one. */
function takeSecond(market: Market, { fromMs, nowMs }: Pick<MarketSecond, "fromMs" | "nowMs">): MarketSecond {
  const { isQuoted, isPrinted } = market;
  market.isQuoted = false;
  market.isPrinted = false;
  return { fromMs, nowMs, isQuoted, isPrinted };
}

/** Tells each stream of seconds its events, one step per turn. */
function* tellSeconds(ended: readonly (readonly [Market, MarketSecond])[]): Generator<void, void> {
  let told = 0;
  for (const [market, second] of ended) {
    for (const { payload, sinks } of [...market.streams.values()]) {
      if (payload.on !== "second") continue;
      if (told > 0 && told % STREAMS_PER_TURN === 0) yield;
      told++;
      // A stream may have lost its last subscriber meanwhile.
      if (sinks.size === 0) continue;
      for (const event of payload.events(second)) tell(sinks, event);
    }
  }
}

const hasSeconds = ({ streams }: Market): boolean =>
  [...streams.values()].some(({ payload }) => payload.on === "second");

function tell(sinks: ReadonlySet<EventSink>, payload: JsonInput): void {
  const event = writeJson(payload);
  for (const sink of [...sinks]) sink(event);
}
