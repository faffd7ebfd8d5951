import { InvariantError, invariant } from "../../errors/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { EndedKey, EndedPage } from "../../ports/index.ts";
import { decodeParent, encodeParent } from "../../wire/index.ts";
import { isTaken } from "./constraint.ts";
import type { Database } from "./driver.ts";

/** Ended parents. What writes expects to run inside a transaction. */
export type EndedTable = Readonly<{
  /**
   * Keeps or replaces a parent. Throws an InvariantError I03 when its client id names another parent of the account,
   * and I50 when it has not ended.
   */
  put(order: ParentOrder, shard: number): void;
  find(key: EndedKey): ParentOrder | undefined;
  page(page: EndedPage): readonly ParentOrder[];
  ofShard(range: Readonly<{ shard: number; afterOrderId: number; limit: number }>): readonly ParentOrder[];
  count(accountId: number): number;
  /** Deletes parents outside lists only. */
  deleteBefore(range: Readonly<{ beforeMs: number; limit: number }>): number;
  /** Deletes every parent that is a leg of the list; returns how many. */
  deleteLegs(listId: number): number;
}>;

type Row = readonly [orderId: number, record: string];

/** The statements of ended parents. */
export function endedTable(database: Database): EndedTable {
  const put = database.prepare<[number, number, string, number, number, number | null, string]>(
    `INSERT INTO ended (order_id, account_id, client_order_id, shard, ended_at_ms, list_id, record)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (order_id) DO UPDATE SET account_id = excluded.account_id,
       client_order_id = excluded.client_order_id, shard = excluded.shard, ended_at_ms = excluded.ended_at_ms,
       list_id = excluded.list_id, record = excluded.record`,
  );
  const count = database.prepare<[number], number>("SELECT count(*) FROM ended WHERE account_id = ?").pluck();
  const deleteBefore = database.prepare<[beforeMs: number, limit: number]>(
    `DELETE FROM ended WHERE order_id IN
     (SELECT order_id FROM ended WHERE list_id IS NULL AND ended_at_ms < ? ORDER BY ended_at_ms LIMIT ?)`,
  );
  const deleteLegs = database.prepare<[listId: number]>("DELETE FROM ended WHERE list_id = ?");
  return {
    put(order, shard) {
      const { orderId, accountId, intent, ended, list } = order;
      invariant(ended !== undefined, "I50", `parent ${orderId} is stored as ended and has not ended`);
      try {
        const listId = list?.listId ?? null;
        put.run(orderId, accountId, intent.clientOrderId, shard, ended.atMs, listId, encodeParent(order));
      } catch (error) {
        throw isTaken(error)
          ? new InvariantError("I03", `the client id of parent ${orderId} names another parent`)
          : error;
      }
    },
    ...endedReads(database),
    count: (accountId) => count.get(accountId) ?? 0,
    deleteBefore: ({ beforeMs, limit }) => deleteBefore.run(beforeMs, limit).changes,
    deleteLegs: (listId) => deleteLegs.run(listId).changes,
  };
}

function endedReads(database: Database): Pick<EndedTable, "find" | "page" | "ofShard"> {
  const select = <Parameters extends unknown[]>(where: string) =>
    database.prepare<Parameters, Row>(`SELECT order_id, record FROM ended WHERE ${where}`).raw();
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
  const decode = ([orderId, record]: Row): ParentOrder => decodeParent(record, orderId);
  return {
    find(key) {
      const { accountId } = key;
      const row =
        "orderId" in key ? byId.get(accountId, key.orderId) : byClientId.get(accountId, key.clientOrderId);
      return row === undefined ? undefined : decode(row);
    },
    page({ accountId, afterOrderId, newestFirst, limit }) {
      if (!newestFirst) return falling.all(accountId, afterOrderId, limit).map(decode);
      if (afterOrderId === 0) return first.all(accountId, limit).map(decode);
      return rising.all(accountId, afterOrderId, limit).map(decode);
    },
    ofShard: ({ shard, afterOrderId, limit }) => ofShard.all(shard, afterOrderId, limit).map(decode),
  };
}
