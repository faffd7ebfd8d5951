import { errorMessage } from "../../../common/index.ts";
import type { PeerCall, PeerOutcome } from "../../../service/index.ts";
import { sealRequest } from "../../../service/internal.ts";
import { type ConnectionParts, PeerConnection } from "./peer-connection.ts";

/** Dependencies of a channel: those of its connections, and the secret of the seals. */
export type ChannelParts = ConnectionParts & Readonly<{ secret: string }>;

/** The way to one node: one connection at a time, made when it is needed. */
export class PeerChannel {
  readonly #parts: ChannelParts;
  #opening: Promise<PeerConnection> | undefined;
  #connection: PeerConnection | undefined;
  #asked = 0;
  #isClosed = false;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
  }

  /** Whether no request is under way. */
  get isIdle(): boolean {
    return this.#asked === 0;
  }

  /** Sends a request once. */
  async send({ request, waitMs }: PeerCall): Promise<PeerOutcome> {
    const { secret, limits } = this.#parts;
    if (this.#isClosed) return unsent("the link is closed");
    if (this.#asked >= limits.requests)
      return unsent(`${limits.requests} requests to the node wait for an answer`);
    this.#asked++;
    const untilMs = performance.now() + waitMs;
    try {
      const connection = await this.#usable();
      const leftMs = Math.ceil(untilMs - performance.now());
      if (leftMs <= 0) return unsent("there was no connection in time");
      const place = { session: connection.session, number: connection.next };
      const payload = sealRequest(secret, place, request);
      if (payload.length > limits.requestBytes) return unsent("the request is too long");
      return await connection.ask(payload, leftMs);
    } catch (error) {
      // Nothing is written before the connection is known to be good.
      return unsent(errorMessage(error));
    } finally {
      this.#asked--;
    }
  }

  /** Takes no further requests. Those under way are still answered, until `destroy`. */
  retire(): void {
    this.#isClosed = true;
    this.#connection?.retire();
  }

  /** Ends its connection. */
  destroy(): void {
    this.#isClosed = true;
    this.#connection?.destroy();
  }

  async #usable(): Promise<PeerConnection> {
    if (this.#connection?.isUsable === true) return this.#connection;
    this.#connection?.retire();
    this.#connection = undefined;
    this.#opening ??= PeerConnection.open(this.#parts).finally(() => {
      this.#opening = undefined;
    });
    const opened = await this.#opening;
    if (this.#isClosed) opened.destroy();
    else this.#connection = opened;
    if (!opened.isUsable) throw new Error("the connection ended before it was used");
    return opened;
  }
}

const unsent = (reason: string): PeerOutcome => ({ kind: "unsent", reason });
