import { expiresAtMs, watchOf } from "../../lifecycle/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { Instruments } from "../../ports/index.ts";
import { MarkHistory, TriggerBook } from "../../triggers/index.ts";
import type { Core } from "../core/core.ts";
import type { LiveOrder } from "../core/live-order.ts";
import { COSTS } from "../core/turns.ts";
import { QuoteMemory } from "../market/quote-memory.ts";
import type { ShardMemory } from "../shards/shard-memory.ts";

/**
 * The trigger books of the parents that a standby follows, so that a takeover need not arm most of them. A parent is armed
 * ahead if its place in the book follows from its durable state alone. What depends on marks, volume, or the time at which
 * it is armed is left to the engine (decision YM). The books observe no quotes before the takeover.
 */
export class FollowedBooks {
  readonly books: ReadonlyMap<string, TriggerBook>;
  /** Read by the books. It is empty until the shards are claimed, and then gets the durable marks. */
  readonly history: MarkHistory = new MarkHistory();
  /** Counts the parents that watch each market. */
  readonly memory: QuoteMemory = new QuoteMemory();
  readonly #core: Core;

  constructor(core: Core, instruments: Instruments) {
    this.#core = core;
    this.books = new Map(
      instruments.all().map(({ symbol }) => [symbol, new TriggerBook(symbol, this.history)]),
    );
  }

  /** Returns whether nothing is left to do to arm a parent that is followed. */
  isArmed({ durable }: LiveOrder): boolean {
    return durable !== undefined && isTimeless(durable);
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
    const book = this.books.get(intent.symbol);
    book?.remove(orderId);
    if (book === undefined || !isTimeless(order) || accounts.get(accountId)?.frozen === true) return;
    const watch = watchOf(order, this.#core.nowMs());
    if (watch !== undefined)
      book.add({ orderId, acceptedAtMs, ...(acceptance !== undefined && { acceptance }), watch });
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
 * Returns whether it makes no difference when a parent is armed: it has no timers, follows no volume, and no reference of
 * it must be read from the marks.
 */
function isTimeless(order: ParentOrder): boolean {
  const { intent, plan, notBeforeMs, activation, trigger } = order;
  const isTrailing = activation !== undefined && trigger === undefined;
  const isTimed = plan !== undefined || notBeforeMs > 0 || expiresAtMs(order) !== undefined;
  return !isTimed && !isTrailing && intent.participationBips === undefined;
}
