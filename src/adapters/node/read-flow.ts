import type { Duplex } from "node:stream";

/** Why a connection is not read: too many of its requests wait already, or it is the turn of others. */
export type PauseReason = "waiting" | "turn";

/** Pauses the reading of a connection, and resumes it when no reason is left; what others ask of it meanwhile waits. */
export class ReadFlow {
  readonly #socket: Duplex;
  readonly #pause: () => Duplex;
  readonly #resume: () => Duplex;
  readonly #reasons: Set<PauseReason> = new Set();
  #flowing = true;
  /** Called when a reason has gone, or when others let it flow again. */
  resumed: (reason: PauseReason | "others") => void = () => undefined;

  constructor(socket: Duplex) {
    this.#socket = socket;
    this.#pause = socket.pause.bind(socket);
    this.#resume = socket.resume.bind(socket);
    // Node lets a socket flow again with every request that ends.
    Object.assign(socket, { pause: () => this.#want(false), resume: () => this.#want(true) });
  }

  /** Whether others want it to flow: Node stops a connection whose peer does not read its answers. */
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

  /** Forgets every reason. Whoever listens next lets it flow: before that what comes would be lost. */
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

/** The one read flow of a connection. */
export function readFlowOf(socket: Duplex): ReadFlow {
  const flow = FLOWS.get(socket) ?? new ReadFlow(socket);
  FLOWS.set(socket, flow);
  return flow;
}
