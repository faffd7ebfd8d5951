import { nextTurn } from "../common/index.ts";
import { invariant } from "../errors/index.ts";
import { countOfId, evolveAll } from "../lifecycle/index.ts";
import { type JournalRecord, type ParentChange, type ParentOrder, SHARD_COUNT } from "../model/index.ts";
import type { Storage } from "../ports/index.ts";
import { encodeParent } from "../wire/index.ts";
import { Ended, endedKey, endedRows, listKeys, placeIn } from "./ended.ts";
import { Journal, Owned, prunedKey, recordKey } from "./journal.ts";
import { countIn, numberIn, partsOf, shardDigits, under } from "./keys.ts";
import { orderDeletion } from "./leaving.ts";
import { Rows } from "./rows.ts";
import { Snapshots } from "./snapshots.ts";

/**
 * More orders than a shard accepts, and more children than an order sends, between a backup and its restore: each needs
 * a record of its own on disk, and 2^32 records of one shard would take more than a terabyte.
 */
const LOST = 2 ** 32;

/** Number of records that one transaction adds or deletes. */
const RECORDS_PER_STEP = 512;

/** Where the journal of a shard shall end: at record `sequence`, 0 for none. */
export type RewindTarget = Readonly<{ shard: number; sequence: number }>;

/** The state of a shard after a record: what a snapshot of it holds. */
type Folded = Readonly<{
  /** Open parents, and ended legs of lists that are open. */
  parents: ReadonlyMap<number, ParentOrder>;
  /** The last id counter used. */
  counter: number;
  /** Whether it was built on the snapshot in the store, which is then still valid. */
  onSnapshot: boolean;
}>;

/** A store that nobody else uses, which becomes one of an earlier moment. */
export class RestoredStore {
  readonly #rows: Rows;
  readonly #journal: Journal;
  readonly #snapshots: Snapshots;
  readonly #ended: Ended;

  constructor(storage: Storage) {
    this.#rows = new Rows(storage);
    this.#journal = new Journal(this.#rows, new Owned());
    this.#snapshots = new Snapshots(this.#rows, this.#journal);
    this.#ended = new Ended(this.#rows, this.#journal);
  }

  /** The heads of all shards. */
  async heads(): ReturnType<Journal["heads"]> {
    return await this.#journal.heads();
  }

  /** Reads the records of a shard after one and up to another, in turns. */
  async *records(shard: number, after: number, until: number): AsyncGenerator<JournalRecord> {
    for (let last = after; last < until; await nextTurn()) {
      const limit = Math.min(RECORDS_PER_STEP, until - last);
      const records = await this.#journal.records({ shard, after: last, limit });
      if (records.length === 0) return;
      for (const record of records) {
        if (record.sequence > until) return;
        yield record;
        last = record.sequence;
      }
    }
  }

  /** Notes that no record is missing any more. */
  async complete(): Promise<void> {
    const deletes = Array.from({ length: SHARD_COUNT }, (_, shard) => prunedKey(shard));
    await this.#rows.write({ reads: [], change: () => ({ deletes }) });
  }

  /** Takes the store back: the rows of ended orders and lists, the journal and the snapshots. What the market did stays. */
  async rewind(targets: readonly RewindTarget[]): Promise<void> {
    const heads = new Map((await this.heads()).map(({ shard, sequence }) => [shard, sequence]));
    const cut = targets.filter(({ shard, sequence }) => sequence < (heads.get(shard) ?? 0));
    for (const target of cut) await this.#rewindEnded(target);
    await this.#dropOpenLists();
    for (const target of cut) {
      const { parents, counter, onSnapshot } = await this.#fold(target);
      await this.#putEndedLegs([...parents.values()]);
      await this.#cut(target, heads.get(target.shard) ?? 0);
      if (onSnapshot) continue;
      await this.#snapshots.prune(target.shard);
      await this.#snapshots.write({ ...target, counter, parents: [...parents.values()] });
    }
  }

  /** Gives each row of a shard the state that its order had, and deletes the row if the order had not ended. */
  async #rewindEnded({ shard, sequence }: RewindTarget): Promise<void> {
    for await (const page of this.#rows.pages(under(`order ${shardDigits(shard)}`))) {
      for (const order of await this.#ended.rowsOf(page.map(placeIn))) {
        if (order.lastSequence <= sequence) continue;
        const before = await this.#stateAt(shard, order, sequence);
        if (before?.ended === undefined) await this.#rows.write(orderDeletion(order));
        else {
          const text = encodeParent(before);
          await this.#rows.write({ reads: [], change: () => ({ puts: [[endedKey(order), text]] }) });
        }
      }
      await nextTurn();
    }
  }

  async #stateAt(
    shard: number,
    { orderId, lastSequence }: ParentOrder,
    until: number,
  ): Promise<ParentOrder | undefined> {
    const steps: (readonly [ParentChange, JournalRecord])[] = [];
    for (let sequence = lastSequence; sequence > 0; ) {
      const [record] = await this.#journal.recordsAt([{ shard, sequence }]);
      if (record instanceof Error) throw record;
      const change = record?.changes.find((one) => one.orderId === orderId);
      invariant(
        record !== undefined && change !== undefined,
        "I54",
        `record ${sequence} of shard ${shard}, of order ${orderId}, is missing`,
      );
      if (sequence <= until) steps.push([change, record]);
      sequence = change.previous;
    }
    let order: ParentOrder | undefined;
    for (const [change, record] of steps.reverse()) order = evolveAll(order, change, record);
    return order;
  }

  /** Deletes the rows of lists of which a leg has no row any more. */
  async #dropOpenLists(): Promise<void> {
    for await (const page of this.#rows.pages(under("listtime"))) {
      for (const [key, account] of page) {
        const list = await this.#ended.list(numberIn(account), -numberIn(partsOf(key)[1]));
        if (list === undefined) continue;
        const { accountId, legs } = list;
        const ended = await this.#ended.rowsOf(legs.map((orderId) => ({ accountId, orderId })));
        if (ended.length === legs.length) continue;
        await this.#rows.write({ reads: [], change: () => ({ deletes: listKeys(list) }) });
      }
      await nextTurn();
    }
  }

  /** A leg that ended before its list has a row, also if the row has left with the list since. */
  async #putEndedLegs(parents: readonly ParentOrder[]): Promise<void> {
    const legs = parents.filter(({ ended }) => ended !== undefined);
    const there = new Set((await this.#ended.rowsOf(legs)).map(({ orderId }) => orderId));
    const ended = legs.filter(({ orderId }) => !there.has(orderId));
    if (ended.length > 0) await this.#rows.write(endedRows({ ended }));
  }

  /** Deletes the records of a shard after its new end, from the last one on, so that the head always names the last. */
  async #cut({ shard, sequence }: RewindTarget, head: number): Promise<void> {
    for (let after = head; after > sequence; await nextTurn()) {
      const [last, end] = [after, Math.max(sequence, after - RECORDS_PER_STEP)];
      const deletes = Array.from({ length: last - end }, (_, place) => recordKey(shard, end + 1 + place));
      const key = prunedKey(shard);
      await this.#rows.write({
        reads: [key],
        change: (valueAt) => ({
          puts: [[key, String(Math.min(end, countIn(valueAt(key))))]],
          deletes,
        }),
      });
      after = end;
    }
  }

  /** Applies the records of a shard up to one, to its snapshot or to nothing, in turns. */
  async #fold({ shard, sequence: until }: RewindTarget): Promise<Folded> {
    const newest = await this.#snapshots.read(shard);
    const snapshot = (newest?.sequence ?? Number.POSITIVE_INFINITY) <= until ? newest : undefined;
    const parents = new Map((snapshot?.parents ?? []).map((parent) => [parent.orderId, parent]));
    let counter = snapshot?.counter ?? 0;
    for await (const record of this.records(shard, snapshot?.sequence ?? 0, until)) {
      for (const change of record.changes) {
        if (change.facts.some(({ kind }) => kind === "ACCEPTED"))
          counter = Math.max(counter, countOfId(change.orderId));
        applyChange(parents, change, record);
      }
      for (const { orderId } of record.changes) retire(parents, orderId);
    }
    return { parents, counter, onSnapshot: snapshot !== undefined };
  }

  /** Raises the id counters of all shards beyond every id that was given after the backup. */
  async raiseCounters(): Promise<void> {
    for (const { shard } of await this.heads()) {
      if (await this.#snapshots.raiseCounter(shard, LOST)) continue;
      await this.#snapshots.write({ shard, sequence: 0, counter: LOST, parents: [] });
    }
  }

  /**
   * Pauses every open order until a person says what happened after the backup. Returns their number. Calls `progress` with
   * the number of shards that are done, and of all.
   */
  async pauseOrders(progress: (done: number, all: number) => void): Promise<number> {
    let paused = 0;
    const heads = await this.heads();
    for (const [done, { shard, epoch, sequence }] of heads.entries()) {
      progress(done, heads.length);
      if (sequence === 0) continue;
      const { parents } = await this.#fold({ shard, sequence });
      const open = [...parents.values()].filter(({ ended }) => ended === undefined);
      const [last] = await this.#journal.records({ shard, after: sequence - 1, limit: 1 });
      for (let from = 0; from < open.length; from += RECORDS_PER_STEP) {
        const place = { shard, sequence: sequence + from, timeMs: last?.timeMs ?? 0 };
        const records = open.slice(from, from + RECORDS_PER_STEP).map(pausedIn(place));
        const isWritten = await this.#rows.write(
          this.#journal.append({ shard, epoch, round: 0, records, ended: [] }),
        );
        if (!isWritten) throw new Error(`shard ${shard} cannot be written`);
        await nextTurn();
      }
      paused += open.length;
    }
    return paused;
  }
}

/** Returns what makes the record that pauses an order. Every order gets its own, so that it can leave alone. */
function pausedIn({ shard, sequence, timeMs }: Pick<JournalRecord, "shard" | "sequence" | "timeMs">) {
  return ({ orderId, lastSequence, attempts }: ParentOrder, index: number): JournalRecord => ({
    shard,
    sequence: sequence + index + 1,
    timeMs,
    cause: { kind: "OPERATOR", by: "restore", why: "the store was restored from a backup" },
    changes: [{ orderId, previous: lastSequence, facts: [{ kind: "RESTORED", attempts: attempts + LOST }] }],
  });
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
