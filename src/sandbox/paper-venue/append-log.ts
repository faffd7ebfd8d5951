import { type Compaction, FileCopy } from "./compact-file.ts";
import { type LogFile, type LogPlace, openLogFile } from "./log-file.ts";

/**
 * An append-only file of lines; lines that are queued together are written and synced together. What could not be
 * written stays queued, and goes to disk with the next attempt: whoever appends or asks for what is durable makes one.
 */
export type AppendLog = {
  /** Whether the newest attempt to write failed. */
  readonly isFailing: boolean;
  /**
   * Queues a line; it resolves when the line and all before it are on disk, and rejects when the attempt fails. `kept` is
   * called when the line is on disk, whichever attempt brought it there.
   */
  append(line: string, kept?: () => void): Promise<void>;
  /** Resolves when all that is queued now is on disk. */
  durable(): Promise<void>;
  /**
   * Writes the log anew from what is made of the lines that are on disk now, and takes the new file once it has all that
   * was appended meanwhile. Rejects when that could not be done: then the log is as it was.
   */
  compact(compaction: Compaction): Promise<void>;
  /** Writes what is queued and closes the file. */
  close(): Promise<void>;
};

/** A log and the lines that were in it. */
export type OpenedLog = Readonly<{ log: AppendLog; lines: readonly string[] }>;

/**
 * Opens or creates the file. A last line without its end was cut off while it was written, so nobody was told of it:
 * it is dropped. Rejects with an Error that names the file and bears the system's code when it cannot be opened, or
 * `STORE_FILE` when it has a second hard link: by that another process could write it. Source: decision FQ.
 */
export async function openAppendLog(path: string): Promise<OpenedLog> {
  const { file, place } = await openLogFile(path);
  const content = await file.readFile();
  const end = content.lastIndexOf("\n") + 1;
  if (end < content.length) {
    await file.truncate(end);
    await file.datasync();
  }
  const lines = content.toString("utf8", 0, end).split("\n").slice(0, -1);
  return { log: createFileLog(file, end, place), lines };
}

/** A log behind the first `end` bytes of a file that is open for appending. */
export const createFileLog = (file: LogFile, end: number, place: LogPlace): AppendLog =>
  new FileLog(file, end, place);

/** A log that keeps nothing. */
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
  /** Bytes of whole batches; what a failed attempt left behind them is cut off by the next. */
  #end: number;
  /** Lines of attempts that failed, in their order. */
  #stuck: readonly Line[] = [];
  #isFailing = false;
  #hasMoved = false;
  /** Lines that wait for the batch before them. */
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

  /** Goes on in another file, once it has all that this one has. */
  async #take(file: LogFile, copy: FileCopy): Promise<void> {
    if (this.#isFailing) throw new Error("the record cannot be written");
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

  /** Nothing is durable in a file of which it is not durable yet that it is the one. */
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
    // Whoever appended hears of a failure; it must not end the process where nobody did.
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
