import type { Clock } from "../../ports/index.ts";

/** When a connection is pinged, when it must have answered, and how long it lives; milliseconds. */
export type KeepaliveTimes = Readonly<{ pingEveryMs: number; pongWithinMs: number; lifeMs: number }>;

/** What a keepalive does to its connection. */
export type KeepaliveHost = Readonly<{
  clock: Clock;
  realClock: Clock;
  ping: () => void;
  close: (reason: string) => void;
}>;

/** What a peer gets of real time to answer a ping, however fast the service's clock was moved. */
const REAL_GRACE_MS = 1_000;

type Ping = Readonly<{ atMs: number; realMs: number }>;

/**
 * Pings a peer, and ends the connection when no pong comes, or when it is as old as a connection may be.
 * Source: convention 1.2 gg and 4.2.
 */
export class Keepalive {
  readonly #times: KeepaliveTimes;
  readonly #host: KeepaliveHost;
  readonly #endsAtMs: number;
  /** The oldest ping that no pong has answered. */
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
      return this.#giveUp(this.#unanswered);
    }
    this.#unanswered ??= { atMs: nowMs, realMs: realClock.monotonicMs() };
    ping();
    this.#cancelTick = this.#plan();
  }

  /** Ends the connection, unless the peer had no real time to answer yet. */
  #giveUp({ realMs }: Ping): void {
    const { realClock, close } = this.#host;
    if (realClock.monotonicMs() - realMs >= REAL_GRACE_MS) return close("no pong");
    this.#cancelGrace = realClock.schedule(realMs + REAL_GRACE_MS, () => {
      if (this.#unanswered === undefined) this.#tick();
      else close("no pong");
    });
  }
}
