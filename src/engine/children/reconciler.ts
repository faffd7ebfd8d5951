import { capabilitiesOf, readNotFound, readReport } from "../../host-answers/index.ts";
import type { ChildOrder, ChildRequest, ChildState } from "../../model/index.ts";
import type { NotFound, VenueCapabilities } from "../../ports/index.ts";
import type { InFlight } from "../core/api.ts";
import type { Core } from "../core/core.ts";
import type { Moment } from "../core/engine-time.ts";
import type { VenueSide } from "./child-reports.ts";
import type { VenueClock } from "./venue-clock.ts";

/**
 * The clock that judges a "not found": the venue's, with the time that it told at or before the look-up, undefined if
 * it has told none that counts; or the wall clock, for a venue that never tells its time.
 */
type Judge = Readonly<{ clock: "venue"; venueMs: number | undefined }> | Readonly<{ clock: "wall" }>;

/**
 * Decides when "not found" proves that a child can never execute (I22). Any process that handed the child over did so with
 * a deadline in the venue's time. The proof therefore needs a time past deadline and quiet time: one of the venue as soon
 * as the venue tells its time at all, and one of the wall clock otherwise. In addition, the longest duration of a submit
 * plus the venue's quiet time must have passed on the monotonic clock, which cannot be set forward.
 */
class VoidProof {
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

type Case = {
  readonly child: ChildRequest;
  /** Whether another process may have handed it over. */
  readonly isInherited: boolean;
  readonly proof: VoidProof;
  unknown: boolean;
  /** Start of the unknown state, by the monotonic clock. */
  unknownSinceMs: number;
  /** Time since which look-ups bring no readable answer; undefined when the newest did. */
  failingSinceMs: number | undefined;
  notFound: number;
  /** Whether the venue has been asked to void it since it last reported on it. */
  voidRequested: boolean;
  failures: number;
  escalated: boolean;
  /** Number of look-ups so far. Only the newest may prove that the venue does not know the child. */
  turn: number;
  cancel: (() => void) | undefined;
};

/** No clock judges a child: that of the node that handed it over may have been another one, and the venue tells none. */
const NO_CLOCK: Judge = { clock: "venue", venueMs: undefined };

const UNJUDGED =
  "the venue does not know it, tells no time by which the deadline of another node could be judged, and cannot void ids";

/**
 * When a look-up was asked, also by the wall clock without a step that nothing confirms, and the newest time that the venue had
 * told until then.
 */
type Requested = Moment & Readonly<{ unsteppedMs: number; reportedMs: number | undefined }>;

/**
 * Follows every outstanding child until it is resolved. An unknown child is looked up at once and again with growing
 * pauses. A child in flight is looked up now and then, which finds a lost fill message. If look-ups of a child in flight
 * bring nothing for a while, it becomes unknown too. "Not found" proves nothing before the deadline and a quiet time have
 * passed, and the venue must answer it twice (I22). A venue that can void ids is asked to do so first. All waits use the
 * monotonic clock.
 */
export class Reconciler {
  readonly #core: Core;
  readonly #parts: VenueSide;
  readonly #venueClock: VenueClock;
  readonly #cases: Map<string, Case> = new Map();
  #stopped = false;
  /** Number of children with an unknown outcome. */
  #unknown = 0;

  constructor(core: Core, parts: VenueSide, venueClock: VenueClock) {
    this.#core = core;
    this.#parts = parts;
    this.#venueClock = venueClock;
  }

  /** Number of children that are followed now, and of those with an unknown outcome. */
  get followed(): InFlight {
    return { inFlight: this.#cases.size, unknown: this.unknown };
  }

  /** Whether the outcome of any child is awaited. */
  get busy(): boolean {
    return this.#cases.size > 0;
  }

  get unknown(): number {
    return this.#unknown;
  }

  /** Follows a child. An unknown one is looked up at once. */
  follow(child: ChildRequest, state: ChildState, deadlineMs: number): void {
    const known = this.#cases.get(child.childId);
    const nowMs = this.#core.monotonicMs();
    const one: Case = known ?? {
      child,
      isInherited: state !== "SENT",
      proof: new VoidProof(this.#core, deadlineMs),
      unknown: false,
      unknownSinceMs: nowMs,
      failingSinceMs: undefined,
      notFound: 0,
      voidRequested: false,
      failures: 0,
      escalated: false,
      turn: 0,
      cancel: undefined,
    };
    this.#cases.set(child.childId, one);
    const turnedUnknown = state === "UNKNOWN" && !one.unknown;
    this.#mark(one, state === "UNKNOWN");
    if (!one.unknown) one.notFound = 0;
    if (turnedUnknown) {
      one.unknownSinceMs = nowMs;
      this.#lookAfter(one, 0);
    } else if (known === undefined) {
      const { submitDeadlineMs, reconcileEveryMs } = this.#core.settings;
      this.#lookAfter(one, Math.max(submitDeadlineMs, reconcileEveryMs));
    }
  }

  /** Returns the deadline of a followed child; undefined for any other. */
  deadlineOf(childId: string): number | undefined {
    return this.#cases.get(childId)?.proof.deadlineMs;
  }

  /**
   * Returns how many milliseconds a child may still take to arrive at a venue that honours its deadline; 0 or less if it
   * cannot arrive any more.
   */
  arrivalWaitMs({ childId, notAfterMs }: ChildOrder): number {
    const [one, venueMs] = [this.#cases.get(childId), this.#venueClock.nowMs()];
    const { venueQuietMs } = this.#core.settings;
    return one?.proof.arrivalWaitMs(this.#core.monotonicMs(), venueMs) ?? notAfterMs + venueQuietMs - venueMs;
  }

  /** Looks a child up at once because the decision on it may be lost. A due alert is sent again. */
  recheck(childId: string): void {
    const one = this.#cases.get(childId);
    if (one === undefined) return;
    one.escalated = false;
    this.#lookAfter(one, 0);
  }

  /** Stops following a child that is resolved or whose shard let go of it. */
  drop(childId: string): void {
    const one = this.#cases.get(childId);
    if (one === undefined) return;
    one.cancel?.();
    this.#cases.delete(childId);
    this.#mark(one, false);
  }

  #mark(one: Case, isUnknown: boolean): void {
    if (one.unknown === isUnknown) return;
    one.unknown = isUnknown;
    const before = this.#unknown;
    this.#unknown += isUnknown ? 1 : -1;
    // A child that nobody follows after the end of the engine is as unknown as before.
    if (!this.#stopped && (before === 0) !== (this.#unknown === 0))
      this.#core.effects.emit({ kind: "ORDERS_CHANGED" });
  }

  stop(): void {
    this.#stopped = true;
    for (const childId of [...this.#cases.keys()]) this.drop(childId);
  }

  #lookAfter(one: Case, waitMs: number): void {
    one.cancel?.();
    one.cancel = this.#parts.timers.after(waitMs, () => void this.#look(one));
  }

  #isFollowed(one: Case): boolean {
    return !this.#stopped && this.#cases.get(one.child.childId) === one;
  }

  /**
   * Returns whether an answer would be processed now. While the shard reloads, or the trust of the engine has lapsed,
   * answers would only pile up in its mailbox.
   */
  #mayQuery({ parentOrderId }: ChildRequest): boolean {
    return this.#core.trust.holds && this.#parts.shards.ofOrder(parentOrderId).state !== "reloading";
  }

  async #look(one: Case): Promise<void> {
    if (!this.#isFollowed(one)) return;
    if (!this.#mayQuery(one.child)) return this.#lookAfter(one, this.#core.settings.reconcileEveryMs);
    const turn = ++one.turn;
    // "Not found" alone will be judged by a time that the venue told before the look-up.
    const reportedMs = this.#venueClock.reportedMs;
    if (one.unknown) this.#venueClock.query();
    const { time } = this.#core;
    const requested = { ...time.moment(), unsteppedMs: time.unsteppedWallMs(), reportedMs };
    // A look-up that is never answered must not end the case: ask again after the time of a submit.
    const cancelPatience = this.#parts.timers.after(this.#core.settings.submitDeadlineMs, () =>
      this.#again(one),
    );
    try {
      const answer: unknown = await this.#parts.venue.lookup(one.child);
      this.#core.counters.activity++;
      const missing = readNotFound(answer);
      if (missing !== undefined) one.failingSinceMs = undefined;
      if (typeof missing === "object") this.#venueClock.receive(missing.notFoundAtMs, requested);
      if (missing === undefined) this.#found(one, answer, "LOOKUP");
      else if (one.turn === turn) await this.#missed(one, missing, requested);
    } catch (error) {
      this.#core.telemetry.event("warn", "lookup.failed", {
        childId: one.child.childId,
        message: String(error),
      });
      if (one.turn === turn) this.#again(one);
    } finally {
      cancelPatience();
    }
  }

  /**
   * Processes an answer. The readable part of an unreadable answer counts, but the look-up has failed: the child
   * stays unknown.
   */
  #found(one: Case, answer: unknown, source: "LOOKUP" | "VOID"): void {
    const reading = readReport(answer, one.child.childId);
    one.notFound = 0;
    one.voidRequested = false;
    if (reading.kind === "report") {
      one.failures = 0;
      one.failingSinceMs = undefined;
    }
    this.#parts.reports.take(reading, source);
    if (!this.#isFollowed(one)) return;
    if (reading.kind === "unreadable") this.#again(one);
    else this.#lookAfter(one, this.#core.settings.reconcileEveryMs);
  }

  /**
   * Handles "not found". It counts only if the venue was asked after deadline and quiet time (I22). To have an id voided,
   * no deadline must have passed.
   */
  async #missed(one: Case, answer: NotFound, requested: Requested): Promise<void> {
    if (!this.#isFollowed(one)) return;
    if (!one.unknown) this.#parts.reports.missing(one.child);
    const { proof } = one;
    const judge = this.#judgeOf(one, answer, requested.reportedMs);
    const capabilities = capabilitiesOf(this.#parts.venue, this.#core.reporterOf("venue.capabilities"));
    const mayVoid = capabilities.canVoid && this.#parts.venue.voidChild !== undefined;
    const waitMs = (nowMs: number): number =>
      mayVoid ? proof.voidWaitMs(nowMs) : proof.waitMs(judge, nowMs);
    if (waitMs(requested.monotonicMs) > 0) return this.#awaitProof(one, waitMs(this.#core.monotonicMs()));
    const isProved = proof.holds(judge, { ...requested, wallMs: requested.unsteppedMs });
    if (!isProved && !mayVoid) {
      if (judge === NO_CLOCK) this.#escalate(one, UNJUDGED);
      return this.#again(one);
    }
    one.notFound++;
    if (one.notFound < 2 || !(await this.#settleMissing(one, capabilities, isProved)))
      return this.#again(one);
    // The record may be lost with the store. The child is then still here and is settled again.
    if (this.#isFollowed(one)) this.#lookAfter(one, this.#core.settings.retryMaxMs);
  }

  /** Returns the clock that judges an answer, and what it showed; `reportedMs` is what the venue had told of it before. */
  #judgeOf({ isInherited }: Case, answer: NotFound, reportedMs: number | undefined): Judge {
    const venueClock = this.#venueClock;
    if (typeof answer === "object") {
      const { notFoundAtMs } = answer;
      return { clock: "venue", venueMs: venueClock.isPlausible(notFoundAtMs) ? notFoundAtMs : undefined };
    }
    if (!venueClock.reportsTime)
      return isInherited && this.#core.trust.isLeased ? NO_CLOCK : { clock: "wall" };
    return { clock: "venue", venueMs: reportedMs };
  }

  /**
   * Voids a child that the venue twice did not know, if the venue's capabilities make that safe. A venue that can void
   * is asked first. If that brings nothing, the proof that the deadline has passed suffices where deadlines are honoured.
   */
  async #settleMissing(one: Case, capabilities: VenueCapabilities, isProved: boolean): Promise<boolean> {
    const { venue, reports } = this.#parts;
    const suffices = isProved && capabilities.honoursDeadline;
    if (capabilities.canVoid && venue.voidChild !== undefined && !(one.voidRequested && suffices)) {
      one.voidRequested = true;
      const answer: unknown = await venue.voidChild(one.child);
      if (answer === "voided") reports.voided(one.child);
      else this.#found(one, answer, "VOID");
      return true;
    }
    if (suffices) reports.voided(one.child);
    else this.#escalate(one, "the venue does not know it and can neither honour deadlines nor void ids");
    return suffices;
  }

  #again(one: Case): void {
    if (!this.#isFollowed(one)) return;
    const { retryMinMs, retryMaxMs, escalateAfterMs } = this.#core.settings;
    const nowMs = this.#core.monotonicMs();
    one.failingSinceMs ??= nowMs;
    if (!one.unknown && nowMs - one.failingSinceMs >= escalateAfterMs)
      this.#parts.reports.unanswered(one.child);
    this.#escalateOld(one);
    const pauseMs = Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(one.failures++, 30));
    this.#lookAfter(one, pauseMs);
  }

  /** Schedules the next look-up while nothing can be proved yet. */
  #awaitProof(one: Case, waitMs: number): void {
    this.#escalateOld(one);
    this.#lookAfter(one, Math.min(waitMs, this.#core.settings.reconcileEveryMs));
  }

  #escalateOld(one: Case): void {
    const unknownForMs = this.#core.monotonicMs() - one.unknownSinceMs;
    if (one.unknown && unknownForMs >= this.#core.settings.escalateAfterMs)
      this.#escalate(one, "its outcome is still not known");
  }

  #escalate(one: Case, why: string): void {
    if (one.escalated) return;
    one.escalated = true;
    this.#parts.reports.escalated(one.child, `child ${one.child.childId}: ${why}`);
  }
}
