import { invariant } from "../../errors/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { EndedKey } from "../../ports/index.ts";
import { decodeParent, encodeParent } from "../../wire/index.ts";

type Row = Readonly<{ clientKey: string; accountId: number; shard: number; endedAtMs: number; text: string }>;

/** An ended parent ready to be kept; made before anything is changed, so that an append is whole or not at all. */
export type EndedRow = Readonly<{ orderId: number; row: Row }>;

/** Ids of one account or shard to go through: falling from `afterOrderId`, or rising; 0 starts. */
export type IdRange = Readonly<{ afterOrderId: number; rising: boolean; limit: number }>;

/** Ended parents with the indexes that reads need: by id, by client id, by account and by shard. */
export type EndedOrders = Readonly<{
  /** Throws an InvariantError I03 when a client id would name two orders of an account. */
  checkClientIds(rows: readonly EndedRow[]): void;
  put(rows: readonly EndedRow[]): void;
  find(key: EndedKey): ParentOrder | undefined;
  ofAccount(accountId: number, range: IdRange): readonly ParentOrder[];
  ofShard(shard: number, range: IdRange): readonly ParentOrder[];
  count(accountId: number): number;
  deleteBefore(range: Readonly<{ beforeMs: number; limit: number }>): number;
}>;

/** The row of an ended parent; throws an InvariantError I50 for one that has not ended. */
export function endedRow(order: ParentOrder, shard: number): EndedRow {
  invariant(order.ended !== undefined, "I50", `parent ${order.orderId} is stored as ended and has not ended`);
  const clientKey = clientKeyOf(order.accountId, order.intent.clientOrderId);
  const row = {
    clientKey,
    accountId: order.accountId,
    shard,
    endedAtMs: order.ended.atMs,
    text: encodeParent(order),
  };
  return { orderId: order.orderId, row };
}

/** An empty collection. */
export function createEndedOrders(): EndedOrders {
  const rows = new Map<number, Row>();
  const byClientKey = new Map<string, number>();
  const byAccount = new Map<number, number[]>();
  const byShard = new Map<number, number[]>();
  const load = (orderId: number): ParentOrder | undefined => {
    const text = rows.get(orderId)?.text;
    return text === undefined ? undefined : decodeParent(text, orderId);
  };
  const loadAll = (ids: readonly number[]): readonly ParentOrder[] =>
    ids.map(load).filter((order) => order !== undefined);
  const drop = (orderId: number): void => {
    const row = rows.get(orderId);
    if (row === undefined) return;
    rows.delete(orderId);
    byClientKey.delete(row.clientKey);
    removeId(byAccount, row.accountId, orderId);
    removeId(byShard, row.shard, orderId);
  };
  return {
    checkClientIds: (added) => refuseSharedClientIds(added, byClientKey),
    put(added) {
      for (const { orderId, row } of added) {
        drop(orderId);
        rows.set(orderId, row);
        byClientKey.set(row.clientKey, orderId);
        insertId(byAccount, row.accountId, orderId);
        insertId(byShard, row.shard, orderId);
      }
    },
    find(key) {
      const named =
        "orderId" in key ? key.orderId : byClientKey.get(clientKeyOf(key.accountId, key.clientOrderId));
      return named !== undefined && rows.get(named)?.accountId === key.accountId ? load(named) : undefined;
    },
    ofAccount: (accountId, range) => loadAll(pickIds(byAccount.get(accountId) ?? [], range)),
    ofShard: (shard, range) => loadAll(pickIds(byShard.get(shard) ?? [], range)),
    count: (accountId) => byAccount.get(accountId)?.length ?? 0,
    deleteBefore({ beforeMs, limit }) {
      const dropped: number[] = [];
      for (const [orderId, row] of rows) {
        if (dropped.length === limit) break;
        if (row.endedAtMs < beforeMs) dropped.push(orderId);
      }
      for (const orderId of dropped) drop(orderId);
      return dropped.length;
    },
  };
}

function clientKeyOf(accountId: number, clientOrderId: string): string {
  return `${accountId} ${clientOrderId}`;
}

function refuseSharedClientIds(added: readonly EndedRow[], kept: ReadonlyMap<string, number>): void {
  const claimed = new Map<string, number>();
  for (const { orderId, row } of added) {
    const holder = claimed.get(row.clientKey) ?? kept.get(row.clientKey) ?? orderId;
    invariant(holder === orderId, "I03", `parents ${holder} and ${orderId} share a client id`);
    claimed.set(row.clientKey, orderId);
  }
}

/** How many of the falling ids stand above `id`: where it stands, or would stand. Newer ids go to the end. */
function rankOf(ids: readonly number[], id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? 0) > id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insertId(index: Map<number, number[]>, key: number, id: number): void {
  const ids = index.get(key);
  if (ids === undefined) index.set(key, [id]);
  else ids.splice(rankOf(ids, id), 0, id);
}

function removeId(index: Map<number, number[]>, key: number, id: number): void {
  const ids = index.get(key);
  if (ids === undefined) return;
  const rank = rankOf(ids, id);
  if (ids[rank] === id) ids.splice(rank, 1);
  if (ids.length === 0) index.delete(key);
}

function pickIds(ids: readonly number[], { afterOrderId, rising, limit }: IdRange): readonly number[] {
  if (!rising) {
    const from = rankOf(ids, afterOrderId - 1);
    return ids.slice(from, from + limit);
  }
  const end = afterOrderId === 0 ? ids.length : rankOf(ids, afterOrderId);
  return ids.slice(Math.max(0, end - limit), end).reverse();
}
