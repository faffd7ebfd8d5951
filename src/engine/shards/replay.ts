import type { Slicer } from "../../common/index.ts";
import { InvariantError, invariant } from "../../errors/index.ts";
import { countOfId, evolveAll } from "../../lifecycle/index.ts";
import type { Fact, JournalRecord, ParentChange, ParentOrder } from "../../model/index.ts";
import type { OrderStore } from "../../ports/index.ts";
import { IdMap, type ReadonlyIdMap } from "../../triggers/index.ts";
import type { Core } from "../core/core.ts";
import type { LiveOrder } from "../core/live-order.ts";
import type { ExecutionReader } from "../core/own-executions.ts";
import { COSTS } from "../core/turns.ts";

/**
 * Options of a capture: the live orders of a shard, the record up to which they count, and which parents are
 * included.
 */
type CaptureOptions = Readonly<{
  liveOrders: ReadonlyIdMap<LiveOrder>;
  sequence: number;
  isRetained: (order: ParentOrder) => boolean;
  /** Called when the capture needs nothing more to be kept for it. */
  ended: (capture: ParentCapture) => void;
}>;

/**
 * The durable parents of a shard at the creation of the capture, gathered in slices while the shard continues. A
 * parent with `lastSequence` at or below `sequence` is unchanged. Before a parent changes or leaves, `retain` must be
 * called.
 */
export class ParentCapture {
  readonly #options: CaptureOptions;
  /** Original states of parents that have changed or left since, visited ones included. */
  readonly #changed: Map<number, ParentOrder> = new Map();
  #visited = false;

  constructor(options: CaptureOptions) {
    this.#options = options;
  }

  /** Keeps the durable state of a live order that is about to be replaced or removed. */
  retain({ durable }: LiveOrder): void {
    if (!this.#visited && this.#belongs(durable)) this.#changed.set(durable.orderId, durable);
  }

  /** Resolves to the parents; to undefined when `goesOn` returns false after a turn. */
  async gather(turns: Slicer, goesOn: () => boolean): Promise<readonly ParentOrder[] | undefined> {
    try {
      return await this.#gather(turns, goesOn);
    } finally {
      this.end();
    }
  }

  /** Ends the capture: it is gathered, or will not be. */
  end(): void {
    this.#visited = true;
    this.#changed.clear();
    this.#options.ended(this);
  }

  async #gather(turns: Slicer, goesOn: () => boolean): Promise<readonly ParentOrder[] | undefined> {
    const parents: ParentOrder[] = [];
    // Parents added meanwhile may be visited too; they do not belong to the capture.
    for (const { durable } of this.#options.liveOrders.values()) {
      if (this.#belongs(durable)) parents.push(durable);
      const turn = turns.spend(COSTS.visit);
      if (turn === undefined) continue;
      await turn;
      if (!goesOn()) return undefined;
    }
    this.#visited = true;
    for (const { orderId } of parents) {
      if (this.#changed.size === 0) break;
      this.#changed.delete(orderId);
      const turn = turns.spend(COSTS.visit);
      if (turn !== undefined) await turn;
    }
    for (const order of this.#changed.values()) {
      parents.push(order);
      const turn = turns.spend(COSTS.visit);
      if (turn !== undefined) await turn;
    }
    return goesOn() ? parents : undefined;
  }

  #belongs(order: ParentOrder | undefined): order is ParentOrder {
    return (
      order !== undefined && order.lastSequence <= this.#options.sequence && this.#options.isRetained(order)
    );
  }
}

/** The parents of a shard as its records produce them. Ended parents stay in it until dropped. */
export type Replayed = {
  readonly parents: IdMap<ParentOrder>;
  /** Parents of which a record was missing, as of those that have left the store. They are not among `parents`. */
  readonly left: Set<number>;
  sequence: number;
  /** Number of records that were applied. */
  records: number;
  /** The last id counter used. */
  counter: number;
  /** When its last record was decided; undefined for a shard without records. */
  lastMs?: number | undefined;
  /** The highest acceptance number. */
  acceptances: number;
};

const PAGE = 256;

/**
 * Applies a record. Skips facts of an unknown parent, which ended before the snapshot: its row in the store includes
 * them.
 */
function applyRecord(
  state: Replayed,
  record: JournalRecord,
  { forgotten = 0, executions }: Pick<Range, "forgotten" | "executions">,
): void {
  for (const change of record.changes) {
    if (forgotten > 0 && !follows(state, change, { record, forgotten })) continue;
    const { orderId, facts } = change;
    const first = facts[0];
    const before = state.parents.get(orderId);
    if (before === undefined && first?.kind !== "ACCEPTED") continue;
    const after = evolveAll(before, change, record);
    if (after !== undefined) {
      state.parents.set(orderId, after);
      executions?.read(after, facts, record);
    }
    if (first?.kind === "ACCEPTED") countAccepted(state, orderId, first);
  }
  state.sequence = record.sequence;
  state.records++;
  state.lastMs = record.timeMs;
}

/** Counts a parent that a record accepts. */
export function countAccepted(
  state: Pick<Replayed, "counter" | "acceptances">,
  orderId: number,
  { acceptance }: Extract<Fact, { kind: "ACCEPTED" }>,
): void {
  state.counter = Math.max(state.counter, countOfId(orderId));
  state.acceptances = Math.max(state.acceptances, acceptance);
}

/**
 * Returns whether a change continues the parent that its records before have produced. A parent whose preceding record
 * is missing at or below `forgotten` has left the store, and is dropped: if it has not left, its absence is a
 * difference that the caller finds. Throws an InvariantError I53 if another preceding record is missing.
 */
function follows(
  { parents, left }: Replayed,
  { orderId, previous }: ParentChange,
  { record, forgotten }: Readonly<{ record: JournalRecord; forgotten: number }>,
): boolean {
  if (left.has(orderId)) return false;
  if (previous === (parents.get(orderId)?.lastSequence ?? 0)) return true;
  invariant(
    previous <= forgotten,
    "I53",
    `record ${previous} of shard ${record.shard}, the one of parent ${orderId} before record ${record.sequence}, is missing`,
  );
  left.add(orderId);
  parents.delete(orderId);
  return false;
}

type Range = Readonly<{
  shard: number;
  until: number;
  turns: Slicer;
  /** The `forgotten` of the shard's head. */
  forgotten?: number;
  fromEmpty?: boolean;
  show?: (record: JournalRecord) => void;
  /** Takes the executions of its records. */
  executions?: ExecutionReader;
}>;

/**
 * Throws an InvariantError I54 unless the record is the next one. From empty, records at or below `forgotten` may be
 * missing.
 */
function requireNext({ sequence }: Replayed, record: JournalRecord, range: Range): void {
  const { shard, forgotten = 0, fromEmpty = false } = range;
  const isNext = record.sequence === sequence + 1;
  const mayFollow = fromEmpty && record.sequence > sequence && record.sequence - 1 <= forgotten;
  if (record.shard === shard && (isNext || mayFollow)) return;
  // Not as an argument of a check, whose text would be made for each record of an opening.
  throw new InvariantError(
    "I54",
    `record ${record.sequence} of shard ${record.shard} follows record ${sequence} of shard ${shard}`,
  );
}

/** Throws an InvariantError I53 if records after the snapshot were deleted: the state cannot be rebuilt from it. */
function requireWithin(sequence: number, { shard, forgotten = 0 }: Range): void {
  invariant(
    sequence >= forgotten,
    "I53",
    `shard ${shard} cannot be read: its snapshot ends with record ${sequence}, and records up to ${forgotten} have been deleted; restore the store from a backup`,
  );
}

function emptyState(): Replayed {
  return { parents: new IdMap(), left: new Set(), sequence: 0, records: 0, counter: 0, acceptances: 0 };
}

/** Returns the state of a shard at its snapshot, built in slices. */
async function fromSnapshot(store: Pick<OrderStore, "readSnapshot">, range: Range): Promise<Replayed> {
  const state = emptyState();
  const snapshot = await store.readSnapshot(range.shard);
  const { sequence = 0, counter = 0, parents = [] } = snapshot ?? {};
  requireWithin(sequence, range);
  state.sequence = sequence;
  state.counter = counter;
  for (const order of parents) {
    state.parents.set(order.orderId, order);
    state.acceptances = Math.max(state.acceptances, order.acceptance);
    const turn = range.turns.spend(COSTS.remember);
    if (turn !== undefined) await turn;
  }
  return state;
}

/**
 * Reads a shard in slices up to sequence `until`, from its snapshot, or from the first record with `fromEmpty`.
 * Passes every record it reads to `show`.
 */
export async function replayShard(
  store: Pick<OrderStore, "readSnapshot" | "readRecords">,
  range: Range,
): Promise<Replayed> {
  const { turns, forgotten = 0, fromEmpty = false, executions } = range;
  const state = fromEmpty ? emptyState() : await fromSnapshot(store, range);
  const snapshot = state.sequence;
  const applied = { ...(executions && { executions }), forgotten: fromEmpty ? forgotten : 0 };
  let firstMs: number | undefined;
  while (state.sequence < range.until) {
    const limit = Math.min(PAGE, range.until - state.sequence);
    const records = await store.readRecords({ shard: range.shard, after: state.sequence, limit });
    // Where records have left, `limit` of them may reach beyond the last one that was asked for.
    const within = records.filter(({ sequence }) => sequence <= range.until);
    for (const record of within) {
      requireNext(state, record, range);
      applyRecord(state, record, applied);
      firstMs ??= record.timeMs;
      range.show?.(record);
    }
    if (within.length < records.length || records.length === 0) break;
    const turn = turns.spend(COSTS.read * records.length);
    if (turn !== undefined) await turn;
  }
  // A snapshot does not contain the time of its last decision: read it from the last record.
  if (state.lastMs === undefined && state.sequence > 0) {
    const [last] = await store.readRecords({ shard: range.shard, after: state.sequence - 1, limit: 1 });
    if (last !== undefined) state.lastMs = last.timeMs;
  }
  if (snapshot > 0) executions?.after(firstMs ?? state.lastMs ?? Number.POSITIVE_INFINITY);
  return state;
}

/** Returns what takes the executions of a shard that is read into memory. */
export const executionReader = ({ executions, time }: Core, shard: number): ExecutionReader =>
  executions.reading(shard, time);
