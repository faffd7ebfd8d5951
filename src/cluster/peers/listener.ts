import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Server, Socket } from "node:net";
import type { ListenAddress } from "../../adapters/node/index.ts";
import { listen, OpenSet, refusal } from "../../adapters/node/internal.ts";
import { Unproved } from "../../adapters/shared/index.ts";
import { errorName } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { Telemetry } from "../../ports/index.ts";
import type {
  ForwardedRequest,
  OpenedStream,
  PeerAnswer,
  PeerReceiver,
  PeerRefusal,
  PeerSink,
} from "./api.ts";
import { Heartbeat } from "./connection.ts";
import type { PeerLimits } from "./options.ts";
import { type Frame, FrameReader, frameOf, openRequest, packRefusal, packReply } from "./protocol.ts";
import type { PeerSecurity } from "./security.ts";

/** Dependencies of a listener. `receiver` returns who answers requests, as soon as there is somebody. */
type ListenerParts = Readonly<{
  security: PeerSecurity;
  /** Secrets whose seals count. */
  secrets: readonly string[];
  limits: Required<PeerLimits>;
  telemetry: Telemetry;
  receiver: () => PeerReceiver | undefined;
}>;

/** A connection of another node: the session of its seals, and the number of its last request. */
type Visitor = {
  readonly socket: Socket;
  readonly session: string;
  readonly streams: VisitorStreams;
  last: number;
  open: number;
};

/** A request that is being answered. */
type Held = Readonly<{ visitor: Visitor; bytes: number }>;

const SESSION_BYTES = 16;
const BACKLOG = 128;

/** Refusals after which nothing of the connection is trusted any more. */
const FATAL: ReadonlySet<PeerRefusal> = new Set(["MALFORMED", "TOO_LONG", "SEAL"]);

/** Takes sealed requests of other nodes, and answers those that are as they should be. */
export class PeerListener {
  readonly #parts: ListenerParts;
  readonly #server: Server;
  /** Connections before TLS, so that one whose other side is not known yet can be ended too. */
  readonly #connections: Set<Socket> = new Set();
  readonly #visitors: Set<Socket> = new Set();
  readonly #unproved: Unproved;
  /** By address and port of the other side: takes a connection out of the unproved. */
  readonly #arriving: Map<string, () => void> = new Map();
  /** Connections of known nodes by address. */
  readonly #byAddress: Map<string, number> = new Map();
  readonly #held: OpenSet<Held> = new OpenSet();
  readonly #refusals: Map<PeerRefusal, number> = new Map();
  #heldBytes = 0;
  #isClosing = false;

  constructor(parts: ListenerParts) {
    const { security, limits, telemetry } = parts;
    this.#parts = parts;
    this.#server = security.createServer(limits.connectMs, {
      accepted: (socket) => this.#accept(socket),
      failed: (problem) => telemetry.event("warn", "peer.unknown", { problem }),
    });
    this.#unproved = new Unproved(() => this.#crowded("unproved"));
    this.#server.prependListener("connection", (socket: Socket) => this.#arrived(socket));
  }

  /** Number of refused requests by reason. */
  get refusals(): ReadonlyMap<PeerRefusal, number> {
    return this.#refusals;
  }

  /** Listens on an address. Rejects if it cannot be used. */
  async listen(address: ListenAddress): Promise<ListenAddress> {
    return await listen(this.#server, address, BACKLOG);
  }

  /** Refuses further requests, answers those under way within a time, and ends every connection. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    const closed = this.#server.listening ? once(this.#server, "close") : undefined;
    this.#server.close();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([this.#held.empty(), late]);
    clearTimeout(timer);
    await Promise.all([...this.#visitors].map((socket) => this.#ended(socket)));
    for (const socket of this.#connections) socket.destroy();
    await closed;
  }

  /** Lets what was written go out, if the other side reads it now. */
  async #ended(socket: Socket): Promise<void> {
    if (socket.destroyed) return;
    // Not `once`, which rejects for a connection that breaks meanwhile.
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.end(() => socket.destroy());
    const timer = setTimeout(() => socket.destroy(), LAST_WRITE_MS);
    await closed;
    clearTimeout(timer);
  }

  #arrived(socket: Socket): void {
    if (this.#isClosing) return void socket.destroy();
    const place = placeOf(socket);
    this.#connections.add(socket);
    this.#arriving.set(
      place,
      this.#unproved.enter(socket.remoteAddress ?? "", () => socket.destroy()),
    );
    socket.on("close", () => {
      this.#connections.delete(socket);
      this.#known(place);
    });
  }

  #known(place: string): void {
    this.#arriving.get(place)?.();
    this.#arriving.delete(place);
  }

  /** Counts the connection of a known node. Returns whether there is room for it. */
  #enter(socket: Socket): boolean {
    const { connections, connectionsPerAddress } = this.#parts.limits;
    const address = socket.remoteAddress ?? "";
    this.#known(placeOf(socket));
    this.#unproved.proved(address);
    const open = (this.#byAddress.get(address) ?? 0) + 1;
    if (this.#visitors.size >= connections || open > connectionsPerAddress) {
      this.#crowded(open > connectionsPerAddress ? "connectionsPerAddress" : "connections");
      socket.destroy();
      return false;
    }
    this.#byAddress.set(address, open);
    this.#visitors.add(socket);
    socket.on("close", () => {
      this.#visitors.delete(socket);
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, left);
    });
    return true;
  }

  #crowded(limit: "unproved" | keyof PeerLimits): void {
    this.#parts.telemetry.event("warn", "peer.crowded", { limit });
  }

  #accept(socket: Socket): void {
    if (socket.destroyed || !this.#enter(socket)) return;
    const { limits } = this.#parts;
    const session = randomBytes(SESSION_BYTES).toString("hex");
    const visitor: Visitor = {
      ...{ socket, session, last: 0, open: 0 },
      streams: new VisitorStreams({ socket, limits, write: (frame) => this.#write(visitor, frame) }),
    };
    const reader = new FrameReader(limits.requestBytes);
    let timer: NodeJS.Timeout | undefined;
    const stop = (): void => {
      clearTimeout(timer);
      timer = undefined;
    };
    socket.setNoDelay(true);
    // Longer than the node that asks keeps it, so that it sends no request into a connection that ends.
    socket.setTimeout(2 * limits.idleMs, () => {
      if (visitor.open === 0 && visitor.streams.size === 0) socket.destroy();
    });
    // The close event reports a connection that breaks.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      visitor.streams.endAll();
      stop();
    });
    socket.on("data", (chunk: Buffer) => {
      const { frames, fault } = reader.read(chunk);
      visitor.streams.received();
      for (const frame of frames) this.#take(visitor, frame);
      if (fault !== undefined) this.#refuse(visitor, 0, fault);
      if (frames.length > 0) stop();
      if (reader.isInside) timer ??= setTimeout(() => socket.destroy(), limits.frameMs);
    });
    socket.write(frameOf({ kind: "hello", number: 0, payload: Buffer.from(session, "latin1") }));
  }

  #take(visitor: Visitor, { kind, number, payload }: Frame): void {
    const { limits, secrets } = this.#parts;
    if (!visitor.socket.writable) return;
    if (kind === "beat") return visitor.streams.answerBeat();
    if (kind !== "request") return this.#refuse(visitor, number, "MALFORMED");
    const request = openRequest(secrets, { session: visitor.session, number }, payload);
    if (typeof request === "string") return this.#refuse(visitor, number, request);
    // The first copy is answered; an answer to this one would be taken for that.
    if (number <= visitor.last) return this.#countRefusal("REPLAYED");
    visitor.last = number;
    if (request.form === "END") return visitor.streams.endRequested(number, request.target);
    if (this.#isClosing) return this.#refuse(visitor, number, "CLOSING");
    const isFull =
      this.#heldBytes + payload.length > limits.heldBytes ||
      visitor.open >= limits.requests ||
      (request.form === "SUBSCRIPTION" && visitor.streams.size >= limits.streams);
    if (isFull) return this.#refuse(visitor, number, "BUSY");
    void this.#answer({ visitor, bytes: payload.length }, number, request);
  }

  async #answer(held: Held, number: number, request: ForwardedRequest): Promise<void> {
    const { visitor } = held;
    this.#held.add(held);
    this.#heldBytes += held.bytes;
    visitor.open++;
    const answer = await this.#received(request, visitor.streams.prepare(number, request));
    visitor.open--;
    this.#heldBytes -= held.bytes;
    if (answer.kind === "refused") this.#refuse(visitor, number, answer.reason, answer.shard);
    else
      this.#write(visitor, {
        kind: "reply",
        number,
        payload: this.#bounded(request, packReply(answer.response)),
      });
    visitor.streams.begin(number, answer);
    this.#held.delete(held);
  }

  async #received(request: ForwardedRequest, sink: PeerSink | undefined): Promise<PeerAnswer | OpenedStream> {
    const receiver = this.#parts.receiver();
    // Before the node has joined, no request can be meant for it.
    if (receiver === undefined) return { kind: "refused", reason: "WRONG_NODE" };
    try {
      if (sink === undefined) return await receiver.receive(request);
      return (await receiver.subscribe?.(request, sink)) ?? { kind: "refused", reason: "MALFORMED" };
    } catch (error) {
      this.#parts.telemetry.event("error", "service.threw", { error: errorName(error) });
      return { kind: "reply", response: failed(request) };
    }
  }

  #bounded(request: ForwardedRequest, payload: Uint8Array): Uint8Array {
    if (payload.length <= this.#parts.limits.replyBytes) return payload;
    this.#parts.telemetry.event("error", "peer.long", { bytes: payload.length });
    return packReply(failed(request));
  }

  #refuse(visitor: Visitor, number: number, reason: PeerRefusal, shard?: number): void {
    this.#countRefusal(reason);
    this.#write(visitor, {
      kind: "refusal",
      number,
      payload: packRefusal({ reason, ...(shard !== undefined && { shard }) }),
    });
    if (FATAL.has(reason)) visitor.socket.destroySoon();
  }

  #countRefusal(reason: PeerRefusal): void {
    this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
    const level = reason === "BUSY" || reason === "CLOSING" ? "info" : "warn";
    this.#parts.telemetry.event(level, "peer.refused", { reason });
  }

  #write({ socket }: Visitor, frame: Frame): void {
    if (!socket.writable) return;
    if (socket.writableLength + frame.payload.length > this.#parts.limits.unsentBytes) socket.destroy();
    else socket.write(frameOf(frame));
  }
}

const LAST_WRITE_MS = 1_000;

/** Tells a connection apart before and after its handshake, which wraps it anew. */
const placeOf = ({ remoteAddress = "", remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`;

/** The reply to a request whose outcome is not known. */
const failed = ({ method }: ForwardedRequest): PeerReply =>
  refusal(new OrderError(method === "GET" ? "UNKNOWN" : "UNEXPECTED_RESPONSE"));

type PeerReply = Extract<PeerAnswer, { kind: "reply" }>["response"];

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
class VisitorStreams {
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
