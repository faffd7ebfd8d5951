import { expiresAtMs, watchOf } from "../../lifecycle/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import { MarkHistory, TriggerBook } from "../../triggers/index.ts";
import type { Core } from "../core/core.ts";
import type { LiveOrder } from "../core/live-order.ts";
import { COSTS } from "../core/turns.ts";
import { QuoteMemory } from "../market/quote-gate.ts";
import type { ShardMemory } from "../shards/shard-memory.ts";

/** Expiries that are later than this from a takeover on get their timers after it. */
const SOON_MS = 60_000;

/**
 * The trigger books of the parents that a standby follows, so that a takeover need not arm most of them. A parent is armed
 * ahead if its place in the book follows from its durable state, apart from the reference of an active trailing order,
 * which is read from the marks after the claim. What depends on volume or on the time at which it is armed is left to the
 * engine (decision YM). The books observe no quotes before the takeover.
 */
export class FollowedBooks {
  readonly books: Map<string, TriggerBook> = new Map();
  /** Read by the books. It is empty until the shards are claimed, and then gets the durable marks. */
  readonly history: MarkHistory = new MarkHistory();
  /** Counts the parents that watch each market. */
  readonly memory: QuoteMemory = new QuoteMemory();
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Returns which of the parents need not be armed before an engine opens at `nowMs`: nothing is left to do but to set the
   * timer of an expiry that is not soon. Call {@link restoreReferences} before.
   */
  armedAt(nowMs: number): (live: LiveOrder) => boolean {
    return ({ durable }) => {
      if (durable === undefined || !isTimeless(durable)) return false;
      const expiryMs = expiresAtMs(durable);
      if (expiryMs !== undefined && expiryMs < nowMs + SOON_MS) return false;
      const { intent, orderId } = durable;
      return !isTrailing(durable) || this.books.get(intent.symbol)?.has(orderId) === true;
    };
  }

  /**
   * Reads the references of all active trailing parents from the history, in slices. A parent whose marks are missing leaves
   * its book, so that the engine arms it and finds out.
   */
  async restoreReferences(): Promise<void> {
    for (const book of this.books.values()) {
      while (book.restoreHeld()) {
        const turn = this.#core.turns.spend(COSTS.arm);
        if (turn !== undefined) await turn;
      }
    }
  }

  /** Brings the books in step with a parent after a change. */
  follow(live: LiveOrder, within: ShardMemory): void {
    const { durable } = live;
    if (durable === undefined) return;
    if (durable.ended !== undefined) return this.#drop(live);
    this.#arm(live, within);
    if (durable.frozen !== undefined) this.#stopAccount(durable.accountId, within);
  }

  /** Replaces the parents of a shard that was read again, in slices. */
  async reloaded(memory: ShardMemory, before: ShardMemory): Promise<void> {
    await this.#inTurns(before, (live) => this.#drop(live));
    await this.#inTurns(memory, (live) => this.follow(live, memory));
  }

  async #inTurns({ liveOrders }: ShardMemory, each: (live: LiveOrder) => void): Promise<void> {
    for (const live of liveOrders.values()) {
      each(live);
      const turn = this.#core.turns.spend(COSTS.arm);
      if (turn !== undefined) await turn;
    }
  }

  #arm(live: LiveOrder, { accounts }: ShardMemory): void {
    const { working: order } = live;
    const { orderId, acceptedAtMs, acceptance, accountId, intent } = order;
    this.#watchMarket(live);
    const book = this.#bookOf(intent.symbol);
    book.remove(orderId);
    if (!isTimeless(order) || accounts.get(accountId)?.frozen === true) return;
    const watch = watchOf(order, this.#core.nowMs());
    if (watch === undefined) return;
    const watcher = { orderId, acceptedAtMs, acceptance };
    if (watch.kind === "trail" && watch.activation !== undefined)
      book.hold({ ...watcher, watch: { ...watch, activation: watch.activation } });
    else book.add({ ...watcher, watch });
  }

  #bookOf(symbol: string): TriggerBook {
    const book = this.books.get(symbol) ?? new TriggerBook(symbol, this.history);
    this.books.set(symbol, book);
    return book;
  }

  #watchMarket(live: LiveOrder): void {
    if (live.isWatching) return;
    live.isWatching = true;
    this.memory.watch(live.working.intent.symbol);
  }

  #drop(live: LiveOrder): void {
    const { orderId, intent } = live.working;
    if (live.isWatching) this.memory.unwatch(intent.symbol);
    live.isWatching = false;
    this.books.get(intent.symbol)?.remove(orderId);
  }

  /** Takes the parents of a frozen account out of the books: nothing is sent for it. */
  #stopAccount(accountId: number, { accounts, liveOrders }: ShardMemory): void {
    for (const orderId of accounts.get(accountId)?.after(0, false) ?? []) {
      const other = liveOrders.get(orderId);
      if (other !== undefined) this.books.get(other.working.intent.symbol)?.remove(orderId);
    }
  }
}

/**
 * Returns whether a parent is only to be put into the book, at a place that does not depend on the time at which it is armed, or
 * on volume. Of one that has triggered, the engine also watches whether its position is gone and whether it is stalled.
 */
function isTimeless({ intent, plan, notBeforeMs, trigger, stall }: ParentOrder): boolean {
  if (trigger !== undefined || stall !== undefined) return false;
  return plan === undefined && notBeforeMs === 0 && intent.participationBips === undefined;
}

/** Returns whether a parent has a trailing reference. */
function isTrailing({ activation, trigger }: ParentOrder): boolean {
  return activation !== undefined && trigger === undefined;
}
