import { nearestName } from "../common/index.ts";
import { OrderError } from "../errors/index.ts";
import { parameterOf } from "./parameters.ts";

/** Returns the request's name of an order field: the price of a leg may be sent as abovePrice. */
export type NameOf = (field: string) => string;

/** Names the fields of a single order: each has its own name. */
export const ownName: NameOf = (field) => field;

/**
 * Returns the error of a value that its field does not take: -1130, or the field's own error. `name` is the request's
 * name of the field.
 */
export function invalid(field: string, name: string = field): OrderError {
  const rule = parameterOf(field);
  return new OrderError(rule.invalid ?? "INVALID_PARAMETER", { field: name, advice: rule.legal });
}

/**
 * Returns the error of a JSON value with quotes that its field does not take, or without quotes that it needs: that of
 * {@link invalid}, with `quotes` added to the advice.
 */
export function misquoted(field: string, name: string, quotes: string): OrderError {
  const rule = parameterOf(field);
  return new OrderError(rule.invalid ?? "INVALID_PARAMETER", {
    field: name,
    advice: `${rule.legal} ${quotes}`,
  });
}

/** Returns the error of characters outside a field's grammar: -1100, with the grammar as legal range. */
export function illegal(field: string, grammar: string): OrderError {
  return new OrderError("ILLEGAL_CHARS", { field, range: grammar });
}

/** Returns the error of fields that conflict, or of which one is missing: -1128, with their names. */
export function conflict(fields: readonly string[], advice: string): OrderError {
  const named = fields.map((field) => `'${field}'`).join(",");
  return new OrderError("BAD_COMBINATION", { field: String(fields[0]), fields: named, advice });
}

const SHOWN = 64;

/**
 * Returns the error of names of which one at least is not `known`: -1104, with the counts, the first unknown name and the
 * nearest known one, unless it was sent too (decisions 38 and MG).
 */
export function unread(sent: readonly string[], known: ReadonlySet<string>): OrderError {
  const first = sent.find((name) => !known.has(name)) ?? "";
  const field = first.length > SHOWN ? `${first.slice(0, SHOWN)}...` : first;
  const nearest = nearestName(field, known, (name) => sent.includes(name));
  const advice = nearest === undefined ? "" : ` Did you mean '${nearest}'?`;
  const read = sent.filter((name) => known.has(name)).length;
  return new OrderError("UNREAD_PARAMETER", { field, read, sent: sent.length, advice });
}
