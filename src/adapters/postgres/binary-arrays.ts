/**
 * Arrays in the binary format of Postgres, which the driver sends as they are. In its text format, every quotation mark of a
 * record is escaped here and unescaped by the server, and every number is written and parsed.
 */

/** A type of the elements of an array. */
export type ElementType = "bool" | "int4" | "int8" | "text";

/** Numbers of the types. They are the same on every server. */
const TYPE_IDS: Readonly<Record<ElementType, number>> = { bool: 16, int8: 20, int4: 23, text: 25 };

/** Number of dimensions, whether there are NULLs, and the type of the elements. */
const HEADER_BYTES = 12;
/** Number of elements and the index of the first one. An empty array has no dimension. */
const DIMENSION_BYTES = 8;
/** The length of an element, before it. */
const LENGTH_BYTES = 4;
const LENGTH_OF_NULL = -1;

const TWO_TO_32 = 2 ** 32;

type Format = Readonly<{ bytes: number; write: (buffer: Buffer, value: unknown, at: number) => void }>;

const FORMATS: Readonly<Record<Exclude<ElementType, "text">, Format>> = {
  bool: { bytes: 1, write: (buffer, value, at) => buffer.writeUInt8(value === true ? 1 : 0, at) },
  int4: { bytes: 4, write: (buffer, value, at) => buffer.writeInt32BE(whole(value), at) },
  int8: { bytes: 8, write: writeInt8 },
};

/** Most bytes of a unit of a string in UTF-8. */
const MOST_BYTES = 3;

/**
 * Returns an array of values; null is NULL. Numbers of the type int8 may also be texts, because amounts exceed a double.
 * Throws a RangeError for a number that is not of the type.
 */
export function binaryArray(type: ElementType, values: readonly unknown[]): Buffer {
  if (type === "text") return textArray(values as readonly (string | null)[]);
  const { bytes, write } = FORMATS[type];
  const buffer = Buffer.allocUnsafe(startOf(values) + values.length * (LENGTH_BYTES + bytes));
  let at = begin(buffer, type, values);
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? LENGTH_OF_NULL : bytes, at);
    if (value === null) continue;
    write(buffer, value, at);
    at += bytes;
  }
  return buffer.subarray(0, at);
}

/** Most bytes for which a place to write is kept. */
const MOST_RETAINED = 1_024 * 1_024;

let retained = Buffer.alloc(0);

/** Returns a place of a size, which is overwritten by the next one: memory that is new each time costs more than a copy. */
function place(size: number): Buffer {
  if (size > MOST_RETAINED) return Buffer.allocUnsafe(size);
  if (size > retained.length) retained = Buffer.allocUnsafeSlow(Math.min(2 * size, MOST_RETAINED));
  return retained;
}

/** The length of a text is known when it is written: asking for it before would take as long as that. */
function textArray(values: readonly (string | null)[]): Buffer {
  let size = startOf(values) + values.length * LENGTH_BYTES;
  for (const value of values) size += MOST_BYTES * (value?.length ?? 0);
  const buffer = place(size);
  let at = begin(buffer, "text", values);
  for (const value of values) {
    const length = value === null ? LENGTH_OF_NULL : buffer.write(value, at + LENGTH_BYTES);
    buffer.writeInt32BE(length, at);
    at += LENGTH_BYTES + Math.max(0, length);
  }
  return Buffer.from(buffer.subarray(0, at));
}

const startOf = (values: readonly unknown[]): number =>
  HEADER_BYTES + (values.length === 0 ? 0 : DIMENSION_BYTES);

/** Writes all that comes before the elements, and returns their place. */
function begin(buffer: Buffer, type: ElementType, values: readonly unknown[]): number {
  buffer.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(TYPE_IDS[type], 8);
  if (values.length > 0) {
    buffer.writeInt32BE(values.length, HEADER_BYTES);
    buffer.writeInt32BE(1, HEADER_BYTES + 4);
  }
  return startOf(values);
}

function whole(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no whole number`);
  return value as number;
}

/** In two halves, because writing a bigint takes several times as long. */
function writeInt8(buffer: Buffer, value: unknown, at: number): void {
  if (typeof value === "string") {
    buffer.writeBigInt64BE(BigInt(value), at);
    return;
  }
  const high = Math.floor(whole(value) / TWO_TO_32);
  buffer.writeInt32BE(high, at);
  buffer.writeUInt32BE(whole(value) - high * TWO_TO_32, at + 4);
}
