import { KeyedTable } from "../../common/index.ts";
import { type ListMembership, type ParentOrder, weightBytesOf } from "../../model/index.ts";
import { IdMap } from "../../triggers/index.ts";
import type { LiveOrder } from "../core/live-order.ts";
import { hashOf } from "../core/text-hash.ts";
import { ExposureSums } from "./exposure-sums.ts";
import { OpenIds } from "./open-ids.ts";

/** The open parents of one account: by client id and in order of creation, and what they hold of its exposure. */
export class AccountOrders {
  readonly byClientId: KeyedTable<string, LiveOrder> = new KeyedTable({
    keyOf: ({ working }) => working.intent.clientOrderId,
    hashOf,
  });
  /** Lists with a leg that has not ended, each as one of its legs tells of it. */
  readonly lists: IdMap<ListMembership> = new IdMap();
  readonly listByClientId: KeyedTable<string, ListMembership> = new KeyedTable({
    keyOf: ({ listClientOrderId }) => listClientOrderId,
    hashOf,
  });
  /** What was executed and what is reserved, by market and side. */
  readonly sums: ExposureSums = new ExposureSums();
  /** Durable legs that are held; pages show them with history only. */
  readonly held: Set<number> = new Set();
  /** How many open parents are durable: those that others may hear of. */
  confirmed = 0;
  /** Bytes of memory that the weights of its open parents take. */
  weightBytes = 0;
  /** A broken invariant stopped this account: nothing is sent for it. */
  frozen = false;
  readonly #open: OpenIds = new OpenIds();
  readonly #openLists: OpenIds = new OpenIds();

  /** How many parents are open. */
  get size(): number {
    return this.#open.size;
  }

  add(live: LiveOrder): void {
    this.#open.add(live.working.orderId);
    this.byClientId.set(live);
    this.weightBytes += weightBytesOf(live.working);
  }

  addList(list: ListMembership): void {
    this.#openLists.add(list.listId);
    this.lists.set(list.listId, list);
    this.listByClientId.set(list);
  }

  removeList({ listId, listClientOrderId }: ListMembership): void {
    this.#openLists.remove(listId);
    this.lists.delete(listId);
    this.listByClientId.delete(listClientOrderId);
  }

  remove(order: ParentOrder): void {
    if (!this.#open.remove(order.orderId)) return;
    this.confirmed--;
    this.weightBytes -= weightBytesOf(order);
    this.held.delete(order.orderId);
    this.byClientId.delete(order.intent.clientOrderId);
  }

  /** Open ids after a cursor: falling from it, or rising when `newestFirst`; cursor 0 starts. */
  after(cursor: number, newestFirst: boolean): IterableIterator<number> {
    return this.#open.after(cursor, newestFirst);
  }

  /** The legs of every open list, those of the newest first. */
  *listsNewestFirst(): IterableIterator<readonly number[]> {
    for (const listId of this.#openLists.after(0, true)) {
      const list = this.lists.get(listId);
      if (list !== undefined) yield list.legs;
    }
  }
}
