import type { NotFound } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { Moment } from "../core/engine-time.ts";

/**
 * Decides when "not found" proves that a child can never execute (decision 12, I22). Any process that handed the
 * child over did so with a deadline in the venue's time. The proof therefore uses the venue's time if the answer
 * gives it, and the wall clock otherwise. In addition, the longest duration of a submit plus the venue's quiet time
 * must have passed on the monotonic clock, which cannot be set forward (decision DB).
 */
export class VoidProof {
  /** A venue that honours deadlines does not execute the child after this, in its own time. */
  readonly deadlineMs: number;
  readonly #quietMs: number;
  readonly #provesFromMs: number;
  readonly #provesWithoutTimeFromMs: number;

  /** Starts the wait now: the child is handed over, or was found in the journal of an earlier process. */
  constructor({ settings, time }: Core, deadlineMs: number) {
    this.deadlineMs = deadlineMs;
    this.#quietMs = settings.venueQuietMs;
    const { monotonicMs, wallMs } = time.moment();
    const { submitDeadlineMs, venueQuietMs } = settings;
    this.#provesFromMs = monotonicMs + submitDeadlineMs + venueQuietMs;
    this.#provesWithoutTimeFromMs =
      monotonicMs + Math.max(submitDeadlineMs, deadlineMs - wallMs) + venueQuietMs;
  }

  /** Returns whether the answer to a look-up asked at that moment counts. */
  holds(answer: NotFound, { monotonicMs, wallMs }: Moment): boolean {
    if (this.waitMs(answer, monotonicMs) > 0) return false;
    return typeof answer === "string"
      ? wallMs >= this.deadlineMs + this.#quietMs
      : answer.notFoundAtMs > this.deadlineMs;
  }

  /**
   * Returns how long, from a time of the monotonic clock, no such answer can count yet. 0 or less means that one may.
   */
  waitMs(answer: NotFound, monotonicMs: number): number {
    const fromMs = typeof answer === "string" ? this.#provesWithoutTimeFromMs : this.#provesFromMs;
    return fromMs - monotonicMs;
  }
}
