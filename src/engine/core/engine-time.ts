import type { Clock } from "../../ports/index.ts";

/**
 * A moment by both clocks. The wall clock is compared with times from outside; the monotonic clock measures
 * durations.
 */
export type Moment = Readonly<{ wallMs: number; monotonicMs: number }>;

/** How long the wall clock must say a later time, by the monotonic clock, before engine time follows it without a witness. */
export const CONFIRM_MS = 10_000;

/** Listeners for changes of an engine's time. They must not throw. */
type TimeListeners = Readonly<{
  /** Called when engine time jumps forward with the wall clock. Timers that wait for engine time may be due. */
  jumped: () => void;
  /** Called once when the wall clock is set, with the size of the step in milliseconds. */
  stepped: (stepMs: number) => void;
}>;

/**
 * The time of an engine, in which its journal is written. It never falls. It runs on with the monotonic clock whatever
 * happens to the wall clock. It goes forward with the wall clock when that is later, because the machine slept or its clock
 * was corrected. By more than the smallest step it does so only when another clock agrees, or when the wall clock still
 * says so after {@link CONFIRM_MS} and no store on another machine denies it, so that one wrong reading, or a node that is
 * apart, ends nothing. A wall clock that is set back does not change it (I55).
 */
export class EngineTime {
  readonly #clock: Clock;
  readonly #smallestStepMs: number;
  /** Engine time minus monotonic time. It only rises. */
  #aheadMs: number;
  /** The latest time by which retention has deleted. */
  #deletedMs = Number.NEGATIVE_INFINITY;
  /** Wall clock minus monotonic clock when the engine was opened. */
  readonly #openedAheadMs: number;
  #hasBegun = false;
  /** When the wall clock was set last, or an opening found it far ahead of the store, by the monotonic clock. */
  #steppedAtMs = Number.NEGATIVE_INFINITY;
  /** Since when the wall clock has not been set, by the monotonic clock. */
  #steadySinceMs: number;
  /** Wall clock minus monotonic clock, as last seen. */
  #wallAheadMs: number;
  /** The same without a step forward that nothing confirms. */
  #unsteppedAheadMs: number;
  /** The newest time of the store minus monotonic time. */
  #storedAheadMs: number | undefined;
  /** The store's clock minus monotonic time, as last heard. */
  #storeAheadMs = Number.POSITIVE_INFINITY;
  /** The same of a store on another machine; before one was heard, nothing that the wall clock could be ahead of. */
  #witnessAheadMs = Number.POSITIVE_INFINITY;
  /** Whether the wall clock says a later time that nothing confirms yet. */
  #isDoubted = false;
  /** Whether engine time is what the wall clock says: before the engine begins, and until that has said so for long enough. */
  #isProvisional = true;
  #listeners: TimeListeners | undefined;

  /** Changes of the wall clock by less than `smallestStepMs` are not reported. */
  constructor(clock: Clock, smallestStepMs: number) {
    this.#clock = clock;
    this.#smallestStepMs = smallestStepMs;
    this.#steadySinceMs = clock.monotonicMs();
    this.#wallAheadMs = clock.nowMs() - this.#steadySinceMs;
    this.#unsteppedAheadMs = this.#wallAheadMs;
    this.#aheadMs = this.#wallAheadMs;
    this.#openedAheadMs = this.#wallAheadMs;
  }

  /** Returns engine time in epoch milliseconds. */
  nowMs(): number {
    const monotonicMs = this.#clock.monotonicMs();
    const wallAheadMs = this.#clock.nowMs() - monotonicMs;
    if (wallAheadMs !== this.#wallAheadMs || this.#isDoubted) this.#look(wallAheadMs, monotonicMs);
    return monotonicMs + this.#aheadMs;
  }

  /** Returns the current moment by both clocks. A jump of engine time takes effect with this call. */
  moment(): Moment {
    const monotonicMs = this.#clock.monotonicMs();
    const wallMs = this.#clock.nowMs();
    if (wallMs - monotonicMs !== this.#wallAheadMs || this.#isDoubted)
      this.#look(wallMs - monotonicMs, monotonicMs);
    return { wallMs, monotonicMs };
  }

  /**
   * Returns the latest time by which this process, or one before it, can have deleted: what retention has deleted ended before
   * this time less the period of retention. A clock that was far ahead at the opening, or is now, does not raise it.
   */
  deletedByMs(): number {
    const monotonicMs = this.#clock.monotonicMs();
    const wallMs = Math.min(this.#clock.nowMs(), monotonicMs + this.#openedAheadMs);
    const storedAheadMs = this.#storedAheadMs ?? Number.NEGATIVE_INFINITY;
    return Math.max(wallMs, monotonicMs + storedAheadMs, this.#deletedMs);
  }

  /**
   * Returns the time by which retention deletes: the least of engine time, the wall clock, what that said when the engine
   * was opened, and what the store's clock said last, both continued by the monotonic clock. A record that a clock far
   * ahead has stamped does not raise it, so that one wrong reading and a restart delete nothing.
   */
  retentionMs(): number {
    const engineMs = this.nowMs();
    const otherAheadMs = Math.min(this.#openedAheadMs, this.#storeAheadMs);
    const retentionMs = Math.min(engineMs, this.#clock.nowMs(), this.#clock.monotonicMs() + otherAheadMs);
    this.#deletedMs = Math.max(this.#deletedMs, retentionMs);
    return retentionMs;
  }

  /** Whether the wall clock was set within the given time, by the monotonic clock, or an opening found it far ahead. */
  hasSteppedWithin(ms: number): boolean {
    this.nowMs();
    return this.#clock.monotonicMs() - this.#steppedAtMs <= ms;
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

  /**
   * Returns when a record was written that is read from the store, by the monotonic clock. Until the engine begins that is by the
   * wall clock of its opening, whatever it says meanwhile, and may be in the future; {@link begin} tells how wrong it was.
   */
  writtenAt(recordMs: number): number {
    if (!this.#hasBegun) return recordMs - this.#openedAheadMs;
    return Math.min(recordMs - this.#aheadMs, this.#clock.monotonicMs());
  }

  /** Whether engine time is only what the wall clock says, before the engine begins. */
  get isProvisional(): boolean {
    return this.#isProvisional;
  }

  /** Whether the wall clock says a later time that nothing confirms yet. */
  get isDoubted(): boolean {
    this.nowMs();
    return this.#isDoubted;
  }

  /**
   * How long the wall clock must still say a later time until engine time follows it without a witness, unless one denies it; 0
   * if it says none or has said so for long enough.
   */
  get doubtedForMs(): number {
    return this.isDoubted ? Math.max(this.#steadySinceMs + CONFIRM_MS - this.#clock.monotonicMs(), 0) : 0;
  }

  /** How far the wall clock has gone forward since a moment without being confirmed; 0 if it has not. */
  steppedSinceMs({ wallMs, monotonicMs }: Moment): number {
    return this.isDoubted ? Math.max(this.#wallAheadMs - (wallMs - monotonicMs), 0) : 0;
  }

  /** How far the wall clock is ahead of engine time; 0 if it is not. */
  get wallLeadMs(): number {
    this.nowMs();
    return Math.max(this.#wallAheadMs - this.#aheadMs, 0);
  }

  /** Returns the wall clock without a step forward that nothing confirms: what it said before, and the time since. */
  unsteppedWallMs(): number {
    const { wallMs, monotonicMs } = this.moment();
    return Math.min(wallMs, monotonicMs + this.#unsteppedAheadMs);
  }

  /**
   * Begins at the newest time in the store. A wall clock that is later by more than the smallest step is confirmed as a
   * step is, unless it has said so for long enough already: the reading at the opening may be the wrong one. Returns how much
   * younger, in milliseconds, everything is that was read before.
   */
  begin(): number {
    const monotonicMs = this.#clock.monotonicMs();
    this.#look(this.#clock.nowMs() - monotonicMs, monotonicMs);
    const storedAheadMs = this.#storedAheadMs ?? this.#aheadMs;
    this.#aheadMs = this.#isProvisional ? storedAheadMs : Math.max(this.#aheadMs, storedAheadMs);
    this.#isProvisional = false;
    this.#look(this.#wallAheadMs, monotonicMs);
    if (this.#isDoubted) this.#steppedAtMs = monotonicMs;
    this.#hasBegun = true;
    return this.#openedAheadMs - this.#aheadMs;
  }

  /** Takes the time that another clock tells now: engine time follows the wall clock as far as that. */
  confirm(confirmedMs: number): void {
    if (!this.isDoubted) return;
    const monotonicMs = this.#clock.monotonicMs();
    this.#raise(Math.min(this.#wallAheadMs, confirmedMs - monotonicMs));
    this.#look(this.#wallAheadMs, monotonicMs);
  }

  /** Takes the time that the store's clock tells now. It confirms the wall clock only if it is another machine's. */
  takeStoreTime({ clockMs, elsewhere }: Readonly<{ clockMs: number; elsewhere?: boolean }>): void {
    this.#storeAheadMs = clockMs - this.#clock.monotonicMs();
    if (elsewhere !== true) return;
    this.#witnessAheadMs = this.#storeAheadMs;
    this.confirm(clockMs);
  }

  /** Raises engine time to at least the time of a stored record or print: whoever wrote it had it confirmed. */
  startFrom(storedMs: number): void {
    const aheadMs = storedMs - this.#clock.monotonicMs();
    this.#storedAheadMs = Math.max(this.#storedAheadMs ?? aheadMs, aheadMs);
    this.#raise(aheadMs);
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
    const isDenied = wallAheadMs - this.#witnessAheadMs > this.#smallestStepMs;
    if (!isStep && !isDenied && monotonicMs - this.#steadySinceMs >= CONFIRM_MS) this.#isProvisional = false;
    if (isStep) this.#steadySinceMs = monotonicMs;
    if (this.#isProvisional) this.#aheadMs = wallAheadMs;
    const isLater = wallAheadMs - this.#aheadMs > this.#smallestStepMs;
    this.#isDoubted = isLater && (isDenied || monotonicMs - this.#steadySinceMs < CONFIRM_MS);
    if (!this.#isDoubted) this.#raise(wallAheadMs);
    this.#unsteppedAheadMs = this.#isDoubted ? Math.min(this.#unsteppedAheadMs, wallAheadMs) : wallAheadMs;
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
