import type { NumberRow, Scaled } from "../../decimal/index.ts";
import type { ExecutionIds } from "../../model/index.ts";

/**
 * Form of a value in the journal: a safe integer; a whole number of any size; text; one of a set of words; true or
 * false; only true; an array; the array of execution ids; an object; one of several objects, told apart by their
 * `kind`.
 */
export type Form =
  | "integer"
  | "scaled"
  | "text"
  | "words"
  | "flag"
  | "yes"
  | "list"
  | "ids"
  | "object"
  | "union";

/**
 * The schema of a value. All schemas have all members, so that the JavaScript engine sees one shape wherever a schema
 * is followed.
 */
export type Schema = Readonly<{
  form: Form;
  /** For words: each word with its text. */
  words: ReadonlyMap<unknown, string>;
  /** For an array: the schema of its entries. */
  entry: Schema | undefined;
  /** For an object. */
  shape: Shape | undefined;
  /** For a union: its name in errors, and each kind. */
  what: string;
  shapes: ReadonlyMap<unknown, Shape>;
}>;

/** The members of an object. */
export type Shape = Readonly<{
  /** Its name in errors, such as "a fill". */
  owner: string;
  members: ReadonlyMap<string, Member>;
  /** Number of required members. */
  needed: number;
}>;

/** One member of an object. */
export type Member = Readonly<{
  schema: Schema;
  /** Its place in errors: `"price" of a fill`. */
  place: string;
  /** Text before its value, as the first member and as a later one. */
  first: string;
  next: string;
  /** 1 if it is required, else 0. */
  need: number;
}>;

declare const means: unique symbol;

/** A schema whose values have exactly one type in memory. */
export type Kind<T> = Schema & Readonly<{ [means]?: (value: T) => T }>;

/** A member that may be absent. */
export type Optional<T> = Readonly<{ optional: Kind<T> }>;

/**
 * Each member of a type with its schema. A forgotten member, a schema that does not fit its type, and an optional
 * member without {@link optional} do not compile.
 */
export type MembersOf<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K> ? Optional<Exclude<T[K], undefined>> : Kind<T[K]>;
};

/** Each kind of a union with its members besides `kind`. */
export type KindsOf<T extends Readonly<{ kind: string }>> = {
  readonly [K in T["kind"]]: MembersOf<Omit<Extract<T, { kind: K }>, "kind">>;
};

const NOTHING: Omit<Schema, "form"> = {
  words: new Map(),
  entry: undefined,
  shape: undefined,
  what: "",
  shapes: new Map(),
};

const schemaOf = (form: Form, rest: Partial<Schema> = {}): Schema => ({
  form,
  ...NOTHING,
  ...rest,
});

/** A safe integer. */
export const integer: Kind<number> = schemaOf("integer");

/**
 * Returns the schema of a whole number of any size: plain while it is a safe integer, `{"n":"digits"}` beyond
 * (invariant I16).
 */
export const scaled = <T extends Scaled>(): Kind<T> => schemaOf("scaled");

/** Any text. */
export const text: Kind<string> = schemaOf("text");

/** True or false. */
export const flag: Kind<boolean> = schemaOf("flag");

/** True. The member is absent otherwise. */
export const yes: Kind<true> = schemaOf("yes");

/**
 * Returns the schema of a closed set of words, given as the keys of a table with all words of the type. The values do
 * not matter; `false`, which would seem to exclude a word, does not compile.
 */
export function words<T extends string>(all: Readonly<Record<T, true | object>>): Kind<T> {
  return schemaOf("words", {
    words: new Map(Object.keys(all).map((word) => [word, `"${word}"`])),
  });
}

/** Returns the schema of an array of values of one kind. */
export const list = <T>(entry: Kind<T>): Kind<readonly T[]> => schemaOf("list", { entry });

/** Returns the schema of a row of numbers, which may be packed in memory. */
export const row = <T extends Scaled>(entry: Kind<T>): Kind<NumberRow<T>> => schemaOf("list", { entry });

/** Ids of executions, an array of texts. */
export const executionIds: Kind<ExecutionIds> = schemaOf("ids", {
  entry: text,
});

/** A member that may be absent. */
export const optional = <T>(kind: Kind<T>): Optional<T> => ({ optional: kind });

/** Returns the schema of an object. `owner` is its name in errors, such as "a fill". */
export function object<T extends object>(owner: string, members: MembersOf<T>): Kind<T> {
  return schemaOf("object", { shape: shapeOf(owner, members) });
}

/** Returns the schema of a union. `what` is its name in errors, such as "fact". */
export function union<T extends Readonly<{ kind: string }>>(what: string, kinds: KindsOf<T>): Kind<T> {
  const shapes = Object.entries<MembersGiven>(kinds).map(([kind, members]): [string, Shape] => [
    kind,
    shapeOf(`a ${what} ${kind}`, {
      kind: words<string>({ [kind]: true }),
      ...members,
    }),
  ]);
  return schemaOf("union", { what, shapes: new Map(shapes) });
}

type MembersGiven = Readonly<Record<string, Schema | Readonly<{ optional: Schema }>>>;

function shapeOf(owner: string, given: MembersGiven): Shape {
  const members = Object.entries(given).map(([name, kind]): [string, Member] => {
    const first = `"${name}":`;
    const member = { place: `"${name}" of ${owner}`, first, next: `,${first}` };
    return [
      name,
      "optional" in kind
        ? { schema: kind.optional, ...member, need: 0 }
        : { schema: kind, ...member, need: 1 },
    ];
  });
  return {
    owner,
    members: new Map(members),
    needed: members.reduce((sum, [, { need }]) => sum + need, 0),
  };
}
