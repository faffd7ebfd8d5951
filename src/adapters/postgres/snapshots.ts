import { randomUUID } from "node:crypto";
import { KeyedMutex } from "../../common/index.ts";
import { invariant } from "../../errors/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { OrderStore, ShardSnapshot } from "../../ports/index.ts";
import { decodeParent, encodeParent } from "../../wire/index.ts";
import { requireShard } from "./append-columns.ts";
import type { Database } from "./database.ts";
import type { Row } from "./driver.ts";
import type { Owner } from "./owner.ts";
import { textIn, wholeIn } from "./reading.ts";
import { requireHeader, requirePart, type SnapshotHeader, sumOfHeader, sumOfPart } from "./row-sums.ts";
import { SNAPSHOTS } from "./snapshot-statements.ts";
import { JOURNAL } from "./statements.ts";

/** Number of parents per part: about 60 kB. */
const PARENTS_PER_PART = 128;

/** Number of parts that one statement reads. */
const PARTS_PER_READ = 8;

/** Number of parts of replaced snapshots that one statement deletes. */
const PARTS_PER_DROP = 64;

/** Creates the methods for snapshots. */
export function snapshots(
  database: Database,
  owner: Owner,
): Pick<OrderStore, "readSnapshot" | "writeSnapshot"> {
  const mutex = new KeyedMutex();
  return {
    readSnapshot: (shard, reading) => readSnapshot(database, shard, reading),
    writeSnapshot: (snapshot, writing) =>
      mutex.runExclusive([String(snapshot.shard)], () =>
        writeSnapshot({ database, owner, writing }, snapshot),
      ),
  };
}

async function headerOf(database: Database, shard: number): Promise<SnapshotHeader | undefined> {
  const [row] = await database.read(SNAPSHOTS.newest, [shard]);
  if (row === undefined) return undefined;
  const [sequence, counter, parents] = [wholeIn(row, 1), wholeIn(row, 2), wholeIn(row, 3)];
  const header = { shard, generation: textIn(row, 0), sequence, counter, parents };
  requireHeader(row, 4, header);
  return header;
}

/** If the snapshot is replaced while it is read, continues with the newer one. */
async function readSnapshot(
  database: Database,
  shard: number,
  reading?: () => void,
): Promise<ShardSnapshot | undefined> {
  requireShard(shard);
  for (;;) {
    const header = await headerOf(database, shard);
    if (header === undefined) return undefined;
    const { generation, sequence, counter } = header;
    const parents: ParentOrder[] = [];
    for (let from = 0; parents.length < header.parents; from += PARTS_PER_READ) {
      const rows = await database.read(SNAPSHOTS.parts, [shard, generation, from, PARTS_PER_READ]);
      if (rows.length === 0 || rows.some((row, index) => wholeIn(row, 0) !== from + index)) break;
      for (const row of rows) for (const parent of parentsIn(header, row)) parents.push(parent);
      reading?.();
    }
    if (parents.length === header.parents) return { shard, sequence, counter, parents };
    const now = await headerOf(database, shard);
    const isReplaced = now?.generation !== generation;
    invariant(isReplaced, "I53", `a part of the snapshot of shard ${shard} is missing`);
  }
}

/** A part is one text: the encoded parents, which contain no line break, joined by line breaks. */
function parentsIn({ shard, generation }: SnapshotHeader, row: Row): readonly ParentOrder[] {
  const text = textIn(row, 1);
  requirePart(row, 2, shard, sumOfPart(shard, generation, wholeIn(row, 0), text));
  return text.split("\n").map((text) => decodeParent(text));
}

type Writing = Readonly<{ database: Database; owner: Owner; writing: (() => void) | undefined }>;

/** Writes the parts under a new name, makes them visible with one statement, and drops those that they replace. */
async function writeSnapshot(
  { database, owner, writing }: Writing,
  { shard, sequence, counter, parents }: ShardSnapshot,
): Promise<void> {
  requireShard(shard);
  const [head] = await database.read(JOURNAL.head, [shard]);
  invariant(sequence <= wholeIn(head, 3), "I53", `the snapshot of shard ${shard} is ahead of its journal`);
  const generation = randomUUID();
  const epoch = owner.epochOf(shard);
  const name = `the unfinished snapshot of shard ${shard}`;
  const replaced = (): Error => new Error(`${name} belongs to an earlier owner of the shard`);
  let parts = 0;
  for (let from = 0; from < parents.length; from += PARENTS_PER_PART) {
    const text = parents
      .slice(from, from + PARENTS_PER_PART)
      .map(encodeParent)
      .join("\n");
    const sum = sumOfPart(shard, generation, parts, text);
    const added = await database.write(SNAPSHOTS.addPart, [shard, generation, parts, text, epoch, sum]);
    if (added.length === 0) throw replaced();
    parts++;
    writing?.();
  }
  const sum = sumOfHeader({ shard, generation, sequence, counter, parents: parents.length });
  const values = [shard, epoch, generation, sequence, counter, parents.length, parts, sum];
  const [verdict] = await database.write(SNAPSHOTS.finish, values);
  if (wholeIn(verdict, 0) !== 1) throw replaced();
  if (wholeIn(verdict, 1) !== parts) throw new Error(`a part of ${name} is gone`);
  while ((await database.write(SNAPSHOTS.dropParts, [shard, epoch, PARTS_PER_DROP])).length > 0) writing?.();
}
