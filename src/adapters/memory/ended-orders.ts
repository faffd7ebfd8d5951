import { invariant } from "../../errors/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { EndedKey, EndedName, EndedNamePage } from "../../ports/index.ts";
import { decodeParent, encodeParent } from "../../wire/index.ts";
import { pageOfNames } from "./ended-names.ts";
import { type IdIndex, type IdRange, insertId, pickIds, removeId } from "./id-index.ts";

/** Number of rows that one step scans, which takes about a millisecond. */
const ROWS_PER_STEP = 8_192;

type Row = Readonly<{
  clientKey: string;
  accountId: number;
  shard: number;
  endedAtMs: number;
  listId: number | undefined;
  text: string;
}>;

/** An ended parent, encoded for storage. It is made before any change, so that an append is whole or not at all. */
export type EndedRow = Readonly<{ orderId: number; row: Row }>;

/** Asks for at most `limit` rows that ended before a time and belong to shards of which `owns` is true. */
export type EndedBefore = Readonly<{ beforeMs: number; limit: number; owns: (shard: number) => boolean }>;

/** Ended parents with the indexes that reads need: by id, by client id, by account, by shard and by list. */
export type EndedOrders = Readonly<{
  /** Throws an InvariantError I03 if a client id would name two orders of an account. */
  checkClientIds(rows: readonly EndedRow[]): void;
  put(rows: readonly EndedRow[]): void;
  find(key: EndedKey): ParentOrder | undefined;
  ofAccount(accountId: number, range: IdRange): readonly ParentOrder[];
  ofShard(shard: number, range: IdRange): readonly ParentOrder[];
  /** Returns a page of names, in short steps. */
  names(page: EndedNamePage): Generator<void, readonly EndedName[]>;
  count(accountId: number): number;
  /** Returns the ids of parents outside lists, in short steps. */
  endedBefore(range: EndedBefore): Generator<void, readonly number[]>;
  /** Returns the shard of a list; undefined if none of its legs is here. */
  shardOfList(listId: number): number | undefined;
  /** Returns the legs of a list. */
  legsOf(listId: number): readonly ParentOrder[];
  /** Returns the shard of a parent, and the parent; undefined if there is none of that id. */
  row(orderId: number): Readonly<{ shard: number; order: ParentOrder }> | undefined;
  /** Deletes a parent. */
  delete(orderId: number): void;
  /** Deletes every parent that is a leg of the list. Returns their number. */
  deleteLegs(listId: number): number;
}>;

/** Returns the row of an ended parent. Throws an InvariantError I50 for a parent that has not ended. */
export function endedRow(order: ParentOrder, shard: number): EndedRow {
  invariant(order.ended !== undefined, "I50", `parent ${order.orderId} is stored as ended and has not ended`);
  const clientKey = clientKeyOf(order.accountId, order.intent.clientOrderId);
  const row = {
    clientKey,
    accountId: order.accountId,
    shard,
    endedAtMs: order.ended.atMs,
    listId: order.list?.listId,
    text: encodeParent(order),
  };
  return { orderId: order.orderId, row };
}

/** Creates an empty collection. */
export function createEndedOrders(): EndedOrders {
  const rows = new Map<number, Row>();
  const byClientKey = new Map<string, number>();
  const byAccount: IdIndex = new Map();
  const byShard: IdIndex = new Map();
  const byList: IdIndex = new Map();
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
    if (row.listId !== undefined) removeId(byList, row.listId, orderId);
  };
  const dropAll = (ids: readonly number[]): number => {
    for (const orderId of ids) drop(orderId);
    return ids.length;
  };
  const clientIds = (accountId: number): Generator<string> =>
    clientIdsOf(accountId, byAccount.get(accountId) ?? [], rows);
  return {
    checkClientIds: (added) => refuseSharedClientIds(added, byClientKey),
    put(added) {
      for (const { orderId, row } of added) {
        drop(orderId);
        rows.set(orderId, row);
        byClientKey.set(row.clientKey, orderId);
        insertId(byAccount, row.accountId, orderId);
        insertId(byShard, row.shard, orderId);
        if (row.listId !== undefined) insertId(byList, row.listId, orderId);
      }
    },
    find(key) {
      const named =
        "orderId" in key ? key.orderId : byClientKey.get(clientKeyOf(key.accountId, key.clientOrderId));
      return named !== undefined && rows.get(named)?.accountId === key.accountId ? load(named) : undefined;
    },
    ofAccount: (accountId, range) => loadAll(pickIds(byAccount.get(accountId) ?? [], range)),
    ofShard: (shard, range) => loadAll(pickIds(byShard.get(shard) ?? [], range)),
    names: (page) => pageOfNames({ accounts: () => byAccount.keys(), clientIds }, page),
    count: (accountId) => byAccount.get(accountId)?.length ?? 0,
    endedBefore: (range) => idsEndedBefore(rows, range),
    shardOfList: (listId) => (byList.get(listId) ?? []).map((legId) => rows.get(legId)?.shard)[0],
    legsOf: (listId) => loadAll(byList.get(listId) ?? []),
    row(orderId) {
      const [row, order] = [rows.get(orderId), load(orderId)];
      return row === undefined || order === undefined ? undefined : { shard: row.shard, order };
    },
    delete: drop,
    deleteLegs: (listId) => dropAll([...(byList.get(listId) ?? [])]),
  };
}

/** Iterates over a copy of the ids, because rows may be added and removed meanwhile. */
function* clientIdsOf(
  accountId: number,
  ids: readonly number[],
  rows: ReadonlyMap<number, Row>,
): Generator<string> {
  for (const orderId of [...ids]) {
    const row = rows.get(orderId);
    if (row !== undefined) yield row.clientKey.slice(clientKeyOf(accountId, "").length);
  }
}

function* idsEndedBefore(
  rows: ReadonlyMap<number, Row>,
  { beforeMs, limit, owns }: EndedBefore,
): Generator<void, readonly number[]> {
  const old: number[] = [];
  let looked = 0;
  for (const [orderId, row] of rows) {
    if (old.length === limit) break;
    if (row.listId === undefined && row.endedAtMs < beforeMs && owns(row.shard)) old.push(orderId);
    if (++looked % ROWS_PER_STEP === 0) yield;
  }
  return old;
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
