import { closeSync, openSync, readSync, statSync } from "node:fs";

/** Number of bytes that one call reads of the end of a file. */
const BLOCK = 65_536;

const NEWLINE = 10;

/** Returns the length of a file, and its length up to the end of its last whole line. */
export function sizesOf(path: string): Readonly<{ size: number; whole: number }> {
  const { size } = statSync(path);
  const file = openSync(path, "r");
  try {
    return { size, whole: wholeLines(file, size) };
  } finally {
    closeSync(file);
  }
}

/** Returns the length of an open file up to the end of its last whole line. */
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
