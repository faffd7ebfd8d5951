import { errorMessage } from "../../common/index.ts";
import { type ChildRequest, type ParentOrder, shardOfId } from "../../model/index.ts";
import type { ExecutionVenue, SubmitOptions } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";
import type { ChildReports } from "./child-reports.ts";
import { objectionTo } from "./objection.ts";
import type { Reconciler } from "./reconciler.ts";
import type { Submissions } from "./submissions.ts";
import type { VenueClock } from "./venue-clock.ts";
import type { DueChild, VenueQueue } from "./venue-queue.ts";

/** Dependencies of {@link Dispatcher}. */
export type DispatchParts = Readonly<{
  venue: ExecutionVenue;
  venueQueue: VenueQueue;
  timers: Timers;
  shards: Shards;
  market: MarketHub;
  reports: ChildReports;
  reconciler: Reconciler;
  submissions: Submissions;
  venueClock: VenueClock;
}>;

/**
 * Hands durable intents to the venue, each once. Keeps the venue's rate: due children queue, reduce-only ones first,
 * and none is dropped (decision 26).
 *
 * An engine that takes a shard over looks up the children that it finds. It settles them when the deadline of a child
 * handed over at that time and the quiet time have passed. A child that waited here for longer than the quiet time
 * therefore goes out only after the store has confirmed again that the shard is this engine's (I26).
 *
 * No child goes out while the trust of the engine has lapsed. It waits for the next renewal.
 *
 * No child goes out after the time that its intent names, by the estimate of the venue's time. A late child is withdrawn
 * by a record, and the parent tries again. Whatever the process does between that check and the arrival at the venue,
 * the venue refuses the child after this time (decision YB).
 */
export class Dispatcher {
  readonly #core: Core;
  readonly #parts: DispatchParts;
  readonly #handed: Set<string> = new Set();
  /** By shard number: when the store last confirmed that the shard is this engine's, in engine time. */
  readonly #confirmedAtMs: Map<number, number> = new Map();
  /** True while a timer or a confirmation by the store is awaited. Nothing goes out until then. */
  #waiting = false;
  #held = false;
  #stopped = false;
  /** Number of submits without an answer. */
  #unanswered = 0;
  #whenAnswered: () => void = () => undefined;

  constructor(core: Core, parts: DispatchParts) {
    this.#core = core;
    this.#parts = parts;
    core.trust.onExtended(() => this.#pump(false));
  }

  /** Returns whether this process holds the child: queued, or handed over without an outcome yet. */
  holds(childId: string): boolean {
    return this.#handed.has(childId);
  }

  /** Queues the child of a record that became durable. The shard was this engine's at `ownedAtMs`, engine time. */
  submit(order: ParentOrder, ownedAtMs: number): void {
    const child = this.#parts.venueQueue.add(order, ownedAtMs);
    if (child === undefined) return;
    this.#handed.add(child.childId);
    this.#pump(false);
  }

  /** Forgets a resolved child. */
  forget(childId: string): void {
    this.#handed.delete(childId);
  }

  /**
   * Hands nothing more over: children that become due stay in the queue. Resolves when every child that was handed over
   * is answered, or its deadline has passed.
   */
  async hold(): Promise<void> {
    this.#held = true;
    if (this.#unanswered === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenAnswered = resolve;
      this.#parts.timers.after(this.#core.settings.submitDeadlineMs, resolve);
    });
  }

  /** Withdraws the children in the queue, each by a record. */
  withdraw(): void {
    const { venueQueue, reports } = this.#parts;
    for (let due = venueQueue.first; due !== undefined; due = venueQueue.first) {
      venueQueue.shift();
      this.#handed.delete(due.child.childId);
      reports.withdrawn(due.child, "the engine hands its shards over");
    }
  }

  /** Stops handing children over. Queued children stay intents and are looked up after a restart. */
  stop(): void {
    this.#stopped = true;
  }

  /** Hands over all children that the rate allows now. `waited` says that a timer was set for it. */
  #pump(waited: boolean): void {
    const { venueQueue } = this.#parts;
    venueQueue.readRate();
    while (!this.#stopped && !this.#held && !this.#waiting && this.#core.trust.holds) {
      const { first: due } = venueQueue;
      if (due === undefined) return;
      const waitMs = venueQueue.waitMs();
      if (waitMs > 0) return this.#pumpAfter(waitMs);
      if (!this.#isOwned(due)) return void this.#confirm(due.child);
      venueQueue.shift();
      if (this.#send(due)) venueQueue.sent(waited);
    }
  }

  /** Returns whether the store has confirmed the child's shard as this engine's within the quiet time. */
  #isOwned({ child, ownedAtMs }: DueChild): boolean {
    const confirmedAtMs = this.#confirmedAtMs.get(shardOfId(child.parentOrderId)) ?? ownedAtMs;
    return this.#core.nowMs() - Math.max(ownedAtMs, confirmedAtMs) <= this.#core.settings.venueQuietMs;
  }

  #pumpAfter(waitMs: number): void {
    this.#waiting = true;
    this.#parts.timers.after(waitMs, () => {
      this.#waiting = false;
      this.#pump(true);
    });
  }

  async #confirm(child: ChildRequest): Promise<void> {
    this.#waiting = true;
    const askedAtMs = this.#core.nowMs();
    try {
      await this.#parts.shards.ofOrder(child.parentOrderId).confirm();
    } catch (error) {
      this.#core.telemetry.event("warn", "confirm.failed", { message: errorMessage(error) });
      return this.#pumpAfter(this.#core.settings.retryMinMs);
    }
    this.#core.counters.activity++;
    this.#confirmedAtMs.set(shardOfId(child.parentOrderId), askedAtMs);
    this.#waiting = false;
    this.#pump(true);
  }

  #send({ child, notAfterMs }: DueChild): boolean {
    const { reports, reconciler, timers, submissions, venueClock } = this.#parts;
    const venueMs = venueClock.nowMs();
    const objection =
      venueMs >= notAfterMs ? "the time for it has passed" : objectionTo(child, this.#core, this.#parts);
    if (objection !== undefined) {
      this.#handed.delete(child.childId);
      reports.withdrawn(child, objection);
      return false;
    }
    const deadlineMs = Math.min(notAfterMs, venueMs + this.#core.settings.submitDeadlineMs);
    reconciler.follow(child, "SENT", deadlineMs);
    this.#core.counters.children++;
    const submission = submissions.begin(deadlineMs);
    const cancelDeadline = timers.after(deadlineMs - venueMs, () => {
      reports.lost(child, "no answer by the deadline");
      submission.abandon();
    });
    this.#unanswered++;
    const answered = (): void => {
      if (--this.#unanswered === 0) this.#whenAnswered();
      cancelDeadline();
      submission.answered();
      this.#core.probe("after-submit");
    };
    this.#core.probe("before-submit");
    this.#call(child, submission.options).then(
      (answer) => {
        answered();
        reports.answered(child, answer);
      },
      (error: unknown) => {
        answered();
        // The venue gave up because it was told to. The outcome counts as unknown already.
        if (!submission.isAborted) reports.lost(child, errorMessage(error));
      },
    );
    return true;
  }

  /** Calls the venue. A venue that throws instead of rejecting has an unknown outcome too. */
  async #call(child: ChildRequest, options: SubmitOptions): Promise<unknown> {
    return await this.#parts.venue.submit(child, options);
  }
}
