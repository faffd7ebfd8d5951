import { OrderError } from "../../errors/index.ts";
import type { WireRequest, WireResponse } from "../../wire/index.ts";
import type { SocketPeer, SocketService, SocketSession } from "../socket/api.ts";
import { type LiveSession, type SessionParts, transportSide } from "../socket/connection.ts";
import { privateForm } from "../socket/destinations.ts";
import { PrivateSession } from "../socket/private-session.ts";
import { admitSocket } from "../socket/socket-service.ts";

/**
 * WebSocket of a node of a cluster. Connections for requests stay with this node, whoever owns the accounts. Those to
 * public streams are given to the service of this node, as soon as it has one, because only a service has the market.
 * Source: decisions ZT and ZV.
 */
export class NodeSockets implements SocketService {
  readonly #parts: SessionParts;
  readonly #sessions: Set<LiveSession> = new Set();
  #own: SocketService | undefined;
  #isShut = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  get maxFramesPerSecond(): number {
    return this.#parts.settings.maxFramesPerSecond;
  }

  /** Passes connections to public streams to the sockets of a service from now on. */
  serve(sockets: SocketService): void {
    this.#own = sockets;
    if (this.#isShut) sockets.shutdown();
  }

  async admit(request: WireRequest): Promise<WireResponse | undefined> {
    const { service } = this.#parts;
    const own = this.#own;
    if (own !== undefined && !this.#isPrivate(request.target)) return await own.admit(request);
    return await admitSocket(service, request, () => {
      if (privateForm(request.target, service.settings) === undefined) throw new OrderError("DISCONNECTED");
      if (this.#isShut) throw new OrderError("SHUTTING_DOWN");
    });
  }

  connect(peer: SocketPeer): SocketSession {
    const form = privateForm(peer.target, this.#parts.service.settings);
    if (form === undefined) {
      // Only a service admits connections to public streams.
      if (this.#own === undefined) throw new OrderError("DISCONNECTED");
      return this.#own.connect(peer);
    }
    const onEnd = (): void => void this.#sessions.delete(session);
    const session = new PrivateSession(this.#parts, { peer, onEnd, ...form });
    this.#sessions.add(session);
    if (this.#isShut) session.shutdown();
    return transportSide(session);
  }

  shutdown(): void {
    this.#isShut = true;
    for (const session of [...this.#sessions]) session.shutdown();
    this.#own?.shutdown();
  }

  /** A target whose parameters are wrong is refused by whoever admits it. */
  #isPrivate(target: string): boolean {
    try {
      return privateForm(target, this.#parts.service.settings) !== undefined;
    } catch {
      return true;
    }
  }
}
