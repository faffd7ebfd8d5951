import { DECIMAL_GRAMMAR, type DecimalProblem, decimalProblem, type Scaled } from "../decimal/index.ts";
import type { ErrorName } from "../errors/index.ts";

/** Why a value is not taken. Each is made once, with the rule that gives it. */
export class Fault {
  readonly why: "missing" | "invalid" | "empty" | "illegal" | "above" | ErrorName;
  /** The grammar of what is legal, the limit that was passed, or how many decimals there may be. */
  readonly bound: string;

  constructor(why: Fault["why"], bound = "") {
    this.why = why;
    this.bound = bound;
  }
}

/** What a rule says, as data: descriptions are made of it. */
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
 * A decimal: at most `scale` decimals, and `digits` before the point, which are enough for every value that is not out
 * of range. What is of the grammar and is not taken by `parse` has a problem of decision 7; what is not below `below` is invalid.
 */
export type DecimalTerms = Readonly<{
  kind: "decimal";
  scale: number;
  digits: number;
  parse: (text: string) => Scaled | undefined;
  below: Scaled | undefined;
}>;

/** Whether a field must be sent, may be left out, or has a value without. */
type Presence = "required" | "optional" | Readonly<{ preset: unknown }>;

/**
 * What the value of one field must be: told by `terms`, and read by `read`, a function made once with the rule. Nothing
 * else reads or describes a field, so that a request is never judged by two sets of rules.
 */
export type Rule<T> = Readonly<{
  terms: RuleTerms;
  presence: Presence;
  read: (input: unknown) => T | Fault;
}>;

const MISSING = new Fault("missing");
const INVALID = new Fault("invalid");
const EMPTY = new Fault("empty");
const UNSAFE = new Fault("above", String(Number.MAX_SAFE_INTEGER));

const wrongKind = (input: unknown): Fault => (input === undefined ? MISSING : INVALID);

function required<T>(terms: RuleTerms, read: Rule<T>["read"]): Rule<T> {
  return { terms, presence: "required", read };
}

/** The same, where the field may be left out. */
export function optional<T>({ terms, read }: Rule<T>): Rule<T | undefined> {
  return { terms, presence: "optional", read: (input) => (input === undefined ? undefined : read(input)) };
}

/** The same, with the value of a field that is left out. */
export function preset<T>({ terms, read }: Rule<T>, value: T): Rule<T> {
  const presence = { preset: value };
  return { terms, presence, read: (input) => (input === undefined ? value : read(input)) };
}

/** Text that is not empty, of a grammar where there is one, and none of the `reserved`. */
export function text(grammar: Readonly<{ pattern?: RegExp; reserved?: RegExp }> = {}): Rule<string> {
  const { pattern, reserved } = grammar;
  const illegal = new Fault("illegal", pattern?.source);
  return required({ kind: "text", pattern, reserved }, (input) => {
    if (typeof input !== "string") return wrongKind(input);
    if (input === "") return EMPTY;
    if (pattern?.test(input) === false) return illegal;
    return reserved?.test(input) === true ? INVALID : input;
  });
}

/** One of some words. */
export function words<T extends string>(...all: readonly [T, ...T[]]): Rule<T> {
  return required({ kind: "words", words: all }, (input) =>
    all.includes(input as T) ? (input as T) : wrongKind(input),
  );
}

/** One value and no other. */
export function only<T extends string | boolean>(value: T): Rule<T> {
  return required({ kind: "only", value }, (input) => (input === value ? value : wrongKind(input)));
}

/** True or false. */
export const flag: Rule<boolean> = required({ kind: "flag" }, (input) =>
  typeof input === "boolean" ? input : wrongKind(input),
);

/** Any 64-bit integer. */
export const int64: Rule<bigint> = required({ kind: "int64" }, (input) =>
  typeof input === "bigint" ? input : wrongKind(input),
);

/** A safe integer within bounds, both included. */
export function whole(range: Readonly<{ from?: number; to?: number }>): Rule<number> {
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

/** A number of at least `from`; more than `cap` counts as that. */
export function capped({ from, cap }: Readonly<{ from: number; cap: number }>): Rule<number> {
  return required({ kind: "capped", from, cap }, (input) => {
    if (typeof input !== "number" || !Number.isFinite(input)) return wrongKind(input);
    return input < from ? INVALID : Math.min(input, cap);
  });
}

const DECIMAL = new RegExp(DECIMAL_GRAMMAR);

/** Errors of decimals that are of the grammar (decision 7); a zero is an invalid value like any other. */
export const DECIMAL_ERRORS: Readonly<Partial<Record<DecimalProblem, ErrorName>>> = {
  precision: "PRECISION",
  range: "PARAMETER_OVERFLOW",
};

/** What {@link DecimalTerms} say. */
export function decimal<T extends Scaled>(
  terms: Readonly<{
    scale: number;
    digits: number;
    parse: (text: string) => T | undefined;
    below?: Scaled;
  }>,
): Rule<T> {
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

/** Whole numbers separated by commas, in a text of at most `longest` characters. */
export function csv(
  terms: Readonly<{ pattern: RegExp; longest: number; takes: (items: readonly number[]) => boolean }>,
): Rule<readonly number[]> {
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
