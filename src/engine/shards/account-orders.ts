import { hashOf, KeyedTable, partitionPoint } from "../../common/index.ts";
import { add, max, min, type Quantity, roundedUp, subtract, ZERO_QUANTITY } from "../../decimal/index.ts";
import { type ListMembership, type ParentOrder, weightBytesOf } from "../../model/index.ts";
import { IdMap } from "../../triggers/index.ts";
import type { LiveOrder } from "../core/live-order.ts";

/** Quantities that the parents of one account have executed and may still execute on one side of one market. */
export type ExposureSum = Readonly<Sum>;

type Sum = {
  /** Number of unresolved children, reduce-only or not. */
  children: number;
  /** Quantity that unresolved reduce-only children may still execute. */
  reserved: Quantity;
  /** Quantity executed since the account came into memory. Only differences of it are meaningful. */
  executed: Quantity;
  /** The part of it in durable records. A position that follows the journal includes no more. */
  durable: Quantity;
  /**
   * The part of `executed` that no reduce-only child had reserved: by opening children, late, or in excess. A measured
   * exposure becomes smaller by it, and by nothing else.
   */
  unreserved: Quantity;
};

const NOTHING: ExposureSum = Object.freeze({
  children: 0,
  reserved: ZERO_QUANTITY,
  executed: ZERO_QUANTITY,
  durable: ZERO_QUANTITY,
  unreserved: ZERO_QUANTITY,
});

/**
 * Running sums of one account by market and side. Only events on the same market and side can make a measured exposure too
 * high, so only that sum tells whether a measurement is outdated (I13).
 */
export class ExposureSums {
  readonly #sums: Map<string, Sum> = new Map();

  /** Returns the sum of now. It changes with the next record. */
  of(order: ParentOrder): ExposureSum {
    return this.#sums.get(keyOf(order)) ?? NOTHING;
  }

  /** Whether nothing is under way on the market of an order: no child is unresolved, and every execution is durable. */
  isSettled({ intent: { symbol } }: ParentOrder): boolean {
    return SIDES.every((side) => {
      const { children, executed, durable } = this.#sums.get(`${symbol} ${side}`) ?? NOTHING;
      return children === 0 && executed === durable;
    });
  }

  /** Adds a parent that came into memory. */
  hold(order: ParentOrder): void {
    if (order.child === undefined) return;
    const sum = this.#begun(order);
    sum.children++;
    sum.reserved = add(sum.reserved, reservedBy(order));
  }

  /** Applies the change of a parent by a record. */
  move(before: ParentOrder, after: ParentOrder): void {
    const children = childrenOf(after) - childrenOf(before);
    const reserved = subtract(reservedBy(after), reservedBy(before));
    const executed = executedBetween(before, after);
    if (children === 0 && reserved === ZERO_QUANTITY && executed === ZERO_QUANTITY) return;
    const unreserved = max(add(executed, min(reserved, ZERO_QUANTITY)), ZERO_QUANTITY);
    const sum = this.#begun(after);
    sum.children += children;
    sum.reserved = add(sum.reserved, reserved);
    sum.executed = add(sum.executed, executed);
    sum.unreserved = add(sum.unreserved, unreserved);
  }

  /** Notes that a record on a parent is durable. */
  countDurable(before: ParentOrder, after: ParentOrder): void {
    const executed = executedBetween(before, after);
    if (executed === ZERO_QUANTITY) return;
    const sum = this.#begun(after);
    sum.durable = add(sum.durable, executed);
  }

  /** Whether everything that was executed is durable. */
  get isDurable(): boolean {
    for (const { executed, durable } of this.#sums.values()) if (executed !== durable) return false;
    return true;
  }

  #begun(order: ParentOrder): Sum {
    const key = keyOf(order);
    const known = this.#sums.get(key);
    if (known !== undefined) return known;
    const sum = { ...NOTHING };
    this.#sums.set(key, sum);
    return sum;
  }
}

/** Returns the quantity that the unresolved child of a reduce-only parent may still execute. */
export function reservedBy({ intent, child }: ParentOrder): Quantity {
  if (!intent.reduceOnly || child === undefined) return ZERO_QUANTITY;
  const open = subtract(child.quantity, child.executedQuantity);
  return open > 0 ? open : ZERO_QUANTITY;
}

const childrenOf = ({ child }: ParentOrder): number => (child === undefined ? 0 : 1);

/** Rounded up to whole steps, so that a measured exposure is never taken for larger than it is. */
const executedBetween = (before: ParentOrder, after: ParentOrder): Quantity =>
  subtract(roundedUp(after), roundedUp(before));

const SIDES = ["BUY", "SELL"] as const;

const keyOf = ({ intent }: ParentOrder): string => `${intent.symbol} ${intent.side}`;

/** Size above which a chunk of ids is split. It limits how many ids an insertion or removal moves. */
const MOST_IN_CHUNK = 512;

/**
 * Managed ids of one account in creation order, which is descending. They are stored in chunks, so that an insertion
 * or removal touches one chunk.
 */
export class OpenIds {
  /** Chunks are never empty. */
  readonly #chunks: number[][] = [];
  #size = 0;
  /** Rises with every insertion and removal. */
  #changes = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an id. Does nothing if it is there already. */
  add(id: number): void {
    const number = this.#chunkOf(id);
    const chunk = this.#chunks[number];
    if (chunk === undefined) this.#chunks.push([id]);
    else {
      const index = rankOf(chunk, id);
      if (chunk[index] === id) return;
      if (index === chunk.length) chunk.push(id);
      else chunk.splice(index, 0, id);
      if (chunk.length > MOST_IN_CHUNK) this.#cut(number, chunk);
    }
    this.#size++;
    this.#changes++;
  }

  /** Removes an id. Returns false if it was not there. */
  remove(id: number): boolean {
    const number = this.#chunkOf(id);
    const chunk = this.#chunks[number] ?? [];
    const index = rankOf(chunk, id);
    if (chunk[index] !== id) return false;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(number, 1);
    this.#size--;
    this.#changes++;
    return true;
  }

  /**
   * Yields the ids after a cursor, in falling order, or in rising order with `newestFirst`. Cursor 0 starts. Ids may
   * be added and removed during the iteration.
   */
  *after(cursor: number, newestFirst: boolean): IterableIterator<number> {
    let last = cursor;
    for (let ids = this.#next(last, newestFirst); ids.length > 0; ids = this.#next(last, newestFirst)) {
      const changes = this.#changes;
      for (const id of ids) {
        last = id;
        if (this.#changes === changes || this.#has(id)) yield id;
      }
    }
  }

  #has(id: number): boolean {
    const chunk = this.#chunks[this.#chunkOf(id)] ?? [];
    return chunk[rankOf(chunk, id)] === id;
  }

  /** Returns the ids after an id in one direction: the rest of its chunk, or the whole next chunk. */
  #next(id: number, isRising: boolean): readonly number[] {
    if (id === 0) return isRising ? [...(this.#chunks.at(-1) ?? [])].reverse() : [...(this.#chunks[0] ?? [])];
    const number = this.#chunkOf(id);
    const chunk = this.#chunks[number] ?? [];
    const rank = rankOf(chunk, id);
    if (isRising) return (rank > 0 ? chunk.slice(0, rank) : [...(this.#chunks[number - 1] ?? [])]).reverse();
    const rest = chunk.slice(chunk[rank] === id ? rank + 1 : rank);
    return rest.length > 0 ? rest : [...(this.#chunks[number + 1] ?? [])];
  }

  /** Splits a chunk. New ids come at the end, so a full last chunk stays whole; any other is split in the middle. */
  #cut(number: number, chunk: number[]): void {
    const isLast = number === this.#chunks.length - 1;
    this.#chunks.splice(number + 1, 0, chunk.splice(isLast ? MOST_IN_CHUNK : MOST_IN_CHUNK / 2));
  }

  /** Returns the index of the last chunk that begins at or above an id, or 0. */
  #chunkOf(id: number): number {
    return Math.max(0, partitionPoint(this.#chunks, (chunk) => (chunk[0] ?? 0) >= id) - 1);
  }
}

/** Returns how many of the descending ids are above `id`, which is its index or insertion point. A new id is the lowest. */
function rankOf(ids: readonly number[], id: number): number {
  if ((ids[ids.length - 1] ?? 0) > id) return ids.length;
  return partitionPoint(ids, (other) => other > id);
}

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
