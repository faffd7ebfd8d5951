import type { EndedList, ParentOrder } from "../../model/index.ts";
import { decodeRecord } from "../../wire/index.ts";
import { chainsOf, type Departure } from "../shared/index.ts";
import type { DiskContents } from "./disk.ts";
import { requireOwner, shardOf } from "./journal.ts";

/** Number of records that one step reads, which takes some milliseconds. */
const RECORDS_PER_STEP = 512;

type Range = Readonly<{ beforeMs: number }>;
type Caller = Readonly<{ isOwner: () => boolean; goesOn: () => boolean }>;

/**
 * Deletes rows that ended before the time together with the records of their orders: parents outside lists, then lists
 * with their legs. Works in short steps, and ends early when `goesOn` returns false after one. A departure leaves whole,
 * or not at all if a row of it changes meanwhile. Throws an InvariantError I60 unless the caller owns the market
 * journal.
 */
export function* forgetEnded(
  disk: DiskContents,
  { beforeMs }: Range,
  { isOwner, goesOn }: Caller,
): Generator<void, void> {
  const range = { beforeMs, limit: Number.POSITIVE_INFINITY };
  requireOwner(isOwner());
  let read = 0;
  for (const leaving of [...(yield* singles(disk, range)), ...lists(disk, range)]) {
    const departure = leaving();
    if (departure === undefined) continue;
    const walk = recordsOf(disk, departure);
    let step = walk.next();
    for (; step.done !== true; step = walk.next()) {
      if (++read % RECORDS_PER_STEP !== 0) continue;
      yield;
      requireOwner(isOwner());
      if (!goesOn()) return;
    }
    if (isUnchanged(disk, departure)) leave(disk, departure, step.value);
  }
}

/** A departure of a list also takes the row of the list. */
type Leaving = Departure & Readonly<{ list?: EndedList }>;

function* singles(
  disk: DiskContents,
  range: Range & Readonly<{ limit: number }>,
): Generator<void, (() => Leaving | undefined)[]> {
  const ids = yield* disk.ended.endedBefore(range);
  return ids.map((orderId) => () => {
    const row = disk.ended.row(orderId);
    if (row === undefined) return undefined;
    return departureOf(disk, { shard: row.shard, orders: [row.order], members: new Set([orderId]) });
  });
}

function lists(
  disk: DiskContents,
  range: Range & Readonly<{ limit: number }>,
): (() => Leaving | undefined)[] {
  return disk.endedLists.endedBefore(range).map((listId) => () => {
    const orders = disk.ended.legsOf(listId);
    const shard = orders.map(({ orderId }) => disk.ended.row(orderId)?.shard)[0];
    const list = disk.endedLists.row(listId);
    if (list === undefined || shard === undefined) return undefined;
    const members = new Set([...list.legs, ...orders.map(({ orderId }) => orderId)]);
    return departureOf(disk, { shard, orders, members, list });
  });
}

/** Returns the departure unless an opening still needs one of its records. */
function departureOf(disk: DiskContents, departure: Leaving): Leaving | undefined {
  const before = shardOf(disk, departure.shard).snapshot?.sequence ?? 0;
  return departure.orders.every(({ lastSequence }) => lastSequence < before) ? departure : undefined;
}

function recordsOf(disk: DiskContents, departure: Leaving): ReturnType<typeof chainsOf> {
  const { shard } = departure;
  const { records } = shardOf(disk, shard);
  const read = (sequence: number) => {
    const text = records.texts.get(sequence);
    return text === undefined ? undefined : decodeRecord(text, { shard, sequence });
  };
  return chainsOf(departure, { read, forgotten: records.forgotten });
}

const isUnchanged = (disk: DiskContents, { orders }: Leaving): boolean =>
  orders.every(({ orderId, lastSequence }) => isAt(disk.ended.row(orderId)?.order, lastSequence));

const isAt = (order: ParentOrder | undefined, sequence: number): boolean => order?.lastSequence === sequence;

function leave(disk: DiskContents, { shard, orders, list }: Leaving, sequences: readonly number[]): void {
  for (const { orderId } of orders) disk.ended.delete(orderId);
  if (list !== undefined) disk.endedLists.delete(list.listId);
  shardOf(disk, shard).records.forget(sequences);
}
