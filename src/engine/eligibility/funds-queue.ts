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
  /** In the order of their last refusal, and of the turns that they did not use. */
  readonly waiting: Set<number>;
  /** Those of them that may send a child in this round. */
  readonly turns: Set<number>;
  /** How many have their turn in a round. */
  width: number;
  /** How long a round lasts. */
  pauseMs: number;
  startedAtMs: number;
  /** What was heard since the round began. */
  refused: boolean;
  filled: boolean;
  cancelRound: () => void;
};

/**
 * Parents whose child the venue has refused for want of funds wait for their turn, in a queue by account and asset
 * (decision HP). A round gives the turn to those that have waited longest: one of them, twice as many after each round
 * that brought a fill and no refusal. It lasts `retryMinMs`, doubled by each round that brought a refusal, up to
 * `retryMaxMs`. Nothing of it is durable: after a restart each parent may be refused once more.
 */
export class FundsQueue {
  readonly #core: Core;
  readonly #timers: Timers;
  readonly #instruments: Pick<Instruments, "find">;
  readonly #shards: Shards;
  readonly #shortages: Map<string, Shortage> = new Map();
  readonly #shortOf: Map<number, Shortage> = new Map();

  constructor(
    core: Core,
    parts: Readonly<{ timers: Timers; instruments: Pick<Instruments, "find">; shards: Shards }>,
  ) {
    this.#core = core;
    this.#timers = parts.timers;
    this.#instruments = parts.instruments;
    this.#shards = parts.shards;
  }

  /** Whether a parent must not send a child before it has its turn; one that looks for its trigger goes on looking. */
  waits({ orderId, intent, trigger }: ParentOrder): boolean {
    const shortage = this.#shortOf.get(orderId);
    if (shortage === undefined || shortage.turns.has(orderId)) return false;
    return !needsTrigger(intent.type) || trigger !== undefined;
  }

  /** The venue has refused its child for want of funds. */
  refused(order: ParentOrder): void {
    if (order.intent.reduceOnly) return;
    const key = this.#assets(order).needs;
    const shortage = this.#shortages.get(key) ?? this.#begin(key);
    // One that comes for the first time says nothing about the round.
    if (shortage.waiting.has(order.orderId)) shortage.refused = true;
    shortage.turns.delete(order.orderId);
    this.#toTheBack(shortage, order.orderId);
    this.#shortOf.set(order.orderId, shortage);
  }

  /** A durable step of a parent: fills bring one asset and show that there was enough of the other; an end leaves. */
  saw({ order, facts }: ParentStep): void {
    if (this.#shortages.size === 0) return;
    const isFilled = facts.some(({ kind }) => kind === "FILLED");
    const isDone = facts.some((fact) => fact.kind === "CHILD_CLOSED" && fact.outcome === "DONE");
    if (isFilled || isDone || order.ended !== undefined) this.forget(order.orderId);
    if (!isFilled) return;
    const { needs, gets } = this.#assets(order);
    const spent = this.#shortages.get(needs);
    if (spent !== undefined) spent.filled = true;
    this.#hasten(needs);
    this.#hasten(gets);
  }

  /** Balances of an account have changed: whatever it was short of may be there. */
  changed(accountId: number): void {
    for (const key of this.#shortages.keys()) if (key.startsWith(`${accountId} `)) this.#hasten(key);
  }

  /** The parent waits no more. */
  forget(orderId: number): void {
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

  /** The next round comes before the first quote or print from its time on. */
  #await(shortage: Shortage): void {
    shortage.cancelRound();
    const atMs = shortage.startedAtMs + shortage.pauseMs;
    shortage.cancelRound = this.#timers.beforeInput(atMs, () => this.#nextRound(shortage));
  }

  /** There may be some of the asset again: the next round is the earliest that may be. */
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
      if (live === undefined || live.working.ended !== undefined) this.forget(orderId);
      else this.#core.effects.emit({ kind: "REARM", live });
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

  /** By account: what a child of the parent needs, and what its fills bring. */
  #assets({ accountId, intent }: ParentOrder): Readonly<{ needs: string; gets: string }> {
    const { base, quote } = this.#pair(intent.symbol);
    const [needs, gets] = intent.side === "BUY" ? [quote, base] : [base, quote];
    return { needs: `${accountId} ${needs}`, gets: `${accountId} ${gets}` };
  }

  /** Where the host does not know the instrument now, its market has assets of its own. */
  #pair(symbol: string): Readonly<{ base: string; quote: string }> {
    try {
      const known = this.#instruments.find(symbol);
      if (known !== undefined) return { base: known.baseAsset, quote: known.quoteAsset };
    } catch {
      // The host was told that it failed, by whoever checks its answers.
    }
    return { base: `base of ${symbol}`, quote: `quote of ${symbol}` };
  }
}
