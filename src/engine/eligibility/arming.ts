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
import type { LiveOrder } from "../core/live-order.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shards } from "../shards/shards.ts";
import type { Bursts } from "../time/bursts.ts";
import type { Timers } from "../time/timers.ts";
import type { FundsQueue } from "./funds-queue.ts";
import type { PovParticipants } from "./pov-participants.ts";

/** What arming works with. */
export type ArmingParts = Readonly<{
  timers: Timers;
  bursts: Bursts;
  market: MarketHub;
  funds: FundsQueue;
  shards: Shards;
  participants: PovParticipants;
}>;

/** Keeps the trigger book and the timers in step with the durable state of parents. */
export class Arming {
  readonly #core: Core;
  readonly #parts: ArmingParts;

  constructor(core: Core, parts: ArmingParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /**
   * Puts a parent where it belongs: into the trigger book, before a timer, or nowhere. Does nothing while a record of
   * it is on its way: its arrival arms.
   */
  arm(live: LiveOrder): void {
    const order = live.durable;
    if (order === undefined || order !== live.working) return;
    if (order.ended !== undefined) return this.disarm(live);
    this.#watchMarket(live, order);
    this.#armExpiry(live, order);
    const book = this.#parts.market.book(order.intent.symbol);
    if (book === undefined) return;
    this.#armSchedule(live, order);
    const watch = this.#watchOf(live, order);
    if (watch === undefined) return void book.remove(order.orderId);
    if (order.notBeforeMs > this.#core.nowMs()) return this.#armRetry(live, order.notBeforeMs);
    if (!book.has(order.orderId)) this.#watch(book, order, watch);
  }

  #watchMarket(live: LiveOrder, { intent }: ParentOrder): void {
    if (live.isWatching) return;
    live.isWatching = true;
    this.#parts.market.memory.watch(intent.symbol);
  }

  #watchOf(live: LiveOrder, order: ParentOrder): Watch | undefined {
    const { shards, funds, participants } = this.#parts;
    if (shards.isFrozen(order) || live.measuring !== undefined || funds.waits(order)) return undefined;
    // It looks at quotes only while there is new volume to follow.
    const isPov = order.intent.participationBips !== undefined;
    if (isPov && participants.volumeFor(live) === undefined) return undefined;
    return watchOf(order, this.#core.nowMs());
  }

  /**
   * Puts a parent back after a reload. One whose activation is on its way is watched at once, as it would have been
   * without the reload: its reference misses no quote.
   */
  rearm(live: LiveOrder): void {
    this.arm(live);
    const { durable, working } = live;
    const book = this.#parts.market.book(working.intent.symbol);
    if (durable === working || book === undefined || this.#parts.shards.isFrozen(working)) return;
    const watch = watchOf(working, this.#core.nowMs());
    if (watch?.kind === "trail" && watch.activation !== undefined) this.#watch(book, working, watch);
  }

  /** A parent that the book cannot hold is stopped; the others go on. */
  #watch(book: TriggerBook, order: ParentOrder, watch: Watch): void {
    try {
      const { orderId, acceptedAtMs, acceptance } = order;
      book.add({ orderId, acceptedAtMs, ...(acceptance !== undefined && { acceptance }), watch });
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      // A rule was found broken when the parent was to wait for its price.
      this.#post(order, { kind: "INVARIANT_BROKEN", detail: error.message }, { kind: "RECOVERY" });
    }
  }

  /** Takes a parent out of the trigger book and cancels its timers. */
  disarm(live: LiveOrder): void {
    for (const timer of TIMERS) callOff(live, timer);
    if (live.isWatching) this.#parts.market.memory.unwatch(live.working.intent.symbol);
    live.isWatching = false;
    this.#parts.market.book(live.working.intent.symbol)?.remove(live.working.orderId);
  }

  #armExpiry(live: LiveOrder, order: ParentOrder): void {
    const atMs = expiresAtMs(order);
    if (atMs === undefined || live.cancelExpiry !== undefined || order.pendingEnd !== undefined) return;
    live.cancelExpiry = this.#parts.timers.at(atMs, () => {
      live.cancelExpiry = undefined;
      this.#post(order, { kind: "EXPIRED" }, { kind: "TIMER", timer: "EXPIRY" });
    });
  }

  /** A slot of its schedule that opens or closes matters to the next quote only; its end does so by itself. */
  #armSchedule(live: LiveOrder, order: ParentOrder): void {
    callOff(live, "cancelSlot");
    const nowMs = this.#core.nowMs();
    if (isScheduleOver(order, nowMs))
      return this.#post(order, { kind: "SCHEDULE_OVER" }, { kind: "TIMER", timer: "SLOT" });
    const endMs = scheduleEndMs(order);
    if (endMs !== undefined && live.cancelScheduleEnd === undefined)
      live.cancelScheduleEnd = this.#parts.timers.at(endMs, () => {
        live.cancelScheduleEnd = undefined;
        this.arm(live);
      });
    const atMs = nextSlotChangeMs(order, nowMs);
    if (atMs === undefined || atMs === endMs) return;
    live.cancelSlot = this.#parts.timers.beforeInput(atMs, () => {
      live.cancelSlot = undefined;
      this.arm(live);
    });
  }

  /** Something happens to a parent that is not the market's or the venue's doing; many may be due at one time. */
  #post({ orderId, accountId }: ParentOrder, event: ParentEvent, cause: Cause): void {
    const { bursts, shards } = this.#parts;
    const shard = shards.ofOrder(orderId);
    const change = (): void => void shard.change(orderId, event, cause);
    bursts.do("time", accountId, () => shard.post(change));
  }

  #armRetry(live: LiveOrder, atMs: number): void {
    callOff(live, "cancelRetry");
    live.cancelRetry = this.#parts.timers.beforeInput(atMs, () => {
      live.cancelRetry = undefined;
      this.arm(live);
    });
  }
}

const TIMERS = ["cancelExpiry", "cancelRetry", "cancelSlot", "cancelScheduleEnd"] as const;

/** Cancels a timer of a parent if it has it; one that never had it stays without a place for it. */
function callOff(live: LiveOrder, timer: (typeof TIMERS)[number]): void {
  const cancel = live[timer];
  if (cancel === undefined) return;
  live[timer] = undefined;
  cancel();
}
