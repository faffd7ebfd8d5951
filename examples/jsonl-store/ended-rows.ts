import type { EndedList, EndedListPage } from "managed-orders/ports";
import type { EndedRow } from "./entries.ts";

type Row = EndedRow & Readonly<{ shard: number }>;
type IdPage = Readonly<{ after: number; rising: boolean; limit: number }>;

/** Ended parents and lists. Newer rows have lower ids. */
export class EndedRows {
  readonly #parents = new Map<number, Row>();
  readonly #lists = new Map<number, EndedList>();
  /** The order or list that has a client id. */
  readonly #holders = new Map<string, number>();

  /** Returns the first client id that would name two parents, or two lists, of one account. */
  conflict(parents: readonly EndedRow[], lists: readonly EndedList[]): string | undefined {
    const claimed = new Map<string, number>();
    const named = [...parents.map(nameOfParent), ...lists.map(nameOfList)];
    for (const [name, id] of named) {
      const holder = claimed.get(name) ?? this.#holders.get(name) ?? id;
      if (holder !== id) return name;
      claimed.set(name, id);
    }
    return undefined;
  }

  put(shard: number, parents: readonly EndedRow[], lists: readonly EndedList[]): void {
    for (const row of parents) {
      this.#dropParent(row.orderId);
      this.#parents.set(row.orderId, { ...row, shard });
      this.#holders.set(...nameOfParent(row));
    }
    for (const list of lists) {
      this.#dropList(list.listId);
      this.#lists.set(list.listId, list);
      this.#holders.set(...nameOfList(list));
    }
  }

  parents(fits: (row: Row) => boolean): readonly Row[] {
    return [...this.#parents.values()].filter(fits);
  }

  lists(fits: (list: EndedList) => boolean): readonly EndedList[] {
    return [...this.#lists.values()].filter(fits).map((list) => structuredClone(list));
  }

  /** Returns a page of parents: falling below the cursor, or rising above it. Cursor 0 starts. */
  page(fits: (row: Row) => boolean, { after, rising, limit }: IdPage): readonly Row[] {
    const isDue = ({ orderId }: Row): boolean => after === 0 || (rising ? orderId > after : orderId < after);
    return [...this.parents((row) => fits(row) && isDue(row))]
      .sort((a, b) => (rising ? a.orderId - b.orderId : b.orderId - a.orderId))
      .slice(0, limit);
  }

  pageOfLists({
    accountId,
    startTimeMs = 0,
    endTimeMs = Infinity,
    limit,
  }: EndedListPage): readonly EndedList[] {
    const fits = (list: EndedList): boolean =>
      list.accountId === accountId && list.acceptedAtMs >= startTimeMs && list.acceptedAtMs <= endTimeMs;
    return [...this.lists(fits)].sort((a, b) => a.listId - b.listId).slice(0, limit);
  }

  /** Deletes parents outside lists, then lists with their legs, until `limit` rows are gone. */
  deleteBefore(beforeMs: number, limit: number): number {
    const single = this.parents((row) => row.listId === undefined && row.endedAtMs < beforeMs).slice(
      0,
      limit,
    );
    for (const { orderId } of single) this.#dropParent(orderId);
    let gone = single.length;
    for (const { listId } of this.lists(({ endedAtMs }) => endedAtMs < beforeMs)) {
      if (gone >= limit) break;
      const legs = this.parents((row) => row.listId === listId);
      for (const { orderId } of legs) this.#dropParent(orderId);
      this.#dropList(listId);
      gone += legs.length + 1;
    }
    return gone;
  }

  #dropParent(orderId: number): void {
    const row = this.#parents.get(orderId);
    if (row === undefined) return;
    this.#parents.delete(orderId);
    this.#holders.delete(nameOfParent(row)[0]);
  }

  #dropList(listId: number): void {
    const list = this.#lists.get(listId);
    if (list === undefined) return;
    this.#lists.delete(listId);
    this.#holders.delete(nameOfList(list)[0]);
  }
}

/** Parents and lists have separate client ids. */
const nameOfParent = ({ accountId, clientOrderId, orderId }: EndedRow): [name: string, id: number] => [
  `parent ${accountId} ${clientOrderId}`,
  orderId,
];
const nameOfList = ({ accountId, listClientOrderId, listId }: EndedList): [name: string, id: number] => [
  `list ${accountId} ${listClientOrderId}`,
  listId,
];
