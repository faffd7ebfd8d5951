import { closeSync, fdatasyncSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Entries as lines of JSON in a file that only grows. Any number of handles and processes may write to it: the order of
 * the lines decides which entry comes first.
 *
 * Each write begins with `~` and a line end. If a process dies in the middle of a line, the next write ends that line
 * with `~`, and readers skip it. A line of JSON never ends so. Any other line that is not JSON is damage, and an error.
 */
export class JsonLog {
  readonly #file: number;
  /** Bytes of the lines that were read. */
  #readBytes = 0;
  #failure: unknown;

  constructor(path: string) {
    this.#file = openSync(path, "a+", 0o600);
    const folder = openSync(dirname(path), "r");
    fsyncSync(folder);
    closeSync(folder);
  }

  /** Writes an entry with one call, so that no other writer comes in between. It is durable once it was read. */
  write(entry: unknown): void {
    const line = Buffer.from(`~\n${JSON.stringify(entry)}\n`);
    if (writeSync(this.#file, line) < line.length) throw new Error("the entry was not written whole");
  }

  /** Calls `each` with every entry that was written since, by any handle, after it is on the disk. */
  read(each: (entry: unknown) => void): void {
    const added = Buffer.alloc(fstatSync(this.#file).size - this.#readBytes);
    if (added.length === 0) return;
    const length = readSync(this.#file, added, 0, added.length, this.#readBytes);
    this.#sync();
    const end = added.lastIndexOf("\n", length - 1) + 1;
    this.#readBytes += end;
    for (const line of added.toString("utf8", 0, end).split("\n"))
      if (line !== "" && !line.endsWith("~")) each(JSON.parse(line));
  }

  close(): void {
    closeSync(this.#file);
  }

  /** After a failure the kernel may have dropped what it could not write, so a later success proves nothing. */
  #sync(): void {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      fdatasyncSync(this.#file);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}
