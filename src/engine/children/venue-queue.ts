import { capabilitiesOf } from "../../host-answers/index.ts";
import { type ChildRequest, type ParentOrder, SHARD_COUNT, shardOfId } from "../../model/index.ts";
import type { ExecutionVenue } from "../../ports/index.ts";
import type { AppendTimes } from "../core/append-times.ts";
import type { Core } from "../core/core.ts";
import type { Moment } from "../core/engine-time.ts";
import { Fifo } from "../core/fifo.ts";
import { childRequestOf } from "../core/live-order.ts";
import type { VenueClock } from "./venue-clock.ts";
import { VenuePace } from "./venue-pace.ts";

/** A due child, the time until which it may go, when its intent was handed to the store, and whether it was durable in time. */
export type DueChild = Readonly<{
  child: ChildRequest;
  notAfterMs: number;
  askedAt?: Moment;
  isInTime?: boolean;
}>;

/** A due child in the queue, and its place among all that have come. */
type QueuedChild = DueChild & Readonly<{ place: number }>;

const byPlace = (a: QueuedChild, b: QueuedChild): number => a.place - b.place;

/** Latest time of children that an earlier version decided without one. */
const ANY_TIME: number = Number.MAX_SAFE_INTEGER;

/** Returns the due child of a parent; undefined for one without a child. */
export function dueChildOf(order: ParentOrder): DueChild | undefined {
  const child = childRequestOf(order);
  return child && { child, notAfterMs: order.child?.notAfterMs ?? ANY_TIME };
}

/** Dependencies of {@link VenueQueue}. */
export type VenueQueueParts = Readonly<{ venue: ExecutionVenue; venueClock: VenueClock; times: AppendTimes }>;

/** Due children that wait for the venue's rate. Reduce-only ones go first, and none is dropped (decision 26). */
export class VenueQueue {
  readonly #core: Core;
  readonly #venue: ExecutionVenue;
  readonly #clock: VenueClock;
  readonly #times: AppendTimes;
  readonly #reducing: Fifo<QueuedChild> = new Fifo();
  readonly #opening: Fifo<QueuedChild> = new Fifo();
  /** By shard number: children whose turn does not come before they are taken back. */
  readonly #aside: Map<number, QueuedChild[]> = new Map();
  #places = 0;
  readonly #pace: VenuePace = new VenuePace();

  constructor(core: Core, { venue, venueClock, times }: VenueQueueParts) {
    this.#core = core;
    this.#venue = venue;
    this.#clock = venueClock;
    this.#times = times;
  }

  get size(): number {
    let size = this.#reducing.size + this.#opening.size;
    for (const { length } of this.#aside.values()) size += length;
    return size;
  }

  /** The child that goes next. */
  get first(): DueChild | undefined {
    return this.#next.first;
  }

  add(due: DueChild): void {
    const aside = this.#aside.get(shardOfId(due.child.parentOrderId));
    (aside ?? (due.child.reduceOnly ? this.#reducing : this.#opening)).push(this.#queued(due));
  }

  /** Lets the children of a shard, also later ones, wait where they hold up no others. */
  setAside(shard: number): void {
    this.#aside.set(shard, [...this.removeOf(new Set([shard]))]);
  }

  /**
   * Adds the children of a shard again that were set aside, if any. They go to the places that they had: behind
   * children that came meanwhile, they would have to be confirmed anew when their turn comes, and never go out at a busy
   * venue; before all others, a shard that is aside again and again would keep those that came earlier.
   */
  takeBack(shard: number): void {
    const aside = this.#aside.get(shard);
    if (aside === undefined) return;
    this.#aside.delete(shard);
    this.#reducing.merge(
      aside.filter(({ child }) => child.reduceOnly),
      byPlace,
    );
    this.#opening.merge(
      aside.filter(({ child }) => !child.reduceOnly),
      byPlace,
    );
  }

  /** Puts the children of a shard behind all others, also those that reduce a position. */
  putLast(shard: number): void {
    for (const due of this.removeOf(new Set([shard]))) this.#opening.push(this.#queued(due));
  }

  /** Removes and returns the children of some shards, each in the order in which it would have gone. */
  removeOf(shards: ReadonlySet<number>): readonly QueuedChild[] {
    const removed: QueuedChild[] = [...shards].flatMap((shard) => this.#aside.get(shard) ?? []);
    for (const shard of shards) this.#aside.delete(shard);
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
   * Returns the latest time at which a child decided now may be handed over, by the estimate of the venue's time. This is the
   * deadline of a submit that starts when the store has kept the child's intent, and all children decided earlier have gone
   * out at the venue's rate.
   */
  notAfterMs(): number {
    this.readRate();
    const before = this.size + this.#core.counters.deciding;
    const waitMs = this.#pace.behindMs(this.#core.monotonicMs(), before);
    const startMs = this.#clock.nowMs() + this.#times.allowanceMs + waitMs;
    const notAfterMs = startMs + this.#core.settings.submitDeadlineMs;
    return Math.min(notAfterMs, ANY_TIME);
  }

  #queued(due: DueChild): QueuedChild {
    return { ...due, place: this.#places++ };
  }

  get #next(): Fifo<QueuedChild> {
    return this.#reducing.size > 0 ? this.#reducing : this.#opening;
  }
}
