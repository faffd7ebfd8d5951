import { normalise, type Scaled } from "./scaled.ts";

/** An immutable row of whole numbers: an array, or {@link PackedNumbers}. */
export type NumberRow<T extends Scaled = Scaled> = Readonly<{
  length: number;
  at(index: number): T | undefined;
  join(separator?: string): string;
}> &
  Iterable<T>;

/** Typed array that holds {@link PackedNumbers}. */
type PackedCells = Uint8Array | Uint16Array | Uint32Array | Float64Array | BigUint64Array;

/** Shortest row that is packed. A shorter array takes no more memory than the overhead of a typed array. */
const FEWEST_PACKED = 64;

/** Most bytes that an array element takes while it is a safe integer. */
const BYTES_PER_ELEMENT = 8;

/**
 * Whole numbers of at least 0 in cells of the smallest width that holds the greatest of them: 1, 2, 4 or 8 bytes.
 * JSON shows them as an array.
 */
export class PackedNumbers<T extends Scaled = Scaled> {
  readonly cells: PackedCells;

  constructor(cells: PackedCells) {
    this.cells = cells;
  }

  get length(): number {
    return this.cells.length;
  }

  at(index: number): T | undefined {
    const cell = this.cells.at(index);
    return (typeof cell === "bigint" ? normalise(cell) : cell) as T | undefined;
  }

  join(separator = ","): string {
    return this.cells.join(separator);
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as T;
  }

  toJSON(): readonly T[] {
    return [...this];
  }
}

/**
 * Returns the same numbers in the least memory. A short row, and one with a number below 0 or of 2^64 or more, stays
 * unchanged.
 */
export function packed<T extends Scaled>(row: NumberRow<T>): NumberRow<T> {
  if (row instanceof PackedNumbers || row.length < FEWEST_PACKED) return row;
  let greatest: Scaled = 0;
  for (const value of row) {
    if (value < 0) return row;
    if (value > greatest) greatest = value;
  }
  const cells = cellsFor(greatest, row.length);
  if (cells === undefined) return row;
  let index = 0;
  for (const value of row) {
    if (cells instanceof BigUint64Array) cells[index++] = BigInt(value);
    else cells[index++] = Number(value);
  }
  return new PackedNumbers<T>(cells);
}

/** Returns the bytes of memory that the numbers of a row take. */
export function bytesOfRow(row: NumberRow): number {
  return row instanceof PackedNumbers ? row.cells.byteLength : row.length * BYTES_PER_ELEMENT;
}

function cellsFor(greatest: Scaled, length: number): PackedCells | undefined {
  if (greatest < 2 ** 8) return new Uint8Array(length);
  if (greatest < 2 ** 16) return new Uint16Array(length);
  if (greatest < 2 ** 32) return new Uint32Array(length);
  if (greatest <= Number.MAX_SAFE_INTEGER) return new Float64Array(length);
  return greatest < 2n ** 64n ? new BigUint64Array(length) : undefined;
}
