import { OrderError } from "../../errors/index.ts";
import type { WireRequest, WireResponse } from "../../wire/index.ts";
import type { SocketPeer, SocketService, SocketSession } from "../socket/api.ts";
import { resolveSocketSettings } from "../socket/settings.ts";

/** Dependencies of {@link NodeSockets}: refuses an upgrade while there is no service. */
export type NodeSocketsParts = Readonly<{ refuse: (request: WireRequest) => Promise<WireResponse> }>;

/** WebSocket of a node of a cluster: that of its own service, as soon as it has one. */
export class NodeSockets implements SocketService {
  readonly #refuse: NodeSocketsParts["refuse"];
  #own: SocketService | undefined;
  #isShut = false;

  constructor({ refuse }: NodeSocketsParts) {
    this.#refuse = refuse;
  }

  get maxFramesPerSecond(): number {
    return this.#own?.maxFramesPerSecond ?? resolveSocketSettings().maxFramesPerSecond;
  }

  /** Passes connections to the sockets of a service from now on. */
  serve(sockets: SocketService): void {
    this.#own = sockets;
    if (this.#isShut) sockets.shutdown();
  }

  async admit(request: WireRequest): Promise<WireResponse | undefined> {
    return this.#own === undefined ? await this.#refuse(request) : await this.#own.admit(request);
  }

  connect(peer: SocketPeer): SocketSession {
    // Only a service admits connections.
    if (this.#own === undefined) throw new OrderError("DISCONNECTED");
    return this.#own.connect(peer);
  }

  shutdown(): void {
    this.#isShut = true;
    this.#own?.shutdown();
  }
}
