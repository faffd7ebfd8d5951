import { readVenueTime } from "../../host-answers/index.ts";
import type { ExecutionVenue } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { Moment } from "../core/engine-time.ts";
import type { Timers } from "../time/timers.ts";

/** Pause between two questions for the venue's time. */
const QUERY_EVERY_MS = 30_000;

/** Most by which two clocks drift apart, as a share of the time that passes. Each is slewed by at most 500 ppm. */
const DRIFT = 1e-3;

/** Most by which the venue's time may differ from the wall clock. A greater difference is a wrong unit. */
const PLAUSIBLE_MS = 86_400_000;

/** What the venue said of its time between two moments, and how far the wall clock was ahead of the monotonic one. */
type Sample = Readonly<{ venueMs: number; requestedAtMs: number; receivedAtMs: number; wallAheadMs: number }>;

type Bounds = Readonly<{ earliestMs: number; latestMs: number }>;

/**
 * The venue's time, as far as its answers tell. An answer was given between the question and its arrival, which bounds the
 * venue's time from below and above. The bounds move on with the monotonic clock and widen by the drift. The wall clock
 * counts while it lies within them; otherwise the nearer bound does.
 *
 * The estimate sets deadlines. It proves nothing: whether a deadline has passed is judged by {@link reportedMs} and
 * by the times of answers alone, so a wrong estimate costs a refusal or a longer wait, and never a second execution.
 */
export class VenueClock {
  readonly #core: Core;
  readonly #venue: ExecutionVenue;
  readonly #timers: Timers;
  readonly #canQuery: boolean;
  #sample: Sample | undefined;
  #reportedMs: number | undefined;
  #hasReported = false;
  #isQuerying = false;
  #requestedAtMs: number = Number.NEGATIVE_INFINITY;
  #isApart = false;
  #isStopped = false;

  constructor(core: Core, venue: ExecutionVenue, timers: Timers) {
    this.#core = core;
    this.#venue = venue;
    this.#timers = timers;
    this.#canQuery = venue.venueTimeMs !== undefined;
  }

  /** Whether the venue tells its time. "Not found" without a time then proves nothing by itself. */
  get reportsTime(): boolean {
    return this.#hasReported || this.#canQuery;
  }

  /** Asks the venue for its time now and at intervals, if it can tell it. */
  begin(): void {
    if (this.#isStopped || !this.#canQuery) return;
    this.query();
    this.#timers.after(QUERY_EVERY_MS, () => this.begin());
  }

  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Returns the estimate of the venue's time for deadlines, in epoch milliseconds: the wall clock, without a step forward
   * that nothing confirms, as far as the venue's answers allow it. A deadline that one wrong reading has set far ahead
   * could not be proved over for as long. After the wall clock has gone forward, the answers before that count no more,
   * because the machine may have slept.
   */
  nowMs(): number {
    const wallMs = this.#core.time.unsteppedWallMs();
    const sample = this.#sample;
    if (sample === undefined) return wallMs;
    const monotonicMs = this.#core.monotonicMs();
    if (wallMs - monotonicMs - sample.wallAheadMs >= this.#core.settings.clockStepMs) {
      this.query();
      return wallMs;
    }
    const { earliestMs, latestMs } = boundsAt(sample, monotonicMs);
    return Math.min(Math.max(wallMs, earliestMs), latestMs);
  }

  /** Returns whether a time can be the venue's: it lies within a day of the wall clock, or of what that said before it was set. */
  isPlausible(venueMs: number): boolean {
    const { wallMs, time } = this.#core;
    return [wallMs(), time.unsteppedWallMs()].some((ms) => Math.abs(venueMs - ms) <= PLAUSIBLE_MS);
  }

  /** The newest time that the venue has told so far, which proofs may use; undefined if it told none that can be its. */
  get reportedMs(): number | undefined {
    return this.#reportedMs;
  }

  /** Asks the venue for its time, if it can tell it and was not asked just now. */
  query(): void {
    if (!this.#canQuery || this.#isQuerying || this.#isStopped) return;
    const requestedAt = this.#core.time.moment();
    if (requestedAt.monotonicMs - this.#requestedAtMs < this.#core.settings.retryMinMs) return;
    this.#requestedAtMs = requestedAt.monotonicMs;
    this.#isQuerying = true;
    void this.#question(requestedAt);
  }

  async #question(requestedAt: Moment): Promise<void> {
    try {
      const timeOf = (): unknown => this.#venue.venueTimeMs?.();
      const venueMs = await this.#core.questions.query("venue.venueTimeMs", timeOf, readVenueTime);
      this.receive(venueMs, requestedAt);
    } catch {
      // The failure has been reported. The venue is asked again.
    } finally {
      this.#isQuerying = false;
    }
  }

  /** Takes a time of the venue from an answer that arrives now, to a question asked at that moment. */
  receive(venueMs: number, requestedAt: Moment): void {
    const { wallMs, monotonicMs } = this.#core.time.moment();
    this.#hasReported = true;
    if (!this.isPlausible(venueMs)) return this.#report("venue.time-refused", venueMs - wallMs);
    const wallAheadMs = requestedAt.wallMs - requestedAt.monotonicMs;
    const sample = {
      venueMs,
      requestedAtMs: requestedAt.monotonicMs,
      receivedAtMs: monotonicMs,
      wallAheadMs,
    };
    this.#reportedMs = venueMs;
    this.#core.time.confirm(venueMs);
    // The machine may have slept while the answer was on its way.
    if (wallMs - monotonicMs - wallAheadMs >= this.#core.settings.clockStepMs) return;
    if (this.#isBetter(sample, wallAheadMs)) this.#sample = sample;
    this.#compare();
  }

  /** Returns whether a sample says more than the current one, or contradicts it because a clock was set. */
  #isBetter(sample: Sample, wallAheadMs: number): boolean {
    const current = this.#sample;
    if (current === undefined) return true;
    if (wallAheadMs - current.wallAheadMs >= this.#core.settings.clockStepMs) return true;
    const [now, before] = [boundsAt(sample, sample.receivedAtMs), boundsAt(current, sample.receivedAtMs)];
    const isApart = now.earliestMs > before.latestMs || now.latestMs < before.earliestMs;
    return isApart || now.latestMs - now.earliestMs <= before.latestMs - before.earliestMs;
  }

  /** Reports once that the wall clock has come apart from the venue's. */
  #compare(): void {
    const aheadMs = this.#core.wallMs() - this.nowMs();
    const isApart = Math.abs(aheadMs) >= this.#core.settings.clockStepMs;
    if (isApart && !this.#isApart) this.#report("venue.clock-apart", -aheadMs);
    this.#isApart = isApart;
  }

  /** Reports how far the venue's clock is ahead of the wall clock. */
  #report(name: string, aheadMs: number): void {
    this.#core.telemetry.event("warn", name, { aheadMs: Math.round(aheadMs) });
  }
}

/** Returns the bounds of the venue's time at a later moment of the monotonic clock. Its times are whole milliseconds. */
function boundsAt({ venueMs, requestedAtMs, receivedAtMs }: Sample, monotonicMs: number): Bounds {
  return {
    earliestMs: Math.floor(venueMs + (monotonicMs - receivedAtMs) * (1 - DRIFT)),
    latestMs: Math.ceil(venueMs + 1 + (monotonicMs - requestedAtMs) * (1 + DRIFT)),
  };
}
