import { crc32 } from "node:zlib";
import { InvariantError } from "../../errors/index.ts";

/** What an operator restores when a row is damaged. */
export type Damaged = "file" | "database";

/** Columns of a row besides its text, including those that say where it belongs. */
type Columns = readonly (string | number | null)[];

/** Returns the CRC-32 over the whole row, so that a moved row is detected like a changed one. */
export function checksumOf(columns: Columns, text = ""): number {
  return crc32(text, crc32(columns.join("\n")));
}

/** Throws an InvariantError I53 that names the row if it is not as it was written. */
export function requireIntact(
  checksum: number,
  expected: number,
  name: () => string,
  damaged: Damaged = "file",
): void {
  if (checksum === expected) return;
  throw new InvariantError(
    "I53",
    `${name()} cannot be read: its checksum does not match, so it changed after it was written; restore the ${damaged} from a backup`,
  );
}
