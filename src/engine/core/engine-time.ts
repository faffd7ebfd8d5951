import type { Clock } from "../../ports/index.ts";

/** A moment by both clocks: what comes from outside is judged by the wall clock, how long ago by the monotonic one. */
export type Moment = Readonly<{ wallMs: number; monotonicMs: number }>;

/** Who hears of an engine's time; neither may throw. */
export type TimeListeners = Readonly<{
  /** Engine time jumped forward with the wall clock: what waits for it may be due. */
  jumped: () => void;
  /** The wall clock was set by this many milliseconds, told once. */
  stepped: (stepMs: number) => void;
}>;

/**
 * The time of an engine, in which its journal is written: it never falls, runs on with the monotonic clock whatever
 * happens to the wall clock, and jumps forward with the wall clock when that is later (the machine slept, or its clock
 * was put right). A wall clock that is set back changes nothing of it. Source: decision DA; I55.
 */
export class EngineTime {
  readonly #clock: Clock;
  readonly #smallestStepMs: number;
  /** Engine time less monotonic time; it only rises. */
  #aheadMs: number;
  /** The same without the jumps since the engine was opened. */
  #steadyAheadMs: number;
  /** Wall clock less monotonic clock, as last seen. */
  #wallAheadMs: number;
  #listeners: TimeListeners | undefined;

  /** A change of the wall clock by less than `smallestStepMs` is told nobody. */
  constructor(clock: Clock, smallestStepMs: number) {
    this.#clock = clock;
    this.#smallestStepMs = smallestStepMs;
    this.#wallAheadMs = clock.nowMs() - clock.monotonicMs();
    this.#aheadMs = this.#wallAheadMs;
    this.#steadyAheadMs = this.#wallAheadMs;
  }

  /** Engine time, epoch milliseconds. */
  nowMs(): number {
    const monotonicMs = this.#clock.monotonicMs();
    const wallAheadMs = this.#clock.nowMs() - monotonicMs;
    if (wallAheadMs !== this.#wallAheadMs) this.#moved(wallAheadMs);
    return monotonicMs + this.#aheadMs;
  }

  /** Now, by both clocks; a jump of engine time counts from then on. */
  moment(): Moment {
    const monotonicMs = this.#clock.monotonicMs();
    const wallMs = this.#clock.nowMs();
    if (wallMs - monotonicMs !== this.#wallAheadMs) this.#moved(wallMs - monotonicMs);
    return { wallMs, monotonicMs };
  }

  /** Engine time without the jumps since the engine was opened: what is kept for so long is not dropped at a jump. */
  steadyMs(): number {
    return this.#clock.monotonicMs() + this.#steadyAheadMs;
  }

  /** How far engine time is ahead of a wall clock that was set back; undefined for less than the smallest step. */
  aheadOfWallMs(): number | undefined {
    const aheadMs = this.nowMs() - this.#clock.nowMs();
    return aheadMs >= this.#smallestStepMs ? aheadMs : undefined;
  }

  /** When the monotonic clock shows what it must for engine time to be `engineMs`, as things stand. */
  monotonicAt(engineMs: number): number {
    return engineMs - this.#aheadMs;
  }

  /** Something was kept at this engine time, a record or a print: time goes on from there at the earliest. */
  startFrom(keptMs: number): void {
    const aheadMs = keptMs - this.#clock.monotonicMs();
    this.#aheadMs = Math.max(this.#aheadMs, aheadMs);
    this.#steadyAheadMs = Math.max(this.#steadyAheadMs, aheadMs);
  }

  /** Tells what happens to time, until the returned function is called. A clock that tells of steps is listened to. */
  watch(listeners: TimeListeners): () => void {
    this.#listeners = listeners;
    const unsubscribe = this.#clock.onStep?.(() => void this.nowMs());
    return () => {
      this.#listeners = undefined;
      unsubscribe?.();
    };
  }

  #moved(wallAheadMs: number): void {
    const stepMs = wallAheadMs - this.#wallAheadMs;
    this.#wallAheadMs = wallAheadMs;
    if (wallAheadMs > this.#aheadMs) {
      this.#aheadMs = wallAheadMs;
      this.#listeners?.jumped();
    }
    if (Math.abs(stepMs) >= this.#smallestStepMs) this.#listeners?.stepped(stepMs);
  }
}
