import { FairQueue, type Queued } from "../../common/index.ts";
import { capabilitiesOf } from "../../host-answers/index.ts";
import { type ChildRequest, SHARD_COUNT, shardOfId } from "../../model/index.ts";
import type { ExecutionVenue } from "../../ports/index.ts";
import type { AppendTimes, Core } from "../core/core.ts";
import type { Moment } from "../core/engine-time.ts";
import { Fifo } from "../core/fifo.ts";
import type { VenueClock } from "./venue-clock.ts";

/** Capacity of the token bucket, as the time in which the rate fills it. */
const BURST_MS = 50;

/** Longest delay of a timer, while children wait, that wastes no part of the rate. */
const LATE_MS = 250;

const SECOND_MS = 1_000;

/** Tolerance for rounding errors. Times are whole milliseconds; a smaller difference is a rounding error. */
const ROUNDING_MS = 1e-3;

type Sends = { readonly atMs: number; count: number };

/**
 * The rate that a venue declares, as a token bucket. It yields one child every `1000 / rate` ms and holds the yield of 50
 * ms, at least one. In addition, no period of one second, wherever it begins, sees more children than the rate; a
 * fractional rate is rounded up. All times are of the monotonic clock.
 */
export class VenuePace {
  #rate: number | undefined;
  /** The next token is due `#paces` intervals after this time. */
  #fromMs = Number.NEGATIVE_INFINITY;
  #paces = 0;
  /** Children sent in the last second, oldest first. */
  readonly #recent: Fifo<Sends> = new Fifo();
  #inSecond = 0;

  /** Sets the venue's rate per second. Undefined means no limit. */
  declare(rate: number | undefined): void {
    if (rate === this.#rate) return;
    this.#yieldFrom(this.#nextMs());
    this.#rate = rate;
  }

  /** Returns how long no child may go out; 0 when one may go now. */
  waitMs(nowMs: number): number {
    if (this.#rate === undefined) return 0;
    this.#evict(nowMs);
    const isFull = this.#inSecond >= Math.ceil(this.#rate);
    const freeMs = isFull ? (this.#recent.first?.atMs ?? nowMs) + SECOND_MS : nowMs;
    return Math.max(Math.ceil(Math.max(this.#nextMs(), freeMs) - nowMs - ROUNDING_MS), 0);
  }

  /** Counts a child that has gone out. `waited` says that it might have gone earlier, had a timer come in time. */
  sent(nowMs: number, waited: boolean): void {
    if (this.#rate === undefined) return;
    const heldMs = waited ? LATE_MS : this.#burstMs();
    if (this.#nextMs() < nowMs - heldMs) this.#yieldFrom(nowMs - heldMs);
    this.#paces++;
    this.#inSecond++;
    const { last } = this.#recent;
    if (last?.atMs === nowMs) last.count++;
    else this.#recent.push({ atMs: nowMs, count: 1 });
  }

  /** Returns an upper bound of the time until a child goes out behind `others` children. */
  behindMs(nowMs: number, others: number): number {
    if (this.#rate === undefined) return 0;
    return this.waitMs(nowMs) + Math.ceil((others * SECOND_MS) / this.#rate + this.#burstMs());
  }

  #nextMs(): number {
    return this.#rate === undefined ? this.#fromMs : this.#fromMs + (this.#paces * SECOND_MS) / this.#rate;
  }

  #yieldFrom(ms: number): void {
    this.#fromMs = ms;
    this.#paces = 0;
  }

  /** Returns the time in which the rate yields the tokens that a full bucket holds beyond the first. */
  #burstMs(): number {
    const rate = this.#rate ?? 1;
    return (Math.floor((BURST_MS * rate) / SECOND_MS) * SECOND_MS) / rate;
  }

  #evict(nowMs: number): void {
    for (let { first } = this.#recent; first !== undefined; first = this.#recent.first) {
      if (first.atMs > nowMs - SECOND_MS) return;
      this.#inSecond -= first.count;
      this.#recent.shift();
    }
  }
}

/** A due child, the time until which it may go, when its intent was handed to the store, and whether it was durable in time. */
export type DueChild = Readonly<{
  child: ChildRequest;
  notAfterMs: number;
  requestedAt: Moment;
  isInTime: boolean;
}>;

/** Children by account. */
type Children = FairQueue<number, DueChild>;
type QueuedChild = Queued<number, DueChild>;

/** Due children that wait for the venue's rate. Reduce-only ones go first, accounts take turns, and none is dropped. */
export class VenueQueue {
  readonly #core: Core;
  readonly #venue: ExecutionVenue;
  readonly #clock: VenueClock;
  readonly #times: AppendTimes;
  readonly #reducing: Children = new FairQueue();
  readonly #opening: Children = new FairQueue();
  /** By shard number: children whose turn does not come before they are taken back. */
  readonly #aside: Map<number, QueuedChild[]> = new Map();
  /** By shard number: children of shards of which nothing goes out any more. */
  readonly #held: Map<number, DueChild[]> = new Map();
  readonly #pace: VenuePace = new VenuePace();

  constructor(core: Core, venue: ExecutionVenue, clock: VenueClock, times: AppendTimes) {
    this.#core = core;
    this.#venue = venue;
    this.#clock = clock;
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

  /** Adds a child. Returns whether its turn comes: its shard may be held. */
  add(due: DueChild): boolean {
    const shard = shardOfId(due.child.parentOrderId);
    const held = this.#held.get(shard);
    if (held !== undefined) {
      held.push(due);
      return false;
    }
    const children = this.#childrenLike(due);
    const child = children.place(due.child.accountId, due);
    const aside = this.#aside.get(shard);
    if (aside === undefined) children.add(child);
    else aside.push(child);
    return true;
  }

  /** Lets the turn of no child of some shards come until {@link release}. */
  hold(shards: ReadonlySet<number>): void {
    for (const number of shards) if (!this.#held.has(number)) this.#held.set(number, []);
    for (const due of this.#removeOf(shards)) this.#held.get(shardOfId(due.child.parentOrderId))?.push(due);
  }

  /** Removes and returns the children of some shards, each in the order in which it would have gone, the held ones last. */
  takeOf(shards: ReadonlySet<number>): readonly DueChild[] {
    const held = [...shards].flatMap((number) => this.#held.get(number)?.splice(0) ?? []);
    return [...this.#removeOf(shards), ...held];
  }

  /** Ends the hold of some shards. */
  release(shards: ReadonlySet<number>): void {
    for (const number of shards) this.#held.delete(number);
  }

  /** Lets the children of a shard, also later ones, wait where they hold up no others. */
  setAside(shard: number): void {
    this.#aside.set(shard, this.#remove(new Set([shard])));
  }

  /**
   * Adds the children of a shard again that were set aside, if any. They go to the places that they had: behind
   * children that came meanwhile, they would have to be confirmed anew when their turn comes, and never go out at a busy
   * venue; before all others, a shard that is aside again and again would keep those that came earlier.
   */
  withdraw(shard: number): void {
    const aside = this.#aside.get(shard);
    if (aside === undefined) return;
    this.#aside.delete(shard);
    for (const child of aside) this.#childrenLike(child.item).add(child);
  }

  /** Puts the children of a shard behind all others, also those that reduce a position. */
  putLast(shard: number): void {
    for (const due of this.#removeOf(new Set([shard])))
      this.#opening.add(this.#opening.place(due.child.accountId, due, true));
  }

  #removeOf(shards: ReadonlySet<number>): readonly DueChild[] {
    const removed = this.#remove(shards).map(({ item }) => item);
    for (const { child } of removed)
      for (const children of [this.#reducing, this.#opening]) children.evict(child.accountId);
    return removed;
  }

  /** Removes the child that goes next. */
  shift(): void {
    this.#next.shift();
  }

  /** Applies the rate that the venue declares now. Of several nodes, each has the part of it that its shards are of all. */
  readRate(): void {
    const { ratePerSecond } = capabilitiesOf(this.#venue, this.#core.reporterOf("venue.capabilities"));
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
    return Math.min(notAfterMs, Number.MAX_SAFE_INTEGER);
  }

  #remove(shards: ReadonlySet<number>): QueuedChild[] {
    const isMeant = ({ child }: DueChild): boolean => shards.has(shardOfId(child.parentOrderId));
    const aside = [...shards].flatMap((shard) => this.#aside.get(shard) ?? []);
    for (const shard of shards) this.#aside.delete(shard);
    return [...aside, ...this.#reducing.remove(isMeant), ...this.#opening.remove(isMeant)];
  }

  #childrenLike({ child }: DueChild): Children {
    return child.reduceOnly ? this.#reducing : this.#opening;
  }

  get #next(): Children {
    return this.#reducing.size > 0 ? this.#reducing : this.#opening;
  }
}
