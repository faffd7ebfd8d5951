/// <reference lib="esnext.disposable" preserve="true" />
import type { ListenAddress } from "../../adapters/node/index.ts";
import {
  addressOption,
  createDefaultTelemetry,
  DEFAULT_GRACE_MS,
  graceOption,
} from "../../adapters/node/internal.ts";
import { errorMessage } from "../../common/index.ts";
import { QuietTelemetry } from "../../host-answers/index.ts";
import type {
  ForwardedRequest,
  PeerCall,
  PeerOutcome,
  PeerReceiver,
  PeerRefusal,
  PeerSender,
  PeerSink,
  PeerSubscription,
} from "./api.ts";
import { PeerConnection, type PeerConnectionParts } from "./connection.ts";
import { PeerListener } from "./listener.ts";
import { type PeerLinkOptions, peerLimits, peerLinkOption } from "./options.ts";
import { sealRequest } from "./protocol.ts";
import { peerSecurity } from "./security.ts";

/** The connections between the nodes of a cluster: a listener of this node, and the way to the others. */
export interface PeerLink extends Required<PeerSender>, AsyncDisposable {
  /**
   * Listens for other nodes, on a port that clients do not reach; port 0 selects a free one. Resolves to the address,
   * which goes into `cluster.address` of `openNode` in the form `host:port`, with a host that other nodes reach.
   * Rejects if it cannot be used, and with a RangeError for a host that is not loopback if the link has no TLS.
   */
  listen(address: ListenAddress): Promise<ListenAddress>;
  /** Gives the requests of other nodes to a receiver from now on. Before that they are refused with WRONG_NODE. */
  serve(receiver: PeerReceiver): void;
  /** Returns how many requests of other nodes were refused, by reason. */
  refusals(): ReadonlyMap<PeerRefusal, number>;
  /**
   * Refuses further requests of other nodes, answers those under way, and ends every connection. What is not done after
   * `graceMs` (default 10000) is cut off; its outcome is then unknown to those who wait.
   */
  close(options?: Readonly<{ graceMs?: number }>): Promise<void>;
}

/** Number of nodes above which the ways to those that are not used are given up. Starts of nodes have new addresses. */
const MOST_CHANNELS = 64;

/**
 * Creates the connections of a node to the others. Each request is sealed with HMAC-SHA-256 for one connection and one
 * place on it, so that a copy of it counts nowhere. Throws a TypeError or RangeError that names an option that is missing,
 * unknown or wrong, or a file that cannot be read.
 *
 * @example
 * ```ts
 * import { createPeerLink, type PeerLink } from "managed-orders/cluster";
 * const open = async (secret: string): Promise<PeerLink> => {
 *   const link = createPeerLink({
 *     secret,
 *     security: {
 *       key: new URL("file:///etc/orders/node.key"),
 *       cert: new URL("file:///etc/orders/node.crt"),
 *       ca: new URL("file:///etc/orders/nodes-ca.crt"),
 *       names: ["node-1.orders.internal", "node-2.orders.internal"],
 *     },
 *   });
 *   await link.listen({ host: "10.0.0.5", port: 7443 });
 *   return link;
 * };
 * ```
 */
export function createPeerLink(options: PeerLinkOptions): PeerLink {
  peerLinkOption(options, "createPeerLink");
  const { secret, previousSecret } = options;
  const telemetry = new QuietTelemetry(options.telemetry ?? createDefaultTelemetry());
  const security = peerSecurity(options.security);
  const limits = peerLimits(options.limits);
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  const channels = new Map<string, PeerChannel>();
  let receiver: PeerReceiver | undefined;
  const listener = new PeerListener({ security, secrets, limits, telemetry, receiver: () => receiver });
  const channelTo = (address: string): PeerChannel => {
    const known = channels.get(address);
    if (known !== undefined) return known;
    if (channels.size >= MOST_CHANNELS) closeIdle(channels);
    const channel = new PeerChannel({ address, security, limits, secret });
    channels.set(address, channel);
    return channel;
  };
  const close: PeerLink["close"] = async (given = {}) => {
    graceOption(given, "close");
    for (const channel of channels.values()) channel.retire();
    await listener.close(given.graceMs ?? DEFAULT_GRACE_MS);
    for (const channel of channels.values()) channel.destroy();
  };
  return {
    async listen(address) {
      addressOption(address, "listen");
      const objection = security.objection(address.host);
      if (objection !== undefined) throw new RangeError(`listen.host: ${objection}`);
      return await listener.listen(address);
    },
    serve: (to) => {
      receiver = to;
    },
    send: (call) => channelTo(call.address).send(call),
    subscribe: (call, sink) => channelTo(call.address).subscribe(call, sink),
    refusals: () => new Map(listener.refusals),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

function closeIdle(channels: Map<string, PeerChannel>): void {
  for (const [address, channel] of channels) {
    if (!channel.isIdle) continue;
    channel.retire();
    channels.delete(address);
  }
}

/** Dependencies of a channel: those of its connections, and the secret of the seals. */
type PeerChannelParts = PeerConnectionParts & Readonly<{ secret: string }>;

/** The connection on which a request was written, and its number there. */
type Written = Readonly<{ connection: PeerConnection; number: number }>;

/** The way to one node: one connection at a time, made when it is needed. */
class PeerChannel {
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
