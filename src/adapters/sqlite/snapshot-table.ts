import { invariant } from "../../errors/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { ShardSnapshot } from "../../ports/index.ts";
import { decodeParent, encodeParent } from "../../wire/index.ts";
import { checksumOf, requireIntact } from "../checksums/index.ts";
import type { Database } from "./database.ts";

/** Number of parents per part: about 60 kB, encoded and committed in about a millisecond. */
const PARENTS_PER_PART = 128;

/** Number of parts of a replaced snapshot that one step drops. */
const PARTS_PER_DROP = 16;

/** Number of parts that one step reads, which takes some milliseconds. */
const PARTS_PER_READ = 2;

/** Snapshots. Each is a generation of parts that becomes visible when it is complete. */
export type SnapshotTable = Readonly<{
  /**
   * Reads the newest snapshot in short steps and calls `reading` after each. If the snapshot is replaced and dropped
   * meanwhile, continues with the newer one. Throws a RangeError for a shard that does not exist, and an InvariantError
   * I53 for a snapshot that is not as it was written.
   */
  read(shard: number, reading?: () => void): Generator<void, ShardSnapshot | undefined>;
  /**
   * Writes a snapshot and drops the ones it replaces, in short steps with a transaction each. A snapshot older than the
   * newest does not become visible. Throws an InvariantError I53 for a snapshot that is ahead of its journal, and an
   * Error if a later owner of the store has dropped the unfinished snapshot.
   */
  write(snapshot: ShardSnapshot): Generator<void, void>;
  /** Raises the counter of the newest snapshot of a shard. Returns false if the shard has none. */
  raiseCounter(shard: number, by: number): boolean;
  /** Drops the remains of interrupted writes. Call it inside a transaction. */
  cleanUp(): void;
}>;

type Header = Readonly<{
  generation: number;
  sequence: number;
  counter: number;
  parents: number;
  checksum: number;
}>;
type ReadSteps = Readonly<{ name: () => string; reading: (() => void) | undefined }>;
type Part = Readonly<{ part: number; parents: string; checksum: number }>;

/** Prepares the statements for snapshots. */
export function snapshotTable(database: Database): SnapshotTable {
  const dropUnfinished = database.prepare("DELETE FROM snapshots WHERE complete = 0");
  // Steps from one generation to the next without scanning each part.
  const dropOrphans = database.prepare(
    `DELETE FROM snapshot_parts WHERE generation IN (
       WITH RECURSIVE found(generation) AS (
         SELECT min(generation) FROM snapshot_parts
         UNION ALL
         SELECT (SELECT min(generation) FROM snapshot_parts WHERE generation > found.generation)
         FROM found WHERE found.generation IS NOT NULL
       )
       SELECT generation FROM found
       WHERE generation IS NOT NULL AND generation NOT IN (SELECT generation FROM snapshots)
     )`,
  );
  return {
    read: snapshotReader(database),
    write: snapshotWriter(database),
    raiseCounter: counterRaise(database),
    cleanUp() {
      dropUnfinished.run();
      dropOrphans.run();
    },
  };
}

function newestHeader(database: Database): { get(shard: number): Header | undefined } {
  return database.prepare<[shard: number], Header>(
    `SELECT generation, sequence, counter, parents, checksum FROM snapshots
     WHERE shard = ? AND complete = 1 ORDER BY sequence DESC LIMIT 1`,
  );
}

function counterRaise(database: Database): SnapshotTable["raiseCounter"] {
  const newest = newestHeader(database);
  const write = database.prepare<[counter: number, checksum: number, generation: number]>(
    "UPDATE snapshots SET counter = ?, checksum = ? WHERE generation = ?",
  );
  return (shard, by) => {
    const header = newest.get(shard);
    if (header === undefined) return false;
    const { generation, sequence, parents } = header;
    const counter = header.counter + by;
    write.run(counter, checksumOf([shard, sequence, counter, parents]), generation);
    return true;
  };
}

const unknownShard = (shard: number): RangeError => new RangeError(`the store has no shard ${shard}`);

function snapshotReader(database: Database): SnapshotTable["read"] {
  const newest = newestHeader(database);
  const parts = database.prepare<[generation: number, from: number, limit: number], Part>(
    `SELECT part, parents, checksum FROM snapshot_parts WHERE generation = ? AND part >= ?
     ORDER BY part LIMIT ?`,
  );
  const shards = database.prepare<[shard: number], unknown>("SELECT shard FROM shards WHERE shard = ?");
  /** Reads the parents of a generation, up to its first missing part. */
  function* parentsOf(
    { generation, parents: count }: Header,
    steps: ReadSteps,
  ): Generator<void, ParentOrder[]> {
    const parents: ParentOrder[] = [];
    for (let from = 0; parents.length < count; from += PARTS_PER_READ) {
      if (from > 0) yield;
      const rows = parts.all(generation, from, PARTS_PER_READ);
      if (rows.length === 0 || rows.some(({ part }, index) => part !== from + index)) break;
      for (const one of rows) {
        requireIntact(one.checksum, checksumOf([generation, one.part], one.parents), steps.name);
        for (const parent of decodePart(one.parents)) parents.push(parent);
      }
      steps.reading?.();
    }
    return parents;
  }
  return function* read(shard, reading) {
    const name = (): string => `the snapshot of shard ${shard}`;
    for (;;) {
      const header = newest.get(shard);
      if (header === undefined && shards.get(shard) === undefined) throw unknownShard(shard);
      if (header === undefined) return undefined;
      const { generation, sequence, counter } = header;
      requireIntact(header.checksum, checksumOf([shard, sequence, counter, header.parents]), name);
      const parents = yield* parentsOf(header, { name, reading });
      if (parents.length === header.parents) return { shard, sequence, counter, parents };
      invariant(newest.get(shard)?.generation !== generation, "I53", `a part of ${name()} is missing`);
    }
  };
}

function snapshotWriter(database: Database): SnapshotTable["write"] {
  const begin = database.prepare<[number, number, number, number, number]>(
    "INSERT INTO snapshots (shard, sequence, counter, parents, checksum) VALUES (?, ?, ?, ?, ?)",
  );
  const insertPart = database.prepare<[number | bigint, number, string, number]>(
    "INSERT INTO snapshot_parts (generation, part, parents, checksum) VALUES (?, ?, ?, ?)",
  );
  const dropParts = database.prepare<[generation: number | bigint, below: number]>(
    "DELETE FROM snapshot_parts WHERE generation = ? AND part < ?",
  );
  const head = database
    .prepare<[shard: number], number>("SELECT sequence FROM shards WHERE shard = ?")
    .pluck();
  const complete = snapshotSwitch(database);
  return function* write({ shard, sequence, counter, parents }) {
    const last = head.get(shard);
    if (last === undefined) throw unknownShard(shard);
    invariant(sequence <= last, "I53", `the snapshot of shard ${shard} is ahead of its journal`);
    const header = [shard, sequence, counter, parents.length];
    const generation = begin.run(
      shard,
      sequence,
      counter,
      parents.length,
      checksumOf(header),
    ).lastInsertRowid;
    for (let part = 0; part * PARENTS_PER_PART < parents.length; part++) {
      yield;
      const from = part * PARENTS_PER_PART;
      const text = encodePart(parents.slice(from, from + PARENTS_PER_PART));
      insertPart.run(generation, part, text, checksumOf([String(generation), part], text));
    }
    for (const replaced of complete(generation, shard)) {
      for (let below = PARTS_PER_DROP; dropParts.run(replaced, below).changes > 0; below += PARTS_PER_DROP)
        yield;
    }
  };
}

/**
 * Makes a generation visible unless a newer one is visible. Returns the generations whose parts are no longer needed.
 */
function snapshotSwitch(
  database: Database,
): (generation: number | bigint, shard: number) => readonly number[] {
  const finish = database.prepare<[generation: number | bigint]>(
    "UPDATE snapshots SET complete = 1 WHERE generation = ?",
  );
  const replaced = database
    .prepare<[shard: number], number>(
      `SELECT generation FROM snapshots WHERE shard = ? AND complete = 1
       ORDER BY sequence DESC, generation DESC LIMIT -1 OFFSET 1`,
    )
    .pluck();
  const drop = database.prepare<[generation: number]>("DELETE FROM snapshots WHERE generation = ?");
  const change = database.transaction((generation: number | bigint, shard: number): readonly number[] => {
    if (finish.run(generation).changes !== 1) {
      throw new Error(`a later owner of the store has dropped the unfinished snapshot of shard ${shard}`);
    }
    const old = replaced.all(shard);
    for (const each of old) drop.run(each);
    return old;
  });
  return change.immediate;
}

/** Encodes a part as one text: the encoded parents, which contain no line break, joined by line breaks. */
function encodePart(parents: readonly ParentOrder[]): string {
  return parents.map(encodeParent).join("\n");
}

function decodePart(text: string): readonly ParentOrder[] {
  return text.split("\n").map((parent) => decodeParent(parent));
}
