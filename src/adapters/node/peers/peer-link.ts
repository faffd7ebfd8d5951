/// <reference lib="esnext.disposable" preserve="true" />
import type { PeerReceiver, PeerRefusal, PeerSender } from "../../../service/index.ts";
import { QuietTelemetry } from "../../../service/internal.ts";
import { createDefaultTelemetry } from "../console-telemetry.ts";
import { addressOption, graceOption, type ListenAddress } from "../server-api.ts";
import { PeerChannel } from "./peer-channel.ts";
import { PeerListener } from "./peer-listener.ts";
import { type PeerLinkOptions, peerLimits, peerLinkOption } from "./peer-options.ts";
import { peerSecurity } from "./peer-security.ts";

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

const DEFAULT_GRACE_MS = 10_000;

/** Number of nodes above which the ways to those that are not used are given up. Starts of nodes have new addresses. */
const MOST_CHANNELS = 64;

/**
 * Creates the connections of a node to the others. Each request is sealed with HMAC-SHA-256 for one connection and one
 * place on it, so that a copy of it counts nowhere. Throws a TypeError or RangeError that names an option that is missing,
 * unknown or wrong, or a file that cannot be read. Source: decisions ZN to ZY.
 *
 * @example
 * ```ts
 * import { createPeerLink, type PeerLink } from "managed-orders/node";
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
