import { invariant } from "../../errors/index.ts";
import { type DayOrders, inTurns, type KeptBan, pages, type StoreContents } from "../shared/index.ts";
import type { Database } from "./database.ts";
import { atRest, type ReadingOptions } from "./reading.ts";
import { rejectionPages } from "./rejection-table.ts";
import { portHead } from "./stored-heads.ts";
import type { Tables } from "./tables.ts";
import { tablesOf } from "./tables-of.ts";
import { structureOf } from "./verified-structure.ts";
import { wholeText } from "./whole-text.ts";

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
  return await atRest(options, (database) => work(contentsOf(database)));
}

/** Rejects as {@link withSqliteContents} does before it reads any contents. */
export async function requireSqliteAtRest(options: ReadingOptions): Promise<void> {
  await atRest(options, async () => undefined);
}

function contentsOf(database: Database): StoreContents {
  const tables = tablesOf(database);
  const owner = database.prepare<[], number>("SELECT value FROM state WHERE name = 'owner'").pluck();
  const { heads, problems } = structureOf(database);
  const [problem] = problems();
  invariant(problem === undefined, "I54", `${problem}`);
  return {
    heads: heads.map(portHead),
    marketOwner: owner.get() ?? 0,
    records: (shard) =>
      pages((after: number) => {
        const page = tables.journal.texts({ shard, after, limit: ROWS_PER_PAGE });
        return [page, page.at(-1)?.sequence];
      }, 0),
    async snapshot(shard) {
      return await inTurns(tables.snapshots.read(shard));
    },
    ended: (shard) =>
      pages((afterOrderId: number) => {
        const page = tables.ended.ofShard({ shard, afterOrderId, limit: ROWS_PER_PAGE });
        return [page, page.at(-1)?.orderId];
      }, 0),
    lists: () => listPages(tables),
    marks: async () => tables.marks.read(),
    quotes: async () => tables.quotes.read(),
    volume: async () => await inTurns(tables.volume.read()),
    ...smallContents(database),
    ...limitContents(database),
  };
}

function limitContents(database: Database): Pick<StoreContents, "orderCounts" | "bans"> {
  const counts = database.prepare<[day: number, accountId: number, limit: number], DayOrders>(
    `SELECT day, account_id AS accountId, sum(orders) AS orders FROM order_counts
     WHERE (day, account_id) > (?, ?) GROUP BY day, account_id ORDER BY day, account_id LIMIT ?`,
  );
  const bans = database.prepare<[after: string, limit: number], KeptBan>(
    `SELECT address, until_ms AS untilMs, length_ms AS lengthMs FROM bans
     WHERE address > ? ORDER BY address LIMIT ?`,
  );
  return {
    orderCounts: () =>
      pages(
        ([day, account]: readonly [number, number]) => {
          const page = counts.all(day, account, ROWS_PER_PAGE);
          const last = page.at(-1);
          return [page, last && ([last.day, last.accountId] as const)];
        },
        [Number.MIN_SAFE_INTEGER, 0],
      ),
    bans: () =>
      pages((after: string) => {
        const page = bans.all(after, ROWS_PER_PAGE);
        return [page, page.at(-1)?.address];
      }, ""),
  };
}

function listPages({ endedLists }: Tables): ReturnType<StoreContents["lists"]> {
  return pages((after: number) => {
    const ids = endedLists.ids(after, ROWS_PER_PAGE);
    return [ids.flatMap((id) => endedLists.row(id) ?? []), ids.at(-1)];
  }, 0);
}

function smallContents(database: Database): Pick<StoreContents, "rejections" | "values"> {
  const rejections = rejectionPages(database);
  // No key is before all others: an empty one is a key.
  type After = Readonly<{ after: string | null; limit: number }>;
  const values = database.prepare<[After], readonly [key: Uint8Array, value: Uint8Array]>(
    `SELECT CAST(key AS BLOB) AS name, CAST(value AS BLOB) AS text FROM key_values
     WHERE @after IS NULL OR key > @after ORDER BY key LIMIT @limit`,
  );
  return {
    rejections: () =>
      pages((after: number) => {
        const page = rejections(after, ROWS_PER_PAGE);
        return [page.map(([, rejection]) => rejection), page.at(-1)?.[0]];
      }, 0),
    values: () =>
      pages<readonly [string, string], string | null>((after) => {
        const rows = values.raw().all({ after, limit: ROWS_PER_PAGE });
        const page = rows.map(([key, value]) => [wholeText(key), wholeText(value)] as const);
        return [page, page.at(-1)?.[0]];
      }, null),
  };
}
