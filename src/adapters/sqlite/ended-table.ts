import { InvariantError, invariant } from "../../errors/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { EndedKey, EndedName, EndedNamePage, EndedPage } from "../../ports/index.ts";
import { decodeParent, encodeParent } from "../../wire/index.ts";
import { checksumOf, requireIntact } from "../checksums/index.ts";
import { isTaken } from "./constraint.ts";
import type { Database } from "./database.ts";
import type { LeavingPage } from "./leaving-page.ts";

/** Ended parents. Call the methods that write inside a transaction. */
export type EndedTable = Readonly<{
  /**
   * Stores or replaces a parent. Throws an InvariantError I03 if its client id names another parent of the account, and
   * I50 if it has not ended.
   */
  put(order: ParentOrder, shard: number): void;
  find(key: EndedKey): ParentOrder | undefined;
  page(page: EndedPage): readonly ParentOrder[];
  ofShard(range: Readonly<{ shard: number; afterOrderId: number; limit: number }>): readonly ParentOrder[];
  /** Reads names from the index of client ids only, without reading a row. */
  names(page: EndedNamePage): readonly EndedName[];
  count(accountId: number): number;
  /** Deletes only parents outside lists. */
  deleteBefore(range: Readonly<{ beforeMs: number; limit: number }>): number;
  /** Deletes every parent that is a leg of the list. Returns their number. */
  deleteLegs(listId: number): number;
  /** Returns parents outside lists that ended before the time, earliest end first, after the place. */
  leaving(page: LeavingPage): readonly EndedRow[];
  /** Returns the legs of a list. */
  legs(listId: number): readonly EndedRow[];
  /** Returns at most `limit` ids of a shard by falling id; 0 starts. */
  ids(shard: number, afterOrderId: number, limit: number): readonly number[];
  /** Returns a parent of any account. */
  row(orderId: number): ParentOrder | undefined;
  /** Returns whether the parent has a row. */
  has(orderId: number): boolean;
  delete(orderId: number): void;
}>;

/** An ended parent and its shard. */
export type EndedRow = Readonly<{ shard: number; order: ParentOrder }>;

type Columns = Readonly<{
  orderId: number;
  accountId: number;
  clientOrderId: string;
  shard: number;
  endedAtMs: number;
  listId: number | null;
  record: string;
}>;
type Row = Columns & Readonly<{ checksum: number }>;

/** Prepares the statements for ended parents. */
export function endedTable(database: Database): EndedTable {
  const put = database.prepare<[Row]>(
    `INSERT INTO ended (order_id, account_id, client_order_id, shard, ended_at_ms, list_id, record, checksum)
     VALUES (@orderId, @accountId, @clientOrderId, @shard, @endedAtMs, @listId, @record, @checksum)
     ON CONFLICT (order_id) DO UPDATE SET account_id = excluded.account_id,
       client_order_id = excluded.client_order_id, shard = excluded.shard, ended_at_ms = excluded.ended_at_ms,
       list_id = excluded.list_id, record = excluded.record, checksum = excluded.checksum`,
  );
  const count = database
    .prepare<[number], number>("SELECT rows FROM ended_counts WHERE account_id = ?")
    .pluck();
  const deleteBefore = database.prepare<[beforeMs: number, limit: number]>(
    `DELETE FROM ended WHERE order_id IN
     (SELECT order_id FROM ended WHERE list_id IS NULL AND ended_at_ms < ? ORDER BY ended_at_ms LIMIT ?)`,
  );
  const deleteLegs = database.prepare<[listId: number]>("DELETE FROM ended WHERE list_id = ?");
  return {
    put(order, shard) {
      const columns = columnsOf(order, shard);
      try {
        put.run({ ...columns, checksum: checksumOfColumns(columns) });
      } catch (error) {
        throw isTaken(error)
          ? new InvariantError("I03", `the client id of parent ${order.orderId} belongs to another parent`)
          : error;
      }
    },
    ...endedReads(database),
    ...leavingRows(database),
    names: endedNames(database),
    count: (accountId) => count.get(accountId) ?? 0,
    deleteBefore: ({ beforeMs, limit }) => deleteBefore.run(beforeMs, limit).changes,
    deleteLegs: (listId) => deleteLegs.run(listId).changes,
  };
}

type Select = <Parameters extends unknown[]>(where: string) => Statement<Parameters>;
type Statement<Parameters extends unknown[]> = Readonly<{
  all(...parameters: Parameters): Row[];
  get(...parameters: Parameters): Row | undefined;
}>;

function selecting(database: Database): Select {
  return <Parameters extends unknown[]>(where: string) =>
    database.prepare<Parameters, Row>(
      `SELECT order_id AS orderId, account_id AS accountId, client_order_id AS clientOrderId, shard,
         ended_at_ms AS endedAtMs, list_id AS listId, record, checksum
       FROM ended WHERE ${where}`,
    );
}

function leavingRows(
  database: Database,
): Pick<EndedTable, "leaving" | "legs" | "ids" | "row" | "has" | "delete"> {
  const select = selecting(database);
  const old = select<[beforeMs: number, endedAtMs: number, orderId: number, limit: number]>(
    `list_id IS NULL AND ended_at_ms < ? AND (ended_at_ms, order_id) > (?, ?)
     ORDER BY ended_at_ms, order_id LIMIT ?`,
  );
  const ofList = select<[listId: number]>("list_id = ?");
  const ids = database
    .prepare<[shard: number, afterOrderId: number, limit: number], number>(
      "SELECT order_id FROM ended WHERE shard = ? AND order_id < ? ORDER BY order_id DESC LIMIT ?",
    )
    .pluck();
  const one = select<[orderId: number]>("order_id = ?");
  const there = database.prepare<[orderId: number], unknown>("SELECT 1 FROM ended WHERE order_id = ?");
  const drop = database.prepare<[orderId: number]>("DELETE FROM ended WHERE order_id = ?");
  const rowOf = (row: Row): EndedRow => ({ shard: row.shard, order: orderOf(row) });
  return {
    leaving: ({ beforeMs, after, limit }) => old.all(beforeMs, after.endedAtMs, after.id, limit).map(rowOf),
    legs: (listId) => ofList.all(listId).map(rowOf),
    ids: (shard, afterOrderId, limit) => ids.all(shard, afterOrderId, limit),
    row(orderId) {
      const row = one.get(orderId);
      return row === undefined ? undefined : orderOf(row);
    },
    has: (orderId) => there.get(orderId) !== undefined,
    delete: (orderId) => void drop.run(orderId),
  };
}

function endedReads(database: Database): Pick<EndedTable, "find" | "page" | "ofShard"> {
  const select = selecting(database);
  const byId = select<[number, number]>("account_id = ? AND order_id = ?");
  const byClientId = select<[number, string]>("account_id = ? AND client_order_id = ?");
  const first = select<[number, number]>("account_id = ? ORDER BY order_id LIMIT ?");
  const rising = select<[number, number, number]>(
    "account_id = ? AND order_id > ? ORDER BY order_id LIMIT ?",
  );
  const falling = select<[number, number, number]>(
    "account_id = ? AND order_id < ? ORDER BY order_id DESC LIMIT ?",
  );
  const ofShard = select<[number, number, number]>(
    "shard = ? AND order_id < ? ORDER BY order_id DESC LIMIT ?",
  );
  return {
    find(key) {
      const { accountId } = key;
      const row =
        "orderId" in key ? byId.get(accountId, key.orderId) : byClientId.get(accountId, key.clientOrderId);
      return row === undefined ? undefined : orderOf(row);
    },
    page({ accountId, afterOrderId, newestFirst, limit }) {
      if (!newestFirst) return falling.all(accountId, afterOrderId, limit).map(orderOf);
      if (afterOrderId === 0) return first.all(accountId, limit).map(orderOf);
      return rising.all(accountId, afterOrderId, limit).map(orderOf);
    },
    ofShard: ({ shard, afterOrderId, limit }) => ofShard.all(shard, afterOrderId, limit).map(orderOf),
  };
}

/** Start of a page before the first name of any account. */
const BEFORE_ALL: EndedName = { accountId: Number.MIN_SAFE_INTEGER, clientOrderId: "" };

function endedNames(database: Database): EndedTable["names"] {
  const names = database.prepare<[accountId: number, clientOrderId: string, limit: number], EndedName>(
    `SELECT account_id AS accountId, client_order_id AS clientOrderId FROM ended INDEXED BY ended_client_ids
     WHERE (account_id, client_order_id) > (?, ?) ORDER BY account_id, client_order_id LIMIT ?`,
  );
  return ({ after = BEFORE_ALL, limit }) => names.all(after.accountId, after.clientOrderId, limit);
}

function columnsOf(order: ParentOrder, shard: number): Columns {
  const { orderId, accountId, intent, ended, list } = order;
  invariant(ended !== undefined, "I50", `parent ${orderId} is stored as ended and has not ended`);
  const { clientOrderId } = intent;
  const listId = list?.listId ?? null;
  return {
    orderId,
    accountId,
    clientOrderId,
    shard,
    endedAtMs: ended.atMs,
    listId,
    record: encodeParent(order),
  };
}

function checksumOfColumns(row: Columns): number {
  const { orderId, accountId, clientOrderId, shard, endedAtMs, listId, record } = row;
  return checksumOf([orderId, accountId, clientOrderId, shard, endedAtMs, listId], record);
}

function orderOf(row: Row): ParentOrder {
  requireIntact(row.checksum, checksumOfColumns(row), () => `parent order ${row.orderId}`);
  return decodeParent(row.record, row.orderId);
}
