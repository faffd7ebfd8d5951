import { MESSAGE_COST } from "../traffic/api.ts";
import type { TrafficTurns } from "../traffic/turns.ts";
import type { MarketEvent } from "./market-event.ts";

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
