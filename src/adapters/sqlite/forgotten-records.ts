import { invariant } from "../../errors/index.ts";
import type { JournalRecord } from "../../model/index.ts";
import { decodeRecord } from "../../wire/index.ts";
import { checksumOf, requireIntact } from "../checksums/index.ts";
import type { Database } from "./database.ts";

/** A row of the journal that may be deleted, with its record. */
export type JournalRow = Readonly<{
  shard: number;
  sequence: number;
  text: string;
  position: number;
}>;

type Stored = Readonly<{
  sequence: number;
  position: number;
  text: string;
  checksum: number;
}>;

/** Single records of the journal. All must be indexed. Call the methods inside a transaction. */
export type ForgottenRecords = Readonly<{
  /** Returns a record and its row; undefined if it is missing. Throws an InvariantError I53 if it is damaged. */
  find(shard: number, sequence: number): readonly [JournalRow, JournalRecord] | undefined;
  /** Returns at most `limit` records between two sequences, both excluded, in order. Throws like `find`. */
  between(
    range: Readonly<{
      shard: number;
      after: number;
      before: number;
      limit: number;
    }>,
  ): readonly (readonly [JournalRow, JournalRecord])[];
  /** Returns the highest sequence of the shard that was deleted. */
  forgotten(shard: number): number;
  /**
   * Sequence of the newest complete snapshot of a shard, 0 for none. Only records below it may be deleted: an opening
   * reads this record and all later ones.
   */
  snapshotOf(shard: number): number;
  /** Deletes rows. Throws an InvariantError I53 for one that an opening needs. */
  delete(rows: readonly JournalRow[]): void;
}>;

/** Prepares the statements. */
export function forgottenRecords(database: Database): ForgottenRecords {
  const columns = "place.sequence, place.position, journal.record AS text, journal.checksum";
  const joined = "journal_index AS place JOIN journal ON journal.position = place.position";
  const one = database.prepare<[shard: number, sequence: number], Stored>(
    `SELECT ${columns} FROM ${joined} WHERE place.shard = ? AND place.sequence = ?`,
  );
  const some = database.prepare<[shard: number, after: number, before: number, limit: number], Stored>(
    `SELECT ${columns} FROM ${joined} WHERE place.shard = ? AND place.sequence > ? AND place.sequence < ?
     ORDER BY place.sequence LIMIT ?`,
  );
  const forgotten = database.prepare<[shard: number], number>("SELECT forgotten FROM shards WHERE shard = ?");
  const snapshot = database.prepare<[shard: number], number | null>(
    "SELECT max(sequence) FROM snapshots WHERE shard = ? AND complete = 1",
  );
  const [forgottenOf, newest] = [forgotten.pluck(), snapshot.pluck()];
  const snapshotOf = (shard: number): number => newest.get(shard) ?? 0;
  return {
    find(shard, sequence) {
      const row = one.get(shard, sequence);
      return row && intact(shard, row);
    },
    between: ({ shard, after, before, limit }) =>
      some.all(shard, after, before, limit).map((row) => intact(shard, row)),
    forgotten: (shard) => forgottenOf.get(shard) ?? 0,
    snapshotOf,
    delete: deletion(database, snapshotOf),
  };
}

function intact(shard: number, { checksum, ...row }: Stored): readonly [JournalRow, JournalRecord] {
  const { sequence, text } = row;
  const name = (): string => `journal record ${sequence} of shard ${shard}`;
  requireIntact(checksum, checksumOf([shard, sequence], text), name);
  return [{ shard, ...row }, decodeRecord(text, { shard, sequence })];
}

function deletion(database: Database, snapshotOf: (shard: number) => number): ForgottenRecords["delete"] {
  const drop = database.prepare<[position: number]>("DELETE FROM journal WHERE position = ?");
  const dropPlace = database.prepare<[shard: number, sequence: number]>(
    "DELETE FROM journal_index WHERE shard = ? AND sequence = ?",
  );
  const raise = database.prepare<[sequence: number, shard: number]>(
    "UPDATE shards SET forgotten = max(forgotten, ?) WHERE shard = ?",
  );
  return (rows) => {
    const highest = new Map<number, number>();
    for (const { shard, sequence, position } of rows) {
      drop.run(position);
      dropPlace.run(shard, sequence);
      highest.set(shard, Math.max(sequence, highest.get(shard) ?? 0));
    }
    for (const [shard, sequence] of highest) {
      // It also ensures that the last row of the table stays, after whose position the next one is stored.
      const isBelow = sequence < snapshotOf(shard);
      invariant(isBelow, "I53", `record ${sequence} of shard ${shard} is needed by its newest snapshot`);
      raise.run(sequence, shard);
    }
  };
}
