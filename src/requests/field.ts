import type { ErrorName } from "../errors/index.ts";

/**
 * How a parameter's text becomes a value. `natural`: a whole number without a sign. `integer`: the same with an
 * optional minus. `int64`: like `integer`, but a bigint.
 */
export type FieldKind = "text" | "decimal" | "natural" | "integer" | "int64" | "boolean";

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
