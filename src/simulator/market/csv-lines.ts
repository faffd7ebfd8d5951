import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { MarketDataError } from "./market-row.ts";

/** Most characters of a line. */
const LONGEST_LINE = 1_000_000;

/** The lines of each part of a file, without their ends: a line feed, with or without a carriage return, or that alone. */
export async function* linesOf(path: string): AsyncGenerator<readonly string[]> {
  const file = createReadStream(path);
  const input = path.endsWith(".gz") ? file.pipe(createGunzip()) : file;
  if (input !== file) file.on("error", (error) => input.destroy(error));
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
    file.destroy();
  }
  if (rest !== "") yield rest.split(end ?? /\r?\n|\r/).map(withoutReturn);
}

/** The end of the first line. A carriage return at the end of a part may be half of one. */
function endOf(text: string): "\n" | "\r" | undefined {
  if (text.includes("\n")) return "\n";
  return text.slice(0, -1).includes("\r") ? "\r" : undefined;
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
