import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Holdings } from "../../service/index.ts";
import { MESSAGE_COST } from "../../service/internal.ts";
import type { TrafficGate } from "./gate.ts";

/** Memory that Node needs for a request and its answer besides their bytes. */
export const REQUEST_COST: number = 32 * MESSAGE_COST;

type NetworkRequests = { readonly holdings: Holdings; requests: number };

/** Counts the requests of one connection by network: a proxy's connection carries requests of many clients. */
export class HeldConnection {
  readonly #gate: TrafficGate;
  readonly #socket: Duplex;
  readonly #shared: Map<string, NetworkRequests> = new Map();

  constructor(gate: TrafficGate, socket: Duplex) {
    this.#gate = gate;
    this.#socket = socket;
  }

  /** Starts counting a request of a network. */
  request(network: string, request: IncomingMessage): HeldRequest {
    const socket = this.#socket;
    const shared = this.#shared.get(network) ?? {
      holdings: this.#gate.guest(network, {
        unsentBytes: () => socket.writableLength,
        putOut: () => socket.destroy(),
      }),
      requests: 0,
    };
    this.#shared.set(network, shared);
    shared.requests++;
    return new HeldRequest(shared.holdings, headBytes(request) + REQUEST_COST, () => {
      shared.requests--;
      if (shared.requests > 0) return;
      shared.holdings.end();
      this.#shared.delete(network);
    });
  }
}

/** Counts the bytes of one request, from its head to the end of its answer. */
export class HeldRequest {
  readonly #holdings: Holdings;
  readonly #ended: () => void;
  #unread = 0;
  #unanswered = 0;
  #unsent = 0;

  constructor(holdings: Holdings, bytes: number, ended: () => void) {
    this.#holdings = holdings;
    this.#ended = ended;
    this.arrived(bytes);
  }

  /** Counts further bytes of the request. */
  arrived(bytes: number): void {
    this.#unread += bytes;
    this.#holdings.hold("unread", bytes);
  }

  /** Counts the request as being answered from now on. */
  begun(): void {
    this.#unanswered = this.#unread;
    this.#unread = 0;
    this.#holdings.hold("unread", -this.#unanswered);
    this.#holdings.hold("unanswered", this.#unanswered);
  }

  /** Counts the bytes of the answer that goes out. */
  answered(bytes: number): void {
    this.#unsent = bytes;
    this.#holdings.hold("unsent", bytes);
  }

  /** Ends the count: the answer has gone out, or never will. */
  end(): void {
    this.#holdings.hold("unread", -this.#unread);
    this.#holdings.hold("unanswered", -this.#unanswered);
    this.#holdings.hold("unsent", -this.#unsent);
    this.#ended();
  }
}

function headBytes({ url = "", rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length, url.length);
}
