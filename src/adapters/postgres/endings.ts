import type { EndedList } from "../../model/index.ts";
import type { EndedName, OrderStore } from "../../ports/index.ts";
import { legsIn, limited } from "../shared/index.ts";
import { requireShard } from "./append-columns.ts";
import type { Database } from "./database.ts";
import type { Row } from "./driver.ts";
import type { Owner } from "./owner.ts";
import { bytesOf, textIn, textOfHex, wholeIn } from "./reading.ts";
import { endedIn, requireList } from "./row-sums.ts";
import { ENDINGS } from "./statements.ts";

type Endings = Pick<
  OrderStore,
  "findEnded" | "pageEnded" | "countEnded" | "readEnded" | "findEndedList" | "pageEndedLists" | "deleteEnded"
> &
  Required<Pick<OrderStore, "pageEndedNames">>;

/** Begins a page of names before the first name of any account. */
const BEFORE_ALL: EndedName = { accountId: Number.MIN_SAFE_INTEGER, clientOrderId: "" };

/** Creates the methods for ended parents and lists. */
export function endings(database: Database, owner: Owner): Endings {
  return {
    async findEnded(key) {
      const rows =
        "orderId" in key
          ? await database.read(ENDINGS.findById, [key.accountId, key.orderId])
          : await database.read(ENDINGS.findByName, [key.accountId, bytesOf(key.clientOrderId)]);
      return rows.map(endedIn)[0];
    },
    async pageEnded(page) {
      const { accountId, afterOrderId, newestFirst, limit } = limited(page);
      const after = newestFirst && afterOrderId === 0 ? Number.MIN_SAFE_INTEGER : afterOrderId;
      const text = newestFirst ? ENDINGS.rising : ENDINGS.falling;
      return (await database.read(text, [accountId, after, limit])).map(endedIn);
    },
    async countEnded({ accountId, shard }) {
      requireShard(shard);
      const [row] = await database.read(ENDINGS.count, [accountId, shard]);
      return { count: wholeIn(row, 0), sequence: wholeIn(row, 1) };
    },
    async readEnded(range) {
      const { shard, afterOrderId, limit } = limited(range);
      requireShard(shard);
      return (await database.read(ENDINGS.ofShard, [shard, afterOrderId, limit])).map(endedIn);
    },
    async pageEndedNames(page) {
      const { after = BEFORE_ALL, limit } = limited(page);
      const rows = await database.read(ENDINGS.names, [after.accountId, bytesOf(after.clientOrderId), limit]);
      return rows.map((row) => ({ accountId: wholeIn(row, 0), clientOrderId: textOfHex(textIn(row, 1)) }));
    },
    async findEndedList(key) {
      const rows =
        "listId" in key
          ? await database.read(ENDINGS.findListById, [key.accountId, key.listId])
          : await database.read(ENDINGS.findListByName, [key.accountId, bytesOf(key.listClientOrderId)]);
      return rows.map(listOf)[0];
    },
    async pageEndedLists(page) {
      const { accountId, startTimeMs, endTimeMs, limit } = limited(page);
      const from = startTimeMs ?? Number.MIN_SAFE_INTEGER;
      const to = endTimeMs ?? Number.MAX_SAFE_INTEGER;
      return (await database.read(ENDINGS.pageLists, [accountId, from, to, limit])).map(listOf);
    },
    deleteEnded: (range) => deleteEnded(database, owner, limited(range)),
  };
}

/** Parents outside lists first, then whole lists, until about `limit` rows are deleted, of shards that the handle owns. */
async function deleteEnded(
  database: Database,
  owner: Owner,
  { beforeMs, limit }: Parameters<OrderStore["deleteEnded"]>[0],
): Promise<number> {
  const [old] = await database.write(ENDINGS.deleteOld, [beforeMs, limit, ...owner.columns]);
  const singles = wholeIn(old, 0);
  const lists: number[] = [];
  let expected = singles;
  if (expected >= limit) return singles;
  for (const row of await database.read(ENDINGS.oldLists, [beforeMs, limit - singles, ...owner.columns])) {
    if (expected >= limit) break;
    lists.push(wholeIn(row, 0));
    expected += wholeIn(row, 1);
  }
  if (lists.length === 0) return singles;
  const [gone] = await database.write(ENDINGS.deleteLists, [lists, beforeMs, ...owner.columns]);
  return singles + wholeIn(gone, 0);
}

/** Returns a list of a row. */
export function listOf(row: Row): EndedList {
  const listId = wholeIn(row, 0);
  const list: EndedList = {
    listId,
    accountId: wholeIn(row, 1),
    listClientOrderId: textOfHex(textIn(row, 2)),
    acceptedAtMs: wholeIn(row, 3),
    endedAtMs: wholeIn(row, 4),
    legs: legsIn(textIn(row, 5), listId),
  };
  requireList(row, 6, list);
  return list;
}
