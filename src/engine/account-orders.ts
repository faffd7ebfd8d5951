import type { ListMembership, ParentOrder } from "../model/index.ts";
import { ExposureSums } from "./exposure-sums.ts";

/** The open parents of one account: by client id and in order of creation, and what they hold of its exposure. */
export class AccountOrders {
  readonly byClientId: Map<string, number> = new Map();
  /** Lists with a leg that has not ended: their legs, by list id. */
  readonly lists: Map<number, readonly number[]> = new Map();
  readonly listByClientId: Map<string, number> = new Map();
  /** What was executed and what is reserved, by market and side. */
  readonly sums: ExposureSums = new ExposureSums();
  /** Durable legs that are held; pages show them with history only. */
  readonly held: Set<number> = new Set();
  /** How many open parents are durable: those that others may hear of. */
  confirmed = 0;
  /** A broken invariant stopped this account: nothing is sent for it. */
  frozen = false;
  /** Open ids in order of creation, which is falling; removed ones stay until a third are. */
  #ids: number[] = [];
  readonly #open: Set<number> = new Set();

  /** How many parents are open. */
  get size(): number {
    return this.#open.size;
  }

  add(order: ParentOrder): void {
    const last = this.#ids.at(-1);
    const inOrder = last === undefined || order.orderId < last;
    this.#ids.push(order.orderId);
    if (!inOrder) this.#ids.sort((a, b) => b - a);
    this.#open.add(order.orderId);
    this.byClientId.set(order.intent.clientOrderId, order.orderId);
  }

  addList({ listId, listClientOrderId, legs }: ListMembership): void {
    this.lists.set(listId, legs);
    this.listByClientId.set(listClientOrderId, listId);
  }

  removeList({ listId, listClientOrderId }: ListMembership): void {
    this.lists.delete(listId);
    this.listByClientId.delete(listClientOrderId);
  }

  remove(order: ParentOrder): void {
    if (!this.#open.delete(order.orderId)) return;
    this.confirmed--;
    this.held.delete(order.orderId);
    this.byClientId.delete(order.intent.clientOrderId);
    if (this.#ids.length > 32 && this.#open.size * 3 < this.#ids.length * 2) {
      this.#ids = this.#ids.filter((id) => this.#open.has(id));
    }
  }

  /** Open ids after a cursor: falling from it, or rising when `newestFirst`; cursor 0 starts. */
  *after(cursor: number, newestFirst: boolean): IterableIterator<number> {
    const ids = this.#ids;
    const step = newestFirst ? -1 : 1;
    for (let index = this.#start(cursor, newestFirst); index >= 0 && index < ids.length; index += step) {
      const id = ids[index];
      if (id !== undefined && this.#open.has(id)) yield id;
    }
  }

  /** Index of the first id beyond the cursor in the direction of reading (binary search: ids fall). */
  #start(cursor: number, newestFirst: boolean): number {
    if (cursor === 0) return newestFirst ? this.#ids.length - 1 : 0;
    let low = 0;
    let high = this.#ids.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const id = this.#ids[middle] ?? 0;
      if (newestFirst ? id > cursor : id >= cursor) low = middle + 1;
      else high = middle;
    }
    return newestFirst ? low - 1 : low;
  }
}
