import type { SocketPeer } from "./api.ts";

/** Kind of an outgoing text: the answer to a request, or an event. */
export type OutgoingKind = "reply" | "event";

/**
 * Bounded output of one connection. A reader that lets more wait than the limit of a kind gets no more of it. Each kind
 * has its own limit, so that one long answer does not make a reader of events look slow. Sizes count characters; the
 * texts are ASCII except for names that a client has chosen.
 */
export class Outbox {
  readonly #peer: SocketPeer;
  readonly #limits: Readonly<Record<OutgoingKind, number>>;
  /** Upper bound of the waiting size of each kind. Sent text is deducted when the bound is next checked. */
  readonly #waiting: Record<OutgoingKind, number> = { reply: 0, event: 0 };

  constructor(peer: SocketPeer, limits: Readonly<Record<OutgoingKind, number>>) {
    this.#peer = peer;
    this.#limits = limits;
  }

  /** Sends a text. Returns false if the reader is too slow for it. */
  send(kind: OutgoingKind, text: string): boolean {
    const waiting = Math.min(this.#waiting[kind], this.#peer.bufferedBytes());
    if (waiting > this.#limits[kind]) return false;
    this.#waiting[kind] = waiting + text.length;
    this.#peer.send(text);
    return true;
  }
}
