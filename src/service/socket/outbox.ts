import type { SocketPeer } from "./api.ts";

/** What is sent: an answer to a request, or an event that nobody asked for in particular. */
export type OutgoingKind = "reply" | "event";

/**
 * What goes out on one connection, bounded: a reader that lets more wait than the limit of its kind gets no more. The
 * two kinds have limits of their own, so that one long answer does not make a reader of events look slow. Sizes count
 * the characters of texts that are ASCII but for what a client has named itself.
 */
export class Outbox {
  readonly #peer: SocketPeer;
  readonly #limits: Readonly<Record<OutgoingKind, number>>;
  /** At most this much of each kind waits; what has left meanwhile is taken off when it is looked at. */
  readonly #waiting: Record<OutgoingKind, number> = { reply: 0, event: 0 };

  constructor(peer: SocketPeer, limits: Readonly<Record<OutgoingKind, number>>) {
    this.#peer = peer;
    this.#limits = limits;
  }

  /** Sends a text; false when the reader is too slow for it. */
  send(kind: OutgoingKind, text: string): boolean {
    const waiting = Math.min(this.#waiting[kind], this.#peer.bufferedBytes());
    if (waiting > this.#limits[kind]) return false;
    this.#waiting[kind] = waiting + text.length;
    this.#peer.send(text);
    return true;
  }
}
