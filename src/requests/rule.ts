import {
  DECIMAL_GRAMMAR,
  type DecimalProblem,
  decimalProblem,
  type Notional,
  notional,
  PRICE_LIMIT,
  PRICE_SCALE,
  type Price,
  parsePrice,
  parseQuantity,
  parseScaled,
  price,
  QUANTITY_SCALE,
  type Quantity,
  type Scaled,
} from "../decimal/index.ts";
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
 * value in range. A text that matches the grammar but that `parse` refuses has a problem of a decimal. A value that is
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

/** Errors of decimals that match the grammar. Zero is an invalid value like any other. */
export const DECIMAL_ERRORS: Readonly<Partial<Record<DecimalProblem, ErrorName>>> = {
  precision: "PRECISION",
  range: "PARAMETER_OVERFLOW",
};

/** Accepts a decimal as described by {@link DecimalTerms}. */
function decimal<T extends Scaled>(
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
function csv(
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

/**
 * How a parameter's text becomes a value. `natural`: a whole number without a sign. `integer`: the same with an
 * optional minus. `int64`: like `integer`, but a bigint.
 */
type FieldKind = "text" | "decimal" | "natural" | "integer" | "int64" | "boolean";

/** A one-sentence description of a parameter, and an example value. */
export type FieldNote = Readonly<{ about: string; example: string | number | boolean }>;

/** A known parameter: its kind, its legal values in a sentence, its special errors, and its note. */
export type Field = FieldNote &
  Readonly<{
    kind: FieldKind;
    legal: string;
    /** Replaces INVALID_PARAMETER. */
    invalid?: ErrorName;
    /** Replaces PARAMETER_EMPTY. */
    empty?: ErrorName;
    /** Replaces `invalid` for a value above the maximum. */
    above?: ErrorName;
  }>;

/** Properties of a field besides its kind. */
export type FieldTerms = Omit<Field, "kind">;

/** Legal values and errors that several fields share. */
type Terms = Readonly<Partial<FieldTerms> & Pick<FieldTerms, "legal">>;

/** An id that the caller chooses for a new order or list. */
export const CREATED_ID: Terms = {
  legal:
    "Use 1-36 letters, digits, '.', '_' or '-'. The id must not be '.' or '..', and must not begin with aqc-.",
  empty: "EMPTY_NEW_CLIENT_ID",
};
/** An id that the caller looks up. */
export const LOOKUP_ID: Terms = {
  legal: "Send 1-64 printable ASCII characters.",
  empty: "EMPTY_CLIENT_ID",
};
/** An amount of the base asset. */
export const QUANTITY: Terms = { legal: "Send a decimal string above 0 with at most 6 decimals." };
/** An amount or price in USD. */
export const USD: Terms = { legal: "Send a decimal string above 0 with at most 8 decimals." };
/** Expiry of an order. */
export const EXPIRY: Terms = {
  legal: "Send a time in the future, in epoch milliseconds, below 253402300799000.",
};
/** Start or end of a time range. */
export const TIME: Terms = { legal: "Send a time in epoch milliseconds." };
/** An id of the service. */
export const INT64: Terms = { legal: "Send a 64-bit integer." };
/** A boolean. */
export const FLAG: Terms = { legal: "Send true or false." };

function parseOffset(sent: string): Price | undefined {
  const value = parseScaled(sent, PRICE_SCALE);
  return value !== undefined && value < PRICE_LIMIT ? (value as Price) : undefined;
}

/** Base-asset quantity: above 0, below 10^12, at most 6 decimals. */
export const quantityRule: FieldRule<Quantity> = decimal({
  scale: QUANTITY_SCALE,
  digits: 12,
  parse: parseQuantity,
});

/** USD per unit: above 0, below 10^10, at most 8 decimals. */
export const priceRule: FieldRule<Price> = decimal({ scale: PRICE_SCALE, digits: 10, parse: parsePrice });

/** USD distance of a limit from its trigger: 0 or more. */
export const offsetRule: FieldRule<Price> = decimal({ scale: PRICE_SCALE, digits: 10, parse: parseOffset });

const ENTRY_OR_PRICE = `^ENTRY$|${DECIMAL_GRAMMAR}`;

/** The price of the entry, or a price in USD. */
export const entryOrPriceRule: FieldRule<"ENTRY" | Price> = required(
  { kind: "text", pattern: new RegExp(ENTRY_OR_PRICE), reserved: undefined },
  (input) => (input === "ENTRY" ? input : priceRule.read(input)),
);

/** First amount out of range: 10^12 USD. */
const AMOUNT_LIMIT = /* @__PURE__ */ notional("1000000000000");

function parseAmount(sent: string): Notional | undefined {
  const value = parseScaled(sent, PRICE_SCALE);
  const amount = value === undefined || value <= 0 ? undefined : notional(sent);
  return amount !== undefined && amount < AMOUNT_LIMIT ? amount : undefined;
}

/** USD to spend or receive: above 0, below 10^12, at most 8 decimals. Source: convention 3.1, quoteOrderQty. */
export const amountRule: FieldRule<Notional> = /* @__PURE__ */ decimal({
  scale: PRICE_SCALE,
  digits: 12,
  parse: parseAmount,
});

/** Percentage above 0 and below 100, at most 8 decimals (contract, Order input fields: price2). */
export const percentRule: FieldRule<Price> = decimal({
  scale: PRICE_SCALE,
  digits: 2,
  parse: parsePrice,
  below: price("100"),
});

/** Basis points, 1-9999 (contract, Order input fields: trailingDelta). */
export const basisPointsRule: FieldRule<number> = whole({ from: 1, to: 9_999 });

/** Length of a slot in milliseconds, 1 s to a day (contract, Order input fields: interval). */
export const intervalRule: FieldRule<number> = whole({ from: 1_000, to: 86_400_000 });

/** Number of slots, 2-10000 (contract, Order input fields: intervalCount). */
export const intervalCountRule: FieldRule<number> = whole({ from: 2, to: 10_000 });

/** Milliseconds before the first slot, up to a week (contract, Order input fields: intervalDelay). */
export const intervalDelayRule: FieldRule<number> = whole({ from: 0, to: 604_800_000 });

/** Share of the executed volume in basis points, 1-10000 (contract, Order input fields: participationBips). */
export const participationRule: FieldRule<number> = whole({ from: 1, to: 10_000 });

const MOST_WEIGHTS = 10_000;
const WEIGHT_DIGITS = 15;

/** Weights of a schedule, one per slot; a weight has at most 15 digits, so that it is a safe integer. */
export const weightsRule: FieldRule<readonly number[]> = csv({
  pattern: /^[0-9]{1,15}(,[0-9]{1,15})*$/,
  longest: MOST_WEIGHTS * (WEIGHT_DIGITS + 1) - 1,
  takes: (weights) =>
    weights.length >= 2 && weights.length <= MOST_WEIGHTS && weights.some((weight) => weight > 0),
});

const LAST_EXPIRY_MS = 253_402_300_798_999;

/** Expiry in epoch milliseconds, below 253402300799000. Admission checks that it is in the future. */
export const expiryRule: FieldRule<number> = whole({ from: 1, to: LAST_EXPIRY_MS });

/** Id of an account, a user or an instrument: a positive safe integer. */
export const idRule: FieldRule<number> = whole({ from: 1 });

/** Start or end of a time range in epoch milliseconds. */
export const timeRule: FieldRule<number> = /* @__PURE__ */ whole({ from: 0 });

/** Text that is not empty. */
export const textRule: FieldRule<string> = text();

/**
 * Client id of a new order, without the reserved ids: child ids in any letter case, and names that mean a
 * folder in a path.
 */
export const newClientIdRule: FieldRule<string> = text({
  pattern: /^[A-Za-z0-9._-]{1,36}$/,
  reserved: /^([aA][qQ][cC]-.*|\.{1,2})$/,
});

/** Client id in a look-up: 1-64 printable ASCII characters. */
export const lookupIdRule: FieldRule<string> = /* @__PURE__ */ text({ pattern: /^[ -~]{1,64}$/ });
