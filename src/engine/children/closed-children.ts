import { capabilitiesOf, readNotFound, readReport } from "../../host-answers/index.ts";
import { type ChildRequest, MOST_CLOSE_WAIT_MS, type ParentOrder } from "../../model/index.ts";
import type { ExecutionVenue } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { childRequestOf } from "../core/live-order.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";
import type { ChildReports } from "./child-reports.ts";

/** How long the venue may execute a child after it has closed it: what it declares, or took in any parent seen here. */
export class CloseWait {
  readonly #core: Core;
  readonly #venue: ExecutionVenue;
  #longestMs = 0;

  constructor(core: Core, venue: ExecutionVenue) {
    this.#core = core;
    this.#venue = venue;
  }

  get ms(): number {
    const { fillsMayFollowCloseMs = 0 } = capabilitiesOf(
      this.#venue,
      this.#core.reporterOf("venue.capabilities"),
    );
    return Math.max(fillsMayFollowCloseMs, this.#longestMs);
  }

  /** Never sends the next child earlier again than the venue has needed once. */
  raise(waitMs: number): void {
    this.#longestMs = Math.max(this.#longestMs, waitMs);
  }
}

/** Dependencies of {@link ClosedChildren}. */
export type ClosedParts = Readonly<{
  venue: ExecutionVenue;
  timers: Timers;
  shards: Shards;
  reports: ChildReports;
  closeWait: CloseWait;
}>;

type Closed = {
  readonly child: ChildRequest;
  /** Time since which look-ups bring no readable answer, by the monotonic clock. */
  failingSinceMs: number | undefined;
  failures: number;
  /** Number of the newest look-up. Only its own patience may end it. */
  turn: number;
  cancel: (() => void) | undefined;
};

/**
 * Looks children up that the venue closed with less than asked, before the next child of their parents: the venue may have
 * closed them too early, and the next child would execute the same quantity again (decision 55). The journal keeps which
 * child it is, so it is looked up also after a restart.
 */
export class ClosedChildren {
  readonly #core: Core;
  readonly #parts: ClosedParts;
  /** By parent. */
  readonly #closed: Map<number, Closed> = new Map();

  constructor(core: Core, parts: ClosedParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Whether any child is to be looked up. */
  get busy(): boolean {
    return this.#closed.size > 0;
  }

  /** Follows the durable state of a parent. */
  follow(order: ParentOrder): void {
    const { earlyClose, orderId } = order;
    if (earlyClose === undefined) return;
    this.#parts.closeWait.raise(earlyClose.waitMs);
    const child = earlyClose.child && childRequestOf(order, earlyClose.child);
    const known = this.#closed.get(orderId);
    if (known !== undefined && known.child.childId === child?.childId) return;
    this.drop(orderId);
    if (child === undefined || this.#parts.shards.live(orderId)?.lookedUp === child.childId) return;
    const one: Closed = { child, failingSinceMs: undefined, failures: 0, turn: 0, cancel: undefined };
    this.#closed.set(orderId, one);
    if (earlyClose.waitMs > 0) this.#lookAfter(one, earlyClose.waitMs);
    else void this.#look(one);
  }

  /** Follows a parent that was read from the store. What was found out before is not known any more. */
  recover(order: ParentOrder): void {
    this.drop(order.orderId);
    this.follow(order);
  }

  /** Stops following a parent. */
  drop(orderId: number): void {
    this.#closed.get(orderId)?.cancel?.();
    this.#closed.delete(orderId);
  }

  stop(): void {
    for (const orderId of [...this.#closed.keys()]) this.drop(orderId);
  }

  #lookAfter(one: Closed, waitMs: number): void {
    one.cancel?.();
    one.cancel = this.#parts.timers.after(waitMs, () => void this.#look(one));
  }

  #isFollowed(one: Closed): boolean {
    return this.#closed.get(one.child.parentOrderId) === one;
  }

  async #look(one: Closed): Promise<void> {
    if (!this.#isFollowed(one)) return;
    const { settings, trust, counters } = this.#core;
    const { venue, timers, shards, reports } = this.#parts;
    const { childId, parentOrderId } = one.child;
    if (!trust.holds || shards.ofOrder(parentOrderId).state === "reloading")
      return this.#lookAfter(one, settings.reconcileEveryMs);
    const turn = ++one.turn;
    const failed = (why: string): void => {
      if (this.#isFollowed(one) && one.turn === turn) this.#failed(one, why);
    };
    const cancelPatience = timers.after(settings.submitDeadlineMs, () => failed("no answer"));
    try {
      const answer: unknown = await venue.lookup(one.child);
      counters.activity++;
      if (readNotFound(answer) !== undefined) return failed("the venue does not know it any more");
      const reading = readReport(answer, childId);
      reports.take(reading, "LOOKUP");
      if (reading.kind === "unreadable") return failed(reading.problem);
      if (!this.#isFollowed(one)) return;
      one.failingSinceMs = undefined;
      if (reading.report.state === "open") this.#lookAfter(one, settings.reconcileEveryMs);
      else this.#resume(one);
    } catch (error) {
      failed(String(error));
    } finally {
      cancelPatience();
    }
  }

  /** Looks up again, for as long as an execution may follow at most. */
  #failed(one: Closed, why: string): void {
    const { settings, telemetry } = this.#core;
    const nowMs = this.#core.monotonicMs();
    one.failingSinceMs ??= nowMs;
    const leftMs = one.failingSinceMs + MOST_CLOSE_WAIT_MS - nowMs;
    telemetry.event("warn", "lookup.failed", { childId: one.child.childId, message: why });
    if (leftMs <= 0) return this.#resume(one);
    const pauseMs = Math.min(settings.retryMaxMs, settings.retryMinMs * 2 ** Math.min(one.failures++, 30));
    this.#lookAfter(one, Math.min(pauseMs, leftMs));
  }

  /** Lets the parent send its next child, after the executions that the look-up found. */
  #resume(one: Closed): void {
    const { childId, parentOrderId } = one.child;
    this.drop(parentOrderId);
    const shard = this.#parts.shards.ofOrder(parentOrderId);
    shard.post(() => {
      const live = shard.liveOrders.get(parentOrderId);
      if (live?.working.earlyClose?.child?.childId !== childId) return;
      live.lookedUp = childId;
      this.#core.effects.emit({ kind: "REARM", live });
    });
  }
}
