import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createGzip } from "node:zlib";
import { type ArchiveDay, archiveError, daysOf, partsOf, syncFolder } from "./archive-folder.ts";
import { lineOf } from "./archive-line.ts";
import { type ArchivedLine, readCompressed, readLines } from "./archive-reader.ts";
import { type Probe, unwatched } from "./journal-point.ts";
import { sizesOf } from "./whole-lines.ts";

/**
 * How to compress: `alone` runs a change while no other process writes, or throws; `goesOn` returns false to stop; `probe`
 * is called at the named points.
 */
export type ClosingWork = Readonly<{
  alone: (change: () => void) => void;
  goesOn: () => boolean;
  probe?: Probe;
}>;

/** Number of characters that are compressed at a time. */
const BLOCK = 65_536;

/**
 * Compresses the files of all days before the newest one, one after the other, without blocking the thread. Each is
 * written under another name, read back, and only then put in place of its lines, in one step that checks that nothing
 * was added meanwhile. A crash at any time leaves the lines, the compressed file, or both. The lines of a day that cannot
 * be compressed stay without a part of a compressed file, which would take space on a full disk, and the later days are
 * compressed all the same. Rejects then with an Error that names the first one.
 */
export async function closeDays(folder: string, work: ClosingWork): Promise<void> {
  const problems: unknown[] = [];
  for (const each of daysOf(folder).slice(0, -1)) {
    if (!work.goesOn()) break;
    if (each.lines === undefined) continue;
    await closeDay(folder, { ...each, lines: each.lines }, work).catch((error: unknown) =>
      problems.push(error),
    );
  }
  if (problems.length > 0) throw problems[0];
}

type Day = ArchiveDay & Readonly<{ lines: string }>;

async function closeDay(
  folder: string,
  { lines, compressed }: Day,
  { alone, goesOn, probe = unwatched }: ClosingWork,
): Promise<void> {
  const part = `${lines}.gz.part`;
  try {
    alone(() => {
      for (const left of partsOf(folder)) rmSync(left, { force: true });
    });
    const { size, whole } = sizesOf(lines);
    const before = compressed === undefined ? [] : [readCompressed(compressed)];
    const written = new Digest(goesOn);
    await compress(written.of([...before, readLines(lines, whole)]), part);
    const readBack = new Digest(goesOn);
    for await (const _ of readBack.of([readCompressed(part)]));
    if (written.stopped || readBack.stopped) return;
    if (String(readBack) !== String(written)) throw new Error("what was compressed cannot be read back");
    probe("before-archive-swap");
    alone(() => {
      // A line that was added meanwhile must not be lost: the day is closed next time.
      if (statSync(lines).size !== size) return;
      renameSync(part, `${lines}.gz`);
      syncFolder(folder);
      probe("during-archive-swap");
      rmSync(lines);
      syncFolder(folder);
    });
  } catch (cause) {
    throw archiveError(lines, "cannot be compressed", cause);
  } finally {
    removePart(part, alone);
  }
}

/** Removes a part that was not put in place, unless another process owns the archive now: then the part may be its own. */
function removePart(part: string, alone: ClosingWork["alone"]): void {
  if (!existsSync(part)) return;
  try {
    alone(() => rmSync(part, { force: true }));
  } catch {
    // The next closing removes it.
  }
}

/** Number and checksum of lines that were read. Once stopped, it stays stopped, so that no part counts as the whole. */
class Digest {
  stopped = false;
  readonly #goesOn: () => boolean;
  #count = 0;
  #checksum = 0;

  constructor(goesOn: () => boolean) {
    this.#goesOn = goesOn;
  }

  /** Returns the lines in blocks. Throws for a damaged one. */
  async *of(sources: readonly AsyncGenerator<ArchivedLine>[]): AsyncGenerator<string> {
    let block = "";
    for (const source of sources) {
      for await (const { line, record, problem } of source) {
        if (record === undefined) throw new Error(`line ${line}: ${problem}`);
        const text = lineOf(record);
        this.#count++;
        this.#checksum = crc32(text, this.#checksum);
        block += text;
        if (block.length < BLOCK) continue;
        yield block;
        block = "";
        this.stopped ||= !this.#goesOn();
        if (this.stopped) return;
      }
    }
    yield block;
  }

  toString(): string {
    return `${this.#count} ${this.#checksum}`;
  }
}

/** Writes blocks to a new compressed file, and waits until it is on disk. */
async function compress(blocks: AsyncGenerator<string>, path: string): Promise<void> {
  // An old owner of the store may still be compressing: no two processes write the same file.
  const file = await open(path, "wx", 0o600);
  try {
    await pipeline(Readable.from(blocks), createGzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await file.appendFile(chunk);
    });
    await file.sync();
  } finally {
    await file.close();
  }
}
