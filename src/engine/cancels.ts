import { OrderError } from "../errors/index.ts";
import { shardOfId } from "../lifecycle/index.ts";
import type { OrderList, ParentOrder } from "../model/index.ts";
import type { CancelAllResult, ListKey, ParentKey } from "./api.ts";
import { orderIn } from "./core.ts";
import type { ListReads } from "./list-reads.ts";
import type { ReadModel } from "./read-model.ts";
import type { Shard } from "./shard.ts";

/** What cancelling needs from the engine. */
export type CancelHost = Readonly<{
  shard: (number: number) => Shard;
  reads: ReadModel;
  lists: ListReads;
}>;

/** Cancels of one parent, of a list, or of all of an account; never refused for load or draining (decision 13). */
export class Cancels {
  readonly #host: CancelHost;

  constructor(host: CancelHost) {
    this.#host = host;
  }

  /** The order after the cancel; rejects with CANCEL_REJECTED for one that is not there or has ended. */
  async one(key: ParentKey): Promise<ParentOrder> {
    const order = this.#host.reads.findOpen(key);
    const canceled = order && (await this.#cancel(this.#host.shard(shardOfId(order.orderId)), order.orderId));
    if (canceled === undefined) throw new OrderError("CANCEL_REJECTED");
    return canceled;
  }

  /** The list after the cancel of all its legs; rejects with CANCEL_REJECTED for one that is not there or is done. */
  async list(key: ListKey): Promise<OrderList> {
    const list = this.#host.lists.findOpen(key);
    const open = list?.legs.find((leg) => leg.ended === undefined);
    const canceled = open && (await this.#cancel(this.#host.shard(shardOfId(open.orderId)), open.orderId));
    const after = canceled && (await this.#host.lists.find(key));
    if (after === undefined) throw new OrderError("CANCEL_REJECTED");
    return after;
  }

  /** Cancels every parent of an account that has not ended; one that ends by itself meanwhile does not match. */
  async all(accountId: number): Promise<CancelAllResult> {
    const shard = this.#host.reads.ownShard(accountId);
    const open = [...(shard.accounts.get(accountId)?.after(0, false) ?? [])];
    const answers = await Promise.all(open.map((orderId) => this.#cancel(shard, orderId)));
    const after = answers.filter((order) => order !== undefined);
    const canceledCount = after.filter((order) => order.ended !== undefined).length;
    return { matchedCount: after.length, canceledCount, cancelPendingCount: after.length - canceledCount };
  }

  /** Resolves to what is durable after the cancel; to undefined when the parent had ended without it. */
  #cancel(shard: Shard, orderId: number): Promise<ParentOrder | undefined> {
    return new Promise((resolve, reject) => {
      shard.post(() => {
        if (shard.fenced) return reject(new OrderError("DISCONNECTED"));
        const slot = shard.slots.get(orderId);
        if (slot === undefined || slot.durable?.ended !== undefined) return resolve(undefined);
        const record = shard.change(orderId, { kind: "CANCEL" }, { kind: "CANCEL" }) ?? slot.pending;
        if (record === undefined) return resolve(slot.working);
        const order = orderIn(record, orderId) ?? slot.working;
        shard.whenDurable(record).then(() => resolve(isCanceling(order) ? order : undefined), reject);
      });
    });
  }
}

const isCanceling = ({ ended, pendingEnd }: ParentOrder): boolean =>
  (ended ?? pendingEnd)?.status === "CANCELED";
