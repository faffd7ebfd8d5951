import type { Clock } from "../../ports/index.ts";

/** Ping interval, time allowed for a pong, and lifetime of a connection, in milliseconds. */
export type KeepaliveTimes = Readonly<{ pingEveryMs: number; pongWithinMs: number; lifeMs: number }>;

/** Clocks and callbacks of a keepalive. */
export type KeepaliveHost = Readonly<{
  clock: Clock;
  realClock: Clock;
  ping: () => void;
  close: (reason: string) => void;
}>;

/** Real time that a peer always gets to answer a ping, however fast the service's clock is moved. */
const REAL_GRACE_MS = 1_000;

type Ping = Readonly<{ atMs: number; realMs: number }>;

/**
 * Pings a peer. Closes the connection if no pong arrives or the connection reaches its maximum age.
 * Source: convention 1.2 gg and 4.2.
 */
export class Keepalive {
  readonly #times: KeepaliveTimes;
  readonly #host: KeepaliveHost;
  readonly #endsAtMs: number;
  /** The oldest ping without a pong. */
  #unanswered: Ping | undefined;
  #cancelTick: () => void;
  #cancelGrace: () => void = () => undefined;

  constructor(times: KeepaliveTimes, host: KeepaliveHost) {
    this.#times = times;
    this.#host = host;
    this.#endsAtMs = host.clock.monotonicMs() + times.lifeMs;
    this.#cancelTick = this.#plan();
  }

  ponged(): void {
    this.#unanswered = undefined;
  }

  stop(): void {
    this.#cancelTick();
    this.#cancelGrace();
  }

  #plan(): () => void {
    const { clock } = this.#host;
    const nextMs = Math.min(clock.monotonicMs() + this.#times.pingEveryMs, this.#endsAtMs);
    return clock.schedule(nextMs, () => this.#tick());
  }

  #tick(): void {
    const { clock, realClock, ping, close } = this.#host;
    const nowMs = clock.monotonicMs();
    if (nowMs >= this.#endsAtMs) return close("the connection has reached its age");
    if (this.#unanswered !== undefined && nowMs - this.#unanswered.atMs >= this.#times.pongWithinMs) {
      return this.#abandon(this.#unanswered);
    }
    this.#unanswered ??= { atMs: nowMs, realMs: realClock.monotonicMs() };
    ping();
    this.#cancelTick = this.#plan();
  }

  /** Closes the connection, unless the peer has had too little real time to answer. */
  #abandon({ realMs }: Ping): void {
    const { realClock, close } = this.#host;
    if (realClock.monotonicMs() - realMs >= REAL_GRACE_MS) return close("no pong");
    this.#cancelGrace = realClock.schedule(realMs + REAL_GRACE_MS, () => {
      if (this.#unanswered === undefined) this.#tick();
      else close("no pong");
    });
  }
}
