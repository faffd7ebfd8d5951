import { InvariantError, invariant } from "../../errors/index.ts";
import type { EndedList, JournalRecord, KeptQuote, MarketMark } from "../../model/index.ts";
import type {
  AppendBatch,
  AppendOutcome,
  OrderStore,
  ShardAppend,
  ShardHead,
  VolumeCutoff,
} from "../../ports/index.ts";
import { decodeRecord } from "../../wire/index.ts";
import { textsOf } from "../shared/index.ts";
import type { DiskContents, KeptShard } from "./disk.ts";
import { type EndedRow, endedRow } from "./ended-orders.ts";

type EncodedPart = Readonly<{
  shard: KeptShard;
  decided: readonly JournalRecord[];
  records: readonly string[];
  ended: readonly EndedRow[];
  endedLists: readonly EndedList[];
  marks: readonly MarketMark[];
}>;

/**
 * Stores a batch: the parts whose epoch, round and sequence are valid, and prints and quotes if the caller owns the
 * market journal. Checks and encodes everything first; if that throws, nothing has changed.
 */
export function append(disk: DiskContents, batch: AppendBatch, isOwner: boolean): readonly AppendOutcome[] {
  const { prints = [], quotes = [] } = batch;
  if (batch.shards.length === 0 && prints.length + quotes.length > 0) requireOwner(isOwner);
  const sequences = new Map<number, number>();
  const kept: EncodedPart[] = [];
  const outcomes = batch.shards.map((part): AppendOutcome => {
    const shard = shardOf(disk, part.shard);
    const sequence = sequences.get(part.shard) ?? shard.records.last;
    if (!follows(part, { epoch: shard.epoch, round: shard.round, sequence })) return "fenced";
    sequences.set(part.shard, sequence + part.records.length);
    const ended = part.ended.map((order) => endedRow(order, part.shard));
    const { endedLists = [], marks = [] } = part;
    kept.push({ shard, decided: part.records, records: textsOf(part), ended, endedLists, marks });
    return "durable";
  });
  disk.ended.checkClientIds(kept.flatMap(({ ended }) => ended));
  disk.endedLists.checkClientIds(kept.flatMap(({ endedLists }) => endedLists));
  for (const { shard, decided, records, ended, endedLists, marks } of kept) {
    for (const record of records) shard.records.push(record);
    disk.ended.put(ended);
    disk.endedLists.put(endedLists);
    for (const mark of marks) disk.marks.set(keyOf(mark), { ...mark });
    for (const listener of disk.listeners) decided.forEach(listener);
  }
  if (!isOwner) return outcomes;
  for (const quote of quotes) disk.quotes.set(quote.symbol, { ...quote });
  disk.volume.put(prints, disk.isShared ? disk.market.epoch : undefined);
  return outcomes;
}

/** Returns whether the part's epoch owns the shard in its round, and its records continue the journal. */
function follows(
  part: ShardAppend,
  head: Readonly<{ epoch: number; round: number; sequence: number }>,
): boolean {
  invariant(
    part.records.every(({ shard }) => shard === part.shard) &&
      (part.marks ?? []).every(({ shard }) => shard === part.shard),
    "I54",
    `a record or mark of another shard was appended to shard ${part.shard}`,
  );
  if (part.epoch === 0 || part.epoch !== head.epoch || part.round !== head.round) return false;
  return part.records.every((record, index) => record.sequence === head.sequence + 1 + index);
}

/** Returns the shard with that number. Throws a RangeError if there is none. */
export function shardOf(disk: DiskContents, shard: number): KeptShard {
  const kept = disk.shards[shard];
  if (kept === undefined) throw new RangeError(`the store has no shard ${shard}`);
  return kept;
}

/** Returns owner and last sequence of a shard. */
export function headOf(disk: DiskContents, shard: number): ShardHead {
  const { epoch, records } = shardOf(disk, shard);
  const { last: sequence, forgotten } = records;
  return { shard, epoch, sequence, ...(forgotten > 0 && { forgotten }) };
}

/** Raises the round of a shard, if the epoch owns the shard. */
export function fence(disk: DiskContents, given: Parameters<OrderStore["fence"]>[0]): void {
  const shard = shardOf(disk, given.shard);
  if (shard.epoch === given.epoch) shard.round = Math.max(shard.round, given.round);
}

/** Returns the records above `after`, in order. */
export function readRecords(
  disk: DiskContents,
  range: Readonly<{ shard: number; after: number; limit: number }>,
): readonly JournalRecord[] {
  const { shard, after, limit } = range;
  const { records } = shardOf(disk, shard);
  return records.above(after, limit).map(([sequence, text]) => decodeRecord(text, { shard, sequence }));
}

/** Returns the marks of these shards, or without `shards` of all, sorted by symbol, side, shard and position. */
export function readMarks(disk: DiskContents, shards?: readonly number[]): readonly MarketMark[] {
  const asked = shards && new Set(shards);
  return [...disk.marks.values()].filter(({ shard }) => asked?.has(shard) !== false).sort(compareMarks);
}

/** Returns the last quote of every market, sorted by symbol. */
export function readQuotes(disk: DiskContents): readonly KeptQuote[] {
  return [...disk.quotes.values()].sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
}

/** Deletes the marks of shards that the caller owns. */
export function deleteMarks(
  disk: DiskContents,
  marks: readonly MarketMark[],
  owns: (shard: number) => boolean,
): void {
  for (const mark of marks) if (owns(mark.shard)) disk.marks.delete(keyOf(mark));
}

/** Deletes bars and print ids. Throws an InvariantError I60 unless the caller owns the market journal. */
export function* deleteVolume(
  disk: DiskContents,
  cutoff: VolumeCutoff,
  isOwner: () => boolean,
): Generator<void, void> {
  requireOwner(isOwner());
  for (const _step of disk.volume.deleteBefore(cutoff)) {
    yield;
    requireOwner(isOwner());
  }
}

/**
 * Deletes rows of shards that the caller owns and that ended before the time: parents outside lists, then lists with
 * their legs, until `limit` rows are deleted.
 */
export function* deleteEnded(
  disk: DiskContents,
  { beforeMs, limit }: Readonly<{ beforeMs: number; limit: number }>,
  owns: (shard: number) => boolean,
): Generator<void, number> {
  const old = yield* disk.ended.endedBefore({ beforeMs, limit, owns });
  for (const orderId of old) disk.ended.delete(orderId);
  let gone = old.length;
  for (const listId of disk.endedLists.endedBefore({ beforeMs })) {
    if (gone >= limit) break;
    const shard = disk.ended.shardOfList(listId);
    if (shard !== undefined && !owns(shard)) continue;
    disk.endedLists.delete(listId);
    gone += disk.ended.deleteLegs(listId) + 1;
  }
  return gone;
}

/** Throws an InvariantError I60 unless the caller owns the market journal. */
function requireOwner(isOwner: boolean): void {
  if (!isOwner) throw new InvariantError("I60", "the market journal belongs to a later owner of the store");
}

function keyOf(mark: MarketMark): string {
  return `${mark.shard} ${mark.symbol} ${mark.side} ${mark.position}`;
}

function compareMarks(a: MarketMark, b: MarketMark): number {
  if (a.symbol !== b.symbol) return a.symbol < b.symbol ? -1 : 1;
  if (a.side !== b.side) return a.side < b.side ? -1 : 1;
  return a.shard - b.shard || a.position - b.position;
}
