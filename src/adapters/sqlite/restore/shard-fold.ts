import { invariant } from "../../../errors/index.ts";
import { countOfId, evolveAll } from "../../../lifecycle/index.ts";
import type { JournalRecord, ParentChange, ParentOrder } from "../../../model/index.ts";
import { inTurns } from "../../shared/index.ts";
import type { Tables } from "../tables.ts";
import { recordsOf } from "./restore-position.ts";

/** The state of a shard after a record: what a snapshot of it holds. */
export type Folded = Readonly<{
  /** Open parents, and ended legs of lists that are open. */
  parents: ReadonlyMap<number, ParentOrder>;
  /** The last id counter used. */
  counter: number;
  /** Whether it was built on the snapshot in the store, which is then still valid. */
  onSnapshot: boolean;
}>;

/** Applies the records of a shard up to one, to its snapshot or to nothing, in turns. */
export async function foldShard(
  { journal, snapshots }: Tables,
  { shard, sequence: until }: Readonly<{ shard: number; sequence: number }>,
): Promise<Folded> {
  const newest = await inTurns(snapshots.read(shard));
  const snapshot = (newest?.sequence ?? Number.POSITIVE_INFINITY) <= until ? newest : undefined;
  const parents = new Map((snapshot?.parents ?? []).map((parent) => [parent.orderId, parent]));
  let counter = snapshot?.counter ?? 0;
  for await (const record of recordsOf(journal, { shard, after: snapshot?.sequence ?? 0, until })) {
    for (const change of record.changes) {
      if (change.facts.some(({ kind }) => kind === "ACCEPTED"))
        counter = Math.max(counter, countOfId(change.orderId));
      applyChange(parents, change, record);
    }
    for (const { orderId } of record.changes) retire(parents, orderId);
  }
  return { parents, counter, onSnapshot: snapshot !== undefined };
}

/**
 * Applies the changes of a parent. Those of an unknown parent that is not accepted here are left out: it had ended, and
 * its row includes them.
 */
function applyChange(parents: Map<number, ParentOrder>, change: ParentChange, record: JournalRecord): void {
  const { orderId, previous, facts } = change;
  const before = parents.get(orderId);
  if (before === undefined && facts[0]?.kind !== "ACCEPTED") return;
  invariant(
    previous === (before?.lastSequence ?? 0),
    "I53",
    `record ${previous} of shard ${record.shard}, the one of parent ${orderId} before record ${record.sequence}, is missing`,
  );
  const after = evolveAll(before, change, record);
  if (after !== undefined) parents.set(orderId, after);
}

/** Drops a parent that has ended, a leg only with all legs of its list: the next event of another leg needs it. */
function retire(parents: Map<number, ParentOrder>, orderId: number): void {
  const order = parents.get(orderId);
  if (order?.ended === undefined) return;
  const legs = order.list?.legs ?? [orderId];
  if (legs.some((leg) => parents.has(leg) && parents.get(leg)?.ended === undefined)) return;
  for (const leg of legs) parents.delete(leg);
}
