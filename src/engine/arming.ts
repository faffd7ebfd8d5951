import { InvariantError } from "../errors/index.ts";
import {
  expiresAtMs,
  isScheduleOver,
  nextSlotChangeMs,
  type ParentEvent,
  scheduleEndMs,
  watchOf,
} from "../lifecycle/index.ts";
import type { Cause, ParentOrder } from "../model/index.ts";
import type { TriggerBook, Watch } from "../triggers/index.ts";
import type { Core, Slot } from "./core.ts";
import type { FundsQueue } from "./funds-queue.ts";
import type { MarketHub } from "./market-hub.ts";
import type { Timers } from "./timers.ts";

/** What arming needs from the engine. */
export type ArmingHost = Readonly<{
  isFrozen: (order: ParentOrder) => boolean;
  /** Whether a POV parent has new volume to follow; it looks at quotes only then. */
  mayFollow: (slot: Slot) => boolean;
  /** Something happened to a parent that is not the market's or the venue's doing. */
  post: (order: ParentOrder, event: ParentEvent, cause: Cause) => void;
}>;

type ArmingParts = Readonly<{ timers: Timers; market: MarketHub; funds: FundsQueue }>;

/** Keeps the trigger book and the timers in step with the durable state of parents. */
export class Arming {
  readonly #core: Core;
  readonly #timers: Timers;
  readonly #market: MarketHub;
  readonly #funds: FundsQueue;
  readonly #host: ArmingHost;

  constructor(core: Core, parts: ArmingParts, host: ArmingHost) {
    this.#core = core;
    this.#timers = parts.timers;
    this.#market = parts.market;
    this.#funds = parts.funds;
    this.#host = host;
  }

  /**
   * Puts a parent where it belongs: into the trigger book, before a timer, or nowhere. Does nothing while a record of
   * it is on its way: its arrival arms.
   */
  arm(slot: Slot): void {
    const order = slot.durable;
    if (order === undefined || order !== slot.working) return;
    if (order.ended !== undefined) return this.disarm(slot);
    this.#watchMarket(slot, order);
    this.#armExpiry(slot, order);
    const book = this.#market.book(order.intent.symbol);
    if (book === undefined) return;
    this.#armSchedule(slot, order);
    const watch = this.#watchOf(slot, order);
    if (watch === undefined) return void book.remove(order.orderId);
    if (order.notBeforeMs > this.#core.nowMs()) return this.#armRetry(slot, order.notBeforeMs);
    if (!book.has(order.orderId)) this.#watch(book, order, watch);
  }

  #watchMarket(slot: Slot, { intent }: ParentOrder): void {
    if (slot.isWatching === true) return;
    slot.isWatching = true;
    this.#market.memory.watch(intent.symbol);
  }

  #watchOf(slot: Slot, order: ParentOrder): Watch | undefined {
    if (this.#host.isFrozen(order) || slot.measuring !== undefined) return undefined;
    if (this.#funds.waits(order)) return undefined;
    if (order.intent.participationBips !== undefined && !this.#host.mayFollow(slot)) return undefined;
    return watchOf(order, this.#core.nowMs());
  }

  /**
   * Puts a parent back after a reload. One whose activation is on its way is watched at once, as it would have been
   * without the reload: its reference misses no quote.
   */
  rearm(slot: Slot): void {
    this.arm(slot);
    const { durable, working } = slot;
    const book = this.#market.book(working.intent.symbol);
    if (durable === working || book === undefined || this.#host.isFrozen(working)) return;
    const watch = watchOf(working, this.#core.nowMs());
    if (watch?.kind === "trail" && watch.activation !== undefined) this.#watch(book, working, watch);
  }

  /** A parent that the book cannot hold is stopped; the others go on. */
  #watch(book: TriggerBook, order: ParentOrder, watch: Watch): void {
    try {
      const { orderId, acceptedAtMs: ageMs, acceptance } = order;
      book.add({ orderId, ageMs, ...(acceptance !== undefined && { acceptance }), watch });
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      // A rule was found broken when the parent was to wait for its price.
      this.#host.post(order, { kind: "BROKEN", detail: error.message }, { kind: "RECOVERY" });
    }
  }

  /** Takes a parent out of the trigger book and cancels its timers. */
  disarm(slot: Slot): void {
    slot.cancelExpiry?.();
    slot.cancelRetry?.();
    slot.cancelSlot?.();
    slot.cancelScheduleEnd?.();
    delete slot.cancelExpiry;
    delete slot.cancelRetry;
    delete slot.cancelSlot;
    delete slot.cancelScheduleEnd;
    if (slot.isWatching === true) this.#market.memory.unwatch(slot.working.intent.symbol);
    delete slot.isWatching;
    this.#market.book(slot.working.intent.symbol)?.remove(slot.working.orderId);
  }

  #armExpiry(slot: Slot, order: ParentOrder): void {
    const atMs = expiresAtMs(order);
    if (atMs === undefined || slot.cancelExpiry !== undefined || order.pendingEnd !== undefined) return;
    slot.cancelExpiry = this.#timers.at(atMs, () => {
      delete slot.cancelExpiry;
      this.#host.post(order, { kind: "EXPIRED" }, { kind: "TIMER", timer: "EXPIRY" });
    });
  }

  /** A slot of its schedule that opens or closes matters to the next quote only; its end does so by itself. */
  #armSchedule(slot: Slot, order: ParentOrder): void {
    slot.cancelSlot?.();
    delete slot.cancelSlot;
    const nowMs = this.#core.nowMs();
    if (isScheduleOver(order, nowMs))
      return this.#host.post(order, { kind: "SCHEDULE_OVER" }, { kind: "TIMER", timer: "SLOT" });
    const endMs = scheduleEndMs(order);
    if (endMs !== undefined && slot.cancelScheduleEnd === undefined)
      slot.cancelScheduleEnd = this.#timers.at(endMs, () => {
        delete slot.cancelScheduleEnd;
        this.arm(slot);
      });
    const atMs = nextSlotChangeMs(order, nowMs);
    if (atMs === undefined || atMs === endMs) return;
    slot.cancelSlot = this.#timers.beforeInput(atMs, () => {
      delete slot.cancelSlot;
      this.arm(slot);
    });
  }

  #armRetry(slot: Slot, atMs: number): void {
    slot.cancelRetry?.();
    slot.cancelRetry = this.#timers.beforeInput(atMs, () => {
      delete slot.cancelRetry;
      this.arm(slot);
    });
  }
}
