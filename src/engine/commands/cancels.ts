import { afterDecision, OrderError } from "../../errors/index.ts";
import { statusOf } from "../../lifecycle/index.ts";
import type { CancelRestriction, OrderList, ParentOrder } from "../../model/index.ts";
import type { CancelAllResult, CancelRequest, ListKey } from "../core/calls.ts";
import { type LiveOrder, orderIn, type PendingRecord } from "../core/live-order.ts";
import type { Trust } from "../core/open-calls.ts";
import type { ListReads } from "../reads/list-reads.ts";
import type { ReadModel } from "../reads/read-model.ts";
import type { Shard } from "../shards/shard.ts";
import type { Shards } from "../shards/shards.ts";
import type { Bursts } from "../time/bursts.ts";

/** Dependencies of {@link Cancels}. */
type CancelParts = Readonly<{
  trust: Trust;
  shards: Shards;
  reads: ReadModel;
  lists: ListReads;
  bursts: Bursts;
}>;

/**
 * Cancels one parent, a list, or all parents of an account. Cancels are never refused for load or draining. While trust
 * does not hold, none is answered from memory: another engine may know more.
 */
export class Cancels {
  readonly #parts: CancelParts;

  constructor(parts: CancelParts) {
    this.#parts = parts;
  }

  /**
   * Resolves to the order after the cancel. Rejects with CANCEL_REJECTED for an unknown or ended order, with
   * CANCEL_RESTRICTED for an open one that does not meet the restriction, with DISCONNECTED for one whose acceptance is
   * not known to be durable.
   */
  async one({ restriction, ...key }: CancelRequest): Promise<ParentOrder> {
    this.#parts.trust.requireHeld();
    const order = this.#parts.reads.findOpen(key);
    const shard = order && this.#parts.shards.ofOrder(order.orderId);
    const canceled = shard && (await this.#cancel(shard, [order.orderId], restriction));
    if (canceled === undefined) throw new OrderError("CANCEL_REJECTED");
    return canceled;
  }

  /**
   * Resolves to the list after the cancel of all its legs. Rejects with CANCEL_REJECTED for an unknown or finished
   * list, with DISCONNECTED for one whose acceptance is not known to be durable, and with UNEXPECTED_RESPONSE if the list
   * cannot be read once it is canceled.
   */
  async list(key: ListKey): Promise<OrderList> {
    this.#parts.trust.requireHeld();
    const list = this.#parts.lists.findOpen(key);
    const legs = list?.legs.map(({ orderId }) => orderId);
    const canceled = legs && (await this.#cancel(this.#parts.reads.ownShard(key.accountId), legs));
    if (canceled === undefined) throw new OrderError("CANCEL_REJECTED");
    return await afterDecision(this.#parts.lists.find(key));
  }

  /**
   * Cancels every open parent of an account. A parent that ends by itself meanwhile does not match. If some cancels fail,
   * rejects once all are over: with the first failure if nothing was decided, else with UNEXPECTED_RESPONSE.
   */
  async all(accountId: number): Promise<CancelAllResult> {
    this.#parts.trust.requireHeld();
    const shard = this.#parts.reads.ownShard(accountId);
    const open = [...(shard.accounts.get(accountId)?.after(0, false) ?? [])];
    const count = { matched: 0, canceled: 0 };
    const failures = await this.#inTurns(accountId, open, async (orderId) => {
      const order = await this.#cancel(shard, [orderId]);
      if (order === undefined) return;
      count.matched++;
      if (order.ended !== undefined) count.canceled++;
    });
    const { matched, canceled } = count;
    if (failures.length > 0) {
      if (matched === 0 && failures.every(isUndecided)) throw failures[0];
      throw new OrderError("UNEXPECTED_RESPONSE", {}, { cause: failures[0] });
    }
    return { matchedCount: matched, canceledCount: canceled, cancelPendingCount: matched - canceled };
  }

  /** Starts these cancels in turns. Resolves to their failures when all are over. */
  #inTurns(
    accountId: number,
    orderIds: readonly number[],
    cancel: (orderId: number) => Promise<void>,
  ): Promise<readonly unknown[]> {
    if (orderIds.length === 0) return Promise.resolve([]);
    return new Promise((resolve) => {
      let left = orderIds.length;
      const failures: unknown[] = [];
      const done = (): void => {
        if (--left === 0) resolve(failures);
      };
      const failed = (error: unknown): void => {
        failures.push(error);
        done();
      };
      const steps = function* (): Generator<number, void> {
        for (const orderId of orderIds) {
          cancel(orderId).then(done, failed);
          yield 1;
        }
      };
      this.#parts.bursts.add("cancels", accountId, steps());
    });
  }

  /**
   * Cancels the first of these orders that has not ended. Resolves to its durable state after the cancel, or to
   * undefined when all orders had ended without a cancel. Waits for an end that is decided but not durable yet,
   * because the cancel of an ended leg does nothing to its list (I52), and for what is decided of the other legs: a cancel
   * that changes nothing may come after one that is not durable yet. The restriction is compared with what is decided,
   * in the turn in which the cancel would be decided, so that no fill comes in between.
   */
  #cancel(
    shard: Shard,
    orderIds: readonly number[],
    restriction?: CancelRestriction,
  ): Promise<ParentOrder | undefined> {
    return new Promise((resolve, reject) => {
      shard.post(() => {
        const open = orderIds
          .map((orderId) => shard.liveOrders.get(orderId))
          .filter((live) => live !== undefined && live.durable?.ended === undefined);
        const live = open.find((one) => one?.working.ended === undefined) ?? open[0];
        if (live === undefined) return resolve(undefined);
        const { orderId, ended } = live.working;
        const isRestricted = restriction !== undefined && !meetsRestriction(live.working, restriction);
        if (isRestricted) return refuseWhenDurable(shard, live, reject);
        const event = { kind: "CANCEL" as const, alone: orderIds.length === 1 };
        const canceled = ended ? undefined : shard.change(orderId, event, { kind: "CANCEL" });
        const record = canceled ?? newestPending(shard, live.working);
        if (record === undefined) return resolve(live.working);
        const order = orderIn(record, orderId) ?? live.working;
        shard.whenDurable(record).then(() => resolve(isCanceled(order) ? order : undefined), reject);
      }, reject);
    });
  }
}

/** Returns whether a failure says that nothing was decided. */
const isUndecided = (error: unknown): boolean => error instanceof OrderError && error.code === -1001;

/** Returns whether a cancel with this restriction may cancel the order. A child in flight may have executed. */
export function meetsRestriction(order: ParentOrder, restriction: CancelRestriction): boolean {
  const { status, apiState } = statusOf(order);
  if (restriction === "ONLY_PARTIALLY_FILLED") return status === "PARTIALLY_FILLED";
  return status === "NEW" && apiState === "WAITING";
}

/** Refuses a restricted cancel once the state that it was compared with is durable. */
function refuseWhenDurable(shard: Shard, live: LiveOrder, reject: (error: unknown) => void): void {
  const refusal = new OrderError(live.working.ended === undefined ? "CANCEL_RESTRICTED" : "CANCEL_REJECTED");
  if (live.pending === undefined) return reject(refusal);
  shard.whenDurable(live.pending).then(() => reject(refusal), reject);
}

/** Returns the newest record of a parent or of another leg of its list that is not durable yet. */
function newestPending(shard: Shard, order: ParentOrder): PendingRecord | undefined {
  const pending = shard.memory.legsOf(order).map(({ orderId }) => shard.liveOrders.get(orderId)?.pending);
  return pending.reduce((newest, one) => ((one?.decision ?? -1) > (newest?.decision ?? -1) ? one : newest));
}

/** Returns whether a cancel ended the order, or will end it when its child is resolved. */
const isCanceled = ({ ended, pendingEnd }: ParentOrder): boolean =>
  ended === undefined ? pendingEnd?.status === "CANCELED" : ended.reason === "USER_CANCELED";
