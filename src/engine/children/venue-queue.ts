import { capabilitiesOf } from "../../host-answers/index.ts";
import { type ChildRequest, type ParentOrder, SHARD_COUNT, shardOfId } from "../../model/index.ts";
import type { ExecutionVenue } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { Fifo } from "../core/fifo.ts";
import { childRequestOf } from "../core/live-order.ts";
import type { VenueClock } from "./venue-clock.ts";
import { VenuePace } from "./venue-pace.ts";

/**
 * A due child, the time until which it may go, and when its shard was last confirmed as this engine's, in engine
 * time.
 */
export type DueChild = Readonly<{ child: ChildRequest; notAfterMs: number; ownedAtMs: number }>;

/** Latest time of children that an earlier version decided without one. */
const ANY_TIME: number = Number.MAX_SAFE_INTEGER;

/** Returns the due child of a parent whose shard was this engine's at `ownedAtMs`; undefined for one without a child. */
export function dueChildOf(order: ParentOrder, ownedAtMs: number): DueChild | undefined {
  const child = childRequestOf(order);
  return child && { child, notAfterMs: order.child?.notAfterMs ?? ANY_TIME, ownedAtMs };
}

/** Dependencies of {@link VenueQueue}. */
export type VenueQueueParts = Readonly<{ venue: ExecutionVenue; venueClock: VenueClock }>;

/** Due children that wait for the venue's rate. Reduce-only ones go first, and none is dropped (decision 26). */
export class VenueQueue {
  readonly #core: Core;
  readonly #venue: ExecutionVenue;
  readonly #clock: VenueClock;
  readonly #reducing: Fifo<DueChild> = new Fifo();
  readonly #opening: Fifo<DueChild> = new Fifo();
  readonly #pace: VenuePace = new VenuePace();

  constructor(core: Core, { venue, venueClock }: VenueQueueParts) {
    this.#core = core;
    this.#venue = venue;
    this.#clock = venueClock;
  }

  get size(): number {
    return this.#reducing.size + this.#opening.size;
  }

  /** The child that goes next. */
  get first(): DueChild | undefined {
    return this.#next.first;
  }

  add(due: DueChild): void {
    (due.child.reduceOnly ? this.#reducing : this.#opening).push(due);
  }

  /** Puts the children of a shard behind all others, also those that reduce a position. */
  putLast(shard: number): void {
    for (const due of this.removeOf(new Set([shard]))) this.#opening.push(due);
  }

  /** Removes and returns the children of some shards, each in the order in which it would have gone. */
  removeOf(shards: ReadonlySet<number>): readonly DueChild[] {
    const removed: DueChild[] = [];
    for (const queue of [this.#reducing, this.#opening]) {
      for (let left = queue.size; left > 0; left--) {
        const due = queue.shift();
        if (due === undefined) break;
        if (shards.has(shardOfId(due.child.parentOrderId))) removed.push(due);
        else queue.push(due);
      }
    }
    return removed;
  }

  /** Removes the child that goes next. */
  shift(): void {
    this.#next.shift();
  }

  /** Applies the rate that the venue declares now. Of several nodes, each has the part of it that its shards are of all. */
  readRate(): void {
    const { ratePerSecond } = capabilitiesOf(this.#venue, this.#core.told("venue.capabilities"));
    const part = Math.max(this.#core.counters.shards, 1) / SHARD_COUNT;
    this.#pace.declare(ratePerSecond === undefined ? undefined : ratePerSecond * part);
  }

  /** Returns how long the venue's rate lets no child out; 0 when one may go now. */
  waitMs(): number {
    return this.#pace.waitMs(this.#core.monotonicMs());
  }

  /** Counts a child that has gone out. `waited` says that it might have gone earlier, had a timer come in time. */
  sent(waited: boolean): void {
    this.#pace.sent(this.#core.monotonicMs(), waited);
  }

  /**
   * Returns the latest time at which a child decided now may be handed over, by the estimate of the venue's time. This is the deadline of a submit that starts after all children decided earlier have gone out at the
   * venue's rate.
   */
  notAfterMs(): number {
    this.readRate();
    const before = this.size + this.#core.counters.deciding;
    const waitMs = this.#pace.behindMs(this.#core.monotonicMs(), before);
    const notAfterMs = this.#clock.nowMs() + this.#core.settings.submitDeadlineMs + waitMs;
    return Math.min(notAfterMs, ANY_TIME);
  }

  get #next(): Fifo<DueChild> {
    return this.#reducing.size > 0 ? this.#reducing : this.#opening;
  }
}
