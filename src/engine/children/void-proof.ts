import type { Core } from "../core/core.ts";
import type { Moment } from "../core/engine-time.ts";

/**
 * The clock that judges a "not found": the venue's, with the time that it told at or before the look-up, undefined if
 * it has told none that counts; or the wall clock, for a venue that never tells its time.
 */
export type Judge = Readonly<{ clock: "venue"; venueMs: number | undefined }> | Readonly<{ clock: "wall" }>;

/**
 * Decides when "not found" proves that a child can never execute (decision 12, I22). Any process that handed the
 * child over did so with a deadline in the venue's time. The proof therefore needs a time past deadline and quiet time:
 * one of the venue as soon as the venue tells its time at all, and one of the wall clock otherwise. In addition, the
 * longest duration of a submit plus the venue's quiet time must have passed on the monotonic clock, which cannot be set
 * forward (decisions DB, YB).
 */
export class VoidProof {
  /** A venue that honours deadlines does not execute the child after this, in its own time. */
  readonly deadlineMs: number;
  readonly #quietMs: number;
  readonly #quietFromMs: number;
  readonly #wallProvesFromMs: number;

  /** Starts the wait now: the child is handed over, or was found in the journal of an earlier process. */
  constructor({ settings, time }: Core, deadlineMs: number) {
    this.deadlineMs = deadlineMs;
    this.#quietMs = settings.venueQuietMs;
    const { monotonicMs } = time.moment();
    const { submitDeadlineMs, venueQuietMs } = settings;
    this.#quietFromMs = monotonicMs + submitDeadlineMs + venueQuietMs;
    this.#wallProvesFromMs =
      monotonicMs + Math.max(submitDeadlineMs, deadlineMs - time.unsteppedWallMs()) + venueQuietMs;
  }

  /** Returns whether the answer to a look-up asked at that moment counts; `wallMs` is without a step that nothing confirms. */
  holds(judge: Judge, { monotonicMs, wallMs }: Moment): boolean {
    if (this.waitMs(judge, monotonicMs) > 0) return false;
    const shownMs = judge.clock === "wall" ? wallMs : judge.venueMs;
    if (shownMs === undefined) return false;
    return shownMs > this.deadlineMs && shownMs >= this.deadlineMs + this.#quietMs;
  }

  /**
   * Returns how long, from a time of the monotonic clock, no answer can prove anything yet by this clock. 0 or less
   * means that one may.
   */
  waitMs({ clock }: Judge, monotonicMs: number): number {
    return (clock === "wall" ? this.#wallProvesFromMs : this.#quietFromMs) - monotonicMs;
  }

  /**
   * Returns how long the child may still arrive, by the monotonic clock and by an estimate of the venue's time. 0 or less
   * means that a venue that honours deadlines takes it in no more.
   */
  arrivalWaitMs(monotonicMs: number, venueMs: number): number {
    return Math.max(this.voidWaitMs(monotonicMs), this.deadlineMs + this.#quietMs - venueMs);
  }

  /** Returns how long, from a time of the monotonic clock, the venue is not asked to void the child yet. */
  voidWaitMs(monotonicMs: number): number {
    return this.#quietFromMs - monotonicMs;
  }
}
