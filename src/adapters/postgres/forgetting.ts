import { InvariantError, isDamage } from "../../errors/index.ts";
import type { OrderStore } from "../../ports/index.ts";
import type { Database } from "./database.ts";
import { withDeadline } from "./deadline.ts";
import { chainsIn, type Leaving, listsOf, type ShardState, singlesOf, stateOf } from "./departures.ts";
import type { Row } from "./driver.ts";
import { FORGETTING } from "./forget-statements.ts";
import { ForgetStep } from "./forget-step.ts";
import { READ_BYTES } from "./journal.ts";
import type { LeavingRecord, PostgresJournalOptions } from "./journal-lifetime.ts";
import type { Owner } from "./owner.ts";
import { PostgresStoreError } from "./postgres-error.ts";
import { textIn, wholeIn } from "./reading.ts";
import { recordIn } from "./row-sums.ts";
import { JOURNAL } from "./statements.ts";

/** Number of keys that one statement reads. They are sorted by shard, so that a shard is locked seldom. */
const KEYS_PER_PAGE = 16_384;

/** Number of departures whose rows one statement reads. */
const ROWS_PER_STEP = 128;

/** Number of departures whose records are read side by side. */
const WALKS = 16;

/** Number of records that one step of a sweep reads. */
const RECORDS_PER_STEP = 256;

type Parts = Readonly<{
  database: Database;
  owner: Owner;
  readSnapshot: OrderStore["readSnapshot"];
  answerTimeoutMs: number;
}>;

/** Place in the order of rows by their end. */
type Place = Readonly<{ endedAtMs: number; id: number }>;

const START: Place = { endedAtMs: Number.MIN_SAFE_INTEGER, id: Number.MIN_SAFE_INTEGER };

/** Returns the method with which a store forgets records, if its options say that it does. */
export function journalLifetime(
  parts: Parts,
  { forget = false, archive = () => undefined }: PostgresJournalOptions = {},
): Pick<OrderStore, "forgetEnded"> {
  if (!forget) return {};
  return {
    forgetEnded: ({ beforeMs }, goesOn) => new Forgetting(parts, { beforeMs, goesOn, archive }).run(),
  };
}

type Work = Readonly<{
  beforeMs: number;
  goesOn: () => boolean;
  archive: NonNullable<PostgresJournalOptions["archive"]>;
}>;

/** A record that a sweep has read, and the orders that it changes. */
type ReadRecord = Readonly<{ leaving: LeavingRecord; orderIds: readonly number[] }>;

function readRecord(row: Row, shard: number): ReadRecord {
  const { sequence, changes } = recordIn(row, shard, 3);
  const leaving = { shard, sequence, text: textIn(row, 4) };
  return { leaving, orderIds: changes.map(({ orderId }) => orderId) };
}

/** One deletion of ended orders with their records (decisions TA and XA). */
class Forgetting {
  readonly #parts: Parts;
  readonly #work: Work;
  /** The shards that the handle owns when it begins. Rows of others stay. */
  readonly #owned: Set<number> = new Set();
  #damage: InvariantError | undefined;
  #isStopped = false;

  constructor(parts: Parts, work: Work) {
    this.#parts = parts;
    this.#work = work;
  }

  /** Deletes what may leave. Rejects at the end with the first damage that kept an order from leaving. */
  async run(): Promise<void> {
    const { database, owner } = this.#parts;
    for (const row of await database.read(JOURNAL.owned, owner.columns)) this.#owned.add(wholeIn(row, 0));
    if (this.#owned.size === 0)
      throw new InvariantError("I60", "every shard belongs to a later owner of the store");
    await this.#departures(FORGETTING.singles, singlesOf);
    await this.#departures(FORGETTING.lists, listsOf);
    await this.#sweep();
    if (this.#damage !== undefined && !this.#isStopped) throw this.#damage;
  }

  /** Notes whether the work goes on. Called after each step. */
  #pause(): void {
    this.#isStopped ||= !this.#work.goesOn();
  }

  readonly #report = (damage: InvariantError): void => {
    this.#damage ??= damage;
  };

  async #departures(text: string, read: typeof singlesOf): Promise<void> {
    const { database } = this.#parts;
    for (let after: Place | undefined = START; after !== undefined && !this.#isStopped; ) {
      const values = [this.#work.beforeMs, after.endedAtMs, after.id, KEYS_PER_PAGE];
      const rows: Awaited<ReturnType<Database["read"]>> = await database.read(text, values);
      const shards = new Map<number, number[]>();
      for (const row of rows) {
        const shard = wholeIn(row, 0);
        if (!this.#owned.has(shard)) continue;
        const ids = shards.get(shard) ?? [];
        if (ids.length === 0) shards.set(shard, ids);
        ids.push(wholeIn(row, 2));
      }
      for (const [shard, ids] of shards) await this.#ofShard(shard, ids, read);
      const last = rows.length < KEYS_PER_PAGE ? undefined : rows.at(-1);
      after = last && { endedAtMs: wholeIn(last, 1), id: wholeIn(last, 2) };
    }
  }

  async #ofShard(shard: number, ids: readonly number[], read: typeof singlesOf): Promise<void> {
    const { database } = this.#parts;
    for (let from = 0; from < ids.length && !this.#isStopped; from += ROWS_PER_STEP) {
      const state = await stateOf(database, shard);
      const asked = { shard, ids: ids.slice(from, from + ROWS_PER_STEP), report: this.#report };
      const isBelow = ({ orders }: Leaving): boolean =>
        orders.every(({ lastSequence }) => lastSequence < state.snapshot);
      const leaving = (await read(database, asked)).filter(isBelow);
      await this.#leaveAll(leaving, state);
    }
  }

  async #leaveAll(leaving: readonly Leaving[], state: ShardState): Promise<void> {
    let step = new ForgetStep();
    for (let from = 0; from < leaving.length && !this.#isStopped; from += WALKS) {
      const some = leaving.slice(from, from + WALKS);
      const chains = await chainsIn(this.#parts.database, some, state);
      for (const [index, one] of some.entries()) {
        const chain = chains[index] ?? "long";
        if (chain instanceof InvariantError) this.#report(chain);
        else step.add(one, chain);
      }
      if (!step.isFull && from + WALKS < leaving.length) continue;
      await this.#leave(step);
      this.#pause();
      step = new ForgetStep();
    }
  }

  async #leave(step: ForgetStep): Promise<void> {
    const { shard } = step;
    if (shard === undefined) return;
    await this.#archive(step.records);
    await this.#write(FORGETTING.leave, shard, step.values);
  }

  /** Keeps records that are about to be deleted, if the host wants them. */
  async #archive(records: readonly LeavingRecord[]): Promise<void> {
    const { answerTimeoutMs } = this.#parts;
    if (records.length === 0) return;
    const late = (): Error =>
      new PostgresStoreError(
        `journal.archive has not answered for ${answerTimeoutMs} ms: nothing was deleted`,
        "ETIMEDOUT",
      );
    const { archive } = this.#work;
    await withDeadline((async () => await archive(records))(), answerTimeoutMs, late);
  }

  /** Writes as the owner of a shard. Throws an InvariantError I60 if another one owns it. */
  async #write(text: string, shard: number, values: readonly unknown[]): Promise<void> {
    const { database, owner } = this.#parts;
    const [row] = await database.write(text, [shard, owner.epochOf(shard), ...values]);
    if (wholeIn(row, 0) === 0)
      throw new InvariantError("I60", `shard ${shard} belongs to a later owner of the store`);
  }

  /**
   * Deletes the records of orders that are neither open nor have a row, oldest first: those of long orders, those whose
   * deletion was interrupted, and those of rows that were deleted without their records. Reads every record below the
   * snapshot of a shard that is marked to have any.
   */
  async #sweep(): Promise<void> {
    const { database } = this.#parts;
    if (this.#isStopped) return;
    for (const row of await database.read(FORGETTING.leftovers)) {
      const shard = wholeIn(row, 0);
      if (!this.#owned.has(shard)) continue;
      try {
        await this.#sweepShard(shard);
      } catch (error) {
        // A damaged shard keeps its mark and its records; the others are swept.
        if (!isDamage(error)) throw error;
        this.#report(error);
      }
      if (this.#isStopped) return;
    }
  }

  async #sweepShard(shard: number): Promise<void> {
    const { database, owner, readSnapshot } = this.#parts;
    const epoch = owner.epochOf(shard);
    const { last } = await stateOf(database, shard);
    await database.write(FORGETTING.beginSweep, [shard, epoch, last]);
    // An order that has a record below the snapshot is among its parents, or ended before it: then it had a row.
    const snapshot = await readSnapshot(shard);
    this.#pause();
    if (this.#isStopped || snapshot === undefined) return;
    const open = new Set(snapshot.parents.map(({ orderId }) => orderId));
    await this.#sweepBelow(shard, snapshot.sequence, open);
    if (this.#isStopped) return;
    await database.write(FORGETTING.endSweep, [shard, epoch, snapshot.sequence]);
  }

  async #sweepBelow(shard: number, before: number, open: ReadonlySet<number>): Promise<void> {
    const { database } = this.#parts;
    for (let after = 0; after + 1 < before && !this.#isStopped; ) {
      const rows = await database.read(JOURNAL.read, [[shard], [after], RECORDS_PER_STEP, READ_BYTES]);
      const read = rows.flatMap((row) => (row[3] === null ? [] : [readRecord(row, shard)]));
      if (read.length === 0) return;
      after = read.at(-1)?.leaving.sequence ?? before;
      const gone = await this.#withoutRow(
        read.filter(({ leaving }) => leaving.sequence < before),
        open,
      );
      await this.#archive(gone);
      if (gone.length > 0) await this.#write(FORGETTING.sweep, shard, [gone.map(({ sequence }) => sequence)]);
      this.#pause();
    }
  }

  /** Returns the records of which no order is open or has a row. */
  async #withoutRow(
    records: readonly ReadRecord[],
    open: ReadonlySet<number>,
  ): Promise<readonly LeavingRecord[]> {
    const left = records.filter(
      ({ orderIds }) => orderIds.length > 0 && orderIds.every((orderId) => !open.has(orderId)),
    );
    if (left.length === 0) return [];
    const ids = [...new Set(left.flatMap(({ orderIds }) => orderIds))];
    const rows = await this.#parts.database.read(FORGETTING.present, [left[0]?.leaving.shard, ids]);
    const present = new Set(rows.map((row) => wholeIn(row, 0)));
    return left
      .filter(({ orderIds }) => orderIds.every((orderId) => !present.has(orderId)))
      .map(({ leaving }) => leaving);
  }
}
