import { type Compaction, FileCopy } from "./compact-file.ts";
import { type LogFile, type LogPlace, openLogFile } from "./log-file.ts";

/**
 * An append-only file of lines. Lines that are queued together are written and synced together. Lines that could not be
 * written stay queued for the next attempt, which the next append or check for durability makes.
 */
export type AppendLog = {
  /** Whether the latest attempt to write failed. */
  readonly isFailing: boolean;
  /**
   * Queues a line. Resolves when the line and all before it are on disk, and rejects when the attempt fails. `kept` is
   * called when the line is on disk, whichever attempt wrote it.
   */
  append(line: string, kept?: () => void): Promise<void>;
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

/** A log and the lines that were in it. */
export type OpenedLog = Readonly<{ log: AppendLog; lines: readonly string[] }>;

/** Throws if some lines, and what follows the last line break, are not those of the log. */
type CheckLines = (lines: readonly string[], rest: string) => void;

/**
 * Opens or creates the file. A last line without its line break was cut off while being written, so it was never
 * acknowledged and is dropped. Nothing is changed before `check` has passed: the file may be one of another program.
 * Rejects with the error of `check`, or with an Error that names the file: with the system's code if it cannot be
 * opened, or with `STORE_FILE` if it has a second hard link, through which another process could write it. Source:
 * decision FQ.
 */
export async function openAppendLog(path: string, check: CheckLines = () => undefined): Promise<OpenedLog> {
  const { file, place, own } = await openLogFile(path);
  try {
    const content = await file.readFile();
    const end = content.lastIndexOf("\n") + 1;
    const lines = content.toString("utf8", 0, end).split("\n").slice(0, -1);
    check(lines, content.toString("utf8", end));
    await own();
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
    append: (_line, kept) => done.then(kept),
    durable: () => done,
    compact: () => done,
    close: () => done,
  };
}

type Line = Readonly<{ text: string; kept: () => void }>;
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

  append(text: string, kept: () => void = () => undefined): Promise<void> {
    this.#waiting ??= this.#nextBatch();
    this.#waiting.lines.push({ text, kept });
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
    for (const { kept } of lines) kept();
  }

  async #write(lines: readonly Line[]): Promise<void> {
    const bytes = Buffer.from(lines.map(({ text }) => `${text}\n`).join(""));
    await this.#file.appendFile(bytes);
    await this.#file.datasync();
    this.#end += bytes.length;
  }
}
