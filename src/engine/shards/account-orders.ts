import { type ListMembership, type ParentOrder, weightBytesOf } from "../../model/index.ts";
import { IdMap } from "../../triggers/index.ts";
import { WideMap } from "../core/wide-map.ts";
import { ExposureSums } from "./exposure-sums.ts";
import { OpenIds } from "./open-ids.ts";

/** The open parents of one account: by client id and in order of creation, and what they hold of its exposure. */
export class AccountOrders {
  readonly byClientId: WideMap<number> = new WideMap();
  /** Lists with a leg that has not ended: their legs, by list id. */
  readonly lists: IdMap<readonly number[]> = new IdMap();
  readonly listByClientId: WideMap<number> = new WideMap();
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

  add(order: ParentOrder): void {
    this.#open.add(order.orderId);
    this.byClientId.set(order.intent.clientOrderId, order.orderId);
    this.weightBytes += weightBytesOf(order);
  }

  addList({ listId, listClientOrderId, legs }: ListMembership): void {
    this.#openLists.add(listId);
    this.lists.set(listId, legs);
    this.listByClientId.set(listClientOrderId, listId);
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
      const legs = this.lists.get(listId);
      if (legs !== undefined) yield legs;
    }
  }
}
