import type { ErrorName } from "../errors/index.ts";

/**
 * How a parameter's text becomes a value. `natural`: whole number without sign; `integer`: with an optional minus;
 * `int64`: the same, but a bigint.
 */
export type FieldKind = "text" | "decimal" | "natural" | "integer" | "int64" | "boolean";

/** What a parameter is, in a sentence, and a value of it. */
export type FieldNote = Readonly<{ about: string; example: string | number | boolean }>;

/** A known parameter: its kind, what is legal in a sentence, errors other than the usual ones, and its note. */
export type Field = FieldNote &
  Readonly<{
    kind: FieldKind;
    legal: string;
    /** Instead of INVALID_PARAMETER. */
    invalid?: ErrorName;
    /** Instead of PARAMETER_EMPTY. */
    empty?: ErrorName;
    /** Above the maximum, instead of `invalid`. */
    above?: ErrorName;
  }>;

/** What is written down of a field beside its kind. */
export type FieldTerms = Omit<Field, "kind">;

/** What is legal, and what errors there are, where several fields say the same. */
type Terms = Readonly<Partial<FieldTerms> & Pick<FieldTerms, "legal">>;

/** An id that the caller gives to a new order or list. */
export const CREATED_ID: Terms = {
  legal: "Use 1-36 letters, digits, '.', '_' or '-'; not '.', not '..', not beginning with aqc-.",
  empty: "EMPTY_NEW_CLIENT_ID",
};
/** An id that the caller looks for. */
export const LOOKUP_ID: Terms = {
  legal: "Send 1-64 printable ASCII characters.",
  empty: "EMPTY_CLIENT_ID",
};
/** An amount of the base asset. */
export const QUANTITY: Terms = { legal: "Send a decimal string above 0 with at most 6 decimals." };
/** An amount or price in USD. */
export const USD: Terms = { legal: "Send a decimal string above 0 with at most 8 decimals." };
/** When an order ends by itself. */
export const EXPIRY: Terms = { legal: "Send a future time in epoch milliseconds, below 253402300799000." };
/** An end of a range of times. */
export const TIME: Terms = { legal: "Send a time in epoch milliseconds." };
/** An id of the service. */
export const INT64: Terms = { legal: "Send a 64-bit integer; in JSON without quotes." };
/** A yes or no. */
export const FLAG: Terms = { legal: "Send true or false; in JSON without quotes." };
