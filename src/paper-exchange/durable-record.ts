import { errorCode } from "../common/index.ts";
import type { Telemetry } from "../ports/index.ts";
import { type AppendLog, createMemoryLog, openAppendLog } from "./append-log.ts";
import { decodeEntry, type Entry, encodeEntry, mayBeginEntry } from "./entry.ts";
import type { OrderNews } from "./orders.ts";
import type { PaperVenueOptions } from "./paper-venue.ts";
import { VenueRecord, VenueRecordError } from "./venue-record.ts";

type OpenedRecord = Readonly<{ log: AppendLog; record: VenueRecord }>;

/**
 * Opens the record of a venue, or one that stores nothing without a path. Rejects with a VenueRecordError for a file that
 * is not a record, and leaves it as it is.
 */
export async function openRecord({
  instruments,
  path,
}: Pick<PaperVenueOptions, "instruments" | "path">): Promise<OpenedRecord> {
  const record = new VenueRecord(instruments);
  if (path === undefined) return { log: createMemoryLog(), record };
  const { log } = await openAppendLog(path, (lines, rest) => read(record, lines, rest));
  return { log, record };
}

/** Applies lines to an empty record. `rest` follows the last of them: the beginning of a line that was cut off. */
function read(record: VenueRecord, lines: readonly string[], rest: string): void {
  // Behind whole lines of a record there can only be one more.
  if (lines.length === 0 && !mayBeginEntry(rest)) throw unreadable(1);
  lines.forEach((line, index) => {
    try {
      record.apply(decodeEntry(line));
    } catch (cause) {
      throw unreadable(index + 1, cause);
    }
  });
}

const unreadable = (line: number, cause?: unknown): VenueRecordError =>
  new VenueRecordError(`the venue's record cannot be read at line ${line}`, { cause });

/** Dependencies of a durable record. */
type DurableRecordParts = Readonly<{
  record: VenueRecord;
  log: AppendLog;
  telemetry?: Telemetry | undefined;
  /** Called with the events of an entry that is on disk. */
  notify: (news: OrderNews) => void;
}>;

/**
 * The venue's record with its log. An entry applies in memory immediately, and every answer waits until it is on disk. So
 * nothing that a crash cuts off was ever reported.
 */
export class DurableVenueRecord {
  readonly #parts: DurableRecordParts;
  #isBroken = false;

  constructor(parts: DurableRecordParts) {
    this.#parts = parts;
    // What was read from the log is no news.
    parts.record.orders.takeNews();
  }

  /**
   * Applies an entry in memory first, so that entries apply in the order in which they are stored. Resolves when it is on
   * disk; `stored` is called then, even if that took a second attempt.
   */
  commit(entry: Entry, stored: () => void = () => undefined): Promise<void> {
    const { record, log, notify } = this.#parts;
    record.apply(entry);
    const news = record.orders.takeNews();
    const written = log.append(encodeEntry(entry), () => {
      this.#recovered();
      notify(news);
      stored();
    });
    written.catch((error: unknown) => this.#failed(error));
    return written;
  }

  /** Reads a value and resolves to it once it is on disk. What was applied meanwhile may not be. */
  async read<T>(read: () => T): Promise<T> {
    const value = read();
    await this.#parts.log.durable();
    return value;
  }

  /**
   * Returns undefined if entries can be written. Otherwise retries the failed writes: resolves if that succeeds and
   * rejects if it fails, so that memory does not run ahead of a full disk.
   */
  writable(): Promise<void> | undefined {
    const { log } = this.#parts;
    if (!log.isFailing) return undefined;
    const written = log.durable();
    written.catch((error: unknown) => this.#failed(error));
    return written;
  }

  /** Reports a failed write. The caller of a commit also receives it, but no caller waits for the result of a quote. */
  #failed(error: unknown): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#parts.telemetry?.event("error", "venue-record.failed", { code: errorCode(error) });
  }

  #recovered(): void {
    if (!this.#isBroken) return;
    this.#isBroken = false;
    this.#parts.telemetry?.event("info", "venue-record.recovered", {});
  }
}
