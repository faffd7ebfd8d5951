import type { Socket } from "node:net";
import type { ForwardedRequest, OpenedStream, PeerAnswer, PeerSink } from "../../../service/index.ts";
import { type Frame, packReply } from "../../../service/internal.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { PeerLimits } from "./peer-options.ts";

/** The connection of another node. */
type VisitorStreamsHost = Readonly<{
  socket: Socket;
  limits: Required<PeerLimits>;
  write: (frame: Frame) => void;
}>;

/** A stream that is being opened, or is open. `isOver`: it has ended before it was open. */
type Entry = { opened: OpenedStream | undefined; isOver: boolean };

/**
 * The streams that another node has opened on one connection, by the numbers of their requests. A stream ends, and never
 * waits, when its event meets more unread bytes than are allowed.
 */
export class VisitorStreams {
  readonly #host: VisitorStreamsHost;
  readonly #streams: Map<number, Entry> = new Map();
  readonly #heartbeat: Heartbeat;

  constructor(host: VisitorStreamsHost) {
    const { socket, limits } = host;
    this.#host = host;
    this.#heartbeat = new Heartbeat({ silentMs: limits.silentMs, abandon: () => socket.destroy() });
  }

  /** Number of streams that are open or being opened. */
  get size(): number {
    return this.#streams.size;
  }

  /** Records that something came from the other node. */
  received(): void {
    this.#heartbeat.received();
  }

  /** Tells the other node that this one is there. */
  answerBeat(): void {
    if (this.size > 0) this.#host.write({ kind: "beat", number: 0, payload: NOTHING });
  }

  /** Returns where the events of a request for a stream go; undefined for any other request. */
  prepare(number: number, { form }: ForwardedRequest): PeerSink | undefined {
    if (form !== "SUBSCRIPTION") return undefined;
    this.#streams.set(number, { opened: undefined, isOver: false });
    return { event: (text) => this.#event(number, text), ended: () => this.#over(number) };
  }

  /** Lets the events of a stream go out after the answer to its request. Forgets a request that has opened none. */
  begin(number: number, answer: PeerAnswer | OpenedStream): void {
    const entry = this.#streams.get(number);
    if (answer.kind !== "stream") return void this.#remove(number);
    // The connection has ended meanwhile, or the stream is not wanted any more.
    if (entry === undefined) return answer.end();
    if (entry.isOver) {
      answer.end();
      return this.#end(number);
    }
    entry.opened = answer;
    this.#heartbeat.start();
    answer.start();
  }

  /** Ends the stream that another node does not want any more, and answers its request. */
  endRequested(number: number, target: string): void {
    this.#remove(Number.parseInt(target, 10))?.opened?.end();
    this.#host.write({ kind: "reply", number, payload: DONE });
  }

  /** Ends all streams, because the connection has ended. */
  endAll(): void {
    for (const number of [...this.#streams.keys()]) this.#remove(number)?.opened?.end();
  }

  #event(number: number, text: string): void {
    const { socket, limits, write } = this.#host;
    const entry = this.#streams.get(number);
    if (entry?.opened === undefined) return;
    const payload = Buffer.from(text);
    if (socket.writableLength + payload.length <= limits.eventBytes)
      return write({ kind: "event", number, payload });
    entry.opened.end();
    this.#end(number);
  }

  #over(number: number): void {
    const entry = this.#streams.get(number);
    if (entry === undefined) return;
    if (entry.opened === undefined) entry.isOver = true;
    else this.#end(number);
  }

  #end(number: number): void {
    this.#remove(number);
    this.#host.write({ kind: "end", number, payload: NOTHING });
  }

  #remove(number: number): Entry | undefined {
    const entry = this.#streams.get(number);
    this.#streams.delete(number);
    if (this.size === 0) this.#heartbeat.stop();
    return entry;
  }
}

const NOTHING = new Uint8Array();
const DONE = packReply({ status: 200, headers: {}, body: "" });
