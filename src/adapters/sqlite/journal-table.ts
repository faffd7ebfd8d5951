import { invariant } from "../../errors/index.ts";
import type { JournalRecord } from "../../model/index.ts";
import type { AppendOutcome, OrderStore, ShardAppend, ShardHead } from "../../ports/index.ts";
import { decodeRecord } from "../../wire/index.ts";
import { checksumOf, requireIntact } from "../checksums/index.ts";
import { type RecordText, textsOf } from "../shared/index.ts";
import type { Database } from "./database.ts";
import { headsOf, portHead, type StoredHead } from "./stored-heads.ts";

/**
 * Number of records that may wait for the index. A read of such records scans that many rows, which takes a millisecond
 * or two.
 */
const INDEX_EVERY = 8_192;

/** Maximum number of characters that one read returns. A record with the weights of a schedule may have 200,000. */
const READ_BYTES: number = 4 * 2 ** 20;

/** The shards' heads and their journal. Call the methods inside a transaction. */
export type JournalTable = Readonly<{
  /** Raises every epoch and brings the index up to date. Throws an InvariantError I54 if head and journal differ. */
  acquire(): readonly ShardHead[];
  /** Returns the head of a shard. Throws a RangeError for a shard that does not exist. */
  head(shard: number): ShardHead;
  /** Stores the records of one part, or none if its epoch, round or sequence is not valid (I60). */
  append(part: ShardAppend): AppendOutcome;
  /** Raises the round of a shard, if the epoch owns the shard. */
  fence(round: Round): void;
  /** Brings the index up to date if enough records wait for it. */
  index(): void;
  /** Brings the index up to date. */
  indexAll(): void;
  /** Reads records. Returns fewer than `limit` if they are large, but at least one. */
  read(range: Range): readonly JournalRecord[];
  /** Returns records as they are stored, otherwise like `read`. */
  texts(range: Range): readonly RecordText[];
}>;

type Range = Readonly<{ shard: number; after: number; limit: number }>;
type Round = Parameters<OrderStore["fence"]>[0];
type Row = readonly [sequence: number, record: string, checksum: number];

/** Prepares the statements for the journal. */
export function journalTable(database: Database): JournalTable {
  const raiseEpochs = database.prepare("UPDATE shards SET epoch = epoch + 1");
  const advance = database.prepare<[last: number, shard: number, epoch: number, before: number]>(
    "UPDATE shards SET sequence = ? WHERE shard = ? AND epoch = ? AND sequence = ?",
  );
  const insert = database.prepare<[number, number, string, number]>(
    "INSERT INTO journal (shard, sequence, record, checksum) VALUES (?, ?, ?, ?)",
  );
  const headOf = headStatement(database);
  const rounds = roundsOf();
  const indexing = indexStatements(database);
  const reading = readStatements(database);

  /** Advances the head if the part follows it. One statement does both check and step. */
  const takes = (part: ShardAppend): boolean => {
    const { shard, epoch, records } = part;
    const first = records[0]?.sequence;
    if (epoch === 0 || !rounds.isNow(part) || !isGapless(records)) return false;
    if (first === undefined) return headOf(shard).epoch === epoch;
    return advance.run(first + records.length - 1, shard, epoch, first - 1).changes === 1;
  };
  const keep = (shard: number, sequence: number, text: string): void => {
    insert.run(shard, sequence, text, checksumOf([shard, sequence], text));
  };
  return {
    acquire() {
      raiseEpochs.run();
      indexing.update();
      const all = headsOf(database);
      for (const { shard, sequence } of all) {
        const last = reading.last.get(shard) ?? 0;
        invariant(
          last === sequence,
          "I54",
          `the journal of shard ${shard} ends with record ${last} instead of record ${sequence}`,
        );
      }
      return all.map(portHead);
    },
    head: (shard) => portHead(headOf(shard)),
    append(part) {
      requireShard(part);
      if (!takes(part)) {
        headOf(part.shard); // throws for a shard that does not exist
        return "fenced";
      }
      const first = part.records[0]?.sequence ?? 0;
      for (const [index, text] of textsOf(part).entries()) keep(part.shard, first + index, text);
      return "durable";
    },
    fence(round) {
      if (headOf(round.shard).epoch === round.epoch) rounds.raise(round);
    },
    index() {
      if (indexing.waiting() >= INDEX_EVERY) indexing.update();
    },
    indexAll() {
      if (indexing.waiting() > 0) indexing.update();
    },
    read: (range) =>
      readRange(reading, range, headOf(range.shard)).map(({ sequence, text }) =>
        decodeRecord(text, { shard: range.shard, sequence }),
      ),
    texts: (range) => readRange(reading, range, headOf(range.shard)),
  };
}

function readRange(
  { indexed, waiting }: Pick<ReturnType<typeof readStatements>, "indexed" | "waiting">,
  { shard, after, limit }: Range,
  { sequence: last, forgotten }: StoredHead,
): readonly RecordText[] {
  const rows: Row[] = [];
  const lastRead = (): number => rows.at(-1)?.[0] ?? after;
  let isCut = takeRows(rows, indexed.iterate(shard, after, limit));
  const missing = limit - rows.length;
  if (missing > 0 && lastRead() < last && !isCut)
    isCut = takeRows(rows, waiting.iterate(shard, lastRead(), missing));
  const ends = isCut || rows.length === limit ? lastRead() : last;
  requireWhole(rows, { shard, after, ends, forgotten });
  return rows.map((row) => intact(shard, row));
}

function headStatement(database: Database): (shard: number) => StoredHead {
  const head = database.prepare<[number], StoredHead>(
    "SELECT shard, epoch, sequence, forgotten FROM shards WHERE shard = ?",
  );
  return (shard) => {
    const found = head.get(shard);
    if (found === undefined) throw new RangeError(`the store has no shard ${shard}`);
    return found;
  };
}

/**
 * Keeps the rounds of the epochs that appended through this handle, by shard. They need no disk: an append is complete
 * when its call returns, so only a later call can belong to an earlier round, and every new opening of the file gets
 * another epoch.
 */
function roundsOf(): Readonly<{ raise(round: Round): void; isNow(part: Round): boolean }> {
  const rounds = new Map<number, Round>();
  const roundOf = ({ shard, epoch }: Round): number => {
    const last = rounds.get(shard);
    return last?.epoch === epoch ? last.round : 0;
  };
  return {
    raise(round) {
      if (round.round > roundOf(round)) rounds.set(round.shard, round);
    },
    isNow: (part) => part.round === roundOf(part),
  };
}

function indexStatements(database: Database): Readonly<{ waiting(): number; update(): void }> {
  const waiting = database
    .prepare<[], number>(
      "SELECT coalesce(max(position), 0) - (SELECT value FROM state WHERE name = 'indexed') FROM journal",
    )
    .pluck();
  const fill = database.prepare(
    `INSERT INTO journal_index (shard, sequence, position)
     SELECT shard, sequence, position FROM journal
     WHERE position > (SELECT value FROM state WHERE name = 'indexed')
     ORDER BY shard, sequence`,
  );
  const mark = database.prepare(
    "UPDATE state SET value = (SELECT coalesce(max(position), 0) FROM journal) WHERE name = 'indexed'",
  );
  return {
    waiting: () => waiting.get() ?? 0,
    update() {
      fill.run();
      mark.run();
    },
  };
}

function readStatements(database: Database) {
  const indexed = database.prepare<[shard: number, after: number, limit: number], Row>(
    `SELECT place.sequence, journal.record, journal.checksum FROM journal_index AS place
     JOIN journal ON journal.position = place.position
     WHERE place.shard = ? AND place.sequence > ? ORDER BY place.sequence LIMIT ?`,
  );
  const waiting = database.prepare<[shard: number, after: number, limit: number], Row>(
    `SELECT sequence, record, checksum FROM journal
     WHERE position > (SELECT value FROM state WHERE name = 'indexed') AND shard = ? AND sequence > ?
     ORDER BY position LIMIT ?`,
  );
  const last = database.prepare<[shard: number], number | null>(
    "SELECT max(sequence) FROM journal_index WHERE shard = ?",
  );
  return { indexed: indexed.raw(), waiting: waiting.raw(), last: last.pluck() };
}

function intact(shard: number, [sequence, text, checksum]: Row): RecordText {
  const name = (): string => `journal record ${sequence} of shard ${shard}`;
  requireIntact(checksum, checksumOf([shard, sequence], text), name);
  return { sequence, text };
}

function isGapless(records: readonly JournalRecord[]): boolean {
  const first = records[0]?.sequence ?? 0;
  return records.every((record, index) => record.sequence === first + index);
}

function requireShard({ shard, records, marks = [] }: ShardAppend): void {
  const own = [...records, ...marks].every((one) => one.shard === shard);
  invariant(own, "I54", `a record or mark of another shard was appended to shard ${shard}`);
}

/** Adds rows up to a number of bytes, but at least one. Returns whether it stopped before the last row. */
function takeRows(rows: Row[], more: Iterable<Row>): boolean {
  let bytes = 0;
  for (const row of more) {
    rows.push(row);
    bytes += row[1].length;
    if (bytes >= READ_BYTES) return true;
  }
  return false;
}

/**
 * Throws if rows above `forgotten` are missing, or the last one: a journal with a hole or a lost end must never be read
 * as a shorter journal.
 */
function requireWhole(
  rows: readonly Row[],
  range: Readonly<{ shard: number; after: number; ends: number; forgotten: number }>,
): void {
  const { shard, after, ends, forgotten } = range;
  let before = after;
  for (const [sequence] of rows) {
    const follows = sequence === before + 1 || (sequence > before && sequence - 1 <= forgotten);
    invariant(follows, "I54", `the journal of shard ${shard} has a gap after record ${before}`);
    before = sequence;
  }
  invariant(before >= ends, "I54", `the journal of shard ${shard} has a gap after record ${before}`);
}
