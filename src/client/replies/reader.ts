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

/** Readers of the members of an object. A member that may be absent has a reader that accepts `undefined`. */
export type Shape<T> = { readonly [K in keyof T]-?: Reader<T[K]> };

/** A 64-bit whole number as text, such as `"-256"`: ids are never numbers, which would round them. */
export type WholeText = string;

const WHOLE = /^-?[0-9]{1,19}$/;

function fail(at: string): never {
  throw new WrongType(at);
}

/** Reads a text. */
export const text = <T extends string = string>(value: unknown, at: string): T =>
  typeof value === "string" ? (value as T) : fail(at);

/** Reads a number. */
export const number: Reader<number> = (value, at) => (Number.isFinite(value) ? (value as number) : fail(at));

/** Reads true or false. */
export const flag: Reader<boolean> = (value, at) => (typeof value === "boolean" ? value : fail(at));

/** Reads a whole number of 64 bits. `readReplyJson` leaves one that a double would round as its digits. */
export const whole: Reader<WholeText> = (value, at) => {
  if (typeof value === "string" ? WHOLE.test(value) : Number.isSafeInteger(value)) return String(value);
  return fail(at);
};

/** Reads a value that may be absent. */
export const maybe =
  <T>(read: Reader<T>): Reader<T | undefined> =>
  (value, at) =>
    value === undefined ? undefined : read(value, at);

/** Reads a value that may be null. */
export const orNull =
  <T>(read: Reader<T>): Reader<T | null> =>
  (value, at) =>
    value === null ? null : read(value, at);

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

/** Reads an object. Members that the shape does not name stay as they came. */
export const object =
  <T>(shape: Shape<T>): Reader<T> =>
  (value, at) => {
    const read: Record<string, unknown> = { ...members(value, at) };
    for (const name of Object.keys(shape) as (keyof T & string)[]) {
      const member = shape[name](read[name], at === "" ? name : `${at}.${name}`);
      if (member !== undefined) read[name] = member;
    }
    return read as T;
  };
