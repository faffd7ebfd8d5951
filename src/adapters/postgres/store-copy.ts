import { Price, Quantity } from "../../decimal/index.ts";
import { type PricedPrint, SHARD_COUNT, shardOfId } from "../../model/index.ts";
import type { AppendBatch, OrderStore, ShardHead, VolumeState } from "../../ports/index.ts";
import type { StoreContents } from "../shared/index.ts";
import { transposed } from "./append-columns.ts";
import { COPYING } from "./copy-statements.ts";
import type { Database } from "./database.ts";
import { limitTable } from "./limit-table.ts";
import { MARKETS } from "./market-statements.ts";
import { FIRST_VERSIONS_CREATION, MIGRATIONS, NOTE_STEP } from "./migrations.ts";
import { databaseOn, requireDurable, schemaCreationIn } from "./opening.ts";
import { type PostgresStoreOptions, resolved, storeOption } from "./options.ts";
import { storeOn } from "./order-store.ts";
import { PostgresStoreError } from "./postgres-error.ts";
import { storable, textIn, wholeIn } from "./reading.ts";
import { rejectionTable } from "./rejections.ts";
import { sumOfPrint, sumOfRecord } from "./row-sums.ts";
import { smallValues } from "./small-values.ts";
import { JOURNAL, OPENING } from "./statements.ts";
import { postgresContents } from "./store-contents.ts";
import { Sums } from "./sums.ts";
import { sumColumns } from "./volume.ts";

/** Number of rows that one statement writes. */
const ROWS_PER_WRITE = 256;

/** A copy in an empty schema. Nobody can open it as a store before `finish`. */
export interface PostgresCopy {
  /** Writes everything. Calls `written` with the number of records and ended orders that were written since. */
  write(contents: StoreContents, written: (rows: number) => void): Promise<void>;
  /** Reads what was written. */
  contents(): Promise<StoreContents>;
  /** Makes it a store. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Begins a copy in a schema without tables, which it creates if it is missing. Rejects like `openPostgresStore`, and with
 * the code TARGET_NOT_EMPTY if the schema has tables.
 */
export async function beginPostgresCopy(
  options: Pick<PostgresStoreOptions, "url" | "schema">,
): Promise<PostgresCopy> {
  storeOption(options, "beginPostgresCopy");
  const { answerTimeoutMs } = resolved(options);
  const database = databaseOn(resolved(options));
  try {
    await requireDurable(database);
    await requireEmpty(database);
    await begin(database);
    for (const step of MIGRATIONS) await database.script([NOTE_STEP(step), ...step.sql]);
  } catch (error) {
    await database.close();
    throw error;
  }
  const store = storeOn(database, { answerTimeoutMs });
  return {
    write: (contents, written) => write({ database, store, written }, contents),
    contents: () => postgresContents(database, store),
    async finish() {
      const rows = await database.write(COPYING.finish);
      if (rows.length !== 1) throw new Error("another process has finished or removed the copy");
    },
    close: () => store.close(),
  };
}

/** Marks the schema. A store that another process has opened there meanwhile must stay one: then the copy is refused. */
async function begin(database: Database): Promise<void> {
  const creation = [...(await schemaCreationIn(database)), FIRST_VERSIONS_CREATION];
  try {
    await database.script([...creation, COPYING.begin]);
  } catch (error) {
    await requireEmpty(database);
    throw error;
  }
}

async function requireEmpty(database: Database): Promise<void> {
  const { schema, database: name } = database.place;
  const tables = (await database.read(OPENING.tables, [schema])).map((row) => textIn(row, 0));
  if (tables.length === 0) return;
  throw new PostgresStoreError(
    `the schema ${schema} of ${name} is not empty (${tables.slice(0, 3).join(", ")}): choose another schema, or remove it with DROP SCHEMA "${schema}" CASCADE if you do not need it`,
    "TARGET_NOT_EMPTY",
  );
}

type Writing = Readonly<{ database: Database; store: OrderStore; written: (rows: number) => void }>;

async function write(writing: Writing, contents: StoreContents): Promise<void> {
  const { database, store, written } = writing;
  for (const { shard } of contents.heads)
    for await (const page of contents.records(shard)) {
      const rows = page.map(({ sequence, text }) => [sequence, text, sumOfRecord(shard, sequence, text)]);
      await database.write(COPYING.records, [shard, ...transposed(rows, 3)]);
      written(page.length);
    }
  await writeHeads(writing, contents);
  // From here on it is written as an engine writes: with epochs above those of the source.
  const heads = new Map((await store.acquire()).map((head) => [head.shard, head]));
  for (const head of heads.values()) {
    const { shard } = head;
    const snapshot = await contents.snapshot(shard);
    if (snapshot !== undefined) await store.writeSnapshot(snapshot);
    for await (const page of contents.ended(shard))
      for (const ended of chunks(page)) {
        await append(writing, { shards: [partOf(head, { ended })] });
        written(ended.length);
      }
  }
  await writeLists(writing, contents, heads);
  for (const marks of chunks(await contents.marks())) {
    const parts = [...heads.values()].map((head) => {
      return partOf(head, { marks: marks.filter(({ shard }) => shard === head.shard) });
    });
    await append(writing, { shards: parts.filter((part) => part.marks?.length !== 0) });
  }
  for (const quotes of chunks(await contents.quotes())) await append(writing, { shards: [], quotes });
  await writeVolume(writing, await contents.volume(), await marketEpoch(database));
  await writeRest(writing, contents);
}

async function writeHeads({ database }: Writing, { heads, marketOwner }: StoreContents): Promise<void> {
  const rows = heads.map(({ shard, epoch, forgotten = 0 }) => [shard, epoch, forgotten]);
  await database.write(COPYING.heads, transposed([...rows, [SHARD_COUNT, marketOwner, 0]], 3));
}

type Ended = Partial<Pick<AppendBatch["shards"][number], "ended" | "endedLists" | "marks">>;

function partOf({ shard, epoch }: ShardHead, rows: Ended): AppendBatch["shards"][number] {
  return { shard, epoch, round: 0, records: [], ended: [], ...rows };
}

async function append({ store }: Writing, batch: AppendBatch): Promise<void> {
  const outcomes = await store.append(batch);
  if (outcomes.includes("fenced"))
    throw new Error("another process has opened the copy before it was finished");
}

/** A list is in the shard of its legs, which is part of every managed id. */
async function writeLists(
  writing: Writing,
  contents: StoreContents,
  heads: ReadonlyMap<number, ShardHead>,
): Promise<void> {
  for await (const page of contents.lists())
    for (const lists of chunks(page)) {
      const shards = lists.map((list) => {
        const head = heads.get(shardOfId(list.listId));
        if (head === undefined) throw new Error(`the list ${list.listId} has no shard`);
        return partOf(head, { endedLists: [list] });
      });
      await append(writing, { shards });
    }
}

async function marketEpoch(database: Database): Promise<number> {
  const [market] = await database.read(JOURNAL.head, [SHARD_COUNT]);
  return wholeIn(market, 1);
}

/** Writes the sums, and the ids of the prints that they include. Prints of later owners come after these. */
async function writeVolume({ database }: Writing, volume: VolumeState, epoch: number): Promise<void> {
  let place = 0;
  const writeSums = async (sums: Sums, to: number): Promise<void> => {
    const rows = await database.write(MARKETS.sum, [epoch, 0, to, 0, place, ...sumColumns(sums)]);
    if (wholeIn(rows[0], 1) !== 1) throw new Error("another process has changed the copy");
    place = to;
  };
  for (const sums of sumsOf(volume)) await writeSums(sums, place + 1);
  let position = 0;
  for (const prints of chunks(volume.prints)) {
    const rows = prints.map((print) => [
      ...[print.symbol, storable(print.id), print.seenAtMs, ++position, sumOfPrint(summed(print))],
    ]);
    await database.write(COPYING.prints, transposed(rows, 5));
  }
  await writeSums(new Sums(), Math.max(place, position) + 1);
}

/** Returns the row of a print whose price and quantity are in the sums alone. */
const summed = ({ symbol, id, seenAtMs }: VolumeState["prints"][number]): PricedPrint => ({
  ...{ symbol, id, seenAtMs, timeMs: seenAtMs, price: Price.zero, quantity: Quantity.zero, fresh: false },
});

/** Divides sums into those that one statement writes. */
function* sumsOf({ totals, bars, priceBars = [] }: VolumeState): Generator<Sums> {
  yield* summedInChunks(totals, (sums, { symbol, total }) => sums.addTotal(symbol, total));
  yield* summedInChunks(bars, (sums, bar) => sums.addBar(bar));
  yield* summedInChunks(priceBars, (sums, bar) => sums.addPriceBar(bar));
}

function* summedInChunks<Row>(rows: readonly Row[], add: (sums: Sums, row: Row) => void): Generator<Sums> {
  for (const chunk of chunks(rows)) {
    const sums = new Sums();
    for (const row of chunk) add(sums, row);
    yield sums;
  }
}

async function writeRest({ database }: Writing, contents: StoreContents): Promise<void> {
  const table = rejectionTable(database);
  // Everything is kept: the retention of the store that is opened decides.
  const bounds = { beforeMs: 0, perAccount: Number.MAX_SAFE_INTEGER };
  for await (const page of contents.rejections())
    for (const rejections of chunks(page)) await table.add(rejections, bounds);
  const values = smallValues(database);
  for await (const page of contents.values()) for (const [key, value] of page) await values.set(key, value);
  const limits = limitTable(database);
  // Rate limiters number themselves from 1 on.
  const count = { writer: 0, write: 1 };
  for await (const page of contents.orderCounts())
    for (const day of new Set(page.map((row) => row.day)))
      await limits.putCounts({ ...count, day, orders: page.filter((row) => row.day === day) });
  for await (const page of contents.bans()) await limits.putBans(page);
}

function* chunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += ROWS_PER_WRITE)
    yield rows.slice(from, from + ROWS_PER_WRITE);
}
