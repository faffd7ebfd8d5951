import { SHARD_COUNT } from "../../model/index.ts";
import type { Database } from "./database.ts";
import { headsOf, type StoredHead } from "./stored-heads.ts";

/** Rows without a checksum on which the reading of others rests. Read in a transaction. */
export type Structure = Readonly<{
  heads: readonly StoredHead[];
  /** Position of the last row of the journal that has an index entry, as the store has noted it. */
  indexed: number;
  /** Returns the highest sequence in the journal of a shard, 0 for none. */
  lastOf(shard: number): number;
  /** Returns the number of index entries of a shard. */
  entriesOf(shard: number): number;
  /** Returns the accounts and the number of their ended parents, as the store has counted it. */
  counts(): readonly Readonly<{ accountId: number; rows: number }>[];
  /** Returns a text about each contradiction between heads, journal, its index and the snapshots. */
  problems(): readonly string[];
}>;

/** Reads the structure of a store. */
export function structureOf(database: Database): Structure {
  const heads = headsOf(database);
  const indexed =
    database.prepare<[], number>("SELECT value FROM state WHERE name = 'indexed'").pluck().get() ?? 0;
  const lastIndexed = database
    .prepare<[shard: number], number | null>("SELECT max(sequence) FROM journal_index WHERE shard = ?")
    .pluck();
  const waiting = new Map(
    database
      .prepare<[indexed: number], readonly [number, number]>(
        "SELECT shard, max(sequence) FROM journal WHERE position > ? GROUP BY shard",
      )
      .raw()
      .all(indexed),
  );
  const entries = database
    .prepare<[shard: number], number>("SELECT count(*) FROM journal_index WHERE shard = ?")
    .pluck();
  const counts = database.prepare<[], Readonly<{ accountId: number; rows: number }>>(
    "SELECT account_id AS accountId, rows FROM ended_counts",
  );
  const lastPosition = database.prepare<[], number | null>("SELECT max(position) FROM journal").pluck();
  const snapshot = database
    .prepare<[shard: number], number | null>(
      "SELECT max(sequence) FROM snapshots WHERE shard = ? AND complete = 1",
    )
    .pluck();
  const snapshotOf = (shard: number): number => snapshot.get(shard) ?? 0;
  const lastOf = (shard: number): number => Math.max(lastIndexed.get(shard) ?? 0, waiting.get(shard) ?? 0);
  return {
    heads,
    indexed,
    lastOf,
    entriesOf: (shard) => entries.get(shard) ?? 0,
    counts: () => counts.all(),
    problems: () => [
      ...(isComplete(heads) ? [] : [`the store has ${heads.length} shards instead of ${SHARD_COUNT}`]),
      // A record that is stored below this position later would never be found.
      ...(indexed > (lastPosition.get() ?? 0) ? ["the index of the journal is ahead of the journal"] : []),
      ...heads.flatMap(({ shard, sequence }) =>
        lastOf(shard) === sequence
          ? []
          : [`the journal of shard ${shard} ends with record ${lastOf(shard)} instead of record ${sequence}`],
      ),
      // Without the records in between, an opening cannot build the state of the shard.
      ...heads.flatMap(({ shard, forgotten }) =>
        snapshotOf(shard) >= forgotten
          ? []
          : [
              `records up to ${forgotten} of shard ${shard} have left, and its snapshot ends with record ${snapshotOf(shard)}`,
            ],
      ),
    ],
  };
}

const isComplete = (heads: readonly StoredHead[]): boolean =>
  heads.length === SHARD_COUNT && heads.every(({ shard }, index) => shard === index);
