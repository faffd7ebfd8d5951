import type { ChildReport, ChildRequest } from "../model/index.ts";

declare global {
  /** Lets the types compile in a program that has neither the types of Node.js nor those of the DOM. */
  interface AbortSignal {}
}

/** An event that the venue sends by itself. Fills may come twice, late, or before the answer to the submit. */
export interface VenueEvent {
  readonly report: ChildReport;
}

/**
 * The venue has no such child now. `notFoundAtMs` is the venue's own time in epoch milliseconds, told after the look-up
 * was asked: with it the venue's clock alone decides whether a deadline has passed. "not-found" alone counts only after
 * the venue has told a time past the deadline and the quiet time by `venueTimeMs`. Of a venue that tells its time in
 * neither way, the clock must agree with the engine's wall clock.
 */
export type NotFound = "not-found" | Readonly<{ notFoundAtMs: number }>;

/** Guarantees of a venue. */
export interface VenueCapabilities {
  /** Whether it never executes a child after the deadline of its submit, by its own clock. */
  readonly honoursDeadline: boolean;
  /** Whether it can void an id so that it can never execute. */
  readonly canVoid: boolean;
  /**
   * Number of submits that it accepts in any period of one second. After a pause some come at once. None means no
   * limit.
   */
  readonly ratePerSecond?: number;
  /**
   * For how many milliseconds executions may follow a `closed` report, 0 to 30000. None means 0. A child that closed with
   * less than asked is looked up after this time, and before the next child of its parent. An execution that comes later
   * raises it to as long as it took.
   */
  readonly fillsMayFollowCloseMs?: number;
}

/** Limits of one submit. */
export interface SubmitOptions {
  /**
   * When the submit expires: a moment by the venue's own clock, in milliseconds since the epoch, and not a duration. It
   * is at most `submitDeadlineMs` after the engine's estimate of the venue's time, which is the wall clock as far as the
   * venue's answers allow it. A venue that honours deadlines executes nothing of the child after it.
   */
  readonly deadlineMs: number;
  /**
   * Aborts when the engine stops waiting for the answer: at the deadline, or when the engine closes. Pass it on to end
   * the request, as in `fetch(url, { signal })`. It does not cancel the child. The outcome of an aborted submit is
   * unknown, and the engine looks the child up; it never takes the child as not sent.
   */
  readonly signal: AbortSignal;
}

/**
 * The host's execution path. `submit` is called at most once per child id. A rejected promise means that the outcome
 * is unknown; the engine then looks the child up and never submits it again.
 */
export interface ExecutionVenue {
  readonly capabilities: VenueCapabilities;
  /** Submits a child. It must not execute after `deadlineMs` if the venue says that it honours deadlines. */
  submit(child: ChildRequest, options: SubmitOptions): Promise<ChildReport>;
  /**
   * Returns what the venue knows of a child. Rejects if the venue cannot say, for example because its records do not
   * go back far enough: "not found" would count as proof.
   */
  lookup(child: ChildRequest): Promise<ChildReport | NotFound>;
  /**
   * Returns the venue's own time in epoch milliseconds: the clock by which it judges deadlines, read after the call. That
   * clock must not be set back. Rejects if the venue cannot say; the time of another clock is wrong. The engine asks at
   * its start, every 30 seconds, and with the look-ups of a child of unknown outcome.
   */
  venueTimeMs?(): Promise<number>;
  /** Ensures that the child can never execute. Resolves to "voided", or to the report if the child exists. */
  voidChild?(child: ChildRequest): Promise<ChildReport | "voided">;
  /**
   * Delivers events until the returned function is called. Fills that follow a closed report of a child are delivered
   * again to a new listener, because the engine looks such a child up once at most.
   */
  subscribe(listener: (event: VenueEvent) => void): () => void;
}
