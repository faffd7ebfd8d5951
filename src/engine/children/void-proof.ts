import type { NotFound } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { Moment } from "../core/engine-time.ts";

/**
 * When "not found" proves that a child can never execute (decision 12, I22). Whoever may have handed it over did so
 * with a deadline in the venue's time, so the proof is judged in that time where the answer says it; else by the wall
 * clock. And the longest time that a submit takes, with the venue's quiet time, must have passed by the monotonic
 * clock, which nobody can set forward. Source: decision DB.
 */
export class VoidProof {
  /** No venue that honours deadlines executes the child after this, in its own time. */
  readonly deadlineMs: number;
  readonly #quietMs: number;
  readonly #provesFromMs: number;
  readonly #provesWithoutTimeFromMs: number;

  /** The wait counts from now: the child is handed over, or found in the journal of an earlier process. */
  constructor({ settings, time }: Core, deadlineMs: number) {
    this.deadlineMs = deadlineMs;
    this.#quietMs = settings.venueQuietMs;
    const { monotonicMs, wallMs } = time.moment();
    const { submitDeadlineMs, venueQuietMs } = settings;
    this.#provesFromMs = monotonicMs + submitDeadlineMs + venueQuietMs;
    this.#provesWithoutTimeFromMs =
      monotonicMs + Math.max(submitDeadlineMs, deadlineMs - wallMs) + venueQuietMs;
  }

  /** Whether the answer to a question that was asked then counts. */
  holds(answer: NotFound, { monotonicMs, wallMs }: Moment): boolean {
    if (this.waitMs(answer, monotonicMs) > 0) return false;
    return typeof answer === "string"
      ? wallMs >= this.deadlineMs + this.#quietMs
      : answer.notFoundAtMs > this.deadlineMs;
  }

  /** How long no such answer can count yet, from a time of the monotonic clock on; not above 0 when one may. */
  waitMs(answer: NotFound, monotonicMs: number): number {
    const fromMs = typeof answer === "string" ? this.#provesWithoutTimeFromMs : this.#provesFromMs;
    return fromMs - monotonicMs;
  }
}
