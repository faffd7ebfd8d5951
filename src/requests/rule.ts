import { DECIMAL_GRAMMAR, type DecimalProblem, decimalProblem, type Scaled } from "../decimal/index.ts";
import type { ErrorName } from "../errors/index.ts";

/** Reason why a value is refused. Each is made once, with its rule. */
export class Fault {
  readonly why: "missing" | "invalid" | "empty" | "illegal" | "above" | ErrorName;
  /** The legal grammar, the limit that was exceeded, or the number of decimals allowed. */
  readonly bound: string;

  constructor(why: Fault["why"], bound = "") {
    this.why = why;
    this.bound = bound;
  }
}

/** A rule as data, from which descriptions are made. */
export type RuleTerms =
  | Readonly<{ kind: "text"; pattern: RegExp | undefined; reserved: RegExp | undefined }>
  | Readonly<{ kind: "words"; words: readonly [string, ...string[]] }>
  | Readonly<{ kind: "only"; value: string | boolean }>
  | Readonly<{ kind: "flag" | "int64" }>
  | Readonly<{ kind: "whole"; from: number | undefined; to: number | undefined }>
  | Readonly<{ kind: "capped"; from: number; cap: number }>
  | DecimalTerms
  | Readonly<{ kind: "csv"; pattern: RegExp; longest: number; takes: (items: readonly number[]) => boolean }>;

/**
 * A decimal with at most `scale` decimals. `digits` is the number of digits before the point that is enough for every
 * value in range. A text that matches the grammar but that `parse` refuses has a problem of decision 7. A value that is
 * not below `below` is invalid.
 */
export type DecimalTerms = Readonly<{
  kind: "decimal";
  scale: number;
  digits: number;
  parse: (text: string) => Scaled | undefined;
  below: Scaled | undefined;
}>;

/** Whether a field is required, optional, or has a default. */
type Presence = "required" | "optional" | Readonly<{ preset: unknown }>;

/**
 * The rule of one field's value. `terms` describes it and `read` applies it; `read` is made once with the rule. Nothing
 * else reads or describes a field, so that a request is never judged by two sets of rules.
 */
export type FieldRule<T> = Readonly<{
  terms: RuleTerms;
  presence: Presence;
  read: (input: unknown) => T | Fault;
}>;

const MISSING = new Fault("missing");
const INVALID = new Fault("invalid");
const EMPTY = new Fault("empty");
const UNSAFE = new Fault("above", String(Number.MAX_SAFE_INTEGER));

const wrongKind = (input: unknown): Fault => (input === undefined ? MISSING : INVALID);

function required<T>(terms: RuleTerms, read: FieldRule<T>["read"]): FieldRule<T> {
  return { terms, presence: "required", read };
}

/** Makes the field of a rule optional. */
export function optionalField<T>({ terms, read }: FieldRule<T>): FieldRule<T | undefined> {
  return { terms, presence: "optional", read: (input) => (input === undefined ? undefined : read(input)) };
}

/** Gives the field of a rule a default value. */
export function preset<T>({ terms, read }: FieldRule<T>, value: T): FieldRule<T> {
  const presence = { preset: value };
  return { terms, presence, read: (input) => (input === undefined ? value : read(input)) };
}

/** Accepts text that is not empty, matches the `pattern` if there is one, and does not match `reserved`. */
export function text(grammar: Readonly<{ pattern?: RegExp; reserved?: RegExp }> = {}): FieldRule<string> {
  const { pattern, reserved } = grammar;
  const illegal = new Fault("illegal", pattern?.source);
  return required({ kind: "text", pattern, reserved }, (input) => {
    if (typeof input !== "string") return wrongKind(input);
    if (input === "") return EMPTY;
    if (pattern?.test(input) === false) return illegal;
    return reserved?.test(input) === true ? INVALID : input;
  });
}

/** Accepts one of the given words. */
export function words<T extends string>(...all: readonly [T, ...T[]]): FieldRule<T> {
  return oneOf(all);
}

/** Accepts one of the words of a list. */
export function oneOf<T extends string>(all: readonly [T, ...T[]]): FieldRule<T> {
  return required({ kind: "words", words: all }, (input) =>
    all.includes(input as T) ? (input as T) : wrongKind(input),
  );
}

/** Accepts exactly one value. */
export function only<T extends string | boolean>(value: T): FieldRule<T> {
  return required({ kind: "only", value }, (input) => (input === value ? value : wrongKind(input)));
}

/** Accepts true or false. */
export const flag: FieldRule<boolean> = required({ kind: "flag" }, (input) =>
  typeof input === "boolean" ? input : wrongKind(input),
);

/** Accepts any 64-bit integer. */
export const int64: FieldRule<bigint> = required({ kind: "int64" }, (input) =>
  typeof input === "bigint" ? input : wrongKind(input),
);

/** Accepts a safe integer within bounds, both included. */
export function whole(range: Readonly<{ from?: number; to?: number }>): FieldRule<number> {
  const { from, to } = range;
  const [least, most] = [from ?? Number.MIN_SAFE_INTEGER, to ?? Number.MAX_SAFE_INTEGER];
  const above = new Fault("above", String(most));
  return required({ kind: "whole", from, to }, (input) => {
    if (typeof input !== "number" || !Number.isInteger(input)) return wrongKind(input);
    if (input > Number.MAX_SAFE_INTEGER) return UNSAFE;
    if (input < least) return INVALID;
    return input > most ? above : input;
  });
}

/** Accepts a number of at least `from`. A number above `cap` counts as `cap`. */
export function capped({ from, cap }: Readonly<{ from: number; cap: number }>): FieldRule<number> {
  return required({ kind: "capped", from, cap }, (input) => {
    if (typeof input !== "number" || !Number.isFinite(input)) return wrongKind(input);
    return input < from ? INVALID : Math.min(input, cap);
  });
}

const DECIMAL = new RegExp(DECIMAL_GRAMMAR);

/** Errors of decimals that match the grammar (decision 7). Zero is an invalid value like any other. */
export const DECIMAL_ERRORS: Readonly<Partial<Record<DecimalProblem, ErrorName>>> = {
  precision: "PRECISION",
  range: "PARAMETER_OVERFLOW",
};

/** Accepts a decimal as described by {@link DecimalTerms}. */
export function decimal<T extends Scaled>(
  terms: Readonly<{
    scale: number;
    digits: number;
    parse: (text: string) => T | undefined;
    below?: Scaled;
  }>,
): FieldRule<T> {
  const { scale, digits, parse, below } = terms;
  const illegal = new Fault("illegal", DECIMAL_GRAMMAR);
  const faultOf = (input: string): Fault => {
    if (!DECIMAL.test(input)) return illegal;
    const reason = DECIMAL_ERRORS[decimalProblem(input, scale)];
    return reason === undefined ? INVALID : new Fault(reason, String(scale));
  };
  return required({ kind: "decimal", scale, digits, parse, below }, (input) => {
    if (typeof input !== "string") return wrongKind(input);
    const value = parse(input);
    if (value === undefined) return faultOf(input);
    return below === undefined || value < below ? value : INVALID;
  });
}

/** Accepts whole numbers separated by commas, in a text of at most `longest` characters. */
export function csv(
  terms: Readonly<{ pattern: RegExp; longest: number; takes: (items: readonly number[]) => boolean }>,
): FieldRule<readonly number[]> {
  const { pattern, longest, takes } = terms;
  const illegal = new Fault("illegal", pattern.source);
  return required({ kind: "csv", ...terms }, (input) => {
    if (typeof input !== "string") return wrongKind(input);
    if (input === "") return EMPTY;
    if (input.length > longest) return INVALID;
    if (!pattern.test(input)) return illegal;
    const items = input.split(",").map((item) => Number.parseInt(item, 10));
    return takes(items) ? items : INVALID;
  });
}
