import type { Socket } from "node:net";
import type { PeerOutcome, PeerSink } from "./api.ts";
import type { PeerLimits } from "./options.ts";
import { type Frame, FrameReader, frameOf, MOST_NUMBER, unpackRefusal, unpackReply } from "./protocol.ts";
import { type PeerSecurity, readPeerAddress } from "./security.ts";

/** Dependencies of a connection. */
export type PeerConnectionParts = Readonly<{
  address: string;
  security: PeerSecurity;
  limits: Required<PeerLimits>;
}>;

type Pending = Readonly<{
  resolve: (outcome: PeerOutcome) => void;
  timer: NodeJS.Timeout;
  /** Where the events of the stream go for which the request asks. */
  sink: PeerSink | undefined;
}>;

/** Text that the other node chose for the seals of a connection. */
const SESSION = /^[0-9a-f]{32}$/;

/** One connection to another node: requests by number, and the answers to them. */
export class PeerConnection {
  readonly session: string;
  readonly #socket: Socket;
  readonly #limits: Required<PeerLimits>;
  readonly #pending: Map<number, Pending> = new Map();
  readonly #reader: FrameReader;
  readonly #streams: Map<number, PeerSink> = new Map();
  readonly #heartbeat: Heartbeat;
  #number = 0;
  /** Number of the last request that was written before the last answer came. */
  #received = 0;
  #isRetired = false;

  private constructor(socket: Socket, session: string, limits: Required<PeerLimits>) {
    this.session = session;
    this.#socket = socket;
    this.#limits = limits;
    this.#reader = new FrameReader(limits.replyBytes);
    // A request that waits has a time of its own, and a stream its heartbeat.
    socket.setTimeout(limits.idleMs, () => {
      if (this.waiting === 0 && this.streams === 0) socket.destroy();
    });
    this.#heartbeat = new Heartbeat({
      silentMs: limits.silentMs,
      beat: () => void socket.write(BEAT),
      abandon: () => socket.destroy(),
    });
    socket.on("close", () => this.#end("the connection ended before the answer"));
  }

  /** Connects, and resolves when the other node is known and has said its session. Rejects with an Error otherwise. */
  static open({ address, security, limits }: PeerConnectionParts): Promise<PeerConnection> {
    const to = readPeerAddress(address);
    if (to === undefined) return Promise.reject(new Error("the owner's address is not host:port"));
    const objection = security.objection(to.host);
    if (objection !== undefined) return Promise.reject(new Error(objection));
    return new Promise((resolve, reject) => {
      const hello = new FrameReader(SESSION_BYTES);
      let connection: PeerConnection | undefined;
      const socket = security.connect(to, () => {
        socket.setNoDelay(true);
        socket.setKeepAlive(true, KEEP_ALIVE_MS);
        socket.on("data", (chunk: Buffer) => {
          if (connection !== undefined) return connection.#read(chunk);
          const { frames, fault } = hello.read(chunk);
          const [first] = frames;
          if (fault === undefined && first === undefined) return;
          const session = first === undefined ? undefined : sessionOf(first);
          if (session === undefined || frames.length > 1 || hello.isInside)
            return void socket.destroy(new Error("the other side is not a node"));
          clearTimeout(timer);
          connection = new PeerConnection(socket, session, limits);
          resolve(connection);
        });
      });
      const timer = setTimeout(
        () => socket.destroy(new Error(`no connection within ${limits.connectMs} ms`)),
        limits.connectMs,
      );
      socket.on("error", reject);
      socket.on("close", () => {
        clearTimeout(timer);
        reject(new Error("the connection was closed"));
      });
    });
  }

  /** Whether requests can be written to it. */
  get isUsable(): boolean {
    return !this.#isRetired && this.isOpen;
  }

  /** Whether something can still be written to it. */
  get isOpen(): boolean {
    return this.#socket.writable && !this.#socket.destroyed && this.#number < MOST_NUMBER;
  }

  /** The number of the next request. */
  get next(): number {
    return this.#number + 1;
  }

  /** Number of requests without an answer. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** Number of open streams. */
  get streams(): number {
    return this.#streams.size;
  }

  /**
   * Writes a request with the number {@link next}. Resolves to its answer, or to `lost` after `waitMs`. With a sink, the
   * request is for a stream, which a reply with status 200 opens.
   */
  request(payload: Uint8Array, waitMs: number, sink?: PeerSink): Promise<PeerOutcome> {
    if (this.#socket.writableLength + payload.length > this.#limits.unsentBytes)
      return Promise.resolve({ kind: "unsent", reason: "the node does not read what it is sent" });
    const number = ++this.#number;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#late(number, waitMs), waitMs);
      this.#pending.set(number, { resolve, timer, sink });
      this.#socket.write(frameOf({ kind: "request", number, payload }));
    });
  }

  /** Forgets a stream: what still comes of it is dropped. Returns whether it was open. */
  leave(number: number): boolean {
    const wasOpen = this.#streams.delete(number);
    if (this.#streams.size === 0) this.#heartbeat.stop();
    return wasOpen;
  }

  /** Takes no further requests, and ends when those under way are answered and its streams have ended. */
  retire(): void {
    this.#isRetired = true;
    this.#endIfDone();
  }

  /** Ends it at once. */
  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Uint8Array): void {
    const { frames, fault } = this.#reader.read(chunk);
    this.#heartbeat.received();
    for (const frame of frames) this.#answer(frame);
    if (fault !== undefined) this.#socket.destroy();
  }

  #answer({ kind, number, payload }: Frame): void {
    switch (kind) {
      case "hello":
      case "request":
        return void this.#socket.destroy();
      case "beat":
        return;
      case "event":
        return this.#streams.get(number)?.event(textDecoder.decode(payload));
      case "end":
        return this.#over(number);
      case "reply":
      case "refusal": {
        this.#received = this.#number;
        const answer = kind === "reply" ? unpackReply(payload) : unpackRefusal(payload);
        this.#settle(number, answer ?? { kind: "lost", reason: "the answer cannot be read" });
      }
    }
  }

  #over(number: number): void {
    const sink = this.#streams.get(number);
    this.leave(number);
    sink?.ended();
    this.#endIfDone();
  }

  /** An answer that comes later is dropped: its number waits no more. */
  #late(number: number, waitMs: number): void {
    this.#settle(number, { kind: "lost", reason: `no answer within ${waitMs} ms` });
    // With streams, the heartbeat finds out whether the node is there, and one slow request says nothing of the others.
    if (this.#received >= number || this.#streams.size > 0) return;
    // A node that has answered nothing since then may hang, and further requests would wait as long. Those under way may
    // still be answered, each within its own time.
    if (this.#pending.size > 0) this.retire();
    else this.#socket.destroy();
  }

  #settle(number: number, outcome: PeerOutcome): void {
    const waiting = this.#pending.get(number);
    if (waiting === undefined) return;
    this.#pending.delete(number);
    clearTimeout(waiting.timer);
    if (waiting.sink !== undefined && outcome.kind === "reply" && outcome.response.status === 200) {
      this.#streams.set(number, waiting.sink);
      this.#heartbeat.start();
    }
    waiting.resolve(outcome);
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (this.#isRetired && this.#pending.size === 0 && this.#streams.size === 0) this.#socket.end();
  }

  #end(reason: string): void {
    for (const number of [...this.#pending.keys()]) this.#settle(number, { kind: "lost", reason });
    for (const number of [...this.#streams.keys()]) this.#over(number);
  }
}

const textDecoder = new TextDecoder();
const BEAT = frameOf({ kind: "beat", number: 0, payload: new Uint8Array() });

const SESSION_BYTES = 32;
const KEEP_ALIVE_MS = 10_000;

function sessionOf({ kind, payload }: Frame): string | undefined {
  const session = Buffer.from(payload).toString("latin1");
  return kind === "hello" && SESSION.test(session) ? session : undefined;
}

/** Beats in the time after which a silent connection ends. */
const BEATS = 3;

/** What a heartbeat does to its connection. */
type HeartbeatHost = Readonly<{
  silentMs: number;
  /** Says something to the other node; undefined if only the other one does so. */
  beat?: () => void;
  /** Ends the connection, because the other node says nothing. */
  abandon: () => void;
}>;

/** Finds out that the other side of a connection is gone although the connection still looks open. */
export class Heartbeat {
  readonly #host: HeartbeatHost;
  #timer: NodeJS.Timeout | undefined;
  #receivedAtMs = 0;

  constructor(host: HeartbeatHost) {
    this.#host = host;
  }

  /** Records that something came from the other node. */
  received(): void {
    if (this.#timer !== undefined) this.#receivedAtMs = performance.now();
  }

  /** Begins, unless it has begun. */
  start(): void {
    const { silentMs, beat, abandon } = this.#host;
    if (this.#timer !== undefined) return;
    this.#receivedAtMs = performance.now();
    this.#timer = setInterval(
      () => {
        if (performance.now() - this.#receivedAtMs < silentMs) return beat?.();
        this.stop();
        abandon();
      },
      Math.ceil(silentMs / BEATS),
    );
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
