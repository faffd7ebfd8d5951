import { type Reader, WrongType } from "../replies/index.ts";
import { readReplyJson, writeJson } from "../wire/index.ts";
import {
  ClientError,
  ProtocolError,
  type ProtocolProblem,
  type Redact,
  RefusedError,
  TransportError,
} from "./errors.ts";
import { type Bounds, type ClientClock, within, withOriginHint } from "./http.ts";

/** A message of the service: members by name. */
export type Members = Readonly<Record<string, unknown>>;

/** What a connection is made of. */
type ClientSocketParts = Readonly<{
  url: string;
  findSocketClass: FindSocketClass;
  clock: ClientClock;
  maxReplyBytes: number;
  /** How long a connection may take to open, unless a caller has more time. */
  timeoutMs: number;
  redact: Redact;
}>;

/**
 * One WebSocket connection. Every message is read before it is handed on; one that is not a JSON object ends the
 * connection, and so does one that is too large.
 */
class ClientConnection {
  readonly #parts: ClientSocketParts;
  readonly #socket: SocketLike;
  readonly #listeners: Set<(message: Members) => void> = new Set();
  readonly #ends: Set<(error: ClientError) => void> = new Set();
  #detail: string | undefined;
  #isOpened = false;
  /** Why the connection has ended; undefined while it is usable. */
  ended: ClientError | undefined;
  /** Monotonic time of the last message. */
  receivedAtMs: number;

  private constructor(parts: ClientSocketParts, socket: SocketLike) {
    this.#parts = parts;
    this.#socket = socket;
    this.receivedAtMs = parts.clock.monotonicMs();
    socket.addEventListener("message", (event) => this.#receive(event));
    socket.addEventListener("error", ({ message }) => {
      if (typeof message === "string" && message !== "") this.#detail = parts.redact(message);
    });
    socket.addEventListener("open", () => {
      this.#isOpened = true;
    });
    socket.addEventListener("close", () => {
      const detail = this.#isOpened ? this.#detail : withOriginHint(this.#detail, parts.url);
      this.end(new TransportError("connection", detail));
    });
  }

  /** Connects. Rejects with a TransportError if there is no connection within the bounds. */
  static async open(parts: ClientSocketParts, bounds: Bounds): Promise<ClientConnection> {
    const SocketClass = await parts.findSocketClass();
    return await within(parts.clock, bounds, async (signal) => {
      const connection = new ClientConnection(parts, newSocket(SocketClass, parts));
      signal.addEventListener("abort", () => connection.end(new TransportError("aborted")));
      await new Promise<void>((resolve, reject) => {
        connection.#socket.addEventListener("open", () => resolve());
        connection.onEnd(reject);
      });
      return connection;
    });
  }

  /** Calls a function with each message. The returned function stops that. */
  onMessage(listener: (message: Members) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls a function once the connection has ended; at once if it has. The returned function stops that. */
  onEnd(listener: (error: ClientError) => void): () => void {
    if (this.ended !== undefined) listener(this.ended);
    else this.#ends.add(listener);
    return () => this.#ends.delete(listener);
  }

  /** Sends a text. Throws a TransportError if it cannot; the connection has ended then. */
  send(text: string): void {
    if (this.ended !== undefined) throw this.ended;
    try {
      this.#socket.send(text);
    } catch (error) {
      const failure = new TransportError("connection", this.#parts.redact(String(error)));
      this.end(failure);
      throw failure;
    }
  }

  /** Ends the connection, with the reason that its users get. */
  end(error: ClientError): void {
    if (this.ended !== undefined) return;
    this.ended = error;
    try {
      this.#socket.close();
    } catch {
      // It had not been opened.
    }
    for (const listener of this.#ends) listener(error);
    this.#ends.clear();
    this.#listeners.clear();
  }

  #receive({ data }: SocketEvent): void {
    if (this.ended !== undefined) return;
    const { clock, maxReplyBytes } = this.#parts;
    this.receivedAtMs = clock.monotonicMs();
    if (typeof data !== "string") return this.#break("not text");
    if (data.length > maxReplyBytes) return this.#break("too large");
    let message: unknown;
    try {
      message = readReplyJson(data);
    } catch {
      return this.#break("not JSON");
    }
    if (typeof message !== "object" || message === null || Array.isArray(message))
      return this.#break("wrong type");
    for (const listener of this.#listeners) listener(message as Members);
  }

  #break(problem: ProtocolProblem): void {
    this.end(new ProtocolError({ problem, status: SWITCHING }));
  }
}

function newSocket(
  SocketClass: new (url: string) => SocketLike,
  { url, redact }: ClientSocketParts,
): SocketLike {
  try {
    return new SocketClass(url);
  } catch (error) {
    throw error instanceof ClientError ? error : new TransportError("connection", redact(String(error)));
  }
}

/** The members that a client reads of an event of a WebSocket. */
export interface SocketEvent {
  readonly type: string;
  /** The text of a message. */
  readonly data?: unknown;
  /** Description of the failure, on platforms that supply it. */
  readonly message?: unknown;
}

/**
 * The members that a client uses of a WebSocket. A WebSocket of a browser, of Node.js or of the package `ws` has them.
 */
export interface SocketLike {
  /** Calls a listener for every event of a type. */
  addEventListener(
    type: "open" | "message" | "close" | "error",
    listener: (event: SocketEvent) => void,
  ): void;
  /** Sends a message. It is called only while the connection is open. */
  send(text: string): void;
  /** Ends the connection. May be called at any time, also more than once. */
  close(): void;
}

/** The class of WebSockets: `globalThis.WebSocket`, or one like it. */
export type SocketClass = new (url: string) => SocketLike;

/** Resolves to the class of the platform's WebSockets. */
export type FindSocketClass = () => Promise<SocketClass>;

/** A control frame of the public streams. */
type ControlFrame = Readonly<{
  method: "SUBSCRIBE" | "LIST_SUBSCRIPTIONS";
  streams: readonly string[];
}>;

/** Returns the name of a public stream, such as btcusd@depth. */
export const streamName = (symbol: string, kind: string): string =>
  `${symbol.replace("/", "").toLowerCase()}@${kind}`;

/** Sends a control frame. Rejects with a RefusedError if the service refuses it. */
export async function control(
  link: SocketLink,
  { method, streams }: ControlFrame,
  bounds: Bounds,
): Promise<void> {
  const { code, msg } = await link.request({ method, params: () => streams }, bounds);
  if (code === undefined) return;
  const text = typeof msg === "string" ? msg : "";
  const negative = typeof code === "number" && code < 0 ? code : undefined;
  throw new RefusedError({ msg: text, code: negative, status: SWITCHING }, { sent: true });
}

/** HTTP status of an upgraded connection. */
export const SWITCHING = 101;

/** Reads a message of a WebSocket. Throws a ProtocolError that names the first member of another type. */
export function readMessage<T>(read: Reader<T>, message: unknown): T {
  try {
    return read(message, "");
  } catch (error) {
    if (!(error instanceof WrongType)) throw error;
    throw new ProtocolError({ problem: "wrong type", status: SWITCHING, member: error.message });
  }
}

/**
 * The messages of a connection that wait to be worked on, in order. It fails once the connection has ended and all of
 * them were taken; if too many wait, it ends the connection.
 */
export class MessageInbox<T> {
  #waiting: T[] = [];
  #failure: Readonly<{ error: unknown }> | undefined;
  #wake: (() => void) | undefined;
  readonly #leave: readonly (() => void)[];

  /** `read` returns undefined for a message that does not concern the inbox, and throws for one that ends it. */
  constructor(connection: ClientConnection, maxWaiting: number, read: (message: Members) => T | undefined) {
    const take = (message: Members): void => {
      try {
        const item = "id" in message ? undefined : read(message);
        if (item === undefined || this.#failure !== undefined) return;
        this.#waiting.push(item);
        if (this.#waiting.length > maxWaiting) throw new ProtocolError({ problem: "too large", status: 101 });
      } catch (error) {
        this.fail(error);
      }
      this.#wake?.();
    };
    this.#leave = [connection.onMessage(take), connection.onEnd((error) => this.fail(error))];
  }

  /** Returns everything that waits, and empties the inbox. */
  drain(): readonly T[] {
    return this.#waiting.splice(0);
  }

  /** Puts items back in front of the others. */
  requeue(items: readonly T[]): void {
    this.#waiting = [...items, ...this.#waiting];
  }

  /** What waits, in order. */
  get waiting(): readonly T[] {
    return this.#waiting;
  }

  /** Makes {@link next} fail once nothing waits. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  /** Resolves to the next item, or to undefined if none comes in this time. Rejects once the inbox has failed. */
  async next(clock: ClientClock, withinMs: number): Promise<T | undefined> {
    if (this.#waiting.length === 0 && this.#failure === undefined) await this.#pause(clock, withinMs);
    const item = this.#waiting.shift();
    if (item === undefined && this.#failure !== undefined) throw this.#failure.error;
    return item;
  }

  /** Takes no further message. */
  leave(): void {
    for (const leave of this.#leave) leave();
  }

  async #pause(clock: ClientClock, withinMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = clock.schedule(clock.monotonicMs() + withinMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = undefined;
  }
}

/** A request of a connection: its method and its params, which are made just before it is sent. */
type LinkRequest = Readonly<{ method: string; params: () => Parameters<typeof writeJson>[0] }>;

type Waiting = Readonly<{ connection: ClientConnection; resolve: (reply: Members) => void }>;

/**
 * A connection that is opened with the first request, and again with the first one after it was lost. Each request gets
 * its own reply, by id. A request whose connection ends gets the reason. Source: contract, WebSocket request methods.
 */
export class SocketLink {
  readonly #parts: ClientSocketParts;
  readonly #maxInFlight: number;
  readonly #waiting: Map<string, Waiting> = new Map();
  readonly #listeners: Listeners<Members> = new Listeners();
  #connection: ClientConnection | undefined;
  #opening: Promise<ClientConnection> | undefined;
  #requests = 0;
  #inFlight = 0;
  readonly #closing = new AbortController();

  constructor(parts: ClientSocketParts, maxInFlight: number) {
    this.#parts = parts;
    this.#maxInFlight = maxInFlight;
  }

  /** Calls a function with each message that is not a reply to a request. The returned function stops that. */
  onMessage(listener: (message: Members) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Resolves to an open connection; callers at the same time share it. Rejects with a ClientError. */
  async connected(bounds: Bounds): Promise<ClientConnection> {
    if (this.#closing.signal.aborted) throw closed();
    const current = this.#connection;
    if (current !== undefined && current.ended === undefined) return current;
    return await within(this.#parts.clock, bounds, () => this.#shared(bounds.timeoutMs));
  }

  /** The time of the first caller must not be that of the others, who have bounds of their own. */
  #shared(timeoutMs: number): Promise<ClientConnection> {
    const openMs = Math.max(timeoutMs, this.#parts.timeoutMs);
    this.#opening ??= this.#open(openMs).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Sends a request and resolves to its reply, as it came. Rejects with a ClientError. */
  async request(request: LinkRequest, bounds: Bounds): Promise<Members> {
    if (this.#inFlight >= this.#maxInFlight) {
      const msg = `${this.#maxInFlight} requests wait for their replies.`;
      throw new RefusedError({ msg, remedy: "Send fewer at a time." }, { sent: false });
    }
    this.#inFlight++;
    try {
      return await this.#exchange(request, bounds);
    } finally {
      this.#inFlight--;
    }
  }

  async #exchange({ method, params }: LinkRequest, bounds: Bounds): Promise<Members> {
    const id = String(++this.#requests);
    const connection = await this.connected(bounds);
    const { clock } = this.#parts;
    const sentAtMs = clock.monotonicMs();
    let drop = (): unknown => undefined;
    try {
      return await within(clock, bounds, async () => {
        const reply = new Promise<Members>((resolve, reject) => {
          this.#waiting.set(id, { connection, resolve });
          drop = connection.onEnd(reject);
        });
        // The connection may have ended while the text was made.
        reply.catch(() => undefined);
        connection.send(writeJson({ id, method, params: params() }));
        return await reply;
      });
    } catch (error) {
      // A connection on which nothing at all arrives is lost, even if nobody has said so.
      const isDead = error instanceof TransportError && error.reason === "timeout";
      if (isDead && connection.receivedAtMs <= sentAtMs) connection.end(error);
      throw error;
    } finally {
      drop();
      this.#waiting.delete(id);
    }
  }

  /** Ends the connection, if there is one. The next request opens another. */
  drop(error: ClientError): void {
    this.#connection?.end(error);
  }

  /** Ends the connection for good, also one that is being opened. */
  close(): void {
    this.#closing.abort();
    this.drop(closed());
  }

  async #open(timeoutMs: number): Promise<ClientConnection> {
    const { signal } = this.#closing;
    const connection = await ClientConnection.open(this.#parts, { timeoutMs, signal });
    // It may have been closed in the turn in which it was opened.
    if (signal.aborted) {
      connection.end(closed());
      throw closed();
    }
    this.#connection = connection;
    connection.onMessage((message) => this.#receive(connection, message));
    return connection;
  }

  #receive(connection: ClientConnection, message: Members): void {
    const waiting = typeof message.id === "string" ? this.#waiting.get(message.id) : undefined;
    if (waiting?.connection === connection) waiting.resolve(message);
    else if (!("id" in message)) this.#listeners.notify(message);
  }
}

const closed = (): TransportError => new TransportError("aborted", "the client is closed");

/** Functions that are called with each value. */
export class Listeners<T> {
  readonly #all: Set<(value: T) => void> = new Set();

  /** Adds a function. Each call counts, also one with the same function. The returned function removes it. */
  add(listener: (value: T) => void): () => void {
    const own = (value: T): void => listener(value);
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  /** Removes all of them. */
  clear(): void {
    this.#all.clear();
  }

  /**
   * Calls those that are there now. The error of a listener is nobody's here: it becomes an unhandled rejection. To pass it
   * on would keep the value from the others, and break the connection of a platform that does not expect it.
   */
  notify(value: T): void {
    for (const listener of [...this.#all]) {
      if (!this.#all.has(listener)) continue;
      try {
        listener(value);
      } catch (error) {
        void Promise.reject(error);
      }
    }
  }
}
