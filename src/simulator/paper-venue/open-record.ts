import { type AppendLog, createMemoryLog, openAppendLog } from "./append-log.ts";
import { decodeEntry, mayBeginEntry } from "./entry.ts";
import type { PaperVenueOptions } from "./paper-venue.ts";
import { VenueRecord } from "./venue-record.ts";
import { VenueRecordError } from "./venue-record-error.ts";

/** The record of a venue, and the log that it continues in. */
export type OpenedRecord = Readonly<{ log: AppendLog; record: VenueRecord }>;

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
