import { orderListOf } from "../../lifecycle/index.ts";
import {
  type EndedList,
  type JournalRecord,
  type ListMembership,
  type OrderList,
  type ParentOrder,
  SHARD_COUNT,
} from "../../model/index.ts";
import type { ListKey, ListPageRequest } from "../core/calls.ts";
import type { Core } from "../core/core.ts";
import { EngineError } from "../core/engine-error.ts";
import { stored } from "../core/stored.ts";
import type { Shard } from "../shards/shard.ts";
import type { ReadModel } from "./read-model.ts";

/** Answers reads of order lists from durable state only: open lists from memory, finished ones from the store. */
export class ListReads {
  readonly #core: Core;
  readonly #reads: ReadModel;

  constructor(core: Core, reads: ReadModel) {
    this.#core = core;
    this.#reads = reads;
  }

  /**
   * Returns an open list of an account in its durable state. Throws DISCONNECTED for one whose acceptance is not known to
   * be durable: it can be answered for neither as there nor as not there (I71).
   */
  findOpen(key: ListKey): OrderList | undefined {
    const shard = this.#reads.ownShard(key.accountId);
    const legs = this.#membership(shard, key)?.legs;
    const list = legs && durableList(shard, legs);
    if (legs !== undefined && list === undefined)
      throw new EngineError("DISCONNECTED", { acceptance: "unknown" });
    return list;
  }

  /** Resolves to a list, open or ended. Rejects as `findOpen` throws. */
  async find(key: ListKey): Promise<OrderList | undefined> {
    const shard = this.#reads.ownShard(key.accountId);
    const open = durableList(shard, this.#membership(shard, key)?.legs ?? []);
    if (open !== undefined) return open;
    const row = await stored(this.#core, () => this.#core.store.findEndedList(key));
    return row === undefined ? this.findOpen(key) : await this.#load(row);
  }

  #membership(shard: Shard, key: ListKey): ListMembership | undefined {
    const account = shard.accounts.get(key.accountId);
    return "listId" in key
      ? account?.lists.get(key.listId)
      : account?.listByClientId.get(key.listClientOrderId);
  }

  /** Resolves to the newest lists with a leg that has not ended, oldest first. */
  async open(request: ListPageRequest): Promise<readonly OrderList[]> {
    return this.#openNewestFirst(request).reverse();
  }

  /**
   * Resolves to the newest lists, open and ended, oldest first. Reads open lists first, so that a list that ends
   * meanwhile is found as ended.
   */
  async all(request: ListPageRequest): Promise<readonly OrderList[]> {
    const open = this.#openNewestFirst(request);
    const rows = await stored(this.#core, () => this.#core.store.pageEndedLists(request));
    const known = new Map(open.map((list) => [list.listId, list]));
    const newest = [...new Set([...known.keys(), ...rows.map(({ listId }) => listId)])]
      .sort((a, b) => a - b)
      .slice(0, request.limit);
    const rowOf = new Map(rows.map((row) => [row.listId, row]));
    const lists: OrderList[] = [];
    for (const listId of newest.reverse()) {
      const row = rowOf.get(listId);
      const list = row === undefined ? known.get(listId) : await this.#load(row);
      if (list !== undefined) lists.push(list);
    }
    return lists;
  }

  /** Resolves to the records of a list by its id alone, oldest first; undefined if the id does not name a list. */
  async story(listId: number): Promise<readonly JournalRecord[] | undefined> {
    if (!Number.isSafeInteger(listId) || listId >= 0) return undefined;
    // The id of the first leg follows the id of its list.
    const first = await this.#reads.findAny(listId - SHARD_COUNT);
    if (first?.list?.listId !== listId) return undefined;
    const records = new Map<number, JournalRecord>();
    for (const legId of first.list.legs) {
      const leg = await this.#reads.findAny(legId);
      if (leg === undefined) continue;
      for (const record of await this.#reads.records(leg)) records.set(record.sequence, record);
    }
    return [...records.values()].sort((a, b) => a.sequence - b.sequence);
  }

  /** Returns the newest open lists, up to the limit of the page. Builds no others. */
  #openNewestFirst({
    accountId,
    startTimeMs = 0,
    endTimeMs = Infinity,
    limit,
  }: ListPageRequest): OrderList[] {
    this.#reads.requireWhole(accountId);
    const shard = this.#reads.ownShard(accountId);
    const lists: OrderList[] = [];
    for (const legs of shard.accounts.get(accountId)?.listsNewestFirst() ?? []) {
      if (lists.length >= limit) break;
      const acceptedAtMs = shard.liveOrders.get(legs[0] ?? 0)?.durable?.acceptedAtMs;
      if (acceptedAtMs === undefined || acceptedAtMs > endTimeMs) continue;
      // Engine time never falls, so all following lists are older.
      if (acceptedAtMs < startTimeMs) break;
      const list = durableList(shard, legs);
      if (list !== undefined) lists.push(list);
    }
    return lists;
  }

  /** Loads a finished list, with its legs from the store. */
  async #load({ accountId, legs }: EndedList): Promise<OrderList | undefined> {
    const orders: ParentOrder[] = [];
    for (const orderId of legs) {
      const order = await stored(this.#core, () => this.#core.store.findEnded({ accountId, orderId }));
      if (order === undefined) return undefined;
      orders.push(order);
    }
    return orderListOf(orders);
  }
}

/** Returns the list of these legs in its durable state; undefined without legs, and before its acceptance is durable. */
function durableList(shard: Shard, legs: readonly number[]): OrderList | undefined {
  const orders = legs.map((legId) => shard.liveOrders.get(legId)?.durable);
  return orders.length > 0 && orders.every((order) => order !== undefined) ? orderListOf(orders) : undefined;
}
