import type { Clock } from "../../ports/index.ts";

/**
 * A moment by both clocks. The wall clock is compared with times from outside; the monotonic clock measures
 * durations.
 */
export type Moment = Readonly<{ wallMs: number; monotonicMs: number }>;

/** Listeners for changes of an engine's time. They must not throw. */
export type TimeListeners = Readonly<{
  /** Called when engine time jumps forward with the wall clock. Timers that wait for engine time may be due. */
  jumped: () => void;
  /** Called once when the wall clock is set, with the size of the step in milliseconds. */
  stepped: (stepMs: number) => void;
}>;

/**
 * The time of an engine, in which its journal is written. It never falls. It runs on with the monotonic clock
 * whatever happens to the wall clock. It jumps forward with the wall clock when that is later, because the machine
 * slept or its clock was corrected. A wall clock that is set back does not change it (decision DA; I55).
 */
export class EngineTime {
  readonly #clock: Clock;
  readonly #smallestStepMs: number;
  /** Engine time minus monotonic time. It only rises. */
  #aheadMs: number;
  /** The same without the jumps since the engine was opened. */
  #steadyAheadMs: number;
  /** Wall clock minus monotonic clock when the engine was opened. */
  readonly #openedAheadMs: number;
  /** When the wall clock was set last, by the monotonic clock. */
  #steppedAtMs = Number.NEGATIVE_INFINITY;
  /** Wall clock minus monotonic clock, as last seen. */
  #wallAheadMs: number;
  #listeners: TimeListeners | undefined;

  /** Changes of the wall clock by less than `smallestStepMs` are not reported. */
  constructor(clock: Clock, smallestStepMs: number) {
    this.#clock = clock;
    this.#smallestStepMs = smallestStepMs;
    this.#wallAheadMs = clock.nowMs() - clock.monotonicMs();
    this.#aheadMs = this.#wallAheadMs;
    this.#steadyAheadMs = this.#wallAheadMs;
    this.#openedAheadMs = this.#wallAheadMs;
  }

  /** Returns engine time in epoch milliseconds. */
  nowMs(): number {
    const monotonicMs = this.#clock.monotonicMs();
    const wallAheadMs = this.#clock.nowMs() - monotonicMs;
    if (wallAheadMs !== this.#wallAheadMs) this.#moved(wallAheadMs);
    return monotonicMs + this.#aheadMs;
  }

  /** Returns the current moment by both clocks. A jump of engine time takes effect with this call. */
  moment(): Moment {
    const monotonicMs = this.#clock.monotonicMs();
    const wallMs = this.#clock.nowMs();
    if (wallMs - monotonicMs !== this.#wallAheadMs) this.#moved(wallMs - monotonicMs);
    return { wallMs, monotonicMs };
  }

  /**
   * Returns engine time without the jumps since the engine was opened. What retention has deleted ended before this time
   * less the period of retention.
   */
  steadyMs(): number {
    return this.#clock.monotonicMs() + this.#steadyAheadMs;
  }

  /**
   * Returns the time by which retention deletes: the least of the wall clock and of what it said when the engine was
   * opened, continued by the monotonic clock. A record that a clock far ahead has stamped does not raise it, so that one
   * wrong reading and a restart delete nothing (decision 52).
   */
  retentionMs(): number {
    return Math.min(this.#clock.monotonicMs() + this.#openedAheadMs, this.#clock.nowMs());
  }

  /** Whether the wall clock was set within the given time, by the monotonic clock. */
  hasSteppedWithin(ms: number): boolean {
    this.nowMs();
    return this.#clock.monotonicMs() - this.#steppedAtMs < ms;
  }

  /** Returns how far engine time is ahead of a wall clock that was set back; undefined below the smallest step. */
  aheadOfWallMs(): number | undefined {
    const aheadMs = this.nowMs() - this.#clock.nowMs();
    return aheadMs >= this.#smallestStepMs ? aheadMs : undefined;
  }

  /** Returns the monotonic time at which engine time is `engineMs`, if it does not jump before. */
  monotonicAt(engineMs: number): number {
    return engineMs - this.#aheadMs;
  }

  /** Raises engine time to at least the time of a stored record or print. */
  startFrom(keptMs: number): void {
    const aheadMs = keptMs - this.#clock.monotonicMs();
    this.#aheadMs = Math.max(this.#aheadMs, aheadMs);
    this.#steadyAheadMs = Math.max(this.#steadyAheadMs, aheadMs);
  }

  /**
   * Reports changes of time to the listeners until the returned function is called. Subscribes to a clock that
   * announces steps.
   */
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
    if (Math.abs(stepMs) < this.#smallestStepMs) return;
    this.#steppedAtMs = this.#clock.monotonicMs();
    this.#listeners?.stepped(stepMs);
  }
}
