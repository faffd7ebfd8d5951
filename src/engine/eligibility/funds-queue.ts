import { needsTrigger } from "../../lifecycle/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { Instruments } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { ParentStep } from "../core/live-order.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";

/** Opening parents of one account that were refused for want of one asset. */
type Shortage = {
  readonly key: string;
  /** Waiting parents, in the order of their last refusal or unused turn. */
  readonly waiting: Set<number>;
  /** Waiting parents that may send a child in this round. */
  readonly turns: Set<number>;
  /** Number of parents with a turn in a round. */
  width: number;
  /** Length of a round. */
  pauseMs: number;
  startedAtMs: number;
  /** Whether a refusal, or a fill, was seen since the round began. */
  refused: boolean;
  filled: boolean;
  cancelRound: () => void;
};

/**
 * Parents whose child the venue refused for lack of funds. They wait for their turn in a queue by account and asset. A
 * round gives the turn to those that have waited longest: first to one parent, then to twice as many after each round that
 * brought a fill and no refusal. A round lasts `retryMinMs`, doubled by each round that brought a refusal, up to
 * `retryMaxMs`. Nothing of this is durable: after a restart each parent may be refused once more.
 */
export class FundsQueue {
  readonly #core: Core;
  readonly #timers: Timers;
  readonly #instruments: Pick<Instruments, "find">;
  readonly #shards: Shards;
  readonly #shortages: Map<string, Shortage> = new Map();
  readonly #shortOf: Map<number, Shortage> = new Map();

  constructor(core: Core, timers: Timers, instruments: Pick<Instruments, "find">, shards: Shards) {
    this.#core = core;
    this.#timers = timers;
    this.#instruments = instruments;
    this.#shards = shards;
  }

  /**
   * Returns whether a parent must not send a child before its turn. A parent that still watches for its trigger keeps
   * watching.
   */
  waits({ orderId, intent, trigger }: ParentOrder): boolean {
    const shortage = this.#shortOf.get(orderId);
    if (shortage === undefined || shortage.turns.has(orderId)) return false;
    return !needsTrigger(intent.type) || trigger !== undefined;
  }

  /** Returns whether the venue refused the last child of a parent for lack of funds. */
  isShort({ orderId }: ParentOrder): boolean {
    return this.#shortOf.has(orderId);
  }

  /** Queues a parent whose child the venue refused for lack of funds. */
  refused(order: ParentOrder): void {
    if (order.intent.reduceOnly) return;
    const key = this.#assets(order).needs;
    const shortage = this.#shortages.get(key) ?? this.#begin(key);
    // The host may name the assets of the market otherwise than before.
    if (this.#shortOf.get(order.orderId) !== shortage) this.evict(order.orderId);
    // The first refusal of a parent says nothing about the round.
    if (shortage.waiting.has(order.orderId)) shortage.refused = true;
    shortage.turns.delete(order.orderId);
    this.#toTheBack(shortage, order.orderId);
    this.#shortOf.set(order.orderId, shortage);
  }

  /**
   * Follows a durable step of a parent. A fill brings one asset and shows that there was enough of the other. An
   * ended parent leaves the queue.
   */
  observe({ order, facts }: ParentStep): void {
    if (this.#shortages.size === 0) return;
    const isFilled = facts.some(({ kind }) => kind === "FILLED");
    const isDone = facts.some((fact) => fact.kind === "CHILD_CLOSED" && fact.outcome === "DONE");
    if (isFilled || isDone || order.ended !== undefined) this.evict(order.orderId);
    if (!isFilled) return;
    const { needs, gets } = this.#assets(order);
    const spent = this.#shortages.get(needs);
    if (spent !== undefined) spent.filled = true;
    this.#hasten(needs);
    this.#hasten(gets);
  }

  /** Hastens the next rounds of an account whose balances have changed. */
  changed(accountId: number): void {
    for (const key of this.#shortages.keys()) if (key.startsWith(`${accountId} `)) this.#hasten(key);
  }

  /** Removes a parent from the queue. */
  evict(orderId: number): void {
    const shortage = this.#shortOf.get(orderId);
    if (shortage === undefined) return;
    this.#shortOf.delete(orderId);
    shortage.turns.delete(orderId);
    shortage.waiting.delete(orderId);
  }

  #begin(key: string): Shortage {
    const shortage: Shortage = {
      key,
      waiting: new Set(),
      turns: new Set(),
      width: 1,
      pauseMs: this.#core.settings.retryMinMs,
      startedAtMs: this.#core.nowMs(),
      refused: false,
      filled: false,
      cancelRound: () => undefined,
    };
    this.#shortages.set(key, shortage);
    this.#await(shortage);
    return shortage;
  }

  /** Schedules the next round. */
  #await(shortage: Shortage): void {
    shortage.cancelRound();
    const atMs = shortage.startedAtMs + shortage.pauseMs;
    shortage.cancelRound = this.#timers.whileQuoted(atMs, () => this.#nextRound(shortage));
  }

  /** Schedules the next round at the earliest allowed time, because the asset may be available again. */
  #hasten(key: string): void {
    const shortage = this.#shortages.get(key);
    if (shortage === undefined) return;
    shortage.pauseMs = this.#core.settings.retryMinMs;
    this.#await(shortage);
  }

  #nextRound(shortage: Shortage): void {
    this.#judge(shortage);
    shortage.startedAtMs = this.#core.nowMs();
    for (const orderId of shortage.turns) this.#toTheBack(shortage, orderId);
    shortage.turns.clear();
    for (const orderId of [...shortage.waiting]) {
      if (shortage.turns.size === shortage.width) break;
      shortage.turns.add(orderId);
      const live = this.#shards.live(orderId);
      if (live === undefined || live.working.ended !== undefined) this.evict(orderId);
      else this.#core.effects.emit({ kind: "ADMITTED", live });
    }
    if (shortage.waiting.size > 0) this.#await(shortage);
    else this.#shortages.delete(shortage.key);
  }

  #judge(shortage: Shortage): void {
    const { retryMinMs, retryMaxMs } = this.#core.settings;
    if (shortage.refused) {
      shortage.width = 1;
      shortage.pauseMs = Math.min(retryMaxMs, shortage.pauseMs * 2);
    } else if (shortage.filled) {
      shortage.width *= 2;
      shortage.pauseMs = retryMinMs;
    }
    shortage.refused = false;
    shortage.filled = false;
  }

  #toTheBack(shortage: Shortage, orderId: number): void {
    shortage.waiting.delete(orderId);
    shortage.waiting.add(orderId);
  }

  /** Returns, by account, the asset that a child of the parent needs and the asset that its fills bring. */
  #assets({ accountId, intent }: ParentOrder): Readonly<{ needs: string; gets: string }> {
    const { base, quote } = this.#pair(intent.symbol);
    const [needs, gets] = intent.side === "BUY" ? [quote, base] : [base, quote];
    return { needs: `${accountId} ${needs}`, gets: `${accountId} ${gets}` };
  }

  /**
   * Returns the assets of an instrument. If the host does not know the instrument now, its market gets assets of its
   * own.
   */
  #pair(symbol: string): Readonly<{ base: string; quote: string }> {
    try {
      const known = this.#instruments.find(symbol);
      if (known !== undefined) return { base: known.baseAsset, quote: known.quoteAsset };
    } catch {
      // The wrapper that checks the host's answers has reported the failure already.
    }
    return { base: `base of ${symbol}`, quote: `quote of ${symbol}` };
  }
}
