import { countOfId, evolve } from "../../lifecycle/index.ts";
import type { JournalRecord, ParentOrder } from "../../model/index.ts";
import type { OrderStore } from "../../ports/index.ts";
import { IdMap } from "../../triggers/index.ts";
import { COSTS, type Turns } from "../core/turns.ts";

/** The parents of a shard as its records produce them. Ended parents stay in it until dropped. */
export type Replayed = {
  readonly parents: IdMap<ParentOrder>;
  sequence: number;
  /** The last id counter used. */
  counter: number;
  /** When its last record was decided; undefined for a shard without records. */
  lastMs?: number;
  /** The highest acceptance number. */
  acceptances: number;
};

const PAGE = 256;

/**
 * Applies a record. Skips facts of an unknown parent, which ended before the snapshot: its row in the store includes
 * them.
 */
function applyRecord(state: Replayed, record: JournalRecord): void {
  for (const change of record.changes) {
    const context = { orderId: change.orderId, sequence: record.sequence, timeMs: record.timeMs };
    for (const fact of change.facts) {
      const before = state.parents.get(change.orderId);
      if (before === undefined && fact.kind !== "ACCEPTED") continue;
      state.parents.set(change.orderId, evolve(before, fact, context));
      if (fact.kind !== "ACCEPTED") continue;
      state.counter = Math.max(state.counter, countOfId(change.orderId));
      state.acceptances = Math.max(state.acceptances, fact.acceptance ?? 0);
    }
  }
  state.sequence = record.sequence;
  state.lastMs = record.timeMs;
}

/**
 * Reads a shard in slices up to sequence `until`, from its snapshot, or from the first record with `fromEmpty`.
 * Passes every record it reads to `show`.
 */
export async function replayShard(
  store: Pick<OrderStore, "readSnapshot" | "readRecords">,
  range: Readonly<{
    shard: number;
    until: number;
    turns: Turns;
    fromEmpty?: boolean;
    show?: (record: JournalRecord) => void;
  }>,
): Promise<Replayed> {
  const { turns } = range;
  const snapshot = range.fromEmpty === true ? undefined : await store.readSnapshot(range.shard);
  const state: Replayed = {
    parents: new IdMap(),
    sequence: snapshot?.sequence ?? 0,
    counter: snapshot?.counter ?? 0,
    acceptances: 0,
  };
  for (const order of snapshot?.parents ?? []) {
    state.parents.set(order.orderId, order);
    state.acceptances = Math.max(state.acceptances, order.acceptance ?? 0);
    const turn = turns.spend(COSTS.remember);
    if (turn !== undefined) await turn;
  }
  while (state.sequence < range.until) {
    const limit = Math.min(PAGE, range.until - state.sequence);
    const records = await store.readRecords({ shard: range.shard, after: state.sequence, limit });
    if (records.length === 0) break;
    for (const record of records) {
      applyRecord(state, record);
      range.show?.(record);
    }
    const turn = turns.spend(COSTS.read * records.length);
    if (turn !== undefined) await turn;
  }
  // A snapshot does not contain the time of its last decision: read it from the last record.
  if (state.lastMs === undefined && state.sequence > 0) {
    const [last] = await store.readRecords({ shard: range.shard, after: state.sequence - 1, limit: 1 });
    if (last !== undefined) state.lastMs = last.timeMs;
  }
  return state;
}
