import { crc32 } from "node:zlib";

/** A record that leaves the store: its text, and its position in the journal. */
export type ArchivedRecord = Readonly<{ text: string; position: number }>;

/**
 * A line is the text of a record, before whose members stand a checksum and the position in the journal:
 * `{"crc32":"1a2b3c4d","position":5,"v":1,"record":{...}}`.
 */
const LINE = /^\{"crc32":"([0-9a-f]{8})","position":([1-9][0-9]{0,15}),/;

/** Length of what stands before the position. */
const PREFIX_LENGTH = 20;

/** Returns the line of a record, with its line break. */
export function lineOf({ text, position }: ArchivedRecord): string {
  const rest = `"position":${position},${text.slice(1)}`;
  return `{"crc32":"${checksumOf(rest)}",${rest}\n`;
}

/** Returns the record in a line without its line break; undefined if the line is damaged. */
export function recordIn(line: string): ArchivedRecord | undefined {
  const [start = "", checksum, position = ""] = LINE.exec(line) ?? [];
  if (checksum === undefined || checksum !== checksumOf(line.slice(PREFIX_LENGTH))) return undefined;
  return { text: `{${line.slice(start.length)}`, position: Number.parseInt(position, 10) };
}

const checksumOf = (rest: string): string => crc32(rest).toString(16).padStart(8, "0");
