import type { PrintUpdate } from "../../engine/index.ts";
import type { Quote } from "../../model/index.ts";
import type { Clock } from "../../ports/index.ts";
import type { PeriodMs } from "../../requests/index.ts";
import { type JsonInput, writeJson } from "../../wire/index.ts";
import type { ServiceParts } from "../rest/parts.ts";
import { MESSAGE_COST } from "../traffic/api.ts";
import type { TrafficTurns } from "../traffic/turns.ts";

/** An event of a public stream. Each of its two forms is written once, for all readers. */
export class MarketEvent {
  /** The event as it is. */
  readonly text: string;
  readonly #stream: Readonly<{ name: string }>;
  #named: string | undefined;

  constructor(stream: Readonly<{ name: string }>, text: string) {
    this.#stream = stream;
    this.text = text;
  }

  /** The event with the name of its stream, for combined connections. */
  get named(): string {
    this.#named ??= `{"stream":${writeJson(this.#stream.name)},"data":${this.text}}`;
    return this.#named;
  }
}

/** A change of a book: its quotes before and after it, and the number of the first quote that belongs to it. */
export type BookChange = Readonly<{ before: Quote | undefined; quote: Quote; first: number }>;

/** A counted quote, the one before it, and the id of the series of their numbers, if there is one. */
type QuoteChange = BookChange & Readonly<{ seriesId: string | undefined }>;

/**
 * A period of one market: its first and last moment in epoch milliseconds, the change of its book if it had a quote, and
 * whether it had a print.
 */
export type MarketPeriod = Readonly<{
  fromMs: number;
  nowMs: number;
  change: BookChange | undefined;
  isPrinted: boolean;
}>;

/** When events of a stream are sent, and what they contain. `nowMs` is the current time in epoch milliseconds. */
export type StreamPayload =
  | Readonly<{ on: "quote"; event: (change: QuoteChange, nowMs: number) => JsonInput }>
  | Readonly<{ on: "print"; event: (print: PrintUpdate, nowMs: number) => JsonInput }>
  | Readonly<{ on: "period"; everyMs: PeriodMs; events: (period: MarketPeriod) => readonly JsonInput[] }>;

/**
 * A stream of one market, under the name by which clients list it. Streams of the same `kind` and symbol have the same name
 * and payload.
 */
export type MarketStream = Readonly<{ name: string; symbol: string; kind: string; payload: StreamPayload }>;

/** A connection that reads a stream. */
export type MarketReader = Readonly<{
  /** The network in whose turns it is sent events. */
  network: string;
  send: (event: MarketEvent) => void;
  /** Counts the bytes of events that wait for their turn. Too many close the connection. */
  hold: (bytes: number) => void;
}>;

/** Readers of one network that are sent an event in one turn. */
const READERS_PER_TURN = 16;

/**
 * The readers of one stream. An event goes out in the turns in which requests begin, so that a network with many readers
 * delays only itself.
 */
export class StreamReaders {
  readonly #turns: TrafficTurns;
  readonly #networks: Map<string, Set<MarketReader>> = new Map();

  constructor(turns: TrafficTurns) {
    this.#turns = turns;
  }

  get isEmpty(): boolean {
    return this.#networks.size === 0;
  }

  add(reader: MarketReader): void {
    const readers = this.#networks.get(reader.network);
    if (readers === undefined) this.#networks.set(reader.network, new Set([reader]));
    else readers.add(reader);
  }

  delete(reader: MarketReader): void {
    const readers = this.#networks.get(reader.network);
    readers?.delete(reader);
    if (readers?.size === 0) this.#networks.delete(reader.network);
  }

  /** Sends an event to every reader of now that still reads when its turn comes. */
  publish(event: MarketEvent): void {
    for (const [network, known] of [...this.#networks]) {
      const readers = [...known];
      for (let from = 0; from < readers.length; from += READERS_PER_TURN) {
        this.#publishTo(network, readers.slice(from, from + READERS_PER_TURN), event);
      }
    }
  }

  #publishTo(network: string, readers: readonly MarketReader[], event: MarketEvent): void {
    const bytes = event.text.length + MESSAGE_COST;
    const progress = { waits: false, sent: false };
    this.#turns.begin(network, { bytes: bytes * readers.length, beside: 0 }, () => {
      progress.sent = true;
      if (progress.waits) for (const reader of readers) reader.hold(-bytes);
      for (const reader of readers) if (this.#reads(reader)) reader.send(event);
    });
    progress.waits = !progress.sent;
    if (progress.waits) for (const reader of readers) reader.hold(bytes);
  }

  #reads(reader: MarketReader): boolean {
    return this.#networks.get(reader.network)?.has(reader) === true;
  }
}

/** A stream that has readers. */
type ReadStream = Readonly<{ stream: MarketStream; readers: StreamReaders }>;

/** A market of which streams are read, with what its owner remembers of it meanwhile. */
type ReadMarket<State> = Readonly<{ symbol: string; state: State; streams: Map<string, ReadStream> }>;

/** The streams that have readers, by market. */
class ReadStreams<State> {
  readonly #turns: TrafficTurns;
  readonly #begin: (symbol: string) => State;
  readonly #markets: Map<string, ReadMarket<State>> = new Map();

  /** `begin` returns the state of a market that gets its first reader. */
  constructor(turns: TrafficTurns, begin: (symbol: string) => State) {
    this.#turns = turns;
    this.#begin = begin;
  }

  get isEmpty(): boolean {
    return this.#markets.size === 0;
  }

  get markets(): readonly ReadMarket<State>[] {
    return [...this.#markets.values()];
  }

  market(symbol: string): ReadMarket<State> | undefined {
    return this.#markets.get(symbol);
  }

  add(stream: MarketStream, reader: MarketReader): void {
    const { symbol, kind } = stream;
    const market = this.#markets.get(symbol) ?? { symbol, state: this.#begin(symbol), streams: new Map() };
    this.#markets.set(symbol, market);
    const read = market.streams.get(kind) ?? { stream, readers: new StreamReaders(this.#turns) };
    market.streams.set(kind, read);
    read.readers.add(reader);
  }

  delete({ symbol, kind }: MarketStream, reader: MarketReader): void {
    const market = this.#markets.get(symbol);
    const read = market?.streams.get(kind);
    read?.readers.delete(reader);
    if (read?.readers.isEmpty === true) market?.streams.delete(kind);
    if (market?.streams.size === 0) this.#markets.delete(symbol);
  }
}

/** Sends an event to the readers of a stream. */
function publish({ stream, readers }: ReadStream, event: JsonInput): void {
  readers.publish(new MarketEvent(stream, writeJson(event)));
}

/** What happened in the current period of a market. `before` is its quote when the period began. */
type Current = {
  before: Quote | undefined;
  quote: Quote | undefined;
  /** Number of the first quote of the period. */
  first: number | undefined;
  isPrinted: boolean;
};

/** Streams whose period one turn of the event loop ends, which takes at most some milliseconds. */
const STREAMS_PER_TURN = 32;

/**
 * The public streams whose events go out at the end of a period, all of one length. One timer serves all of them. The end
 * of a period takes several turns of the event loop if it concerns many streams.
 */
class PeriodStreams extends ReadStreams<Current> {
  readonly #clock: Clock;
  readonly #everyMs: PeriodMs;
  #cancel: (() => void) | undefined;
  #beganMs = 0;
  /** Whether streams have not been told yet of a period that has ended. */
  #isPublishing = false;

  constructor({ engine, clock, turns }: Parts, everyMs: PeriodMs) {
    super(turns, (symbol) => begin(engine.quote(symbol)?.quote));
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  override add(stream: MarketStream, reader: MarketReader): void {
    if (this.#cancel === undefined) this.#begin();
    super.add(stream, reader);
  }

  override delete(stream: MarketStream, reader: MarketReader): void {
    super.delete(stream, reader);
    if (!this.isEmpty) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  quote(quote: Quote): void {
    const current = this.market(quote.symbol)?.state;
    if (current === undefined) return;
    current.quote = quote;
    current.first ??= quote.sequence;
  }

  print(symbol: string): void {
    const current = this.market(symbol)?.state;
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
      publishPeriods(this.markets.map((market) => [market, take(market.state, { fromMs, nowMs })])),
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

type Parts = Pick<ServiceParts, "engine" | "clock" | "turns" | "quoteSeries">;

/**
 * The public streams. An event goes out for each counted quote or print, or at the end of a period. Its text is made once
 * for all readers. While there are none, the streams do not listen to the engine. Source: convention 4.12.
 */
export class MarketStreams {
  readonly #parts: Parts;
  /** The streams of quotes and prints, with the latest quote of each market. */
  readonly #live: ReadStreams<{ before: Quote | undefined }>;
  readonly #periods: Readonly<Record<PeriodMs, PeriodStreams>>;
  #unsubscribes: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#live = new ReadStreams(parts.turns, (symbol) => ({ before: parts.engine.quote(symbol)?.quote }));
    this.#periods = { 100: new PeriodStreams(parts, 100), 1000: new PeriodStreams(parts, 1_000) };
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
    const { events } = this.#parts.engine;
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
    const { clock, quoteSeries } = this.#parts;
    const nowMs = clock.nowMs();
    const change = { before, quote, first: quote.sequence, seriesId: quoteSeries.id };
    for (const read of [...market.streams.values()]) {
      const { payload } = read.stream;
      if (payload.on === "quote") publish(read, payload.event(change, nowMs));
    }
  }

  #print(print: PrintUpdate): void {
    for (const periods of Object.values(this.#periods)) periods.print(print.symbol);
    const nowMs = this.#parts.clock.nowMs();
    for (const read of [...(this.#live.market(print.symbol)?.streams.values() ?? [])]) {
      const { payload } = read.stream;
      if (payload.on === "print") publish(read, payload.event(print, nowMs));
    }
  }
}
