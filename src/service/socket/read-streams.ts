import { type JsonInput, writeJson } from "../../wire/index.ts";
import type { TrafficTurns } from "../traffic/turns.ts";
import { MarketEvent } from "./market-event.ts";
import type { MarketStream } from "./market-stream.ts";
import { type MarketReader, StreamReaders } from "./stream-readers.ts";

/** A stream that has readers. */
export type ReadStream = Readonly<{ stream: MarketStream; readers: StreamReaders }>;

/** A market of which streams are read, with what its owner remembers of it meanwhile. */
export type ReadMarket<State> = Readonly<{ symbol: string; state: State; streams: Map<string, ReadStream> }>;

/** The streams that have readers, by market. */
export class ReadStreams<State> {
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
export function publish({ stream, readers }: ReadStream, event: JsonInput): void {
  readers.publish(new MarketEvent(stream, writeJson(event)));
}
