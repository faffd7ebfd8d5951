import { InvariantError } from "../../errors/index.ts";
import type { EndedList } from "../../model/index.ts";
import type { EndedListKey, EndedListPage } from "../../ports/index.ts";
import { checksumOf, requireIntact } from "../checksums/index.ts";
import { legsIn, legsText } from "../shared/index.ts";
import { isTaken } from "./constraint.ts";
import type { Database } from "./database.ts";
import type { LeavingPage } from "./leaving-page.ts";

/** Ended lists. Call `put` and `delete` inside a transaction. */
export type EndedListTable = Readonly<{
  /** Stores or replaces a list. Throws an InvariantError I03 if its client id names another list of the account. */
  put(list: EndedList): void;
  find(key: EndedListKey): EndedList | undefined;
  /** Returns at most `limit` ids of lists by falling id; 0 starts. */
  ids(afterListId: number, limit: number): readonly number[];
  /** Returns a list of any account. */
  row(listId: number): EndedList | undefined;
  /** Newest first. */
  page(page: EndedListPage): readonly EndedList[];
  /** Returns the ids of lists that ended before the time, earliest end first. */
  endedBefore(range: Readonly<{ beforeMs: number; limit: number }>): readonly number[];
  /** Returns lists that ended before the time, earliest end first, after the place. */
  leaving(page: LeavingPage): readonly EndedList[];
  delete(listId: number): void;
}>;

type Columns = Omit<EndedList, "legs"> & Readonly<{ legs: string }>;
type Row = Columns & Readonly<{ checksum: number }>;

/** Prepares the statements for ended lists. */
export function endedListTable(database: Database): EndedListTable {
  const put = database.prepare<[Row]>(
    `INSERT INTO ended_lists (list_id, account_id, list_client_order_id, accepted_at_ms, ended_at_ms, legs, checksum)
     VALUES (@listId, @accountId, @listClientOrderId, @acceptedAtMs, @endedAtMs, @legs, @checksum)
     ON CONFLICT (list_id) DO UPDATE SET account_id = excluded.account_id,
       list_client_order_id = excluded.list_client_order_id, accepted_at_ms = excluded.accepted_at_ms,
       ended_at_ms = excluded.ended_at_ms, legs = excluded.legs, checksum = excluded.checksum`,
  );
  const endedBefore = database
    .prepare<[beforeMs: number, limit: number], number>(
      "SELECT list_id FROM ended_lists WHERE ended_at_ms < ? ORDER BY ended_at_ms LIMIT ?",
    )
    .pluck();
  const drop = database.prepare<[listId: number]>("DELETE FROM ended_lists WHERE list_id = ?");
  return {
    put(list) {
      const { listId, accountId, listClientOrderId, acceptedAtMs, endedAtMs } = list;
      const columns = {
        listId,
        accountId,
        listClientOrderId,
        acceptedAtMs,
        endedAtMs,
        legs: legsText(list.legs),
      };
      try {
        put.run({ ...columns, checksum: checksumOfList(columns) });
      } catch (error) {
        throw isTaken(error)
          ? new InvariantError("I03", `the client id of list ${listId} belongs to another list`)
          : error;
      }
    },
    ...endedListReads(database),
    endedBefore: ({ beforeMs, limit }) => endedBefore.all(beforeMs, limit),
    delete(listId) {
      drop.run(listId);
    },
  };
}

function endedListReads(database: Database): Omit<EndedListTable, "put" | "endedBefore" | "delete"> {
  const select = <Parameters extends unknown[]>(where: string) =>
    database.prepare<Parameters, Row>(
      `SELECT list_id AS listId, account_id AS accountId, list_client_order_id AS listClientOrderId,
         accepted_at_ms AS acceptedAtMs, ended_at_ms AS endedAtMs, legs, checksum
       FROM ended_lists WHERE ${where}`,
    );
  const ids = database
    .prepare<[afterListId: number, limit: number], number>(
      "SELECT list_id FROM ended_lists WHERE list_id < ? ORDER BY list_id DESC LIMIT ?",
    )
    .pluck();
  const one = select<[number]>("list_id = ?");
  const byId = select<[number, number]>("account_id = ? AND list_id = ?");
  const byClientId = select<[number, string]>("account_id = ? AND list_client_order_id = ?");
  const ofAccount = select<[accountId: number, startMs: number, endMs: number, limit: number]>(
    "account_id = ? AND accepted_at_ms >= ? AND accepted_at_ms <= ? ORDER BY accepted_at_ms DESC, list_id LIMIT ?",
  );
  const old = select<[beforeMs: number, endedAtMs: number, listId: number, limit: number]>(
    "ended_at_ms < ? AND (ended_at_ms, list_id) > (?, ?) ORDER BY ended_at_ms, list_id LIMIT ?",
  );
  return {
    ids: (afterListId, limit) => ids.all(afterListId, limit),
    row(listId) {
      const row = one.get(listId);
      return row === undefined ? undefined : listOf(row);
    },
    leaving: ({ beforeMs, after, limit }) => old.all(beforeMs, after.endedAtMs, after.id, limit).map(listOf),
    find(key) {
      const { accountId } = key;
      const row =
        "listId" in key ? byId.get(accountId, key.listId) : byClientId.get(accountId, key.listClientOrderId);
      return row === undefined ? undefined : listOf(row);
    },
    page: ({ accountId, startTimeMs = -Infinity, endTimeMs = Infinity, limit }) =>
      ofAccount.all(accountId, startTimeMs, endTimeMs, limit).map(listOf),
  };
}

function checksumOfList(list: Columns): number {
  const { listId, accountId, listClientOrderId, acceptedAtMs, endedAtMs, legs } = list;
  return checksumOf([listId, accountId, listClientOrderId, acceptedAtMs, endedAtMs, legs]);
}

function listOf({ checksum, ...row }: Row): EndedList {
  requireIntact(checksum, checksumOfList(row), () => `ended list ${row.listId}`);
  return { ...row, legs: legsIn(row.legs, row.listId) };
}
