import { invariant } from "../../errors/index.ts";
import type { EndedList } from "../../model/index.ts";
import type { EndedListKey, EndedListPage } from "../../ports/index.ts";
import { type IdIndex, insertId, removeId } from "./id-index.ts";

/** Ended lists with the indexes that reads need: by id, by client id and by account. */
export type EndedLists = Readonly<{
  /** Throws an InvariantError I03 if a client id would name two lists of an account. */
  checkClientIds(lists: readonly EndedList[]): void;
  put(lists: readonly EndedList[]): void;
  find(key: EndedListKey): EndedList | undefined;
  /** Newest first. */
  page(page: EndedListPage): readonly EndedList[];
  /** Returns the ids of lists that ended before the time. */
  endedBefore(range: Readonly<{ beforeMs: number }>): readonly number[];
  row(listId: number): EndedList | undefined;
  delete(listId: number): void;
}>;

/** Creates an empty collection. */
export function createEndedLists(): EndedLists {
  const rows = new Map<number, EndedList>();
  const byClientKey = new Map<string, number>();
  const byAccount: IdIndex = new Map();
  const drop = (listId: number): void => {
    const row = rows.get(listId);
    if (row === undefined) return;
    rows.delete(listId);
    byClientKey.delete(clientKeyOf(row));
    removeId(byAccount, row.accountId, listId);
  };
  return {
    checkClientIds: (added) => refuseSharedClientIds(added, byClientKey),
    put(added) {
      for (const list of added) {
        drop(list.listId);
        rows.set(list.listId, copyOf(list));
        byClientKey.set(clientKeyOf(list), list.listId);
        insertId(byAccount, list.accountId, list.listId);
      }
    },
    find(key) {
      const named = "listId" in key ? key.listId : byClientKey.get(clientKeyOf(key));
      const row = named === undefined ? undefined : rows.get(named);
      return row?.accountId === key.accountId ? copyOf(row) : undefined;
    },
    page({ accountId, startTimeMs = -Infinity, endTimeMs = Infinity, limit }) {
      const ids = byAccount.get(accountId) ?? [];
      const lists: EndedList[] = [];
      for (let place = ids.length - 1; place >= 0 && lists.length < limit; place--) {
        const row = rows.get(ids[place] ?? 0);
        if (row === undefined || row.acceptedAtMs < startTimeMs || row.acceptedAtMs > endTimeMs) continue;
        lists.push(copyOf(row));
      }
      return lists;
    },
    endedBefore: ({ beforeMs }) =>
      [...rows].flatMap(([listId, { endedAtMs }]) => (endedAtMs < beforeMs ? [listId] : [])),
    row: (listId) => rows.get(listId),
    delete: drop,
  };
}

/** Copies a list, so that no reference is shared with callers. */
function copyOf(list: EndedList): EndedList {
  return { ...list, legs: [...list.legs] };
}

function clientKeyOf(list: Readonly<{ accountId: number; listClientOrderId: string }>): string {
  return `${list.accountId} ${list.listClientOrderId}`;
}

function refuseSharedClientIds(added: readonly EndedList[], kept: ReadonlyMap<string, number>): void {
  const claimed = new Map<string, number>();
  for (const list of added) {
    const { listId } = list;
    const key = clientKeyOf(list);
    const holder = claimed.get(key) ?? kept.get(key) ?? listId;
    invariant(holder === listId, "I03", `lists ${holder} and ${listId} share a client id`);
    claimed.set(key, listId);
  }
}
