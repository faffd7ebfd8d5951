import type { Service, SocketPeer, SocketSession } from "../../service/index.ts";
import type { WireRequest, WireResponse } from "../../wire/index.ts";

/** A WebSocket connection as the stand-in received it, with everything that its session was told. */
export type ConnectedPeer = Readonly<{
  peer: SocketPeer;
  received: (readonly [kind: string, text?: string])[];
}>;

/** The default reply. Its body has a 64-bit id, blanks and characters beyond ASCII, so that every change is seen. */
export const REPLY: WireResponse = {
  status: 200,
  headers: {
    "Content-Type": "application/json; charset=utf-8",
    "X-Request-Id": "mount-1",
    "X-MBX-USED-WEIGHT-1M": "17",
    "Retry-After": "7",
  },
  body: '{"orderId": 9007199254740993, "price":"1.0", "msg":"é€"}\n',
};

/** A service that records what a mount hands over, and gives the answers that a rule sets. */
export class StandIn {
  /** Requests in the order in which they were handed over. */
  readonly received: WireRequest[] = [];
  /** Upgrade requests. */
  readonly upgrades: WireRequest[] = [];
  readonly peers: ConnectedPeer[] = [];
  /** How often the WebSocket part was told that the service stops. */
  shutdowns = 0;
  /** Returns the answer to a request. */
  reply: (request: WireRequest) => WireResponse | Promise<WireResponse> = () => REPLY;
  /** The refusal of upgrade requests; without it they are admitted. */
  refusal: WireResponse | undefined;

  readonly service: Service = {
    handle: async (request) => {
      this.received.push(request);
      return await this.reply(request);
    },
    sockets: {
      admit: async (request) => {
        this.upgrades.push(request);
        return this.refusal;
      },
      connect: (peer) => this.#connect(peer),
      shutdown: () => {
        this.shutdowns += 1;
        for (const { peer } of this.peers) peer.close(1001, "the service stops");
      },
    },
  };

  #connect(peer: SocketPeer): SocketSession {
    const received: (readonly [string, string?])[] = [];
    this.peers.push({ peer, received });
    return {
      receive: (text) => void received.push(["text", text]),
      receiveBinary: () => void received.push(["binary"]),
      pinged: () => void received.push(["ping"]),
      ponged: () => void received.push(["pong"]),
      closed: () => void received.push(["closed"]),
    };
  }
}

/** An answer that waits until a rule lets it go. */
export class Held {
  readonly #reply: Promise<WireResponse>;
  #release: (reply: WireResponse) => void = () => undefined;

  constructor() {
    this.#reply = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  readonly wait = (): Promise<WireResponse> => this.#reply;

  release(): void {
    this.#release(REPLY);
  }
}
