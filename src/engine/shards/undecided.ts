import { OrderError } from "../../errors/index.ts";
import type { JournalRecord } from "../../model/index.ts";
import { encodeRecord } from "../../wire/index.ts";
import { EngineError } from "../core/engine-error.ts";
import type { PendingRecord } from "../core/live-order.ts";
import { rejectAll, resolveAll } from "./pending-records.ts";

/** A record whose append failed or that was never handed over, and whether the store can have kept it. */
type UndecidedRecord = Readonly<{
  pending: PendingRecord;
  mayBeStored: boolean;
}>;

/**
 * Fate of a record: the store has it, the store does not have it and never will, or the store does not show its
 * place.
 */
type Fate = "kept" | "lost" | "unknown";

/** What is known when the waiters of undecided records are answered. */
type Answering = Readonly<{
  /** Why the shard decides nothing now; undefined if it does. */
  refusal: OrderError | undefined;
  /** Sequence of the last record in the store; undefined if the store does not tell what became of the records. */
  last: number | undefined;
  /** Called with each record that the store has. */
  found: (record: PendingRecord) => void;
}>;

/** Records of a shard of which it is unknown whether they are durable, until the store has been read again. */
export class Undecided {
  readonly #records: UndecidedRecord[] = [];
  /** Records that the store has at their sequences and after them. */
  readonly #shown: Map<number, JournalRecord> = new Map();

  add(pending: PendingRecord, mayBeStored: boolean): void {
    this.#records.push({ pending, mayBeStored });
  }

  /** Tells the waiters that the store could not be read: what it may have kept is unknown, the rest was not stored. */
  report(error: unknown): void {
    for (const { pending, mayBeStored } of this.#records)
      rejectAll(
        pending.waiters,
        mayBeStored
          ? new OrderError("UNEXPECTED_RESPONSE", {}, { cause: error })
          : new EngineError("DISCONNECTED", {}, { cause: error }),
      );
  }

  /** Removes all records, and tells the waiters of each what became of it, according to the store. */
  answer(now: Answering): void {
    for (const undecided of this.#records.splice(0)) this.#answer(undecided, now);
  }

  #answer(undecided: UndecidedRecord, { refusal, last, found }: Answering): void {
    const { pending, mayBeStored } = undecided;
    const { waiters } = pending;
    if (!mayBeStored) return rejectAll(waiters, refusal ?? new EngineError("DISCONNECTED"));
    const fate = last === undefined ? "unknown" : this.#fateOf(undecided, last);
    if (fate === "lost") return rejectAll(waiters, new EngineError("DISCONNECTED"));
    if (fate === "unknown") return rejectAll(waiters, new OrderError("UNEXPECTED_RESPONSE"));
    found(pending);
    resolveAll(waiters);
  }

  /**
   * Begins a reading of the store. Pass its records to the returned function. Records of an earlier reading do not
   * count.
   */
  reading(): (record: JournalRecord) => void {
    this.#shown.clear();
    const first = this.#records[0]?.pending.record.sequence ?? Number.POSITIVE_INFINITY;
    return (record) => {
      if (record.sequence >= first) this.#shown.set(record.sequence, record);
    };
  }

  /**
   * Returns the fate of a record by the last reading, when the journal ends with `last`. A kept record has the same
   * sequence and the same text.
   */
  #fateOf({ pending: { record, text } }: UndecidedRecord, last: number): Fate {
    if (record.sequence > last) return "lost";
    const shown = this.#shown.get(record.sequence);
    if (shown === undefined) return "unknown";
    return encodeRecord(shown) === text ? "kept" : "lost";
  }
}
