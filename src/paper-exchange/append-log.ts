import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { deviceProblem, errorCode, linksProblem } from "../common/index.ts";

/** File operations that a log needs. */
export type LogFile = Pick<FileHandle, "truncate" | "appendFile" | "datasync" | "close" | "read">;

/** Location of a log's file, and how another file replaces it. */
export type LogPlace = Readonly<{
  /** Creates an empty file beside it. */
  begin: () => Promise<LogFile>;
  /** Replaces the old file with the new one. A crash leaves one of the two. */
  replace: () => Promise<void>;
  /** Resolves when the replacement is durable. */
  settle: () => Promise<void>;
  /** Deletes the new file. */
  discard: () => Promise<void>;
}>;

/** Functions that compact the lines of a log. */
export type Compaction = Readonly<{
  /** Returns the lines that replace a line. */
  line: (text: string) => Iterable<string>;
  /** Returns the lines after the last one. */
  end: () => Iterable<string>;
}>;

/**
 * An append-only file of lines. Lines that are queued together are written and synced together. Lines that could not be
 * written stay queued for the next attempt, which the next append or check for durability makes.
 */
export type AppendLog = {
  /** Whether the latest attempt to write failed. */
  readonly isFailing: boolean;
  /**
   * Queues a line. Resolves when the line and all before it are on disk, and rejects when the attempt fails. `stored` is
   * called when the line is on disk, whichever attempt wrote it.
   */
  append(line: string, stored?: () => void): Promise<void>;
  /** Resolves when all lines queued now are on disk. */
  durable(): Promise<void>;
  /**
   * Rewrites the log from the compacted form of the lines now on disk. Switches to the new file once it has all lines
   * appended meanwhile. Rejects if that fails; the log is then unchanged.
   */
  compact(compaction: Compaction): Promise<void>;
  /** Writes the queued lines and closes the file. */
  close(): Promise<void>;
};

/** Throws if some lines, and what follows the last line break, are not those of the log. */
type CheckLines = (lines: readonly string[], rest: string) => void;

/**
 * Opens or creates the file, and returns its lines. A last line without its line break was cut off while being written,
 * so it was never acknowledged and is dropped. Nothing is changed before `check` has passed: the file may be one of
 * another program. Rejects with the error of `check`, or with an Error that names the file: with the system's code if it
 * cannot be opened, or with `STORE_FILE` if it is no file, or has a second hard link, through which another process
 * could write it.
 */
export async function openAppendLog(
  path: string,
  check: CheckLines = () => undefined,
): Promise<Readonly<{ log: AppendLog; lines: readonly string[] }>> {
  await refuseDevices(path);
  const file = await openFile(path);
  try {
    await refuseLinks(file, basename(path));
    const place = placeOf(await realpath(path));
    const content = await file.readFile();
    const end = content.lastIndexOf("\n") + 1;
    const lines = content.toString("utf8", 0, end).split("\n").slice(0, -1);
    check(lines, content.toString("utf8", end));
    await ownFile(file, path, place);
    if (end < content.length) {
      await file.truncate(end);
      await file.datasync();
    }
    return { log: createFileLog(file, end, place), lines };
  } catch (error) {
    // Report the original error, not a failure to close the file.
    await file.close().catch(() => undefined);
    throw error;
  }
}

/** Creates a log that continues after the first `end` bytes of a file that is open for appending. */
export const createFileLog = (file: LogFile, end: number, place: LogPlace): AppendLog =>
  new FileLog(file, end, place);

/** Creates a log that stores nothing. */
export function createMemoryLog(): AppendLog {
  const done = Promise.resolve();
  return {
    isFailing: false,
    append: (_line, stored) => done.then(stored),
    durable: () => done,
    compact: () => done,
    close: () => done,
  };
}

type Line = Readonly<{ text: string; stored: () => void }>;
type Batch = { readonly lines: Line[]; readonly done: Promise<void> };

class FileLog implements AppendLog {
  readonly #place: LogPlace;
  #file: LogFile;
  /** Length of all whole batches. The next attempt cuts off what a failed attempt left beyond it. */
  #end: number;
  /** Lines of failed attempts, in order. */
  #stuck: readonly Line[] = [];
  #isFailing = false;
  #hasMoved = false;
  /** Lines that wait for the previous batch. */
  #waiting: Batch | undefined;
  /** Settles with the newest batch. */
  #latest: Promise<void> = Promise.resolve();

  constructor(file: LogFile, end: number, place: LogPlace) {
    this.#file = file;
    this.#end = end;
    this.#place = place;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  append(text: string, stored: () => void = () => undefined): Promise<void> {
    this.#waiting ??= this.#nextBatch();
    this.#waiting.lines.push({ text, stored });
    return this.#waiting.done;
  }

  durable(): Promise<void> {
    if (!this.#isFailing) return this.#latest;
    this.#waiting ??= this.#nextBatch();
    return this.#waiting.done;
  }

  async compact(compaction: Compaction): Promise<void> {
    const file = await this.#place.begin();
    try {
      const copy = new FileCopy(this.#file, file);
      await copy.compact(this.#end, compaction);
      await copy.copy(this.#end);
      await this.#between(() => this.#take(file, copy));
    } catch (error) {
      if (this.#file === file) throw error;
      await file.close();
      await this.#place.discard();
      throw error;
    }
  }

  /** Runs between two batches. */
  #between(run: () => Promise<void>): Promise<void> {
    const done = this.#latest.catch(() => undefined).then(run);
    this.#latest = done.catch(() => undefined);
    return done;
  }

  /** Continues in another file, once that contains everything of this one. */
  async #take(file: LogFile, copy: FileCopy): Promise<void> {
    if (this.#isFailing) throw new Error("the venue's record cannot be written");
    await copy.copy(this.#end);
    await file.datasync();
    await this.#place.replace();
    const old = this.#file;
    this.#file = file;
    this.#end = copy.written;
    this.#hasMoved = true;
    await old.close();
    await this.#settle();
  }

  /** After a change of files, waits until the change itself is durable: nothing in the new file is durable before. */
  async #settle(): Promise<void> {
    if (!this.#hasMoved) return;
    await this.#place.settle();
    this.#hasMoved = false;
  }

  async close(): Promise<void> {
    await this.durable().finally(() => this.#file.close());
  }

  #nextBatch(): Batch {
    const lines: Line[] = [];
    const done = this.#latest.catch(() => undefined).then(() => this.#attempt(lines));
    // The callers of `append` receive the failure. Without them it must not end the process.
    done.catch(() => undefined);
    this.#latest = done;
    return { lines, done };
  }

  async #attempt(queued: readonly Line[]): Promise<void> {
    this.#waiting = undefined;
    const lines = [...this.#stuck, ...queued];
    try {
      await this.#settle();
      if (this.#isFailing) await this.#file.truncate(this.#end);
      await this.#write(lines);
      this.#isFailing = false;
      this.#stuck = [];
    } catch (error) {
      this.#isFailing = true;
      this.#stuck = lines;
      throw error;
    }
    for (const { stored } of lines) stored();
  }

  async #write(lines: readonly Line[]): Promise<void> {
    const bytes = linesOf(lines.map(({ text }) => text));
    await this.#file.appendFile(bytes);
    await this.#file.datasync();
    this.#end += bytes.length;
  }
}

/** Number of bytes that are read and compacted in one turn. */
const CHUNK_BYTES = 32_768;

const LINE_END = 0x0a;

/** Copies a log of whole lines to another file, in pieces. Counts the bytes read and written. */
class FileCopy {
  readonly #from: LogFile;
  readonly #to: LogFile;
  #read = 0;
  #written = 0;

  constructor(from: LogFile, to: LogFile) {
    this.#from = from;
    this.#to = to;
  }

  /** Number of bytes written so far. */
  get written(): number {
    return this.#written;
  }

  /** Compacts the lines up to a byte offset, which is the end of a line. */
  async compact(until: number, compaction: Compaction): Promise<void> {
    let begun = Buffer.alloc(0);
    while (this.#read < until) {
      const bytes = Buffer.concat([begun, await this.#next(until)]);
      const end = bytes.lastIndexOf(LINE_END) + 1;
      begun = bytes.subarray(end);
      const lines = bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
      await this.#write(linesOf(lines.flatMap((line) => [...compaction.line(line)])));
    }
    for (const line of compaction.end()) await this.#write(linesOf([line]));
  }

  /** Copies bytes up to an offset unchanged. */
  async copy(until: number): Promise<void> {
    while (this.#read < until) await this.#write(await this.#next(until));
  }

  async #next(until: number): Promise<Buffer> {
    const length = Math.min(CHUNK_BYTES, until - this.#read);
    const { bytesRead, buffer } = await this.#from.read(Buffer.alloc(length), 0, length, this.#read);
    if (bytesRead === 0)
      throw new Error("the venue's record is shorter than the data that was written to it");
    this.#read += bytesRead;
    return buffer.subarray(0, bytesRead);
  }

  async #write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    await this.#to.appendFile(bytes);
    this.#written += bytes.length;
  }
}

const linesOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(""));

async function openFile(path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await open(path, "a+", 0o600);
  } catch (cause) {
    throw unopened(path, cause);
  }
}

/** Removes the permissions of other users, and what a crash has left beside the file. */
async function ownFile(file: FileHandle, path: string, place: LogPlace): Promise<void> {
  try {
    if (((await file.stat()).mode & 0o077) !== 0) await file.chmod(0o600);
    await place.discard();
  } catch (cause) {
    // The system's message does not name a file that is given by its descriptor.
    throw unopened(path, cause);
  }
}

function unopened(path: string, cause: unknown): Error {
  const code = errorCode(cause);
  return Object.assign(new Error(`${basename(path)} cannot be opened (${code})`, { cause }), { code });
}

async function refuseDevices(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  const problem = deviceProblem(basename(path), found);
  if (problem !== undefined) throw unusable(problem);
}

async function refuseLinks(file: FileHandle, name: string): Promise<void> {
  if ((await file.stat()).nlink <= 1) return;
  throw unusable(linksProblem(name));
}

const unusable = (message: string): Error => Object.assign(new Error(message), { code: "STORE_FILE" });

function placeOf(path: string): LogPlace {
  const beside = `${path}.new`;
  const discard = (): Promise<void> => rm(beside, { force: true });
  return {
    discard,
    async begin() {
      await discard();
      return await open(beside, "ax+", 0o600);
    },
    replace: () => rename(beside, path),
    async settle() {
      const folder = await open(dirname(path), "r");
      await folder.sync().finally(() => folder.close());
    },
  };
}
