import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { archiveError, daysOf, linesPath, makeFolder, syncFolder } from "./archive-folder.ts";
import { lineOf } from "./archive-line.ts";

/** Number of bytes that one read of the end of a file returns. */
const BLOCK = 65_536;

const NEWLINE = 10;

/** Adds records to the archive. */
export type ArchiveWriter = Readonly<{
  /**
   * Adds the texts of records to the file of a day, or of a later day that the archive has already begun. Returns when
   * they are on disk. If that fails, throws an Error that names the file; a part of a line that was written is cut off
   * before the next record. Call it while no other process can.
   */
  add(texts: readonly string[], dayMs: number): void;
}>;

/** Opens an archive in a directory, which it creates with mode 0700. */
export function archiveWriter(folder: string): ArchiveWriter {
  makeFolder(folder);
  return {
    add(texts, dayMs) {
      if (texts.length === 0) return;
      const day = new Date(dayMs).toISOString().slice(0, "yyyy-mm-dd".length);
      const newest = daysOf(folder).at(-1)?.day ?? day;
      const path = linesPath(folder, newest > day ? newest : day);
      try {
        if (append(path, Buffer.from(texts.map(lineOf).join("")))) syncFolder(folder);
      } catch (cause) {
        throw archiveError(path, "cannot be written", cause);
      }
    },
  };
}

/** Adds bytes after the last whole line. Returns whether the file is new. */
function append(path: string, bytes: Buffer): boolean {
  const file = openSync(path, "a+", 0o600);
  try {
    const { size } = fstatSync(file);
    const whole = wholeLines(file, size);
    if (whole < size) ftruncateSync(file, whole);
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    fdatasyncSync(file);
    return size === 0;
  } finally {
    closeSync(file);
  }
}

/** Returns the length of a file up to the end of its last whole line. */
export function wholeLines(file: number, size: number): number {
  const block = Buffer.alloc(BLOCK);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - BLOCK);
    const length = readSync(file, block, 0, end - start, start);
    const at = block.subarray(0, length).lastIndexOf(NEWLINE);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}
