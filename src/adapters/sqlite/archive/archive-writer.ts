import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { archiveError, daysOf, linesPath, makeFolder, syncFolder } from "./archive-folder.ts";
import { type ArchivedRecord, lineOf } from "./archive-line.ts";
import { bindArchive, requireBound } from "./archive-owner.ts";
import { type Probe, unwatched } from "./journal-point.ts";
import { wholeLines } from "./whole-lines.ts";

/** Number of bytes that one call writes. */
const BLOCK = 65_536;

/** Adds records to the archive. */
export type ArchiveWriter = Readonly<{
  /**
   * Adds records to the file of a day, or of a later day that the archive has already begun. Returns when they are on
   * disk. If that fails, throws an Error that names the file; a part of a line that was written is cut off before the
   * next record. Call it while no other process can.
   */
  add(records: readonly ArchivedRecord[], dayMs: number): void;
}>;

/** The id of the store that writes an archive, and whether it has written one before. */
export type ArchivedStore = Readonly<{ storeId: number; hasArchive: boolean }>;

/**
 * Opens the archive of a store in a directory, which it creates with mode 0700 for a store without an archive. `probe` is
 * called at the named points of an addition. Throws an Error that names the directory if it belongs to another store, or
 * if it belongs to none and the store has an archive already.
 */
export function archiveWriter(
  folder: string,
  { storeId, hasArchive }: ArchivedStore,
  probe: Probe = unwatched,
): ArchiveWriter {
  if (hasArchive) requireBound(folder, storeId);
  makeFolder(folder);
  bindArchive(folder, storeId);
  /** The file whose name this writer has brought to the disk. */
  let named: string | undefined;
  return {
    add(records, dayMs) {
      if (records.length === 0) return;
      requireBound(folder, storeId);
      const day = new Date(dayMs).toISOString().slice(0, "yyyy-mm-dd".length);
      const newest = daysOf(folder).at(-1)?.day ?? day;
      const path = linesPath(folder, newest > day ? newest : day);
      try {
        probe("before-archive-write");
        append(path, Buffer.from(records.map(lineOf).join("")), probe);
        if (named !== path) syncFolder(folder);
        named = path;
        probe("after-archive-write");
      } catch (cause) {
        throw archiveError(path, "cannot be written", cause);
      }
    },
  };
}

/** Adds bytes after the last whole line. */
function append(path: string, bytes: Buffer, probe: Probe): void {
  const file = openSync(path, "a+", 0o600);
  try {
    const { size } = fstatSync(file);
    const whole = wholeLines(file, size);
    if (whole < size) ftruncateSync(file, whole);
    for (let written = 0; written < bytes.length; probe("during-archive-write"))
      written += writeSync(file, bytes, written, Math.min(BLOCK, bytes.length - written));
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}
