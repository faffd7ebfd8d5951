import { OrderError } from "../errors/index.ts";
import { parameterOf } from "./parameters.ts";

/** What a request calls a field of an order: the price of a leg may be its abovePrice. */
export type NameOf = (field: string) => string;

/** The fields of a single order go by their own names. */
export const ownName: NameOf = (field) => field;

/** A value that its field does not take: -1130, or the field's own error; `name` is what the request calls it. */
export function invalid(field: string, name: string = field): OrderError {
  const rule = parameterOf(field);
  return new OrderError(rule.invalid ?? "INVALID_PARAMETER", { field: name, advice: rule.legal });
}

/** Characters outside the grammar of a field: -1100 with the grammar as legal range. */
export function illegal(field: string, grammar: string): OrderError {
  return new OrderError("ILLEGAL_CHARS", { field, range: grammar });
}

/** Fields that cannot stand together, or of which one too few was sent: -1128 naming them. */
export function conflict(fields: readonly string[], advice: string): OrderError {
  const named = fields.map((field) => `'${field}'`).join(",");
  return new OrderError("BAD_COMBINATION", { field: String(fields[0]), fields: named, advice });
}

const SHOWN = 64;

/** Parameters that the route does not know: -1104 with the counts and the first unknown name (decision 38). */
export function unread(unknown: readonly string[], sent: number): OrderError {
  const first = String(unknown[0]);
  const field = first.length > SHOWN ? `${first.slice(0, SHOWN)}...` : first;
  return new OrderError("UNREAD_PARAMETER", { field, read: sent - unknown.length, sent });
}
