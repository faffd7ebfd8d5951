import type { Duplex } from "node:stream";
import { type Crowd, TrafficTurns } from "../../service/internal.ts";
import { type HttpConnection, MOST_WAITING } from "./connections.ts";

/** Most bytes of requests that are parsed at once. A request of a common size is parsed in one slice. */
const REQUEST_BYTES = 1_024;

/** Most bytes that are parsed at once where more requests may follow: less than fifteen of the shortest. */
const PIPELINED_BYTES = 256;

/** Cost for a turn of parsing a request and emitting it, besides its bytes. */
const HEAD_COST = 1_024;

/** Number of bytes of WebSocket frames that are parsed at once: some fifty of the shortest requests. */
const FRAME_BYTES = 4_096;

/** Runs a function once all events that have already happened are handled. */
export type Soon = (run: () => void) => void;

/** Whose connection it is, and its HTTP requests. Without them it carries WebSocket frames. */
type Terms = Readonly<{ address: string; requests?: HttpConnection }>;

/**
 * Parses the data of connections in turns: a slice of one connection at a time, those of one address in sequence, with
 * addresses taking turns. A connection with unparsed bytes is not read further. So one turn of the event loop parses
 * little, however many connections have sent data.
 */
export class ReadTurns {
  readonly #turns: TrafficTurns;
  readonly #readers: WeakMap<Duplex, Reader> = new WeakMap();

  constructor(crowd: Crowd, soon: Soon = (run) => void setImmediate(run)) {
    this.#turns = new TrafficTurns(soon, crowd);
  }

  /** Takes turns with a connection, from its first parser on. Called again when its protocol changes. */
  attach(socket: Duplex, terms: Terms): void {
    const reader = this.#readers.get(socket) ?? new Reader(socket, this.#turns);
    reader.terms = terms;
    this.#readers.set(socket, reader);
    if (terms.requests !== undefined) terms.requests.flow = { stop: () => undefined, resume: reader.next };
  }

  /** Leaves a connection to other code, which reads it in its own way. */
  detach(socket: Duplex): void {
    this.#readers.get(socket)?.detach();
    this.#readers.delete(socket);
  }
}

/** What happens before a connection may be read further: bytes or the end came, its peer read answers, a body was read. */
const WAKING = ["readable", "drain", "resume"] as const;

/**
 * Reads one connection. A listener of "readable" keeps its stream from flowing, and the stream emits what `read` returns
 * as data, so that a parser of requests or frames listens as it always does.
 */
class Reader {
  terms: Terms = { address: "" };
  readonly #socket: Duplex;
  readonly #turns: TrafficTurns;
  #waits = false;
  #live = true;

  constructor(socket: Duplex, turns: TrafficTurns) {
    this.#socket = socket;
    this.#turns = turns;
    for (const event of WAKING) socket.on(event, this.next);
    socket.on("close", this.#drop);
  }

  detach(): void {
    this.#live = false;
    for (const event of WAKING) this.#socket.off(event, this.next);
    this.#socket.off("close", this.#drop);
  }

  /** Waits for the turn of the next slice, if there is one that may be parsed. */
  readonly next = (): void => {
    const most = this.#waits ? 0 : this.#most();
    if (most === 0) return;
    const bytes = Math.min(this.#socket.readableLength, most);
    // A stream emits its end only when it is read once more.
    if (bytes === 0) return void this.#socket.read(0);
    this.#waits = true;
    const { address, requests } = this.terms;
    const cost = { bytes, beside: requests === undefined ? 0 : HEAD_COST };
    this.#turns.begin(address, cost, () => this.#parse(bytes));
  };

  #parse(bytes: number): void {
    const { address, requests } = this.terms;
    const before = requests?.due ?? 0;
    if (this.#most() > 0) this.#socket.read(bytes);
    const more = (requests?.due ?? 0) - before - 1;
    if (more > 0) this.#turns.add(address, { bytes: 0, beside: more * HEAD_COST });
    // Reset this only after parsing: the parser can resume its connection while it still runs.
    this.#waits = false;
    this.next();
  }

  /** The most bytes to parse next; 0 if the connection must wait, or has no parser while its protocol changes. */
  #most(): number {
    const socket = this.#socket;
    if (!this.#live || socket.destroyed || socket.listenerCount("data") === 0) return 0;
    const { requests } = this.terms;
    if (requests === undefined) return FRAME_BYTES;
    const { due, newest } = requests;
    const arriving = newest?.complete === false ? newest : undefined;
    const isFull = arriving !== undefined && arriving.readableLength >= arriving.readableHighWaterMark;
    if (due > MOST_WAITING || isFull || socket.writableNeedDrain) return 0;
    const isAlone = due === 0 && socket.readableLength <= REQUEST_BYTES;
    return isAlone || arriving !== undefined ? REQUEST_BYTES : PIPELINED_BYTES;
  }

  /** Drops what is left when the connection has closed: ws would parse it all at once. */
  readonly #drop = (): void => void this.#socket.read();
}
