import { formatScaled, normalise, parseFact, type Scaled } from "../../decimal/index.ts";
import {
  flagOf,
  itemsOf,
  membersOf,
  printableOf,
  requireThat,
  textOf,
  wordOf,
} from "../../host-answers/index.ts";
import type { JsonInput } from "../../wire/index.ts";

/** A JSON Schema, as the OpenAPI document of the protocol has it. */
export type CodecSchema = { readonly [name: string]: JsonInput | undefined };

/** How a value is written as JSON, read from it, and described. */
export type Codec<T> = Readonly<{
  schema: CodecSchema;
  /** Returns the JSON of a value. */
  write: (value: T) => JsonInput;
  /** Returns the value of parsed JSON. Throws an UnreadableAnswer that names the part for anything else. */
  read: (value: unknown, what: string) => T;
}>;

/** A member of an object; an optional one may be absent. */
type Member<T> = Codec<T> & Readonly<{ isOptional?: true }>;

const asItIs = <T extends JsonInput>(value: T): JsonInput => value;

const WHOLE = /^-?(0|[1-9][0-9]{0,15})$/;
const WIDE = /^[1-9][0-9]{0,18}$/;
const WIDE_LIMIT = 2n ** 63n;
const LONGEST_WORD = 64;

/** Text of 1 to `most` printable ASCII characters. */
export const printable = (most: number): Codec<string> => ({
  schema: { type: "string", minLength: 1, maxLength: most, pattern: "^[ -~]*$" },
  write: asItIs,
  read: (value, what) => printableOf(value, what, most),
});

/** Text of at most `most` characters, which may be empty. */
export const freeText = (most: number): Codec<string> => ({
  schema: { type: "string", maxLength: most },
  write: asItIs,
  read: (value, what) => textOf(value, what, { from: 0, most }),
});

/**
 * A remark for people. A longer one is cut when it is written and when it is read: it must not make what it remarks on
 * unreadable.
 */
export const remark = (most: number): Codec<string> => ({
  schema: { type: "string" },
  write: (value) => value.slice(0, most),
  read: (value, what) => textOf(value, what, { from: 0, most: Number.MAX_SAFE_INTEGER }).slice(0, most),
});

/** One of some words. */
export const word = <T extends string>(words: readonly T[]): Codec<T> => ({
  schema: { enum: words },
  write: asItIs,
  read: (value, what) => wordOf(value, what, words),
});

/** At most `most` words. Those that a reader does not know are left out: a newer writer may have more. */
export const knownWords = <T extends string>(words: readonly T[], most: number): Codec<readonly T[]> => ({
  schema: { type: "array", items: { enum: words }, maxItems: most },
  write: (values) => [...values],
  read: (value, what) =>
    itemsOf(value, what, most)
      .map((item) => textOf(item, `an entry of ${what}`, { from: 1, most: LONGEST_WORD }))
      .filter((item): item is T => words.includes(item as T)),
});

/** True or false. */
export const flag: Codec<boolean> = {
  schema: { type: "boolean" },
  write: asItIs,
  read: flagOf,
};

/** A whole number, written as a JSON number: a time in epoch milliseconds, a count or a sequence number. */
export const count: Codec<number> = {
  schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  write: asItIs,
  read(value, what) {
    requireThat(Number.isSafeInteger(value) && (value as number) >= 0, `${what} is not a whole number`);
    return value as number;
  },
};

/** A number above 0 that is no money: submits per second. */
export const rate: Codec<number> = {
  schema: { type: "number", exclusiveMinimum: 0 },
  write: asItIs,
  read(value, what) {
    requireThat(
      typeof value === "number" && Number.isFinite(value) && value > 0,
      `${what} is not a number above 0`,
    );
    return value;
  },
};

/** An id that a double holds exactly, written as a decimal string. */
export const idText: Codec<number> = {
  schema: { type: "string", pattern: WHOLE.source },
  write: String,
  read(value, what) {
    const id = WHOLE.test(textOf(value, what)) ? Number.parseInt(value as string, 10) : Number.NaN;
    requireThat(Number.isSafeInteger(id), `${what} is not an id`);
    return id;
  },
};

/** A positive id of 64 bits, written as a decimal string. */
export const wideId: Codec<bigint> = {
  schema: { type: "string", pattern: WIDE.source },
  write: String,
  read(value, what) {
    requireThat(WIDE.test(textOf(value, what)), `${what} is not an id`);
    const id = BigInt(value as string);
    requireThat(id < WIDE_LIMIT, `${what} is out of range`);
    return id;
  },
};

type DecimalRange = Readonly<{ scale: number; from: "above 0" | "0" | "any"; limit: bigint }>;

const DECIMAL = "[0-9]{1,40}(\\.[0-9]{1,40})?";

/**
 * An exact decimal, written as a string and read by its value: trailing zeros never matter. `limit` is the first magnitude
 * that is out of range, in steps.
 */
export function decimal<T extends Scaled>({ scale, from, limit }: DecimalRange): Codec<T> {
  return {
    schema: { type: "string", pattern: `^${from === "any" ? "-?" : ""}${DECIMAL}$` },
    write: (value) => formatScaled(value, scale),
    read(value, what) {
      const text = textOf(value, what, { most: 82 });
      const isNegative = from === "any" && text.startsWith("-");
      const steps = parseFact(isNegative ? text.slice(1) : text, scale);
      requireThat(steps !== undefined, `${what} is not a decimal with at most ${scale} decimals`);
      requireThat(steps < limit && (from !== "above 0" || steps > 0), `${what} is out of range`);
      return (isNegative ? normalise(-BigInt(steps)) : steps) as T;
    },
  };
}

/** A list of at most `most` values. */
export const listOf = <T>(one: Codec<T>, most: number): Codec<readonly T[]> => ({
  schema: { type: "array", items: one.schema, maxItems: most },
  write: (values) => values.map(one.write),
  read: (value, what) => itemsOf(value, what, most).map((item) => one.read(item, `an entry of ${what}`)),
});

/** A member that may be absent. */
export const maybe = <T>(codec: Codec<T>): Member<T> => ({ ...codec, isOptional: true });

/** An object by one codec per member. A member that is not in the table is not written, and is ignored when read. */
export function objectOf<T extends object>(
  members: {
    readonly [K in keyof T]-?: Member<Exclude<T[K], undefined>>;
  },
): Codec<T> {
  const each = Object.entries(members) as [keyof T & string, Member<unknown>][];
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(each.map(([name, { schema }]) => [name, schema])),
      required: each.filter(([, { isOptional }]) => isOptional !== true).map(([name]) => name),
    },
    write(value) {
      const given = each.filter(([name]) => value[name] !== undefined);
      return Object.fromEntries(given.map(([name, codec]) => [name, codec.write(value[name])]));
    },
    read(value, what) {
      const all = membersOf(value, what);
      const present = each.filter(([name, codec]) => codec.isOptional !== true || all[name] !== undefined);
      return Object.fromEntries(
        present.map(([name, codec]) => [name, codec.read(all[name], `${name} of ${what}`)]),
      ) as T;
    },
  };
}

/** Changes what a codec reads into another type. `from` returns what is written. `to` may throw an UnreadableAnswer. */
export const mapped = <T, U>(codec: Codec<T>, to: (value: T) => U, from: (value: U) => T): Codec<U> => ({
  schema: codec.schema,
  write: (value) => codec.write(from(value)),
  read: (value, what) => to(codec.read(value, what)),
});
