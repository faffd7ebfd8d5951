import type { Socket } from "node:net";
import type { PeerOutcome } from "../../../service/index.ts";
import {
  type Frame,
  FrameReader,
  frameOf,
  MOST_NUMBER,
  unpackRefusal,
  unpackReply,
} from "../../../service/internal.ts";
import { readPeerAddress } from "./peer-address.ts";
import type { PeerLimits } from "./peer-options.ts";
import type { PeerSecurity } from "./peer-security.ts";

/** Dependencies of a connection. */
export type ConnectionParts = Readonly<{
  address: string;
  security: PeerSecurity;
  limits: Required<PeerLimits>;
}>;

type Pending = Readonly<{ resolve: (outcome: PeerOutcome) => void; timer: NodeJS.Timeout }>;

/** Text that the other node chose for the seals of a connection. */
const SESSION = /^[0-9a-f]{32}$/;

/** One connection to another node: requests by number, and the answers to them. */
export class PeerConnection {
  readonly session: string;
  readonly #socket: Socket;
  readonly #limits: Required<PeerLimits>;
  readonly #pending: Map<number, Pending> = new Map();
  readonly #reader: FrameReader;
  #number = 0;
  /** Number of the last request that was written before the last answer came. */
  #heard = 0;
  #isRetired = false;

  private constructor(socket: Socket, session: string, limits: Required<PeerLimits>) {
    this.session = session;
    this.#socket = socket;
    this.#limits = limits;
    this.#reader = new FrameReader(limits.replyBytes);
    socket.setTimeout(limits.idleMs, () => socket.destroy());
    socket.on("close", () => this.#end("the connection ended before the answer"));
  }

  /** Connects, and resolves when the other node is known and has said its session. Rejects with an Error otherwise. */
  static open({ address, security, limits }: ConnectionParts): Promise<PeerConnection> {
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
    return !this.#isRetired && this.#socket.writable && !this.#socket.destroyed && this.#number < MOST_NUMBER;
  }

  /** The number of the next request. */
  get next(): number {
    return this.#number + 1;
  }

  /** Number of requests without an answer. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** Writes a request with the number {@link next}. Resolves to its answer, or to `lost` after `waitMs`. */
  ask(payload: Uint8Array, waitMs: number): Promise<PeerOutcome> {
    if (this.#socket.writableLength + payload.length > this.#limits.unsentBytes)
      return Promise.resolve({ kind: "unsent", reason: "the node does not read what it is sent" });
    const number = ++this.#number;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#late(number, waitMs), waitMs);
      this.#pending.set(number, { resolve, timer });
      this.#socket.write(frameOf({ kind: "request", number, payload }));
    });
  }

  /** Takes no further requests, and ends when those under way are answered. */
  retire(): void {
    this.#isRetired = true;
    if (this.#pending.size === 0) this.#socket.end();
  }

  /** Ends it at once. */
  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: Uint8Array): void {
    const { frames, fault } = this.#reader.read(chunk);
    for (const frame of frames) this.#answer(frame);
    if (fault !== undefined) this.#socket.destroy();
  }

  #answer({ kind, number, payload }: Frame): void {
    this.#heard = this.#number;
    const read = { reply: unpackReply, refusal: unpackRefusal, hello: undefined, request: undefined }[kind];
    if (read === undefined) return void this.#socket.destroy();
    this.#settle(number, read(payload) ?? { kind: "lost", reason: "the answer cannot be read" });
  }

  /** An answer that comes later is dropped: its number waits no more. */
  #late(number: number, waitMs: number): void {
    this.#settle(number, { kind: "lost", reason: `no answer within ${waitMs} ms` });
    // A node that has answered nothing since then hangs, and other requests would wait as long.
    if (this.#heard < number) this.#socket.destroy();
  }

  #settle(number: number, outcome: PeerOutcome): void {
    const waiting = this.#pending.get(number);
    if (waiting === undefined) return;
    this.#pending.delete(number);
    clearTimeout(waiting.timer);
    waiting.resolve(outcome);
    if (this.#isRetired && this.#pending.size === 0) this.#socket.end();
  }

  #end(reason: string): void {
    for (const number of [...this.#pending.keys()]) this.#settle(number, { kind: "lost", reason });
  }
}

const SESSION_BYTES = 32;
const KEEP_ALIVE_MS = 10_000;

function sessionOf({ kind, payload }: Frame): string | undefined {
  const session = Buffer.from(payload).toString("latin1");
  return kind === "hello" && SESSION.test(session) ? session : undefined;
}
