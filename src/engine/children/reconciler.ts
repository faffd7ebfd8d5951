import { capabilitiesOf, readNotFound, readReport } from "../../host-answers/index.ts";
import type { ChildRequest, ChildState } from "../../model/index.ts";
import type { ExecutionVenue, NotFound } from "../../ports/index.ts";
import type { InFlight } from "../core/api.ts";
import type { Core } from "../core/core.ts";
import type { Moment } from "../core/engine-time.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";
import type { ChildReports } from "./child-reports.ts";
import { VoidProof } from "./void-proof.ts";

/** Dependencies of {@link Reconciler}. */
export type ReconcileParts = Readonly<{
  venue: ExecutionVenue;
  timers: Timers;
  shards: Shards;
  reports: ChildReports;
}>;

type Case = {
  readonly child: ChildRequest;
  readonly proof: VoidProof;
  unknown: boolean;
  /** Start of the unknown state, by the monotonic clock. */
  unknownSinceMs: number;
  /** Time since which look-ups bring no readable answer; undefined when the newest did. */
  failingSinceMs: number | undefined;
  notFound: number;
  failures: number;
  escalated: boolean;
  /** Number of look-ups so far. Only the newest may prove that the venue does not know the child. */
  turn: number;
  cancel: (() => void) | undefined;
};

/**
 * Follows every outstanding child until it is resolved. An unknown child is looked up at once and again with growing
 * pauses. A child in flight is looked up now and then, which finds a lost fill message. If look-ups of a child in
 * flight bring nothing for a while, it becomes unknown too. "Not found" proves nothing before the deadline and a
 * quiet time have passed, and the venue must answer it twice (decision 12, I22). All waits use the monotonic clock.
 */
export class Reconciler {
  readonly #core: Core;
  readonly #parts: ReconcileParts;
  readonly #cases: Map<string, Case> = new Map();
  #stopped = false;

  constructor(core: Core, parts: ReconcileParts) {
    this.#core = core;
    this.#parts = parts;
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
    let count = 0;
    for (const one of this.#cases.values()) if (one.unknown) count++;
    return count;
  }

  /** Follows a child. An unknown one is looked up at once. */
  follow(child: ChildRequest, state: ChildState, deadlineMs: number): void {
    const known = this.#cases.get(child.childId);
    const nowMs = this.#core.monotonicMs();
    const one: Case = known ?? {
      child,
      proof: new VoidProof(this.#core, deadlineMs),
      unknown: false,
      unknownSinceMs: nowMs,
      failingSinceMs: undefined,
      notFound: 0,
      failures: 0,
      escalated: false,
      turn: 0,
      cancel: undefined,
    };
    this.#cases.set(child.childId, one);
    const turnedUnknown = state === "UNKNOWN" && !one.unknown;
    one.unknown = state === "UNKNOWN";
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

  /** Looks a child up at once because the decision on it may be lost. A due alert is sent again. */
  recheck(childId: string): void {
    const one = this.#cases.get(childId);
    if (one === undefined) return;
    one.escalated = false;
    this.#lookAfter(one, 0);
  }

  /** Stops following a child that is resolved or whose shard let go of it. */
  drop(childId: string): void {
    this.#cases.get(childId)?.cancel?.();
    this.#cases.delete(childId);
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
   * Returns whether an answer would be processed now. While the shard reloads, answers would only pile up in its
   * mailbox.
   */
  #mayAsk({ parentOrderId }: ChildRequest): boolean {
    return this.#parts.shards.ofOrder(parentOrderId).state !== "reloading";
  }

  async #look(one: Case): Promise<void> {
    if (!this.#isFollowed(one)) return;
    if (!this.#mayAsk(one.child)) return this.#lookAfter(one, this.#core.settings.reconcileEveryMs);
    const turn = ++one.turn;
    const askedAt = this.#core.time.moment();
    // A look-up that is never answered must not end the case: ask again after the time of a submit.
    const cancelPatience = this.#parts.timers.after(this.#core.settings.submitDeadlineMs, () =>
      this.#again(one),
    );
    try {
      const answer: unknown = await this.#parts.venue.lookup(one.child);
      this.#core.counters.activity++;
      const missing = readNotFound(answer);
      if (missing !== undefined) one.failingSinceMs = undefined;
      if (missing === undefined) this.#found(one, answer, "LOOKUP");
      else if (one.turn === turn) await this.#missed(one, missing, askedAt);
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
    const said = readReport(answer, one.child.childId);
    one.notFound = 0;
    if (said.kind === "report") {
      one.failures = 0;
      one.failingSinceMs = undefined;
    }
    this.#parts.reports.take(said, source);
    if (!this.#isFollowed(one)) return;
    if (said.kind === "unreadable") this.#again(one);
    else this.#lookAfter(one, this.#core.settings.reconcileEveryMs);
  }

  /** Handles "not found". It counts only if the venue was asked after deadline and quiet time (I22). */
  async #missed(one: Case, answer: NotFound, askedAt: Moment): Promise<void> {
    if (!this.#isFollowed(one)) return;
    if (!one.unknown) this.#parts.reports.missing(one.child);
    if (one.proof.waitMs(answer, askedAt.monotonicMs) > 0) return this.#awaitProof(one, answer);
    if (!one.proof.holds(answer, askedAt)) return this.#again(one);
    one.notFound++;
    if (one.notFound < 2 || !(await this.#settleMissing(one))) return this.#again(one);
    // The record may be lost with the store. The child is then still here and is settled again.
    if (this.#isFollowed(one)) this.#lookAfter(one, this.#core.settings.retryMaxMs);
  }

  /** Voids a child that the venue twice did not know, if the venue's capabilities make that safe. */
  async #settleMissing(one: Case): Promise<boolean> {
    const capabilities = capabilitiesOf(this.#parts.venue, this.#core.told("venue.capabilities"));
    if (capabilities.honoursDeadline) {
      this.#parts.reports.voided(one.child);
      return true;
    }
    if (!capabilities.canVoid || this.#parts.venue.voidChild === undefined) {
      this.#escalate(one, "the venue does not know it and can neither honour deadlines nor void ids");
      return false;
    }
    const answer: unknown = await this.#parts.venue.voidChild(one.child);
    if (answer === "voided") this.#parts.reports.voided(one.child);
    else this.#found(one, answer, "VOID");
    return true;
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
  #awaitProof(one: Case, answer: NotFound): void {
    this.#escalateOld(one);
    const waitMs = one.proof.waitMs(answer, this.#core.monotonicMs());
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
