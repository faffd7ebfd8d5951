import { SHARD_COUNT } from "../../model/index.ts";
import type { OrderStore } from "../../ports/index.ts";
import { limited, pages, type StoreContents } from "../shared/index.ts";
import { COPYING } from "./copy-statements.ts";
import type { Database } from "./database.ts";
import { listOf } from "./endings.ts";
import { headsOf, readTexts } from "./journal.ts";
import { banOf } from "./limit-table.ts";
import { storable, textIn, wholeIn } from "./reading.ts";
import { rejectionOf } from "./rejections.ts";
import { givenText } from "./small-values.ts";
import { JOURNAL } from "./statements.ts";

/** Number of rows of a page. */
const ROWS_PER_PAGE = 512;

/** Returns everything that a store contains which no engine has open. */
export async function postgresContents(database: Database, store: OrderStore): Promise<StoreContents> {
  const [market] = await database.read(JOURNAL.head, [SHARD_COUNT]);
  return {
    heads: await headsOf(database),
    marketOwner: wholeIn(market, 1),
    records: (shard) =>
      pages(async (after: number) => {
        const page = await readTexts(database, limited({ shard, after, limit: ROWS_PER_PAGE }));
        return [page, page.at(-1)?.sequence];
      }, 0),
    snapshot: (shard) => store.readSnapshot(shard),
    ended: (shard) =>
      pages(async (afterOrderId: number) => {
        const page = await store.readEnded({ shard, afterOrderId, limit: ROWS_PER_PAGE });
        return [page, page.at(-1)?.orderId];
      }, 0),
    lists: () =>
      pages(async (after: number) => {
        const page = (await database.read(COPYING.lists, [after, ROWS_PER_PAGE])).map(listOf);
        return [page, page.at(-1)?.listId];
      }, Number.MIN_SAFE_INTEGER),
    marks: () => store.readMarks(),
    quotes: () => store.readQuotes(),
    volume: () => store.readVolume(),
    rejections: () =>
      pages(
        async ([account, position]: readonly [number, number]) => {
          const rows = await database.read(COPYING.rejections, [account, position, ROWS_PER_PAGE]);
          const last = rows.at(-1);
          return [rows.map(rejectionOf), last && ([wholeIn(last, 1), wholeIn(last, 14)] as const)];
        },
        [Number.MIN_SAFE_INTEGER, 0],
      ),
    orderCounts: () =>
      pages(
        async ([day, account]: readonly [number, number]) => {
          const rows = await database.read(COPYING.orderCounts, [day, account, ROWS_PER_PAGE]);
          const page = rows.map((row) => ({
            ...{ day: wholeIn(row, 0), accountId: wholeIn(row, 1), orders: wholeIn(row, 2) },
          }));
          const last = page.at(-1);
          return [page, last && ([last.day, last.accountId] as const)];
        },
        [Number.MIN_SAFE_INTEGER, 0],
      ),
    bans: () =>
      pages(async (after: string) => {
        const page = (await database.read(COPYING.bans, [storable(after), ROWS_PER_PAGE])).map(banOf);
        return [page, page.at(-1)?.address];
      }, ""),
    values: () =>
      pages<readonly [string, string], string | null>(async (after) => {
        const rows = await database.read(COPYING.values, [after, ROWS_PER_PAGE]);
        const page = rows.map((row) => [givenText(textIn(row, 0)), givenText(textIn(row, 1))] as const);
        const last = rows.at(-1);
        return [page, last && textIn(last, 0)];
      }, null),
  };
}
