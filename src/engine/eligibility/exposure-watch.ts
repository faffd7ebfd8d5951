import { quantityOf } from "../../host-answers/index.ts";
import { isActive, needsTrigger, reducibleOf } from "../../lifecycle/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { PositionChange } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { LiveOrder } from "../core/live-order.ts";
import type { Answer } from "../core/own-executions.ts";
import type { Shard } from "../shards/shard.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";

/** Reduce-only parents of one account on one market whose position may be gone. */
type Watched = Readonly<{ key: string; orders: Set<number> }> & {
  cancel: () => void;
};

/** Asks for the position on the market of a parent, and passes the answer on within its shard; undefined for a failure. */
type Query = (order: ParentOrder, answered: (answer: Answer | undefined) => void) => void;

/**
 * Ends reduce-only parents whose position is gone, so that none of them reduces the next one (decision 24). It is gone when
 * two measurements say so, `confirmMs` apart, both at rest: no child of the account was unresolved on that market, and
 * nothing was executed there for as long. What measures otherwise, or not at all, ends nothing.
 *
 * A parent is watched from its trigger on, from the first measurement that finds nothing, or since the host has told that its
 * position is gone; one position serves all parents of an account on a market. Nothing of this is durable: after a restart
 * it begins anew.
 */
export class ExposureWatch {
  readonly #core: Core;
  readonly #timers: Timers;
  readonly #shards: Shards;
  readonly #query: Query;
  readonly #watched: Map<string, Watched> = new Map();

  constructor(core: Core, parts: Readonly<{ timers: Timers; shards: Shards; query: Query }>) {
    this.#core = core;
    this.#timers = parts.timers;
    this.#shards = parts.shards;
    this.#query = parts.query;
  }

  /** Watches a parent from its trigger on, whatever else holds it back. */
  track(live: LiveOrder): void {
    if (live.working.intent.reduceOnly && hasTriggered(live.working)) this.#watch(live.working);
  }

  /** Takes note of a measured position. Call it inside the mailbox of the parent's shard. */
  measured(live: LiveOrder, { position, requestedAtMs, isSettled }: Answer): void {
    const order = live.working;
    if (reducibleOf(order.intent.side, quantityOf(position)) > 0) {
      if (live.nothingSinceMs !== undefined) live.nothingSinceMs = undefined;
      if (!hasTriggered(order)) this.#watched.get(keyOf(order))?.orders.delete(order.orderId);
      return;
    }
    if (!isActive(order)) return;
    this.#watch(order);
    const quietSinceMs = this.#core.executions.quietSinceMs(order);
    if (!isSettled || requestedAtMs - quietSinceMs < this.#confirmMs) return;
    const sinceMs = live.nothingSinceMs;
    if (sinceMs === undefined || sinceMs < quietSinceMs) live.nothingSinceMs = this.#core.monotonicMs();
    else if (requestedAtMs - sinceMs >= this.#confirmMs) this.#end(order);
  }

  /** Begins to confirm what the host has told: that an account has nothing any more that its orders could reduce. */
  changed({ accountId, symbol, quantity }: PositionChange): void {
    const account = this.#shards.ofAccount(accountId).accounts.get(accountId);
    for (const orderId of account?.after(0, false) ?? []) {
      const order = this.#shards.live(orderId)?.working;
      if (order === undefined || order.intent.symbol !== symbol || !isWatchable(order)) continue;
      if (reducibleOf(order.intent.side, quantity) === 0) this.#watch(order, 0);
    }
  }

  #end({ orderId }: ParentOrder): void {
    const cause = { kind: "TIMER", timer: "EXPOSURE" } as const;
    this.#shardOf(orderId).change(orderId, { kind: "NOTHING_TO_REDUCE" }, cause);
  }

  #watch(order: ParentOrder, waitMs: number = this.#confirmMs): void {
    const key = keyOf(order);
    const known = this.#watched.get(key);
    if (known !== undefined) return void known.orders.add(order.orderId);
    const watched: Watched = {
      key,
      orders: new Set([order.orderId]),
      cancel: () => undefined,
    };
    this.#watched.set(key, watched);
    this.#await(watched, waitMs);
  }

  get #confirmMs(): number {
    return this.#core.executions.lag.confirmMs;
  }

  #await(watched: Watched, waitMs: number = this.#confirmMs): void {
    watched.cancel();
    watched.cancel = this.#timers.after(waitMs, () => this.#measure(watched));
  }

  /** Measures the position of all parents that are watched together. */
  #measure(watched: Watched): void {
    const [first] = this.#ordersOf(watched);
    if (first === undefined) return void this.#watched.delete(watched.key);
    // The answer may never come: the shard of these parents may leave meanwhile.
    this.#await(watched);
    this.#query(first, (answer) => {
      if (answer !== undefined)
        for (const { orderId } of this.#ordersOf(watched)) this.#judge(orderId, answer);
      this.#await(watched);
    });
  }

  #judge(orderId: number, answer: Answer): void {
    const shard = this.#shardOf(orderId);
    const live = shard.liveOrders.get(orderId);
    if (shard.state !== "running" || live === undefined) return;
    this.measured(live, answer);
  }

  /** Returns the parents that are still to be watched, and forgets the others. */
  #ordersOf({ orders }: Watched): readonly ParentOrder[] {
    const found: ParentOrder[] = [];
    for (const orderId of orders) {
      const live = this.#shards.live(orderId);
      if (live !== undefined && isWatchable(live.working) && !this.#shards.isFrozen(live.working))
        found.push(live.working);
      else orders.delete(orderId);
    }
    return found;
  }

  #shardOf(orderId: number): Shard {
    return this.#shards.ofOrder(orderId);
  }
}

const hasTriggered = (order: ParentOrder): boolean =>
  isActive(order) && needsTrigger(order.intent.type) && order.trigger !== undefined;

const isWatchable = (order: ParentOrder): boolean => order.intent.reduceOnly && isActive(order);

const keyOf = ({ accountId, intent }: ParentOrder): string => `${accountId} ${intent.symbol}`;
