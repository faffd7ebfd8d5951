import type { Duplex } from "node:stream";
import { type Crowd, type TurnCost, Turns } from "../../service/internal.ts";
import { type ReadFlow, readFlowOf } from "./read-flow.ts";

/** Number of bytes beyond the end of a head that are parsed at once: less than ten of the shortest requests. */
const SLICE_BYTES = 256;

/**
 * Number of bytes that are searched for the end of a head, so that a request of a common size is parsed in one slice.
 */
const HEAD_BYTES = 1_024;
const END_OF_HEAD = "\r\n\r\n";

/** Cost for a turn of parsing a request and emitting it, besides its bytes. */
const HEAD_COST = 1_024;

/** Returns how many of the received bytes are parsed next, and how many request heads they contain, at least one. */
function sliceOf(bytes: Buffer): Readonly<{ length: number; heads: number }> {
  const end = bytes.subarray(0, HEAD_BYTES).indexOf(END_OF_HEAD, 0, "latin1");
  const length = Math.min(bytes.length, end < 0 ? HEAD_BYTES : end + END_OF_HEAD.length + SLICE_BYTES);
  const slice = bytes.subarray(0, length);
  let heads = 0;
  for (let at = end; at >= 0; at = slice.indexOf(END_OF_HEAD, at + 1, "latin1")) heads++;
  return { length, heads: Math.max(1, heads) };
}

type Parser = (chunk: Buffer) => void;
/** Runs a function once all events that have already happened are handled. */
export type Soon = (run: () => void) => void;

type ScheduleTurn = (cost: TurnCost, begin: () => void) => void;

/** The bytes of one connection that were read and not yet parsed. */
class Reader {
  readonly #socket: Duplex;
  readonly #flow: ReadFlow;
  readonly #parse: Parser;
  readonly #turn: ScheduleTurn;
  readonly #came: Parser = (chunk) => this.#take(chunk);
  #rest: Buffer = Buffer.alloc(0);
  #waits = false;
  #live = true;

  constructor(socket: Duplex, parse: Parser, turn: ScheduleTurn) {
    this.#socket = socket;
    this.#parse = parse;
    this.#turn = turn;
    this.#flow = readFlowOf(socket);
    this.#flow.resumed = (reason) => {
      if (reason !== "turn") this.#next();
    };
    socket.off("data", parse);
    socket.on("data", this.#came);
  }

  /** Stops parsing, because another parser takes over. Returns unparsed bytes to the socket. */
  stop(): void {
    this.#live = false;
    this.#socket.off("data", this.#came);
    this.#flow.resumed = () => undefined;
    if (this.#rest.length > 0) this.#socket.unshift(this.#rest);
    this.#rest = Buffer.alloc(0);
    this.#flow.clear();
  }

  #take(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#next();
    if (this.#live && this.#rest.length > 0) this.#flow.pause("turn");
  }

  #next(): void {
    if (this.#waits || !this.#live || this.#flow.isPaused("waiting") || !this.#flow.isWanted) return;
    if (this.#rest.length === 0) return this.#flow.resume("turn");
    this.#waits = true;
    const { length, heads } = sliceOf(this.#rest);
    this.#turn({ bytes: length, beside: heads * HEAD_COST }, () => {
      if (!this.#live || this.#socket.destroyed) return;
      const slice = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      this.#parse.call(this.#socket, slice);
      // Reset this only after parsing: the parser can resume its connection while it still runs.
      this.#waits = false;
      this.#next();
    });
  }
}

/**
 * Parses the data of connections in turns: a slice of one connection at a time, those of one address in sequence, with
 * addresses taking turns. A connection with unparsed bytes is not read further. So one turn of the event loop parses
 * little, however many connections have sent data. Source: decision GE.
 */
export class ReadTurns {
  readonly #turns: Turns;
  readonly #readers: WeakMap<Duplex, Reader> = new WeakMap();

  constructor(crowd: Crowd, soon: Soon = (run) => void setImmediate(run)) {
    this.#turns = new Turns(soon, crowd);
  }

  /** Inserts itself between a connection of an address and the listener of its data. */
  attach(socket: Duplex, address: string): void {
    const [parse, ...more] = socket.listeners("data");
    if (parse === undefined || more.length > 0) return;
    const turn: ScheduleTurn = (cost, begin) => this.#turns.begin(address, cost, begin);
    this.#readers.set(socket, new Reader(socket, parse as Parser, turn));
  }

  /** Limits a connection to one chunk per turn. Its own listener still reads each chunk at once. */
  follow(socket: Duplex, address: string): void {
    const flow = readFlowOf(socket);
    socket.on("data", ({ length }: Buffer) => {
      let begun = false;
      this.#turns.begin(address, { bytes: length, beside: 0 }, () => {
        begun = true;
        flow.resume("turn");
      });
      if (!begun) flow.pause("turn");
    });
  }

  /** Releases a connection whose protocol changes. */
  detach(socket: Duplex): void {
    this.#readers.get(socket)?.stop();
    this.#readers.delete(socket);
  }
}
