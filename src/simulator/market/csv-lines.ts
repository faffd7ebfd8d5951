import { createReadStream } from "node:fs";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { unzipped } from "./csv-zip.ts";
import { MarketDataError } from "./market-row.ts";

/** Most characters of a line. */
const LONGEST_LINE = 1_000_000;

/** The lines of each part of a file, without their ends: a line feed, with or without a carriage return, or that alone. */
export async function* linesOf(path: string): AsyncGenerator<readonly string[]> {
  const input = await opened(path);
  input.setEncoding("utf8");
  let rest = "";
  let end: "\n" | "\r" | undefined;
  let isFirst = true;
  try {
    for await (const part of input) {
      // Spreadsheets write a byte order mark before the first line.
      rest += isFirst ? String(part).replace(/^\uFEFF/, "") : String(part);
      isFirst = false;
      end ??= endOf(rest);
      const lines = rest.split(end ?? "\n");
      rest = lines.pop() ?? "";
      if (rest.length > LONGEST_LINE)
        throw new MarketDataError(`a line must have at most ${LONGEST_LINE} characters`);
      yield lines.map(withoutReturn);
    }
  } finally {
    input.destroy();
  }
  if (rest !== "") yield rest.split(end ?? /\r?\n|\r/).map(withoutReturn);
}

/** The bytes of a file; a compressed one is unpacked. The reader sees the error of any part, and ends all. */
async function opened(path: string): Promise<Readable> {
  if (path.endsWith(".zip")) return await unzipped(path);
  const file = createReadStream(path);
  return path.endsWith(".gz") ? pipeline(file, createGunzip(), () => undefined) : file;
}

/** The end of the first line. A carriage return at the end of a part may be half of one. */
function endOf(text: string): "\n" | "\r" | undefined {
  if (text.includes("\n")) return "\n";
  return text.slice(0, -1).includes("\r") ? "\r" : undefined;
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
