import { type FileHandle, mkdir, open } from "node:fs/promises";
import { basename, dirname } from "node:path";

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
  const file = await openFile(path);
  try {
    await refuseLinks(file, basename(path));
  } catch (error) {
    await file.close();
    throw error;
  }
  const content = await file.readFile();
  const end = content.lastIndexOf("\n") + 1;
  if (end < content.length) {
    await file.truncate(end);
    await file.datasync();
  }
  const lines = content.toString("utf8", 0, end).split("\n").slice(0, -1);
  return { log: createFileLog(file, end), lines };
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, "a+", 0o600);
    if (((await file.stat()).mode & 0o077) !== 0) await file.chmod(0o600);
    return file;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    throw Object.assign(new Error(`${basename(path)} cannot be opened (${code})`, { cause }), { code });
  }
}

async function refuseLinks(file: FileHandle, name: string): Promise<void> {
  if ((await file.stat()).nlink <= 1) return;
  const message = `${name} has more than one hard link: leave it only one name`;
  throw Object.assign(new Error(message), { code: "STORE_FILE" });
}

/** What a log needs of its file. */
export type LogFile = Pick<FileHandle, "truncate" | "appendFile" | "datasync" | "close">;

/** A log behind the first `end` bytes of a file that is open for appending. */
export const createFileLog = (file: LogFile, end: number): AppendLog => new FileLog(file, end);

/** A log that keeps nothing. */
export function createMemoryLog(): AppendLog {
  const done = Promise.resolve();
  return {
    isFailing: false,
    append: (_line, kept) => done.then(kept),
    durable: () => done,
    close: () => done,
  };
}

type Line = Readonly<{ text: string; kept: () => void }>;
type Batch = { readonly lines: Line[]; readonly done: Promise<void> };

class FileLog implements AppendLog {
  readonly #file: LogFile;
  /** Bytes of whole batches; what a failed attempt left behind them is cut off by the next. */
  #end: number;
  /** Lines of attempts that failed, in their order. */
  #stuck: readonly Line[] = [];
  #isFailing = false;
  /** Lines that wait for the batch before them. */
  #waiting: Batch | undefined;
  /** Settles with the newest batch. */
  #latest: Promise<void> = Promise.resolve();

  constructor(file: LogFile, end: number) {
    this.#file = file;
    this.#end = end;
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
