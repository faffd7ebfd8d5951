import { InvariantError, isDamage } from "../../errors/index.ts";
import type { OrderStore } from "../../ports/index.ts";
import { chainsOf } from "../shared/index.ts";
import type { Probe } from "./archive/index.ts";
import type { Database } from "./database.ts";
import { departuresOf, type Leaving } from "./departures.ts";
import { type ForgottenRecords, forgottenRecords, type JournalRow } from "./forgotten-records.ts";
import { type Cursor, type LeavingPage, START } from "./leaving-page.ts";
import type { Tables } from "./tables.ts";

/** Number of records that one step deletes; with the rows of their orders that takes some milliseconds. */
const RECORDS_PER_STEP = 256;

/** Number of characters of records after which a step ends: a record with the weights of a schedule may have 200,000. */
const CHARACTERS_PER_STEP: number = 2 ** 20;

/** Number of rows of ended orders or lists that one step looks at. */
const ROWS_PER_STEP = 128;

/**
 * Number of records up to which those of an order leave in one transaction with its row. Those of an order with more
 * leave afterwards, oldest first, when the shard is swept.
 */
const LONGEST_CHAIN = 512;

/**
 * Keeps records before they are deleted, those of orders that ended before a time. Called inside the transaction that
 * deletes them; throws if it cannot.
 */
export type KeepRecords = (records: readonly JournalRow[], beforeMs: number) => void;

type Forget = (...asked: Parameters<NonNullable<OrderStore["forgetEnded"]>>) => Generator<void, void>;
type Parts = Readonly<{
  database: Database;
  tables: Tables;
  records: ForgottenRecords;
  keep: KeepRecords;
}>;

/**
 * Creates the method of the port, in short steps with a transaction each (decision TA). An order with a damaged or
 * missing record stays, and the others leave; at the end the method throws the InvariantError of the first damage.
 */
export function forgetting(
  { database, tables }: Pick<Parts, "database" | "tables">,
  keep: KeepRecords,
  probe: Probe,
): Forget {
  const parts = { database, tables, records: probed(forgottenRecords(database), probe), keep };
  const damaged: InvariantError[] = [];
  const report = (error: InvariantError): void => {
    damaged[0] ??= error;
  };
  const step = departureStep(parts, report);
  const sweep = sweeping(parts, report);
  return function* forget({ beforeMs }, goesOn) {
    damaged.length = 0;
    for (const read of departuresOf(tables)) {
      let after: Cursor | undefined = START;
      while (after !== undefined) {
        after = step.immediate(read, { beforeMs, after, limit: ROWS_PER_STEP });
        probe("after-forget-commit");
        if (!goesOn()) return;
        if (after !== undefined) yield;
      }
    }
    yield* sweep({ beforeMs, goesOn });
    if (damaged[0] !== undefined) throw damaged[0];
  };
}

/** Calls the probe when rows are deleted and the transaction has not committed. */
function probed(records: ForgottenRecords, probe: Probe): ForgottenRecords {
  return {
    ...records,
    delete(rows) {
      records.delete(rows);
      if (rows.length > 0) probe("before-forget-commit");
    },
  };
}

/**
 * Returns one step over rows that may leave: it returns the place to go on after, undefined at the end. Damage that keeps
 * an order from leaving is reported.
 */
function departureStep({ database, tables, records, keep }: Parts, report: (error: InvariantError) => void) {
  const { marks, journal, ended, endedLists } = tables;
  const markLeftover = leftoverMark(database);
  const leave = ({ shard, orders, listId }: Leaving, isLong: boolean): void => {
    if (isLong) markLeftover(shard);
    for (const { orderId } of orders) ended.delete(orderId);
    if (listId !== undefined) endedLists.delete(listId);
  };
  const chainOf = (leaving: Leaving): readonly JournalRow[] | "long" | "damaged" => {
    try {
      return chainRows(records, leaving) ?? "long";
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      report(error);
      return "damaged";
    }
  };
  return database.transaction(
    (read: (page: LeavingPage) => readonly Leaving[], page: LeavingPage): Cursor | undefined => {
      marks.requireOwner();
      journal.indexAll();
      const gone: JournalRow[] = [];
      const rows = read(page);
      let looked = 0;
      for (const leaving of rows) {
        looked++;
        if (!isBelowSnapshot(records, leaving)) continue;
        const chain = chainOf(leaving);
        if (chain === "damaged") continue;
        leave(leaving, chain === "long");
        if (chain === "long") break;
        for (const row of chain) gone.push(row);
        if (isStep(gone)) break;
      }
      keep(gone, page.beforeMs);
      records.delete(gone);
      return looked < page.limit && looked === rows.length ? undefined : rows[looked - 1]?.cursor;
    },
  );
}

/** Whether so many records are as many as one step deletes. */
const isStep = (rows: readonly JournalRow[]): boolean =>
  rows.length >= RECORDS_PER_STEP ||
  rows.reduce((sum, { text }) => sum + text.length, 0) >= CHARACTERS_PER_STEP;

const isBelowSnapshot = (records: ForgottenRecords, { shard, orders }: Leaving): boolean => {
  const before = records.snapshotOf(shard);
  return orders.every(({ lastSequence }) => lastSequence < before);
};

/** Returns the rows of all records of a departure, oldest first; undefined if they are too many for one step. */
function chainRows(records: ForgottenRecords, leaving: Leaving): readonly JournalRow[] | undefined {
  const { shard } = leaving;
  const rows = new Map<number, JournalRow>();
  const read = (sequence: number) => {
    const [row, record] = records.find(shard, sequence) ?? [];
    if (row !== undefined) rows.set(sequence, row);
    return record;
  };
  const walk = chainsOf(leaving, { read, forgotten: records.forgotten(shard) });
  for (let count = 0; ; count++) {
    const step = walk.next();
    if (step.done === true) return step.value.flatMap((sequence) => rows.get(sequence) ?? []);
    if (count === LONGEST_CHAIN) return undefined;
  }
}

/**
 * Returns a function that marks a shard in which records of orders without a row may be below its snapshot. The mark is
 * the highest sequence that such a record may have, 0 for none.
 */
function leftoverMark(database: Database): (shard: number) => void {
  const mark = database.prepare<[shard: number]>(
    "UPDATE shards SET leftover = max(leftover, 1) WHERE shard = ?",
  );
  return (shard) => void mark.run(shard);
}

/**
 * Deletes the records of orders that are neither open nor have a row, oldest first: those of long orders, those whose
 * deletion was interrupted, and those of rows that were deleted without their records. Reads every record below the
 * snapshot of a shard that is marked to have any.
 */
function sweeping(
  parts: Parts,
  report: (damage: InvariantError) => void,
): (sweep: Readonly<{ beforeMs: number; goesOn: () => boolean }>) => Generator<void, void> {
  const { database, tables } = parts;
  const marked = database.prepare<[], number>("SELECT shard FROM shards WHERE leftover > 0 ORDER BY shard");
  const shards = marked.pluck();
  const step = sweepStep(parts);
  type Sweep = Readonly<{ beforeMs: number; goesOn: () => boolean }>;
  const sweepShard = function* (
    shard: number,
    { beforeMs, goesOn }: Sweep,
  ): Generator<void, "stopped" | undefined> {
    // An order that has a record below the snapshot is among its parents, or ended before it: then it had a row.
    const snapshot = yield* whileGoing(tables.snapshots.read(shard), goesOn);
    if (snapshot === "stopped") return "stopped";
    if (snapshot === undefined) return undefined;
    const open = new Set(snapshot.parents.map(({ orderId }) => orderId));
    const before = snapshot.sequence;
    for (let after: number | undefined = 0; after !== undefined; yield) {
      if (!goesOn()) return "stopped";
      after = step.immediate({ shard, after, before, open, beforeMs });
    }
    return undefined;
  };
  return function* sweep(given) {
    for (const shard of shards.all()) {
      try {
        if ((yield* sweepShard(shard, given)) === "stopped") return;
      } catch (error) {
        // A damaged shard keeps its mark and its records; the others are swept.
        if (!isDamage(error)) throw error;
        report(error);
      }
    }
  };
}

/** Passes on steps and their result; ends early if `goesOn` returns false. */
function* whileGoing<T>(steps: Generator<void, T>, goesOn: () => boolean): Generator<void, T | "stopped"> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (!goesOn()) return "stopped";
    yield;
  }
}

type SweepRange = Readonly<{
  shard: number;
  after: number;
  before: number;
  /** Ids of the parents in the snapshot. */
  open: ReadonlySet<number>;
  beforeMs: number;
}>;

/** Returns one step of a sweep: it returns the sequence to go on after, undefined at the end. */
function sweepStep({ database, tables, records, keep }: Parts) {
  const { marks, journal, ended } = tables;
  // Records above the snapshot wait for a later sweep.
  const clear = database.prepare<[shard: number, before: number]>(
    "UPDATE shards SET leftover = 0 WHERE shard = ? AND leftover <= ?",
  );
  return database.transaction(({ open, beforeMs, ...range }: SweepRange): number | undefined => {
    marks.requireOwner();
    journal.indexAll();
    const read = records.between({ ...range, limit: RECORDS_PER_STEP });
    const isLeft = (changes: readonly Readonly<{ orderId: number }>[]): boolean =>
      changes.length > 0 && changes.every(({ orderId }) => !open.has(orderId) && !ended.has(orderId));
    const gone = read.flatMap(([row, { changes }]) => (isLeft(changes) ? [row] : []));
    keep(gone, beforeMs);
    records.delete(gone);
    if (read.length === 0) clear.run(range.shard, range.before);
    return read.at(-1)?.[0].sequence;
  });
}
