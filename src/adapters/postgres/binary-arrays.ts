/**
 * Arrays in the binary format of Postgres, which the driver sends as they are. In its text format, every quotation mark of a
 * record is escaped here and unescaped by the server, and every number is written and parsed.
 */

/** A type of the elements of an array. */
export type ElementType = "bool" | "bytea" | "int4" | "int8" | "text";

/** Numbers of the types. They are the same on every server. */
const TYPE_IDS: Readonly<Record<ElementType, number>> = { bool: 16, bytea: 17, int8: 20, int4: 23, text: 25 };

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

const FORMATS: Readonly<Record<ElementType, Format>> = {
  bool: { bytesOf: () => 1, write: (buffer, value, at) => buffer.writeUInt8(value === true ? 1 : 0, at) },
  bytea: {
    bytesOf: (value) => (value as Uint8Array).byteLength,
    write: (buffer, value, at) => buffer.set(value as Uint8Array, at),
  },
  int4: { bytesOf: () => 4, write: (buffer, value, at) => buffer.writeInt32BE(whole(value), at) },
  int8: { bytesOf: () => 8, write: writeInt8 },
  text: {
    bytesOf: (value) => Buffer.byteLength(value as string),
    write: (buffer, value, at) => buffer.write(value as string, at),
  },
};

/**
 * Returns an array of values; null is NULL. Numbers of the type int8 may also be texts, because amounts exceed a double.
 * Throws a RangeError for a number that is not of the type.
 */
export function binaryArray(type: ElementType, values: readonly unknown[]): Buffer {
  const { bytesOf, write } = FORMATS[type];
  const lengths = values.map((value) => (value === null ? LENGTH_OF_NULL : bytesOf(value)));
  const start = HEADER_BYTES + (values.length === 0 ? 0 : DIMENSION_BYTES);
  const size = lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(0, length), start);
  const buffer = Buffer.allocUnsafe(size);
  buffer.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(lengths.includes(LENGTH_OF_NULL) ? 1 : 0, 4);
  buffer.writeInt32BE(TYPE_IDS[type], 8);
  if (values.length > 0) {
    buffer.writeInt32BE(values.length, HEADER_BYTES);
    buffer.writeInt32BE(1, HEADER_BYTES + 4);
  }
  let at = start;
  for (const [index, value] of values.entries()) {
    const length = lengths[index] ?? LENGTH_OF_NULL;
    at = buffer.writeInt32BE(length, at);
    if (length === LENGTH_OF_NULL) continue;
    write(buffer, value, at);
    at += length;
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
