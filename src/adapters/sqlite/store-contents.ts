import { MARKET_SHARD } from "../../model/index.ts";
import type { Entry, Storage } from "../../ports/index.ts";
import {
  banIn,
  Ended,
  headIn,
  headKey,
  Journal,
  listIn,
  Market,
  numberIn,
  Owned,
  partsOf,
  Rows,
  rejectionIn,
  Snapshots,
  under,
  unescaped,
} from "../../store/internal.ts";
import { checked } from "../checksums/index.ts";
import { type DayOrders, pages, type StoreContents } from "../shared/index.ts";
import { atRest, type ReadingOptions } from "./reading.ts";
import { sqliteStorage } from "./storage.ts";

/** Number of rows of a page. */
const ROWS_PER_PAGE = 512;

/**
 * Reads everything that a store contains which no process has open, and checks every checksum. Other processes cannot
 * open it meanwhile. Nothing of it changes. Rejects with an Error that names the file if it is in use (code EBUSY), is a
 * backup, is not a store of this version or cannot be read, and like the work.
 */
export async function withSqliteContents<T>(
  options: ReadingOptions,
  work: (contents: StoreContents) => Promise<T>,
): Promise<T> {
  return await atRest(options, async (database) => await work(await contentsOf(sqliteStorage(database))));
}

/** Rejects as {@link withSqliteContents} does before it reads any contents. */
export async function requireSqliteAtRest(options: ReadingOptions): Promise<void> {
  await atRest(options, async () => undefined);
}

async function contentsOf(storage: Storage): Promise<StoreContents> {
  const rows = new Rows(checked(storage, "file"));
  const journal = new Journal(rows, new Owned());
  const ended = new Ended(rows, journal);
  const market = new Market(rows, new Owned(), false);
  const each = async function* <T>(kind: string, read: (entry: Entry) => T): AsyncGenerator<readonly T[]> {
    for await (const page of rows.pages(under(kind))) yield page.map(read);
  };
  return {
    heads: await journal.heads(),
    marketOwner: headIn(await rows.value(headKey(MARKET_SHARD))).epoch,
    records: (shard) =>
      pages(async (after: number) => {
        const page = await journal.texts({ shard, after, limit: ROWS_PER_PAGE });
        return [page, page.at(-1)?.sequence] as const;
      }, 0),
    snapshot: (shard) => new Snapshots(rows, journal).read(shard),
    ended: (shard) =>
      pages(async (afterOrderId: number) => {
        const page = await ended.ofShard({ shard, afterOrderId, limit: ROWS_PER_PAGE });
        return [page, page.at(-1)?.orderId] as const;
      }, 0),
    lists: () => each("list", ([key, text]) => listIn(text, -numberIn(partsOf(key)[1]))),
    marks: () => market.marks(),
    quotes: () => market.quotes(),
    volume: () => market.volume(),
    rejections: () => each("reject", ([, text]) => rejectionIn(text)),
    values: () => each("value", ([key, text]) => [unescaped(partsOf(key)[0] ?? ""), text] as const),
    orderCounts: () => dayOrders(each("orders", ordersIn)),
    bans: () => each("ban", banIn),
  };
}

function ordersIn([key, text]: Entry): DayOrders {
  const [day = 0, accountId = 0] = partsOf(key).map(numberIn);
  return { day, accountId, orders: numberIn(text) };
}

/** Adds what several rate limiters have counted for an account. */
async function* dayOrders(
  counted: AsyncIterable<readonly DayOrders[]>,
): AsyncGenerator<readonly DayOrders[]> {
  const sums = new Map<string, DayOrders>();
  for await (const page of counted)
    for (const one of page) {
      const key = `${one.day} ${one.accountId}`;
      sums.set(key, { ...one, orders: one.orders + (sums.get(key)?.orders ?? 0) });
    }
  yield [...sums.values()];
}
