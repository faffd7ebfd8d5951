import type { Duplex } from "node:stream";
import { type Crowd, type TurnCost, Turns } from "../../service/index.ts";
import { type ReadFlow, readFlowOf } from "./read-flow.ts";

/** How much of a connection is parsed at once beyond the end of a head: less than ten of the shortest requests. */
const SLICE_BYTES = 256;

/** How much is looked through for the end of a head, so that a request of a common size is parsed in one slice. */
const HEAD_BYTES = 1_024;
const END_OF_HEAD = "\r\n\r\n";

/** What it costs of a turn to parse a request and to be told of it, beside its bytes. */
const HEAD_COST = 1_024;

/** How many of the bytes that have come are parsed next, and how many heads of requests stand there, at least one. */
function sliceOf(bytes: Buffer): Readonly<{ length: number; heads: number }> {
  const end = bytes.subarray(0, HEAD_BYTES).indexOf(END_OF_HEAD, 0, "latin1");
  const length = Math.min(bytes.length, end < 0 ? HEAD_BYTES : end + END_OF_HEAD.length + SLICE_BYTES);
  const slice = bytes.subarray(0, length);
  let heads = 0;
  for (let at = end; at >= 0; at = slice.indexOf(END_OF_HEAD, at + 1, "latin1")) heads++;
  return { length, heads: Math.max(1, heads) };
}

type Parser = (chunk: Buffer) => void;
/** Runs a function once everything that has happened by now was dealt with. */
export type Soon = (run: () => void) => void;

type ScheduleTurn = (cost: TurnCost, begin: () => void) => void;

/** The bytes of one connection that were read and are not parsed. */
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

  /** Somebody else parses from now on: what is left goes back. */
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
      // Not before: what comes of a request may let its connection flow again, and the parser is at work.
      this.#waits = false;
      this.#next();
    });
  }
}

/**
 * Parses what connections bring in turns: a little of one at a time, those of an address one after the other, the
 * addresses in turns. A connection of which something waits is not read further. So what is parsed in one turn of the
 * event loop is little, however many connections have brought something. Source: decision GE.
 */
export class ReadTurns {
  readonly #turns: Turns;
  readonly #readers: WeakMap<Duplex, Reader> = new WeakMap();

  constructor(crowd: Crowd, soon: Soon = (run) => void setImmediate(run)) {
    this.#turns = new Turns(soon, crowd);
  }

  /** Comes between a connection of an address and what listens to its bytes now. */
  attach(socket: Duplex, address: string): void {
    const [parse, ...more] = socket.listeners("data");
    if (parse === undefined || more.length > 0) return;
    const turn: ScheduleTurn = (cost, begin) => this.#turns.begin(address, cost, begin);
    this.#readers.set(socket, new Reader(socket, parse as Parser, turn));
  }

  /** Lets a connection bring its next piece in turns, beside what listens to its bytes and reads them at once. */
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

  /** Leaves a connection whose protocol changes. */
  detach(socket: Duplex): void {
    this.#readers.get(socket)?.stop();
    this.#readers.delete(socket);
  }
}
