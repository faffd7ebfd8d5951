import type { JournalRecord } from "../../model/index.ts";
import { encodeRecord } from "../../wire/index.ts";
import type { PendingRecord } from "../core/live-order.ts";

/** A record whose append failed, or that was not handed over any more, and whether the store can have kept it. */
export type UndecidedRecord = Readonly<{
  pending: PendingRecord;
  mayBeKept: boolean;
}>;

/** What the store says of a record: it is there, it is not and never will be, or the store does not show its place. */
export type Fate = "kept" | "lost" | "unknown";

/** The records of a shard of which nobody knows whether they are durable, until the store has been read again. */
export class Undecided {
  #records: UndecidedRecord[] = [];
  /** What the store holds in their places and after them. */
  readonly #shown: Map<number, JournalRecord> = new Map();

  /** In the order of their sequences. */
  get all(): readonly UndecidedRecord[] {
    return this.#records;
  }

  add(pending: PendingRecord, mayBeKept: boolean): void {
    this.#records.push({ pending, mayBeKept });
  }

  /** Takes them out, to be answered. */
  take(): readonly UndecidedRecord[] {
    return this.#records.splice(0);
  }

  /** A reading of the store begins, and shows its records here; what an earlier one has shown does not count. */
  reading(): (record: JournalRecord) => void {
    this.#shown.clear();
    const first = this.#records[0]?.pending.record.sequence ?? Number.POSITIVE_INFINITY;
    return (record) => {
      if (record.sequence >= first) this.#shown.set(record.sequence, record);
    };
  }

  /** What the last reading says of a record, when the journal ends with `last`: its place and every word decide. */
  fateOf({ pending: { record, text } }: UndecidedRecord, last: number): Fate {
    if (record.sequence > last) return "lost";
    const shown = this.#shown.get(record.sequence);
    if (shown === undefined) return "unknown";
    return encodeRecord(shown) === text ? "kept" : "lost";
  }
}
