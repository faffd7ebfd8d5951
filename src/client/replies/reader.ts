import type { FilterReply, LevelReply, ReadOf, Table, WholeText } from "../../replies/index.ts";

/** Thrown by a reader; `member` is the path of what is wrong. */
export class WrongType extends Error {
  readonly member: string;

  constructor(member: string) {
    super(member);
    this.member = member;
  }
}

/** Reads a value of a reply; `at` is its path. Throws WrongType for a value of another type. */
export type Reader<T> = (value: unknown, at: string) => T;

const WHOLE = /^-?[0-9]{1,19}$/;

function fail(at: string): never {
  throw new WrongType(at);
}

const text: Reader<string> = (value, at) => (typeof value === "string" ? value : fail(at));

const number: Reader<number> = (value, at) => (Number.isFinite(value) ? (value as number) : fail(at));

const flag: Reader<boolean> = (value, at) => (typeof value === "boolean" ? value : fail(at));

/** Reads a whole number of 64 bits. `readReplyJson` leaves one that a double would round as its digits. */
const whole: Reader<WholeText> = (value, at) => {
  if (typeof value === "string" ? WHOLE.test(value) : Number.isSafeInteger(value)) return String(value);
  return fail(at);
};

/** Reads an array of at most one kind of item. */
export const list =
  <T>(read: Reader<T>): Reader<readonly T[]> =>
  (value, at) =>
    Array.isArray(value) ? value.map((item, index) => read(item, `${at}[${index}]`)) : fail(at);

/** Returns a value as an object. Throws WrongType for anything else. */
export function members(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fail(at);
  return value as Readonly<Record<string, unknown>>;
}

/** Returns the reader of a level whose price and quantity are read by `read`. */
export const levelOf =
  (read: Reader<string>): Reader<LevelReply> =>
  (value, at) => {
    const [price, quantity, ...more] = list(read)(value, at);
    return price === undefined || quantity === undefined || more.length > 0 ? fail(at) : [price, quantity];
  };

const filter: Reader<FilterReply> = (value, at) => {
  const read = members(value, at);
  text(read.filterType, `${at}.filterType`);
  return read as FilterReply;
};

/** Readers of the kinds that are no texts. */
const READERS: Readers = {
  integer: number,
  long: number,
  time: number,
  flag,
  yes: flag,
  id: whole,
  idText: whole,
  nativeId: whole,
  whole,
  level: /* @__PURE__ */ levelOf(text),
  filter,
  members,
};

const orElse =
  (none: undefined | null, read: Reader<unknown>): Reader<unknown> =>
  (value, at) =>
    value === none ? none : read(value, at);

type Readers = Readonly<Record<string, Reader<unknown>>>;

function readerOf(kind: string | Table | readonly [Table], own: Readers): Reader<unknown> {
  if (typeof kind !== "string") return Array.isArray(kind) ? list(object(kind[0])) : object(kind as Table);
  if (kind.endsWith("?")) return orElse(undefined, readerOf(kind.slice(0, -1), own));
  if (kind.endsWith("|null")) return orElse(null, readerOf(kind.slice(0, -5), own));
  if (kind.endsWith("[]")) return list(readerOf(kind.slice(0, -2), own));
  return own[kind] ?? READERS[kind] ?? text;
}

/**
 * Returns the reader of an object with the members of a table. Other members stay as they came. `own` replaces the
 * readers of some kinds.
 */
export function object<T extends Table>(table: T, own: Readers = {}): Reader<ReadOf<T>> {
  const readers = Object.entries(table).map(([name, kind]) => [name, readerOf(kind, own)] as const);
  return (value, at) => {
    const read: Record<string, unknown> = { ...members(value, at) };
    for (const [name, reader] of readers) {
      const member = reader(read[name], at === "" ? name : `${at}.${name}`);
      if (member !== undefined) read[name] = member;
    }
    return read as ReadOf<T>;
  };
}
