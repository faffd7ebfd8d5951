import type { JournalRecord } from "../../src/model/index.ts";
import { encodeRecord } from "../../src/wire/index.ts";
import type { RequireThat } from "./invariant-broken.ts";
import type { JournalBook, SeenOrder } from "./journal-book.ts";
import type { Situations } from "./situations.ts";
import type { WorldDisk } from "./world-disk.ts";

type Parts = Readonly<{
  disk: WorldDisk;
  journal: JournalBook;
  requireThat: RequireThat;
  situations: Situations;
}>;

/** A durable record that is not in the journal any more. */
type Gone = Readonly<{ shard: number; sequence: number }>;

/**
 * Follows what deletions take out of the store, and checks that only orders that ended before the time of
 * a deletion leave, each with its row, all its records and the other legs of its list; only records below the newest
 * snapshot leave; and each that left is in the archive, if there is one.
 */
export class Departures {
  readonly #parts: Parts;
  /** Sequences of the records that have left, by shard. */
  readonly #left: Map<number, Set<number>> = new Map();

  /** The last step of a deletion, and the comparison after it. */
  #last: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Number of records of a shard that have left. */
  count(shard: number): number {
    return this.#left.get(shard)?.size ?? 0;
  }

  /**
   * Runs a step of a deletion of what ended before a time, while no other runs. Then compares the store with everything
   * that was ever durable, also if the step fails: a store may delete and then reject.
   */
  async after(beforeMs: number, deletion: () => Promise<void>): Promise<void> {
    const earlier = this.#last;
    let ended = (): void => undefined;
    this.#last = new Promise((resolve) => {
      ended = resolve;
    });
    await earlier;
    try {
      await deletion().finally(() => this.#look(beforeMs));
    } finally {
      ended();
    }
  }

  async #look(beforeMs: number): Promise<void> {
    const gone: Gone[] = [];
    for (const [shard, head] of [...this.#parts.journal.heads])
      gone.push(...(await this.#goneOf(shard, head)));
    if (gone.length > 0) this.#inArchive(gone);
    for (const orderId of new Set(gone.flatMap((record) => this.#ordersOf(record)))) {
      const order = this.#parts.journal.find(orderId);
      if (order !== undefined) await this.#departed(order, beforeMs);
    }
    await this.#whole();
  }

  /** Returns the records of a shard that have left since the last look. */
  async #goneOf(shard: number, head: number): Promise<readonly Gone[]> {
    const { requireThat, disk } = this.#parts;
    const there = new Set((await recordsOf(disk, shard)).map(({ sequence }) => sequence));
    const left = this.#left.get(shard) ?? new Set();
    const snapshot = await disk.reader.readSnapshot(shard);
    const gone: Gone[] = [];
    for (let sequence = 1; sequence <= head; sequence++) {
      if (there.has(sequence) || left.has(sequence)) continue;
      requireThat(
        sequence < (snapshot?.sequence ?? 0),
        "Records leave with their orders",
        () => `record ${sequence} of shard ${shard} has left, the snapshot is of ${snapshot?.sequence}`,
      );
      gone.push({ shard, sequence });
      left.add(sequence);
    }
    this.#left.set(shard, left);
    return gone;
  }

  #ordersOf({ shard, sequence }: Gone): readonly number[] {
    const record = this.#parts.journal.recordOf(shard, sequence);
    return record?.changes.map(({ orderId }) => orderId) ?? [];
  }

  async #departed({ orderId, endedAtMs, accountId, list }: SeenOrder, beforeMs: number): Promise<void> {
    const { requireThat, journal, situations, disk } = this.#parts;
    const legs = list?.legs ?? [orderId];
    for (const leg of legs) {
      const endMs = leg === orderId ? endedAtMs : journal.find(leg)?.endedAtMs;
      requireThat(
        endMs !== undefined && endMs < beforeMs,
        "Records leave with their orders",
        () => `order ${orderId} left before ${beforeMs}, ${leg} ended at ${endMs}`,
      );
      const stored = journal
        .sequencesOf(leg)
        .filter(({ shard, sequence }) => !this.#left.get(shard)?.has(sequence));
      requireThat(
        stored.length === 0,
        "Records leave with their orders",
        () => `order ${orderId} left, records of ${leg} are kept`,
      );
    }
    const row = await disk.reader.findEnded({ accountId, orderId });
    requireThat(
      row === undefined,
      "Records leave with their orders",
      () => `records of order ${orderId} left, and its row is kept`,
    );
    journal.departed.add(orderId);
    situations.observe(list === undefined ? "order left with its records" : "list left with its records");
  }

  /** Checks that each ended order that has not left has its row. */
  async #whole(): Promise<void> {
    const { requireThat, journal, disk } = this.#parts;
    for (const { orderId, accountId, ended } of [...journal.orders.values()]) {
      if (ended === undefined || journal.departed.has(orderId)) continue;
      const row = await disk.reader.findEnded({ accountId, orderId });
      const isGone = row === undefined && !journal.departed.has(orderId);
      requireThat(
        !isGone,
        "Records leave with their orders",
        () => `the row of order ${orderId} left, and its records are kept`,
      );
    }
  }

  #inArchive(gone: readonly Gone[]): void {
    const { requireThat, journal, disk } = this.#parts;
    const archived = disk.archived?.();
    if (archived === undefined) return;
    for (const { shard, sequence } of gone) {
      const record = journal.recordOf(shard, sequence);
      const isRetained = record !== undefined && archived.has(encodeRecord(record));
      requireThat(
        isRetained,
        "The archive is written inside the transaction that deletes",
        () => `record ${sequence} of shard ${shard} left and is not in the archive`,
      );
    }
  }
}

/** Returns all records of a shard that are in the journal. */
export async function recordsOf({ reader }: WorldDisk, shard: number): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  for (;;) {
    const page = await reader.readRecords({ shard, after: records.at(-1)?.sequence ?? 0, limit: 1_000 });
    if (page.length === 0) return records;
    records.push(...page);
  }
}
