import type { Clock } from "../../ports/index.ts";

/**
 * A moment by both clocks. The wall clock is compared with times from outside; the monotonic clock measures
 * durations.
 */
export type Moment = Readonly<{ wallMs: number; monotonicMs: number }>;

/** How long the wall clock must say a later time, by the monotonic clock, before engine time follows it without a witness. */
export const CONFIRM_MS = 10_000;

/** Listeners for changes of an engine's time. They must not throw. */
export type TimeListeners = Readonly<{
  /** Called when engine time jumps forward with the wall clock. Timers that wait for engine time may be due. */
  jumped: () => void;
  /** Called once when the wall clock is set, with the size of the step in milliseconds. */
  stepped: (stepMs: number) => void;
}>;

/**
 * The time of an engine, in which its journal is written. It never falls. It runs on with the monotonic clock
 * whatever happens to the wall clock. It goes forward with the wall clock when that is later, because the machine
 * slept or its clock was corrected. By more than the smallest step it does so only when another clock agrees, or when
 * the wall clock still says so after {@link CONFIRM_MS}, so that one wrong reading ends nothing (decision 52). A wall
 * clock that is set back does not change it (decision DA; I55).
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
  /** The newest time of the store minus monotonic time. */
  #keptAheadMs: number | undefined;
  /** Since when the wall clock has said a later time that nothing confirms, by the monotonic clock. */
  #doubtedSinceMs: number | undefined;
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
    if (wallAheadMs !== this.#wallAheadMs || this.#doubtedSinceMs !== undefined)
      this.#look(wallAheadMs, monotonicMs);
    return monotonicMs + this.#aheadMs;
  }

  /** Returns the current moment by both clocks. A jump of engine time takes effect with this call. */
  moment(): Moment {
    const monotonicMs = this.#clock.monotonicMs();
    const wallMs = this.#clock.nowMs();
    if (wallMs - monotonicMs !== this.#wallAheadMs || this.#doubtedSinceMs !== undefined)
      this.#look(wallMs - monotonicMs, monotonicMs);
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

  /** Whether the wall clock says a later time that nothing confirms yet. */
  get isDoubted(): boolean {
    this.nowMs();
    return this.#doubtedSinceMs !== undefined;
  }

  /**
   * Begins at the newest time in the store. A wall clock that is later by more than the smallest step is confirmed as a
   * step is: the reading at the opening may be the wrong one.
   */
  begin(): void {
    if (this.#keptAheadMs !== undefined) this.#aheadMs = this.#keptAheadMs;
    const monotonicMs = this.#clock.monotonicMs();
    this.#look(this.#clock.nowMs() - monotonicMs, monotonicMs);
  }

  /** Takes the time that another clock tells now: engine time follows the wall clock as far as that. */
  confirm(toldMs: number): void {
    if (!this.isDoubted) return;
    const monotonicMs = this.#clock.monotonicMs();
    this.#raise(Math.min(this.#wallAheadMs, toldMs - monotonicMs));
    this.#look(this.#wallAheadMs, monotonicMs);
  }

  /** Raises engine time to at least the time of a stored record or print. */
  startFrom(keptMs: number): void {
    const aheadMs = keptMs - this.#clock.monotonicMs();
    this.#keptAheadMs = Math.max(this.#keptAheadMs ?? aheadMs, aheadMs);
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

  /** Compares the wall clock with what it said before, and follows it when it is confirmed. */
  #look(wallAheadMs: number, monotonicMs: number): void {
    const stepMs = wallAheadMs - this.#wallAheadMs;
    const isStep = Math.abs(stepMs) >= this.#smallestStepMs;
    this.#wallAheadMs = wallAheadMs;
    if (isStep) this.#doubtedSinceMs = undefined;
    const isLater = wallAheadMs - this.#aheadMs > this.#smallestStepMs;
    if (isLater) this.#doubtedSinceMs ??= monotonicMs;
    if (!isLater || monotonicMs - (this.#doubtedSinceMs ?? monotonicMs) >= CONFIRM_MS) {
      this.#doubtedSinceMs = undefined;
      this.#raise(wallAheadMs);
    }
    if (!isStep) return;
    this.#steppedAtMs = monotonicMs;
    this.#listeners?.stepped(stepMs);
  }

  #raise(aheadMs: number): void {
    if (aheadMs <= this.#aheadMs) return;
    this.#aheadMs = aheadMs;
    this.#listeners?.jumped();
  }
}
