import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

/** An append-only file of lines; lines that are queued together are written and synced together. */
export type AppendLog = {
  /** Queues a line; it resolves when the line and all before it are on disk. */
  append(line: string): Promise<void>;
  /** Resolves when all that is queued now is on disk. */
  durable(): Promise<void>;
  /** Writes what is queued and closes the file. */
  close(): Promise<void>;
};

/** A log and the lines that were in it. */
export type OpenedLog = Readonly<{ log: AppendLog; lines: readonly string[] }>;

/**
 * Opens or creates the file. A last line without its end was cut off while it was written, so nobody was told of it:
 * it is dropped.
 */
export async function openAppendLog(path: string): Promise<OpenedLog> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, "a+", 0o600);
  const content = await file.readFile();
  const end = content.lastIndexOf("\n") + 1;
  if (end < content.length) {
    await file.truncate(end);
    await file.datasync();
  }
  const lines = content.toString("utf8", 0, end).split("\n").slice(0, -1);
  return { log: new FileLog(file), lines };
}

/** A log that keeps nothing. */
export function createMemoryLog(): AppendLog {
  const done = Promise.resolve();
  return { append: () => done, durable: () => done, close: () => done };
}

type Batch = { readonly lines: string[]; readonly done: Promise<void> };

class FileLog implements AppendLog {
  readonly #file: FileHandle;
  /** Lines that wait for the batch before them. */
  #waiting: Batch | undefined;
  /** Settles with the newest batch; once one failed, all after it fail too. */
  #latest: Promise<void> = Promise.resolve();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  append(line: string): Promise<void> {
    this.#waiting ??= this.#nextBatch();
    this.#waiting.lines.push(line);
    return this.#waiting.done;
  }

  durable(): Promise<void> {
    return this.#latest;
  }

  async close(): Promise<void> {
    await this.#latest.finally(() => this.#file.close());
  }

  #nextBatch(): Batch {
    const lines: string[] = [];
    const done = this.#latest.then(() => this.#write(lines));
    // Whoever appended hears of a failure; it must not end the process where nobody did.
    done.catch(() => undefined);
    this.#latest = done;
    return { lines, done };
  }

  async #write(lines: readonly string[]): Promise<void> {
    this.#waiting = undefined;
    await this.#file.appendFile(`${lines.join("\n")}\n`);
    await this.#file.datasync();
  }
}
