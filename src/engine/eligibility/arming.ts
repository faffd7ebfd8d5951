import { InvariantError } from "../../errors/index.ts";
import {
  expiresAtMs,
  isScheduleOver,
  nextSlotChangeMs,
  type ParentEvent,
  scheduleEndMs,
  watchOf,
} from "../../lifecycle/index.ts";
import type { Cause, ParentOrder } from "../../model/index.ts";
import type { TriggerBook, Watch } from "../../triggers/index.ts";
import type { Core } from "../core/core.ts";
import {
  awaitsLookUp,
  cancelTimer,
  cancelTimers,
  type LiveOrder,
  setTimer,
  setWatching,
} from "../core/live-order.ts";
import type { OrderWatch } from "../market/market.ts";
import type { Eligibility, StallWatch } from "./stall-watch.ts";

/** Keeps the trigger book and the timers in step with the durable state of parents. */
export class Arming {
  readonly #core: Core;
  readonly #parts: Eligibility;
  readonly #stalls: StallWatch;

  constructor(core: Core, parts: Eligibility, stalls: StallWatch) {
    this.#core = core;
    this.#parts = parts;
    this.#stalls = stalls;
  }

  /**
   * Arms a parent, or parents of one list, that may have become able to act, and offers them together the quote that stands in
   * their market.
   */
  admit(liveOrders: readonly LiveOrder[]): void {
    let watches: OrderWatch[] | undefined;
    for (const live of liveOrders) {
      const watch = this.arm(live);
      if (watch === undefined) continue;
      const offered = { orderId: live.working.orderId, watch };
      if (watches === undefined) watches = [offered];
      else watches.push(offered);
    }
    const symbol = liveOrders[0]?.working.intent.symbol;
    if (watches !== undefined && symbol !== undefined) this.#parts.market.offer(symbol, watches);
  }

  /**
   * Arms a parent in the trigger book, before a timer, or nowhere, as its state requires. Does nothing while a record
   * of the parent is under way; the parent is armed when that record is durable. Returns the watch if it was put into the
   * book now.
   */
  arm(live: LiveOrder): Watch | undefined {
    const order = live.durable;
    if (order === undefined || order !== live.working) return undefined;
    if (order.ended !== undefined) {
      this.disarm(live);
      return undefined;
    }
    if (setWatching(live, true)) this.#parts.market.memory.watch(order.intent.symbol);
    this.#stalls.armed(live);
    this.#armExpiry(live, order);
    // Looked at once, and not for who waits for no time: an opening arms every parent.
    const nowMs = order.plan === undefined && order.notBeforeMs === 0 ? 0 : this.#core.nowMs();
    this.#armSchedule(live, order, nowMs);
    const book = this.#parts.market.open(order.intent.symbol);
    const watch = this.#watchOf(live, order, nowMs);
    if (watch === undefined) book.remove(order.orderId);
    else if (order.notBeforeMs > nowMs) this.#admitAt(live, "cancelRetry", order.notBeforeMs);
    else if (!book.has(order.orderId)) return this.#watch(book, order, watch);
    return undefined;
  }

  #watchOf(live: LiveOrder, order: ParentOrder, nowMs: number): Watch | undefined {
    const { shards, funds, participants } = this.#parts;
    if (shards.isFrozen(order) || live.measuring !== undefined || funds.waits(order)) return undefined;
    if (awaitsLookUp(live)) return undefined;
    // A POV parent looks at quotes only while there is new volume to follow.
    const isPov = order.intent.participationBips !== undefined;
    if (isPov && participants.volumeFor(live) === undefined) return undefined;
    return this.#withActivation(order, watchOf(order, nowMs));
  }

  /**
   * Returns the watch of a parent whose activation waits in the mailbox as of an active one, so that its reference misses no
   * quote: the shard was read again meanwhile.
   */
  #withActivation({ orderId }: ParentOrder, watch: Watch | undefined): Watch | undefined {
    if (watch?.kind !== "trail" || watch.activation !== undefined) return watch;
    const activation = this.#parts.shards.ofOrder(orderId).activating.get(orderId);
    return activation === undefined ? watch : { ...watch, activation };
  }

  /**
   * Arms a parent again after a reload. A parent whose activation is under way is watched at once, as without the
   * reload, so that its reference misses no quote.
   */
  rearm(live: LiveOrder): void {
    this.admit([live]);
    const { durable, working } = live;
    const book = this.#parts.market.open(working.intent.symbol);
    if (durable === working || this.#parts.shards.isFrozen(working)) return;
    if (book.has(working.orderId)) return;
    const watch = watchOf(working, this.#core.nowMs());
    if (watch?.kind === "trail" && watch.activation !== undefined) this.#watch(book, working, watch);
  }

  /**
   * Watches a parent by an amend that is durable now; until then it was watched by the terms before. A new expiry is armed with
   * the rest.
   */
  amended(live: LiveOrder): void {
    cancelTimer(live, "cancelExpiry");
    const { working } = live;
    const { orderId, intent } = working;
    const book = this.#parts.market.open(intent.symbol);
    if (!book.has(orderId)) return;
    const watch = this.#watchOf(live, working, this.#core.nowMs());
    if (watch === undefined) book.remove(orderId);
    else if (this.#watch(book, working, watch) !== undefined)
      this.#parts.market.offer(intent.symbol, [{ orderId, watch, isAmended: true }]);
  }

  /**
   * Offers the quote that stands to the other orders of a list that share something: a record of one may have left them more. They
   * are in the book, and wait for it.
   */
  shared(changed: readonly LiveOrder[]): void {
    const [first] = changed;
    for (const orderId of first?.working.list?.legs ?? []) {
      const live = this.#parts.shards.live(orderId);
      if (live === undefined || live.durable !== live.working || changed.includes(live)) continue;
      if (live.wait !== "NO_SHARE" && live.wait !== "BELOW_MINIMUM_NOTIONAL") continue;
      const { intent, notBeforeMs } = live.working;
      const nowMs = this.#core.nowMs();
      const watch = this.arm(live) ?? this.#watchOf(live, live.working, nowMs);
      if (watch !== undefined && notBeforeMs <= nowMs)
        this.#parts.market.offer(intent.symbol, [{ orderId, watch, isAmended: true }]);
    }
  }

  /** Adds a parent to the book, or changes its watch. Stops a parent that the book cannot hold; the others continue. */
  #watch(book: TriggerBook, order: ParentOrder, watch: Watch): Watch | undefined {
    try {
      const { orderId, acceptedAtMs, acceptance } = order;
      const watcher = { orderId, acceptedAtMs, acceptance, watch };
      if (book.has(orderId)) book.replace(watcher);
      else book.add(watcher);
      return watch;
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      // The invariant broke while the parent was being put into the book.
      this.#post(order, { kind: "INVARIANT_BROKEN", detail: error.message }, { kind: "RECOVERY" });
      return undefined;
    }
  }

  /** Takes a parent out of the trigger book and cancels its timers. */
  disarm(live: LiveOrder): void {
    this.cancelTimers(live);
    this.unwatch(live);
  }

  /** Cancels the timers of a parent, and the memory of quotes counts it no more. */
  cancelTimers(live: LiveOrder): void {
    this.#stalls.evict(live);
    cancelTimers(live);
    if (setWatching(live, false)) this.#parts.market.memory.unwatch(live.working.intent.symbol);
  }

  /** Takes a parent out of the trigger book. */
  unwatch({ working }: LiveOrder): void {
    this.#parts.market.book(working.intent.symbol)?.remove(working.orderId);
  }

  #armExpiry(live: LiveOrder, order: ParentOrder): void {
    const atMs = expiresAtMs(order);
    if (atMs === undefined || live.cancelExpiry !== undefined || order.pendingEnd !== undefined) return;
    const cancel = this.#parts.timers.at(atMs, () => {
      setTimer(live, "cancelExpiry", undefined);
      this.#post(order, { kind: "EXPIRED", atMs }, { kind: "TIMER", timer: "EXPIRY" });
    });
    setTimer(live, "cancelExpiry", cancel);
  }

  /** Sets the timers of a schedule. */
  #armSchedule(live: LiveOrder, order: ParentOrder, nowMs: number): void {
    cancelTimer(live, "cancelSlot");
    if (isScheduleOver(order, nowMs))
      return this.#post(order, { kind: "SCHEDULE_OVER" }, { kind: "TIMER", timer: "SLOT" });
    const endMs = scheduleEndMs(order);
    if (endMs !== undefined && live.cancelScheduleEnd === undefined) {
      const cancel = this.#parts.timers.at(endMs, () => {
        setTimer(live, "cancelScheduleEnd", undefined);
        this.arm(live);
      });
      setTimer(live, "cancelScheduleEnd", cancel);
    }
    const atMs = nextSlotChangeMs(order, nowMs);
    if (atMs === undefined || atMs === endMs) return;
    this.#admitAt(live, "cancelSlot", atMs);
  }

  /**
   * Posts an event that comes neither from the market nor from the venue. Many can be due at one time, so they are a
   * burst.
   */
  #post({ orderId, accountId }: ParentOrder, event: ParentEvent, cause: Cause): void {
    const { bursts, shards } = this.#parts;
    const shard = shards.ofOrder(orderId);
    const change = (): void => void shard.change(orderId, event, cause);
    bursts.do("time", accountId, () => shard.post(change));
  }

  /** Offers a parent the quote that stands at a later time. */
  #admitAt(live: LiveOrder, timer: "cancelSlot" | "cancelRetry", atMs: number): void {
    cancelTimer(live, timer);
    const cancel = this.#parts.timers.whileQuoted(atMs, () => {
      setTimer(live, timer, undefined);
      this.admit([live]);
    });
    setTimer(live, timer, cancel);
  }
}
