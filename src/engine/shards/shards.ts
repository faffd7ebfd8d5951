import { shardOf } from "../../lifecycle/index.ts";
import { type ParentOrder, shardOfId } from "../../model/index.ts";
import type { ShardHead } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { LiveOrder } from "../core/live-order.ts";
import { timely } from "../core/stored.ts";
import { Shard } from "./shard.ts";
import type { DeadlineSource } from "./shard-state.ts";

/** All shards of an engine. Readers find the shard of an order or an account here, and totals over all shards. */
export class Shards {
  readonly all: readonly Shard[];

  /** Creates the shards from all heads, sorted by number. */
  constructor(heads: readonly ShardHead[], core: Core, deadlines: DeadlineSource) {
    const reads = timely(core);
    this.all = heads.map((head) => new Shard(head, core, { deadlines, reads }));
    core.trust.onExtended(() => {
      for (const shard of this.all) shard.resume();
    });
  }

  /** Returns the shard of a number. Throws a RangeError if there is none. */
  at(number: number): Shard {
    const shard = this.all[number];
    if (shard === undefined) throw new RangeError(`shard ${number} does not exist`);
    return shard;
  }

  /** The shards that this engine has in memory: all but those that other nodes run. */
  get owned(): readonly Shard[] {
    return this.all.filter(({ state }) => state !== "elsewhere");
  }

  ofAccount(accountId: number): Shard {
    return this.at(shardOf(accountId));
  }

  ofOrder(orderId: number): Shard {
    return this.at(shardOfId(orderId));
  }

  /** Returns a parent in memory; undefined for one that has ended or never existed. */
  live(orderId: number): LiveOrder | undefined {
    return this.ofOrder(orderId).liveOrders.get(orderId);
  }

  /** Returns whether the account of a parent is frozen. */
  isFrozen({ accountId }: ParentOrder): boolean {
    return this.ofAccount(accountId).accounts.get(accountId)?.frozen === true;
  }

  /** Number of parents that have not ended. */
  get openParents(): number {
    return this.all.reduce((sum, { memory }) => sum + memory.openParents, 0);
  }

  /** Bytes of memory that the weights of all open parents take. */
  get weightBytes(): number {
    return this.all.reduce((sum, { memory }) => sum + memory.weightBytes, 0);
  }
}
