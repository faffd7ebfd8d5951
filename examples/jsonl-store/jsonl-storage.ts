import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { createMemoryStorage } from "managed-orders/memory";
import type { CommitPart, Entry, Storage } from "managed-orders/ports";

/** What a line of the file says: the parts of one commit that were written. Their conditions held, so they are left out. */
type Line = readonly Pick<CommitPart, "puts" | "deletes">[];

/** Comes after every key. */
const END = "\u007f";
/** Entries in a line of a compacted file. */
const PER_LINE = 500;
/** A file with fewer lines is not compacted. */
const FEWEST_LINES = 1_000;

/**
 * Opens a storage on a file of JSON lines, one for each commit, which is on the disk before the commit is answered. All keys
 * are in memory too, so the file is only read when it is opened. One handle at a time may use it.
 */
export async function openJsonlStorage(path: string): Promise<Storage> {
  const file = await open(path, "a+", 0o600);
  const storage = new JsonlStorage(path, file);
  try {
    await storage.replay();
  } catch (error) {
    await file.close();
    throw error;
  }
  return storage;
}

class JsonlStorage implements Storage {
  readonly #path: string;
  #file: FileHandle;
  readonly #keys = createMemoryStorage();
  #lines = 0;
  /** Number of lines at which the keys are counted, to see whether there are twice as many lines. */
  #countAt = FEWEST_LINES;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #failure: unknown;

  constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Reads the file. What follows its last line end was torn by the death of a process before it was acknowledged. */
  async replay(): Promise<void> {
    let whole = 0;
    for await (const line of linesOf(this.#file)) {
      const parts = JSON.parse(line.toString()) as Line;
      await this.#keys.commit(parts.map((part) => ({ ...part, conditions: [] })));
      whole += line.length + 1;
      this.#lines++;
    }
    await this.#file.truncate(whole);
    await this.#file.sync();
    await syncFolder(this.#path);
  }

  commit(parts: readonly CommitPart[]): Promise<readonly boolean[]> {
    return this.#inTurn(async () => {
      const answers = await this.#keys.commit(parts);
      const written = parts.filter((_, place) => answers[place] === true);
      if (written.some(({ puts, deletes }) => puts.length + deletes.length > 0)) await this.#write(written);
      return answers;
    });
  }

  get(keys: readonly string[]): ReturnType<Storage["get"]> {
    return this.#inTurn(() => this.#keys.get(keys));
  }

  range(ranges: Parameters<Storage["range"]>[0]): ReturnType<Storage["range"]> {
    return this.#inTurn(() => this.#keys.range(ranges));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#file.close();
  }

  /** Runs a call after all earlier ones, so that nobody reads what is not yet on the disk. */
  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error("the storage is closed");
    const result = this.#last.then(() => {
      if (this.#failure !== undefined) throw this.#failure;
      return run();
    });
    this.#last = result.catch(() => undefined);
    return await result;
  }

  /**
   * Writes a line. After a failure nothing is answered any more: the keys in memory are ahead of the file, and the system may
   * have dropped what it could not write, so that a later success would prove nothing.
   */
  async #write(parts: Line): Promise<void> {
    try {
      await this.#file.appendFile(lineOf(parts));
      await this.#file.datasync();
      if (++this.#lines >= this.#countAt) await this.#compact();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /** Replaces the file by one with the keys that are left, if it has twice as many lines as there are keys. */
  async #compact(): Promise<void> {
    const entries = await this.#entries();
    this.#countAt = Math.max(FEWEST_LINES, 2 * entries.length);
    if (this.#lines < this.#countAt) return;
    const shorter = await open(`${this.#path}.new`, "w", 0o600);
    this.#lines = 0;
    for (let at = 0; at < entries.length; at += PER_LINE, this.#lines++)
      await shorter.appendFile(lineOf([{ puts: entries.slice(at, at + PER_LINE), deletes: [] }]));
    await shorter.sync();
    await rename(`${this.#path}.new`, this.#path);
    await syncFolder(this.#path);
    await this.#file.close();
    this.#file = shorter;
  }

  async #entries(): Promise<readonly Entry[]> {
    const [entries = []] = await this.#keys.range([
      { from: " ", before: END, limit: Number.MAX_SAFE_INTEGER },
    ]);
    return entries;
  }
}

const lineOf = (parts: Line): string =>
  `${JSON.stringify(parts.map(({ puts, deletes }) => ({ puts, deletes })))}\n`;

/** Yields the lines of a file that have a line end. */
async function* linesOf(file: FileHandle): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
  }
}

/** Makes the name of a file durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path));
  await folder.sync();
  await folder.close();
}
