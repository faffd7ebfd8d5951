import type { Duplex } from "node:stream";

/** Why a connection is not read: too many of its requests wait already, or it is the turn of others. */
export type GateReason = "waiting" | "turn";

/** Stops the reading of a connection, and begins it again when no reason is left; what others ask of it meanwhile waits. */
export class Gate {
  readonly #socket: Duplex;
  readonly #pause: () => Duplex;
  readonly #resume: () => Duplex;
  readonly #reasons: Set<GateReason> = new Set();
  #flowing = true;
  /** Called when a reason has gone, or when others let it flow again. */
  opened: (reason: GateReason | "others") => void = () => undefined;

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

  isClosed(reason: GateReason): boolean {
    return this.#reasons.has(reason);
  }

  close(reason: GateReason): void {
    this.#reasons.add(reason);
    this.#pause();
  }

  open(reason: GateReason): void {
    if (!this.#reasons.delete(reason)) return;
    this.opened(reason);
    if (this.#reasons.size === 0 && this.#flowing && !this.#socket.destroyed) this.#resume();
  }

  /** Forgets every reason. Whoever listens next lets it flow: before that what comes would be lost. */
  clear(): void {
    this.#reasons.clear();
  }

  #want(flowing: boolean): Duplex {
    this.#flowing = flowing;
    if (flowing) this.opened("others");
    if (this.#reasons.size > 0) return this.#socket;
    return flowing ? this.#resume() : this.#pause();
  }
}

const GATES: WeakMap<Duplex, Gate> = new WeakMap();

/** The one gate of a connection. */
export function gateOf(socket: Duplex): Gate {
  const gate = GATES.get(socket) ?? new Gate(socket);
  GATES.set(socket, gate);
  return gate;
}
