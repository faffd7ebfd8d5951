import type {
  AppendBatch,
  AppendOutcome,
  EndedCount,
  OrderStore,
  ShardHead,
  VolumeCutoff,
} from "../../ports/index.ts";
import type { Database } from "./database.ts";
import type { JournalTable } from "./journal-table.ts";
import type { MarkTable } from "./mark-table.ts";
import type { Tables } from "./tables.ts";

type Range = Parameters<OrderStore["deleteEnded"]>[0];

/** Operations on more than one table. A write takes the file's write lock first, so that it never has to give up. */
export type Transactions = Readonly<{
  acquire(): readonly ShardHead[];
  append(batch: AppendBatch): readonly AppendOutcome[];
  readRecords: JournalTable["read"];
  countEnded(whose: Parameters<OrderStore["countEnded"]>[0]): EndedCount;
  deleteMarks: MarkTable["delete"];
  deleteEnded(range: Range): number;
  /** Deletes in short steps, each in its own transaction. */
  deleteVolume(cutoff: VolumeCutoff): Generator<void, void>;
}>;

/** Creates the transactions over these tables. */
export function transactions(database: Database, tables: Tables): Transactions {
  const { journal, marks, volume, snapshots, ended } = tables;
  const takeOver = database.transaction(() => {
    snapshots.cleanUp();
    return { owner: marks.acquire(), heads: journal.acquire() };
  });
  const readRecords = database.transaction(journal.read);
  const countEnded: Transactions["countEnded"] = database.transaction(({ accountId, shard }) => ({
    count: ended.count(accountId),
    sequence: journal.head(shard).sequence,
  }));
  const deleteMarks = database.transaction((old: Parameters<MarkTable["delete"]>[0]) => {
    if (marks.owns()) marks.delete(old);
  });
  const deleteSome = database.transaction((cutoff: VolumeCutoff): boolean => {
    marks.requireOwner();
    return volume.delete(cutoff);
  });
  return {
    acquire(): readonly ShardHead[] {
      const { owner, heads } = takeOver.immediate();
      marks.become(owner);
      return heads;
    },
    append: appending(database, tables),
    readRecords,
    countEnded,
    deleteMarks: deleteMarks.immediate,
    deleteEnded: retention(database, tables),
    *deleteVolume(cutoff) {
      while (deleteSome.immediate(cutoff)) yield;
    },
  };
}

function appending(database: Database, tables: Tables): Transactions["append"] {
  const { journal, ended, endedLists, marks } = tables;
  const keepMarket = marketWriter(tables);
  const append = database.transaction((batch: AppendBatch): readonly AppendOutcome[] => {
    const outcomes = batch.shards.map((part) => {
      const outcome = journal.append(part);
      if (outcome === "fenced") return outcome;
      for (const order of part.ended) ended.put(order, part.shard);
      for (const list of part.endedLists ?? []) endedLists.put(list);
      marks.put(part.marks ?? []);
      return outcome;
    });
    journal.index();
    keepMarket(batch);
    return outcomes;
  });
  return append.immediate;
}

/**
 * Stores a batch's prints and quotes if this handle is the owner. Throws if the handle is not the owner and the batch has
 * only market data.
 */
function marketWriter({ marks, volume, quotes }: Tables): (batch: AppendBatch) => void {
  return (batch) => {
    const { prints = [], quotes: last = [] } = batch;
    if (prints.length + last.length === 0) return;
    if (batch.shards.length === 0) marks.requireOwner();
    if (!marks.owns()) return;
    volume.put(prints);
    quotes.put(last);
  };
}

/**
 * Deletes parents outside lists, then lists with their legs, until `limit` rows are deleted. Their records stay, so every
 * shard is marked for a sweep.
 */
function retention(database: Database, { ended, endedLists }: Tables): Transactions["deleteEnded"] {
  const markLeftover = database.prepare("UPDATE shards SET leftover = sequence WHERE sequence > forgotten");
  const deleteEnded = database.transaction((range: Range): number => {
    let gone = ended.deleteBefore(range);
    if (gone > 0) markLeftover.run();
    if (gone >= range.limit) return gone;
    for (const listId of endedLists.endedBefore(range)) {
      if (gone >= range.limit) break;
      endedLists.delete(listId);
      if (gone === 0) markLeftover.run();
      gone += ended.deleteLegs(listId) + 1;
    }
    return gone;
  });
  return deleteEnded.immediate;
}
