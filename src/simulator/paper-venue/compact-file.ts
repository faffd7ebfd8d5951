import type { LogFile } from "./log-file.ts";

/** Functions that compact the lines of a log. */
export type Compaction = Readonly<{
  /** Returns the lines that replace a line. */
  line: (text: string) => Iterable<string>;
  /** Returns the lines after the last one. */
  end: () => Iterable<string>;
}>;

/** Number of bytes that are read and compacted in one turn. */
const CHUNK_BYTES = 32_768;

const LINE_END = 0x0a;

/** Copies a log of whole lines to another file, in pieces. Counts the bytes read and written. */
export class FileCopy {
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
