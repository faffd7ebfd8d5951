import { utf8In } from "./json-bytes.ts";

/** Most bytes of one line of a stream. */
const MOST_LINE_BYTES = 8 * 1024 * 1024;

const LINE_BREAK = 10;

/** Divides the bytes of a stream into lines. */
export class Lines {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** Returns the lines that these bytes complete; undefined if a line is too long or not UTF-8. */
  take(bytes: Uint8Array): readonly string[] | undefined {
    const lines: string[] = [];
    let from = 0;
    for (let end = bytes.indexOf(LINE_BREAK); end >= 0; end = bytes.indexOf(LINE_BREAK, from)) {
      if (!this.#add(bytes.subarray(from, end))) return undefined;
      const text = textOf(Buffer.concat(this.#parts));
      if (text === undefined) return undefined;
      lines.push(text);
      this.#parts = [];
      this.#length = 0;
      from = end + 1;
    }
    return this.#add(bytes.subarray(from)) ? lines : undefined;
  }

  #add(bytes: Uint8Array): boolean {
    this.#length += bytes.length;
    if (bytes.length > 0) this.#parts.push(bytes);
    return this.#length <= MOST_LINE_BYTES;
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8In(bytes);
  } catch {
    return undefined;
  }
}
