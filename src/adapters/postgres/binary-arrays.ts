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

type Format = Readonly<{
  bytesOf: (value: unknown) => number;
  write: (buffer: Buffer, value: unknown, at: number) => void;
}>;

const FORMATS: Readonly<Record<Exclude<ElementType, "text">, Format>> = {
  bool: { bytesOf: () => 1, write: (buffer, value, at) => buffer.writeUInt8(value === true ? 1 : 0, at) },
  int4: { bytesOf: () => 4, write: (buffer, value, at) => buffer.writeInt32BE(whole(value), at) },
  int8: { bytesOf: () => 8, write: writeInt8 },
};

/** Most bytes of a unit of a string in UTF-8. */
const MOST_BYTES = 3;

/**
 * Returns an array of values; null is NULL. Numbers of the type int8 may also be texts, because amounts exceed a double.
 * Throws a RangeError for a number that is not of the type.
 */
export function binaryArray(type: ElementType, values: readonly unknown[]): Buffer {
  if (type === "text") return textArray(values as readonly (string | null)[]);
  const { bytesOf, write } = FORMATS[type];
  const lengths = values.map((value) => (value === null ? LENGTH_OF_NULL : bytesOf(value)));
  const size = lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(0, length), 0);
  const buffer = begun(type, values, size);
  let at = startOf(values);
  for (const [index, value] of values.entries()) {
    const length = lengths[index] ?? LENGTH_OF_NULL;
    at = buffer.writeInt32BE(length, at);
    if (length === LENGTH_OF_NULL) continue;
    write(buffer, value, at);
    at += length;
  }
  return buffer;
}

/** The length of a text is known when it is written: asking for it before would take as long as that. */
function textArray(values: readonly (string | null)[]): Buffer {
  let size = values.length * LENGTH_BYTES;
  for (const value of values) size += MOST_BYTES * (value?.length ?? 0);
  const buffer = begun("text", values, size);
  let at = startOf(values);
  for (const value of values) {
    const length = value === null ? LENGTH_OF_NULL : buffer.write(value, at + LENGTH_BYTES);
    buffer.writeInt32BE(length, at);
    at += LENGTH_BYTES + Math.max(0, length);
  }
  return buffer.subarray(0, at);
}

const startOf = (values: readonly unknown[]): number =>
  HEADER_BYTES + (values.length === 0 ? 0 : DIMENSION_BYTES);

/** Returns a buffer for elements of a size, with all that comes before them. */
function begun(type: ElementType, values: readonly unknown[], size: number): Buffer {
  const buffer = Buffer.allocUnsafe(startOf(values) + size);
  buffer.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(TYPE_IDS[type], 8);
  if (values.length > 0) {
    buffer.writeInt32BE(values.length, HEADER_BYTES);
    buffer.writeInt32BE(1, HEADER_BYTES + 4);
  }
  return buffer;
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
