import { errorMessage } from "../../common/index.ts";
import { shardOfId } from "../../lifecycle/index.ts";
import type { ChildRequest, ParentOrder } from "../../model/index.ts";
import type { ExecutionVenue } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";
import type { ChildReports } from "./child-reports.ts";
import { objectionTo } from "./objection.ts";
import type { Reconciler } from "./reconciler.ts";
import type { DueChild, VenueQueue } from "./venue-queue.ts";

/** What a dispatcher works with. */
export type DispatchParts = Readonly<{
  venue: ExecutionVenue;
  venueQueue: VenueQueue;
  timers: Timers;
  shards: Shards;
  market: MarketHub;
  reports: ChildReports;
  reconciler: Reconciler;
}>;

/**
 * Hands durable intents to the venue, each once. Keeps the venue's rate: due children queue, reduce-only ones first,
 * none is dropped (decision 26). Whoever takes a shard over looks up what it finds, and settles it when the deadline
 * of a child handed over then and the quiet time have passed; so a child that waited here for longer than the quiet
 * time goes out only after the store has said again whose shard it is (I26). None goes out after the time that its
 * intent names, by the wall clock: it is withdrawn, by a record, and the parent tries again.
 */
export class Dispatcher {
  readonly #core: Core;
  readonly #parts: DispatchParts;
  readonly #handed: Set<string> = new Set();
  /** When the store last said of a shard, by its number, that it is this engine's; engine time. */
  readonly #confirmedAtMs: Map<number, number> = new Map();
  /** Nothing goes out before it is time, or before the store has answered. */
  #waiting = false;
  #stopped = false;

  constructor(core: Core, parts: DispatchParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Whether this process holds the child: queued, or handed over without an outcome yet. */
  holds(childId: string): boolean {
    return this.#handed.has(childId);
  }

  /** Takes in the child of a record that became durable; its shard was this engine's at `ownedAtMs`, engine time. */
  submit(order: ParentOrder, ownedAtMs: number): void {
    const child = this.#parts.venueQueue.add(order, ownedAtMs);
    if (child === undefined) return;
    this.#handed.add(child.childId);
    this.#pump(false);
  }

  /** The child is resolved. */
  forget(childId: string): void {
    this.#handed.delete(childId);
  }

  /** Nothing is handed over from now on; what is queued stays an intent and is looked up after a restart. */
  stop(): void {
    this.#stopped = true;
  }

  /** Hands over all that the rate lets out now; `waited` when a timer of it was set. */
  #pump(waited: boolean): void {
    const { venueQueue } = this.#parts;
    venueQueue.readRate();
    while (!this.#stopped && !this.#waiting) {
      const { first: due } = venueQueue;
      if (due === undefined) return;
      const waitMs = venueQueue.waitMs();
      if (waitMs > 0) return this.#pumpAfter(waitMs);
      if (!this.#isOwned(due)) return void this.#confirm(due.child);
      venueQueue.shift();
      if (this.#send(due)) venueQueue.sent(waited);
    }
  }

  /** Whether the child's shard was known to be this engine's within the quiet time. */
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
    const { reports, reconciler, timers } = this.#parts;
    const wallMs = this.#core.wallMs();
    const objection =
      wallMs >= notAfterMs ? "the time for it has passed" : objectionTo(child, this.#core, this.#parts);
    if (objection !== undefined) {
      this.#handed.delete(child.childId);
      reports.withdrawn(child, objection);
      return false;
    }
    const deadlineMs = Math.min(notAfterMs, wallMs + this.#core.settings.submitDeadlineMs);
    reconciler.follow(child, "SENT", deadlineMs);
    this.#core.counters.children++;
    const cancelDeadline = timers.after(deadlineMs - wallMs, () =>
      reports.lost(child, "no answer by the deadline"),
    );
    this.#core.probe("before-submit");
    this.#call(child, deadlineMs).then(
      (answer) => {
        cancelDeadline();
        this.#core.probe("after-submit");
        reports.answered(child, answer);
      },
      (error: unknown) => {
        cancelDeadline();
        this.#core.probe("after-submit");
        reports.lost(child, errorMessage(error));
      },
    );
    return true;
  }

  /** A venue that throws instead of rejecting has an unknown outcome too. */
  async #call(child: ChildRequest, deadlineMs: number): Promise<unknown> {
    return await this.#parts.venue.submit(child, { deadlineMs });
  }
}
