import { readReplyJson } from "../../wire/index.ts";
import { ClientError } from "../errors/client-error.ts";
import { ProtocolError, type ProtocolProblem } from "../errors/protocol-error.ts";
import type { Redact } from "../errors/redaction.ts";
import { TransportError } from "../errors/transport-error.ts";
import { type Bounds, within } from "../http/deadline.ts";
import { withOriginHint } from "../http/origin-hint.ts";
import type { ClientClock } from "../http/platform.ts";
import { SWITCHING } from "./read-message.ts";
import type { FindSocketClass, SocketEvent, SocketLike } from "./socket-like.ts";

/** A message of the service: members by name. */
export type Members = Readonly<Record<string, unknown>>;

/** What a connection is made of. */
export type ClientSocketParts = Readonly<{
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
export class ClientConnection {
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
