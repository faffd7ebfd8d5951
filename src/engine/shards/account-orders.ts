import { hashOf, KeyedTable } from "../../common/index.ts";
import { type ListMembership, type ParentOrder, weightBytesOf } from "../../model/index.ts";
import { IdMap } from "../../triggers/index.ts";
import type { LiveOrder } from "../core/live-order.ts";
import { ExposureSums } from "./exposure-sums.ts";
import { OpenIds } from "./open-ids.ts";

/** The open parents of one account, by client id and in creation order, and what they hold of its exposure. */
export class AccountOrders {
  readonly byClientId: KeyedTable<string, LiveOrder> = new KeyedTable({
    keyOf: ({ working }) => working.intent.clientOrderId,
    hashOf,
  });
  /** Lists with a leg that has not ended. Each entry is the membership of one of its legs. */
  readonly lists: IdMap<ListMembership> = new IdMap();
  readonly listByClientId: KeyedTable<string, ListMembership> = new KeyedTable({
    keyOf: ({ listClientOrderId }) => listClientOrderId,
    hashOf,
  });
  /** Executed and reserved quantities by market and side. */
  readonly sums: ExposureSums = new ExposureSums();
  /** Durable legs that are held. Pages show them only with history. */
  readonly held: Set<number> = new Set();
  /** Number of durable open parents. Reads can see only these. */
  confirmed = 0;
  /** Bytes of memory that the weights of the open parents take. */
  weightBytes = 0;
  /** Whether a broken invariant stopped this account. Nothing is sent for a frozen account. */
  frozen = false;
  readonly #open: OpenIds = new OpenIds();
  readonly #openLists: OpenIds = new OpenIds();

  /** Whether the acceptance of an open parent is not known to be durable. */
  get isUndecided(): boolean {
    return this.size > this.confirmed;
  }

  /** Number of open parents. */
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

  /**
   * Returns the open ids after a cursor, in falling order, or in rising order with `newestFirst`. Cursor 0 starts.
   */
  after(cursor: number, newestFirst: boolean): IterableIterator<number> {
    return this.#open.after(cursor, newestFirst);
  }

  /** Yields the legs of every open list, newest list first. */
  *listsNewestFirst(): IterableIterator<readonly number[]> {
    for (const listId of this.#openLists.after(0, true)) {
      const list = this.lists.get(listId);
      if (list !== undefined) yield list.legs;
    }
  }
}
