/** A 64-bit whole number as text, such as `"-256"`: ids are never numbers, which would round them. */
export type WholeText = string;

/** A level of an order book: price, then quantity. */
export type LevelReply = readonly [price: string, quantity: string];

/** Thrown by a reader. Its message is the path of what is wrong. */
export class WrongType extends Error {}

/** Reads a value of a reply; `at` is its path. Throws WrongType for a value of another type. */
export type Reader<T> = (value: unknown, at: string) => T;

/** A member of a reply or event: how a client reads it, and the type that the service writes. */
type Member<R, W = R> = Reader<R> & Readonly<{ written: W }>;
type Maybe<R, W = R> = Member<R | undefined, W | undefined> & Readonly<{ isOptional: true }>;

/** A table whose members may all be absent. */
export type MaybeOf<T> = { readonly [N in keyof T]: Maybe<ReadBy<T[N]>, WrittenBy<T[N]>> };

/** A text, or one of the words `W`. */
export type Text<W extends string = string> = Member<W>;
/** A text that may be absent. */
export type MaybeText<W extends string = string> = Maybe<W>;
/** A text or null. */
export type TextOrNull<W extends string = string> = Member<W | null>;
/** Texts. */
export type Texts = Member<readonly string[]>;
/** Texts that may be absent. */
export type MaybeTexts<W extends string = string> = Maybe<readonly W[]>;
/** A number that a double holds exactly: a count, a time in epoch milliseconds. */
export type Count = Member<number>;
/** Such a number that may be absent. */
export type MaybeCount = Maybe<number>;
/** True or false. */
export type Flag<V extends boolean = boolean> = Member<V>;
/** An object that may be absent. */
export type MaybeObject<T> = Maybe<ReadOf<T>, WrittenOf<T>>;
/** True or false, or absent. */
export type MaybeFlag<V extends boolean = boolean> = Maybe<V>;
/** A whole number that the service writes as `W` and a client reads as text, because 64 bits exceed a double. */
export type Id<W = number> = Member<WholeText, W>;
/** Such a number that may be absent. */
export type MaybeId<W = number> = Maybe<WholeText, W>;
/** Levels of an order book. */
export type Levels = Member<readonly LevelReply[]>;

/**
 * The members of a reply or event, each with its kind; an object has a table of its own, and a list of objects has it
 * in brackets. The types of both sides, what the writers of the service and its descriptions must have, and the reader
 * of the client follow from it. Sentences and formats, which no client needs, are in service/descriptions/.
 */
export interface Table {
  readonly [member: string]: Reader<unknown> | Table | readonly [Table];
}

type ReadBy<M> =
  M extends Reader<infer R> ? R : M extends readonly [infer T] ? readonly ReadOf<T>[] : ReadOf<M>;

type WrittenBy<M> =
  M extends Readonly<{ written: infer W }>
    ? W
    : M extends readonly [infer T]
      ? readonly WrittenOf<T>[]
      : WrittenOf<M>;

type RequiredNames<T> = { [N in keyof T]: T[N] extends Readonly<{ isOptional: true }> ? never : N }[keyof T];
type OptionalNames<T> = { [N in keyof T]: T[N] extends Readonly<{ isOptional: true }> ? N : never }[keyof T];
type Reads<T, N extends keyof T> = { readonly [M in N]: ReadBy<T[M]> };
type MayRead<T, N extends keyof T> = { readonly [M in N]?: ReadBy<T[M]> };
type Writes<T, N extends keyof T> = { readonly [M in N]: WrittenBy<T[M]> };
type MayWrite<T, N extends keyof T> = { readonly [M in N]?: WrittenBy<T[M]> };

/** What a client reads. */
export type ReadOf<T> = Reads<T, RequiredNames<T>> & MayRead<T, OptionalNames<T>>;

/** What the service writes. */
export type WrittenOf<T> = Writes<T, RequiredNames<T>> & MayWrite<T, OptionalNames<T>>;

/** What the service writes, with every member: one that is absent is undefined, so that none is forgotten. */
export type CompleteOf<T> = Writes<T, keyof T>;

const WHOLE = /^-?[0-9]{1,19}$/;
/** A decimal: its sign, its digits without leading zeros, and its decimals. */
export const DECIMAL: RegExp = /^(-?)0*([0-9]{1,40})(?:\.([0-9]{1,40}))?$/;

function fail(at: string): never {
  throw new WrongType(at);
}

/** A text. */
export const text = ((value: unknown, at: string) => (typeof value === "string" ? value : fail(at))) as Text;

/** A number. */
export const number = ((value: unknown, at: string) => (Number.isFinite(value) ? value : fail(at))) as Count;

/** True or false. */
export const flag = ((value: unknown, at: string) => (typeof value === "boolean" ? value : fail(at))) as Flag;

/** A whole number of 64 bits. `readReplyJson` leaves one that a double would round as its digits. */
export const whole = ((value: unknown, at: string) =>
  (typeof value === "string" ? WHOLE.test(value) : Number.isSafeInteger(value))
    ? String(value)
    : fail(at)) as Id<never>;

/** A decimal with which a client computes. */
export const decimal = ((value: unknown, at: string) =>
  typeof value === "string" && DECIMAL.test(value) ? value : fail(at)) as Text;

const maybe =
  (read: Reader<unknown>): Reader<unknown> =>
  (value, at) =>
    value === undefined ? value : read(value, at);

/** Returns the reader of an array of at most one kind of item. */
export const list =
  <T>(read: Reader<T>): Reader<readonly T[]> =>
  (value, at) =>
    Array.isArray(value) ? value.map((item, index) => read(item, `${at}[${index}]`)) : fail(at);

const levelOf =
  (read: Reader<string>): Reader<LevelReply> =>
  (value, at) => {
    const level = list(read)(value, at);
    return level.length === 2 ? (level as unknown as LevelReply) : fail(at);
  };

/** A text that may be absent. */
export const maybeText = /* @__PURE__ */ maybe(text) as MaybeText;
/** A number that may be absent. */
export const maybeNumber = /* @__PURE__ */ maybe(number) as MaybeCount;
/** Returns the members of a table that have these names, each of which may then be absent. */
export const maybeEach = <T, N extends keyof T>(table: T, names: readonly N[]): MaybeOf<Pick<T, N>> =>
  Object.fromEntries(names.map((name) => [name, maybe(table[name] as Reader<unknown>)])) as never;
/** True or false, or absent. */
export const maybeFlag = /* @__PURE__ */ maybe(flag) as MaybeFlag;
/** Returns an object of this table that may be absent. */
export const maybeObject = <T extends Table>(table: T): MaybeObject<T> =>
  maybe(object(table)) as MaybeObject<T>;
/** A whole number of 64 bits that may be absent. */
export const maybeWhole = /* @__PURE__ */ maybe(whole) as MaybeId<never>;
/** A text or null. */
export const textOrNull = ((value: unknown, at: string) =>
  value === null ? value : text(value, at)) as TextOrNull;
/** Texts. */
export const texts = /* @__PURE__ */ list(text) as Texts;
/** Texts that may be absent. */
export const maybeTexts = /* @__PURE__ */ maybe(texts) as MaybeTexts;
/** Levels of an order book. */
export const levels = /* @__PURE__ */ list(/* @__PURE__ */ levelOf(text)) as Levels;
/** Levels with which a client computes. */
export const exactLevels = /* @__PURE__ */ list(/* @__PURE__ */ levelOf(decimal)) as Levels;

/** Returns the members of an object that have these names, in the order of the names. */
export const pick = <T, N extends keyof T>(from: T, names: readonly N[]): Pick<T, N> =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, N>;

/** Returns a value as an object. Throws WrongType for anything else. */
export function members(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fail(at);
  return value as Readonly<Record<string, unknown>>;
}

const ofPart = (part: Table | readonly [Table]): Reader<unknown> =>
  Array.isArray(part) ? list(object(part[0])) : object(part as Table);

/** Returns the reader of an object by its table. Members that the table does not name stay as they came. */
export function object<T extends Table>(table: T): Reader<ReadOf<T>> {
  const readers = Object.entries(table).map(
    ([name, member]) => [name, typeof member === "function" ? member : ofPart(member)] as const,
  );
  return (value, at) => {
    const read: Record<string, unknown> = { ...members(value, at) };
    for (const [name, reader] of readers) {
      const member = reader(read[name], at === "" ? name : `${at}.${name}`);
      if (member !== undefined) read[name] = member;
    }
    return read as ReadOf<T>;
  };
}
