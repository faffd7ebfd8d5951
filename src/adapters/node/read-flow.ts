import type { Duplex } from "node:stream";

/** Reasons to stop reading a connection: too many of its requests already wait, or it is the turn of others. */
export type PauseReason = "waiting" | "turn";

/**
 * Pauses the reading of a connection, and resumes it when no reason is left. Requests of other code to pause or resume
 * wait until then.
 */
export class ReadFlow {
  readonly #socket: Duplex;
  readonly #pause: () => Duplex;
  readonly #resume: () => Duplex;
  readonly #reasons: Set<PauseReason> = new Set();
  #flowing = true;
  /** Called when a reason has ended, or when other code resumes the connection. */
  resumed: (reason: PauseReason | "others") => void = () => undefined;

  constructor(socket: Duplex) {
    this.#socket = socket;
    this.#pause = socket.pause.bind(socket);
    this.#resume = socket.resume.bind(socket);
    // Node resumes a socket after every request that ends.
    Object.assign(socket, { pause: () => this.#want(false), resume: () => this.#want(true) });
  }

  /** Whether other code wants the connection to flow. Node pauses a connection whose peer does not read its answers. */
  get isWanted(): boolean {
    return this.#flowing;
  }

  isPaused(reason: PauseReason): boolean {
    return this.#reasons.has(reason);
  }

  pause(reason: PauseReason): void {
    this.#reasons.add(reason);
    this.#pause();
  }

  resume(reason: PauseReason): void {
    if (!this.#reasons.delete(reason)) return;
    this.resumed(reason);
    if (this.#reasons.size === 0 && this.#flowing && !this.#socket.destroyed) this.#resume();
  }

  /**
   * Drops every reason without resuming. The next listener resumes the connection; data that arrived earlier would be
   * lost.
   */
  clear(): void {
    this.#reasons.clear();
  }

  #want(flowing: boolean): Duplex {
    this.#flowing = flowing;
    if (flowing) this.resumed("others");
    if (this.#reasons.size > 0) return this.#socket;
    return flowing ? this.#resume() : this.#pause();
  }
}

const FLOWS: WeakMap<Duplex, ReadFlow> = new WeakMap();

/** Returns the read flow of a connection. There is one per connection. */
export function readFlowOf(socket: Duplex): ReadFlow {
  const flow = FLOWS.get(socket) ?? new ReadFlow(socket);
  FLOWS.set(socket, flow);
  return flow;
}
