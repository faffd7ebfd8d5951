import { writeJson } from "../../wire/index.ts";
import type { ClientError } from "../errors/client-error.ts";
import { RefusedError } from "../errors/refused-error.ts";
import { TransportError } from "../errors/transport-error.ts";
import { type Bounds, within } from "../http/deadline.ts";
import { ClientConnection, type ClientSocketParts, type Members } from "./connection.ts";
import { Listeners } from "./listeners.ts";

/** A request of a connection: its method and its params, which are made just before it is sent. */
export type LinkRequest = Readonly<{ method: string; params: () => Parameters<typeof writeJson>[0] }>;

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
