import { crc32 } from "node:zlib";
import { InvariantError } from "../../errors/index.ts";

/** What a row says beside its text: where it belongs, and its other columns. */
type Columns = readonly (string | number | null)[];

/** CRC-32 over all that a row says, so that one which was moved is noticed like one which was changed. */
export function checksumOf(columns: Columns, text = ""): number {
  return crc32(text, crc32(columns.join("\n")));
}

/**
 * Throws an InvariantError I53 that names the row when it is not as it was written. A row without a checksum was written
 * before there were any, and passes.
 */
export function requireIntact(checksum: number | null, expected: number, name: () => string): void {
  if (checksum === null || checksum === expected) return;
  throw new InvariantError(
    "I53",
    `${name()} cannot be read: it is not as it was written (checksum); restore the file from a backup`,
  );
}
