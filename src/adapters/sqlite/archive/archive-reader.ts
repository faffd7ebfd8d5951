import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { errorCode } from "../../../common/index.ts";
import { nextTurn } from "../../shared/index.ts";
import { daysOf } from "./archive-folder.ts";
import { type ArchivedRecord, recordIn } from "./archive-line.ts";
import { sizesOf } from "./whole-lines.ts";

/** A line of the archive: its record, or what is wrong with it. After a `problem` with a file, none follows. */
export type ArchivedLine = Readonly<{
  file: string;
  line: number;
  record?: ArchivedRecord;
  problem?: string;
}>;

/** Number of lines after which a reader lets other work run. */
const LINES_PER_TURN = 512;

/** Number of characters of the longest line that is read; a record has at most some hundred thousand. */
const LONGEST_LINE: number = 16 * 2 ** 20;

/**
 * Reads an archive from its first day on. The end of a file that is not compressed may be a part of a line, which a
 * crash left: its record is still in the store, and it is left out. A record may come more than once: a crash leaves its
 * line although the transaction that deletes it did not commit. Throws an Error that names the directory if it cannot be
 * read.
 */
export async function* readArchive(folder: string): AsyncGenerator<ArchivedLine> {
  for (const { compressed, lines } of daysOf(folder)) {
    // Days are compressed meanwhile. The lines come first: when they are gone, the compressed file has them.
    const areGone = lines !== undefined && !(yield* readLinesIfThere(lines));
    if (compressed !== undefined) yield* readCompressed(compressed);
    else if (areGone) yield* readCompressed(`${lines}.gz`);
  }
}

/** Reads a compressed file. */
export function readCompressed(path: string): AsyncGenerator<ArchivedLine> {
  // A pipeline closes the file also when the bytes are damaged or the reader stops. The reader hears of the errors itself.
  const open = (): Readable => pipeline(createReadStream(path), createGunzip(), () => undefined);
  return linesIn(path, open);
}

/** Reads the first `bytes` of a file of lines. */
export const readLines = (path: string, bytes: number): AsyncGenerator<ArchivedLine> =>
  linesIn(path, () => firstOf(path, bytes));

/**
 * Reads the lines that a file has when the reader begins. Returns false if it does not exist. What comes after the last
 * whole line changes: a part of a line is cut off before the next record.
 */
const readLinesIfThere = (path: string): AsyncGenerator<ArchivedLine, boolean> =>
  linesIn(path, () => firstOf(path, sizesOf(path).whole), { mayBeGone: true });

const firstOf = (path: string, bytes: number): Readable | undefined =>
  bytes === 0 ? undefined : createReadStream(path, { end: bytes - 1 });

/** The file is opened when the first line is asked for, so that it is closed whatever becomes of the reader. */
async function* linesIn(
  path: string,
  open: () => Readable | undefined,
  { mayBeGone = false } = {},
): AsyncGenerator<ArchivedLine, boolean> {
  const file = basename(path);
  let line = 0;
  const rest = new LineStart();
  try {
    const bytes = open();
    bytes?.setEncoding("utf8");
    for await (const chunk of bytes ?? []) {
      const parts = String(chunk).split("\n");
      const last = parts.pop() ?? "";
      for (const part of parts) {
        const record = recordIn(rest.ended(part));
        yield { file, line: ++line, ...(record === undefined ? { problem: DAMAGED } : { record }) };
        if (line % LINES_PER_TURN === 0) await nextTurn();
      }
      rest.add(last);
    }
  } catch (error) {
    const code = errorCode(error);
    if (mayBeGone && code === "ENOENT") return false;
    yield { file, line: line + 1, problem: `the file cannot be read from here on (${code})` };
    return true;
  }
  if (!rest.isEmpty) yield { file, line: line + 1, problem: DAMAGED };
  return true;
}

/** The beginning of a line in pieces. A line without end, as damage leaves it, takes neither memory nor time. */
class LineStart {
  #pieces: string[] = [];
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Adds a piece; one beyond the longest line is left out, which damages the line. */
  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length <= LONGEST_LINE) this.#pieces.push(piece);
  }

  /** Returns the whole line, and begins the next one. */
  ended(piece: string): string {
    this.add(piece);
    const line = this.#pieces.join("");
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}

const DAMAGED = "the line is damaged";
