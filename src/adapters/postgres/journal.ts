import { invariant } from "../../errors/index.ts";
import { MARKET_SHARD, SHARD_COUNT } from "../../model/index.ts";
import type { OrderStore, ShardHead } from "../../ports/index.ts";
import { decodeRecord } from "../../wire/index.ts";
import { limited, type RecordText } from "../shared/index.ts";
import { requireShard } from "./append-columns.ts";
import type { Database } from "./database.ts";
import type { Row } from "./driver.ts";
import type { Owner } from "./owner.ts";
import type { Lane } from "./pool.ts";
import { textIn, wholeIn } from "./reading.ts";
import { requireRecord } from "./row-sums.ts";
import { JOURNAL } from "./statements.ts";

/** Number of bytes after which one read ends. A record with the weights of a schedule may have 200,000. */
export const READ_BYTES: number = 4 * 2 ** 20;

/** Methods for shards, their rounds and their records. */
export type Journal = Pick<OrderStore, "acquire" | "head" | "fence" | "readRecords">;

/** Creates the methods for shards, their rounds and their records. */
export function journal(database: Database, owner: Owner): Journal {
  return {
    acquire: () => acquire(database, owner),
    async head(shard) {
      requireShard(shard);
      const [row] = await database.read(JOURNAL.head, [shard]);
      return headOf(row);
    },
    async fence({ shard, epoch, round }) {
      requireShard(shard);
      await database.write(JOURNAL.fence, [shard, epoch, round], "first");
    },
    async readRecords(range) {
      const { shard } = range;
      const records = await readTexts(database, limited(range));
      return records.map(({ sequence, text }) => decodeRecord(text, { shard, sequence }));
    },
  };
}

async function acquire(database: Database, owner: Owner): Promise<readonly ShardHead[]> {
  const raised = await database.write(JOURNAL.acquire, [], "first");
  invariant(
    raised.length === SHARD_COUNT + 1,
    "I53",
    `the store has ${raised.length - 1} shards instead of ${SHARD_COUNT}`,
  );
  const heads = await takenOver(database, owner, raised);
  return heads.filter(({ shard }) => shard !== MARKET_SHARD);
}

/**
 * Notes the epochs that a statement has raised, and reads the heads with a new one: the snapshot of the statement that
 * raises them is older than its locks. No statement of it waits for reads of the engine.
 */
export async function takenOver(
  database: Database,
  owner: Owner,
  raised: readonly Row[],
): Promise<readonly ShardHead[]> {
  const epochs = new Map(raised.map((row) => [wholeIn(row, 0), wholeIn(row, 1)]));
  const heads = new Map((await headsOf(database, undefined, "first")).map((head) => [head.shard, head]));
  owner.take(epochs);
  const shards = [...epochs.keys()].sort((a, b) => a - b);
  return shards.map((shard) => ({ sequence: 0, ...heads.get(shard), shard, epoch: owner.epochOf(shard) }));
}

/** Reads records of a shard as they are stored, otherwise like `readRecords`. */
export async function readTexts(database: Database, range: Range): Promise<readonly RecordText[]> {
  const { shard, after, limit } = range;
  return await readTextsOf(database, { shards: [{ shard, after }], limit });
}

/** Reads records of several shards as they are stored, by shard and sequence, at most `limit` of each. */
export async function readTextsOf(
  database: Database,
  { shards, limit }: Ranges,
  limitMs?: number,
): Promise<readonly ShardText[]> {
  for (const { shard } of shards) requireShard(shard);
  const values = [shards.map(({ shard }) => shard), shards.map(({ after }) => after), limit, READ_BYTES];
  const rows = await database.read(JOURNAL.read, values, "other", limitMs);
  return textsOf({ shards, limit }, rows);
}

/** Reads the heads of all shards. */
export async function headsOf(
  database: Database,
  limitMs?: number,
  lane: Lane = "other",
): Promise<readonly ShardHead[]> {
  return (await database.read(JOURNAL.heads, [], lane, limitMs)).map(headOf);
}

function headOf(row: Row | undefined): ShardHead {
  const [shard, epoch, forgotten, sequence] = [0, 1, 2, 3].map((column) => wholeIn(row, column)) as [
    number,
    number,
    number,
    number,
  ];
  return { shard, epoch, sequence, ...(forgotten > 0 && { forgotten }) };
}

type After = Readonly<{ shard: number; after: number }>;
type Range = After & Readonly<{ limit: number }>;
/** Shards by rising number. */
type Ranges = Readonly<{ shards: readonly After[]; limit: number }>;

/** A record as it is stored, and its shard. */
type ShardText = RecordText & Pick<After, "shard">;

/**
 * Throws if records above `forgotten` are missing, or the last one of a shard: a journal with a hole or a lost end must never
 * be read as a shorter journal.
 */
function textsOf({ shards, limit }: Ranges, rows: readonly Row[]): readonly ShardText[] {
  const rowsOf = rowsByShard(rows);
  const texts: ShardText[] = [];
  let bytes = 0;
  for (const { shard, after } of shards) {
    const those = rowsOf.get(shard) ?? [];
    const records = recordsOf({ shard, after }, those);
    for (const record of records) {
      texts.push({ shard, ...record });
      bytes += Buffer.byteLength(record.text);
    }
    const isCut = records.length === limit || bytes >= READ_BYTES;
    const end = records.at(-1)?.sequence ?? after;
    const isWhole = isCut || (those.length > 0 && end >= wholeIn(those[0], 2));
    invariant(isWhole, "I54", `the journal of shard ${shard} has a gap after record ${end}`);
  }
  return texts;
}

/** Returns the records of one shard. Throws if one is missing between them. */
function recordsOf({ shard, after }: After, rows: readonly Row[]): readonly RecordText[] {
  const records: RecordText[] = [];
  let before = after;
  for (const row of rows) {
    if (row[3] === null) break; // no record above `after`
    const [forgotten, sequence] = [wholeIn(row, 1), wholeIn(row, 3)];
    const follows = sequence === before + 1 || (sequence > before && sequence - 1 <= forgotten);
    invariant(follows, "I54", `the journal of shard ${shard} has a gap after record ${before}`);
    requireRecord(row, shard, 3);
    records.push({ sequence, text: textIn(row, 4) });
    before = sequence;
  }
  return records;
}

function rowsByShard(rows: readonly Row[]): ReadonlyMap<number, readonly Row[]> {
  const found = new Map<number, Row[]>();
  for (const row of rows) {
    const shard = wholeIn(row, 0);
    const those = found.get(shard);
    if (those === undefined) found.set(shard, [row]);
    else those.push(row);
  }
  return found;
}
