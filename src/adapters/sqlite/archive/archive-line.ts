import { crc32 } from "node:zlib";

/** A line is the text of a record with its checksum as first member: `{"crc32":"1a2b3c4d","v":1,"record":{...}}`. */
const PREFIX = /^\{"crc32":"([0-9a-f]{8})",/;

/** Length of what stands before the rest of the text. */
const PREFIX_LENGTH = 20;

/** Returns the line of a record's text, with its line break. */
export function lineOf(text: string): string {
  return `{"crc32":"${checksumOf(text)}",${text.slice(1)}\n`;
}

/** Returns the text of a record in a line without its line break; undefined if the line is damaged. */
export function textOf(line: string): string | undefined {
  const checksum = PREFIX.exec(line)?.[1];
  const text = `{${line.slice(PREFIX_LENGTH)}`;
  return checksum !== undefined && checksum === checksumOf(text) ? text : undefined;
}

const checksumOf = (text: string): string => crc32(text).toString(16).padStart(8, "0");
