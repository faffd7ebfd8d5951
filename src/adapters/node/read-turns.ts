import type { Duplex } from "node:stream";
import { type Crowd, TrafficTurns, type TurnCost } from "../../service/internal.ts";
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

/** Number of bytes of WebSocket frames that are parsed at once: some fifty of the shortest requests. */
const FRAME_BYTES = 4_096;

/** How many of the received bytes are parsed next, and what that costs. */
type Slice = Readonly<{ length: number; cost: TurnCost }>;

/** Returns the next slice of HTTP requests. It costs for each head that it contains, at least one. */
function sliceOfRequests(bytes: Buffer): Slice {
  const end = bytes.subarray(0, HEAD_BYTES).indexOf(END_OF_HEAD, 0, "latin1");
  const length = Math.min(bytes.length, end < 0 ? HEAD_BYTES : end + END_OF_HEAD.length + SLICE_BYTES);
  const slice = bytes.subarray(0, length);
  let heads = 0;
  for (let at = end; at >= 0; at = slice.indexOf(END_OF_HEAD, at + 1, "latin1")) heads++;
  return { length, cost: { bytes: length, beside: Math.max(1, heads) * HEAD_COST } };
}

/** Returns the next slice of WebSocket frames. */
function sliceOfFrames(bytes: Buffer): Slice {
  const length = Math.min(bytes.length, FRAME_BYTES);
  return { length, cost: { bytes: length, beside: 0 } };
}

/** Runs a function once all events that have already happened are handled. */
export type Soon = (run: () => void) => void;

/** A place between the data of a connection and its parser. */
type Tap = Readonly<{ deliver: (slice: Buffer) => void; remove: () => void }>;
type TapOf = (socket: Duplex, take: (chunk: Buffer) => void) => Tap | undefined;

/**
 * Takes the place of the parser's listener. Node's parser of requests keeps its listener for as long as it parses. A
 * further listener is unknown code, which may need the data as it arrives: there is no tap then.
 */
const tapOfListener: TapOf = (socket, take) => {
  const [parse, ...more] = socket.listeners("data");
  if (parse === undefined || more.length > 0) return undefined;
  socket.off("data", parse as Parser);
  socket.on("data", take);
  return { deliver: (slice) => parse.call(socket, slice), remove: () => void socket.off("data", take) };
};

type Parser = (chunk: Buffer) => void;

/** Takes the place of the data event, so that a parser of frames can remove its listener after the last frame. */
const tapOfEvent: TapOf = (socket, take) => {
  const { emit } = socket;
  socket.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    const [chunk] = values;
    if (event !== "data" || !Buffer.isBuffer(chunk)) return Reflect.apply(emit, socket, [event, ...values]);
    take(chunk);
    return true;
  };
  return {
    deliver: (slice) => void emit.call(socket, "data", slice),
    remove: () => Object.assign(socket, { emit }),
  };
};

type ReaderParts = Readonly<{
  tap: TapOf;
  slice: (bytes: Buffer) => Slice;
  turn: (cost: TurnCost, begin: () => void) => void;
}>;

/** The bytes of one connection that were read and not yet parsed. */
class Reader {
  readonly #socket: Duplex;
  readonly #tap: Tap | undefined;
  readonly #flow: ReadFlow;
  readonly #parts: ReaderParts;
  #rest: Buffer = Buffer.alloc(0);
  #waits = false;
  #live = true;

  constructor(socket: Duplex, parts: ReaderParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#flow = readFlowOf(socket);
    this.#tap = parts.tap(socket, (chunk) => this.#take(chunk));
    if (this.#tap === undefined) return;
    this.#flow.resumed = (reason) => {
      if (reason !== "turn") this.#next();
    };
  }

  /** Stops parsing, because another parser takes over. Returns unparsed bytes to the socket. */
  stop(): void {
    this.#live = false;
    this.#tap?.remove();
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
    const { length, cost } = this.#parts.slice(this.#rest);
    this.#parts.turn(cost, () => {
      if (!this.#live || this.#socket.destroyed) return;
      const slice = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      this.#tap?.deliver(slice);
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
  readonly #turns: TrafficTurns;
  readonly #readers: WeakMap<Duplex, Reader> = new WeakMap();

  constructor(crowd: Crowd, soon: Soon = (run) => void setImmediate(run)) {
    this.#turns = new TrafficTurns(soon, crowd);
  }

  /** Takes turns with the HTTP connection of an address. */
  attach(socket: Duplex, address: string): void {
    const parts = { tap: tapOfListener, slice: sliceOfRequests };
    this.#readers.set(socket, this.#reader(socket, address, parts));
  }

  /** Takes turns with the WebSocket connection of an address. */
  follow(socket: Duplex, address: string): void {
    this.#reader(socket, address, { tap: tapOfEvent, slice: sliceOfFrames });
  }

  /** Releases a connection whose protocol changes. */
  detach(socket: Duplex): void {
    this.#readers.get(socket)?.stop();
    this.#readers.delete(socket);
  }
  #reader(socket: Duplex, address: string, parts: Omit<ReaderParts, "turn">): Reader {
    return new Reader(socket, {
      ...parts,
      turn: (cost, begin) => this.#turns.begin(address, cost, begin),
    });
  }
}
