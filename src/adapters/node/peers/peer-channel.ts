import { errorMessage } from "../../../common/index.ts";
import type {
  ForwardedRequest,
  PeerCall,
  PeerOutcome,
  PeerSink,
  PeerSubscription,
} from "../../../service/index.ts";
import { sealRequest } from "../../../service/internal.ts";
import { PeerConnection, type PeerConnectionParts } from "./peer-connection.ts";

/** Dependencies of a channel: those of its connections, and the secret of the seals. */
type PeerChannelParts = PeerConnectionParts & Readonly<{ secret: string }>;

/** The connection on which a request was written, and its number there. */
type Written = Readonly<{ connection: PeerConnection; number: number }>;

/** The way to one node: one connection at a time, made when it is needed. */
export class PeerChannel {
  readonly #parts: PeerChannelParts;
  #opening: Promise<PeerConnection> | undefined;
  #connection: PeerConnection | undefined;
  /** Connections that take no further requests, and may still have answers or streams. */
  #retired: readonly PeerConnection[] = [];
  #requested = 0;
  #isClosed = false;

  constructor(parts: PeerChannelParts) {
    this.#parts = parts;
  }

  /** Whether no request is under way, and no stream open. */
  get isIdle(): boolean {
    return (
      this.#requested === 0 && [...this.#retired, this.#connection].every((one) => (one?.streams ?? 0) === 0)
    );
  }

  /** Sends a request once. */
  async send(call: PeerCall): Promise<PeerOutcome> {
    return await this.#send(call);
  }

  /** Sends a request for a stream once. */
  async subscribe(call: PeerCall, sink: PeerSink): Promise<PeerSubscription> {
    let written: Written | undefined;
    const outcome = await this.#send(call, sink, (at) => {
      written = at;
    });
    const end = (): void => {
      if (written?.connection.leave(written.number) === true) this.#end(written);
    };
    // The other node may open it later, after nobody waits for it any more.
    if (outcome.kind === "lost" && written !== undefined) this.#end(written);
    return { outcome, end };
  }

  async #send(
    { request, waitMs }: PeerCall,
    sink?: PeerSink,
    written: (at: Written) => void = () => undefined,
  ): Promise<PeerOutcome> {
    const { limits } = this.#parts;
    if (this.#isClosed) return unsent("the link is closed");
    if (this.#requested >= limits.requests)
      return unsent(`${limits.requests} requests to the node wait for an answer`);
    this.#requested++;
    const untilMs = performance.now() + waitMs;
    try {
      const connection = await this.#usable();
      const leftMs = Math.ceil(untilMs - performance.now());
      if (leftMs <= 0) return unsent("there was no connection in time");
      if (sink !== undefined && connection.streams >= limits.streams)
        return unsent(`${limits.streams} streams of the node are open`);
      const payload = this.#sealed(connection, request);
      if (payload.length > limits.requestBytes) return unsent("the request is too long");
      written({ connection, number: connection.next });
      return await connection.request(payload, leftMs, sink);
    } catch (error) {
      // Nothing is written before the connection is known to be good.
      return unsent(errorMessage(error));
    } finally {
      this.#requested--;
    }
  }

  #sealed(connection: PeerConnection, request: ForwardedRequest): Uint8Array {
    return sealRequest(this.#parts.secret, { session: connection.session, number: connection.next }, request);
  }

  /** Tells the other node that a stream is not wanted any more. A connection that does not carry this ends with all. */
  #end({ connection, number }: Written): void {
    if (!connection.isOpen) return;
    const request = { ...END, target: String(number) };
    void connection
      .request(this.#sealed(connection, request), this.#parts.limits.silentMs)
      .then(({ kind }) => {
        if (kind !== "reply") connection.destroy();
      });
  }

  /** Takes no further requests. Those under way are still answered, until `destroy`. */
  retire(): void {
    this.#isClosed = true;
    this.#connection?.retire();
  }

  /** Ends its connection. */
  destroy(): void {
    this.#isClosed = true;
    for (const retired of this.#retired) retired.destroy();
    this.#connection?.destroy();
  }

  async #usable(): Promise<PeerConnection> {
    if (this.#connection?.isUsable === true) return this.#connection;
    this.#connection?.retire();
    const left = this.#connection === undefined ? [] : [this.#connection];
    this.#retired = [...this.#retired, ...left].filter(({ isOpen }) => isOpen);
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

/** The request that ends a stream. It is for the connection, so it needs no time and no node. */
const END: ForwardedRequest = {
  ...{ form: "END", incarnation: 0, expiresAtMs: 0, usedWeight: 0 },
  ...{ method: "", target: "", rawHeaders: [], remoteAddress: "", body: new Uint8Array() },
};
