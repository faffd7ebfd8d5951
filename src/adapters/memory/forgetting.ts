import type { EndedList, ParentOrder } from "../../model/index.ts";
import { decodeRecord } from "../../wire/index.ts";
import { chainsOf, type Departure } from "../shared/index.ts";
import type { DiskContents } from "./disk.ts";
import type { EndedBefore } from "./ended-orders.ts";
import { shardOf } from "./journal.ts";

/** Number of records that one step reads, which takes some milliseconds. */
const RECORDS_PER_STEP = 512;

type Range = Readonly<{ beforeMs: number }>;
type Caller = Readonly<{
  owns: (shard: number) => boolean;
  /** Throws if the caller owns no shard. */
  requireSome: () => void;
  goesOn: () => boolean;
}>;

/**
 * Deletes rows that ended before the time together with the records of their orders: parents outside lists, then lists
 * with their legs. Works in short steps, and ends early when `goesOn` returns false after one. A departure leaves whole,
 * or not at all if a row of it changes meanwhile. Rows of shards that the caller does not own stay. Throws an
 * InvariantError I60 if it owns none.
 */
export function* forgetEnded(
  disk: DiskContents,
  { beforeMs }: Range,
  { owns, requireSome, goesOn }: Caller,
): Generator<void, void> {
  const range = { beforeMs, limit: Number.POSITIVE_INFINITY, owns };
  requireSome();
  let read = 0;
  for (const leaving of [...(yield* singles(disk, range)), ...lists(disk, range)]) {
    const departure = leaving();
    if (departure === undefined || !owns(departure.shard)) continue;
    const walk = recordsOf(disk, departure);
    let step = walk.next();
    for (; step.done !== true; step = walk.next()) {
      if (++read % RECORDS_PER_STEP !== 0) continue;
      yield;
      requireSome();
      if (!goesOn()) return;
    }
    if (owns(departure.shard) && isUnchanged(disk, departure)) leave(disk, departure, step.value);
  }
}

/** A departure of a list also takes the row of the list. */
type Leaving = Departure & Readonly<{ list?: EndedList }>;

function* singles(disk: DiskContents, range: EndedBefore): Generator<void, (() => Leaving | undefined)[]> {
  const ids = yield* disk.ended.endedBefore(range);
  return ids.map((orderId) => () => {
    const row = disk.ended.row(orderId);
    if (row === undefined) return undefined;
    return departureOf(disk, { shard: row.shard, orders: [row.order], members: new Set([orderId]) });
  });
}

function lists(disk: DiskContents, range: Range): (() => Leaving | undefined)[] {
  return disk.endedLists.endedBefore(range).map((listId) => () => {
    const orders = disk.ended.legsOf(listId);
    const shard = disk.ended.shardOfList(listId);
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
