import { OrderError } from "../errors/index.ts";
import { percentDecode } from "./percent.ts";
import {
  checkName,
  checkText,
  PARAMETER_LIMIT,
  type Parameters,
  type Scalar,
  shownName,
  tooManyParameters,
} from "./scalar.ts";
import { isStrictQuery } from "./target.ts";

/**
 * Returns the parameters of a raw query (without the question mark): `name=value` joined by `&`, no empty item,
 * exactly one `=` each, plain names, strictly percent-decoded values, only the bytes of RFC 3986. A `+` is a plus, as
 * in RFC 3986 and in the signed bytes; a space is `%20`. No field of the contract contains either. Throws OrderError
 * -1100 or -1101 (decision 41, hostile inputs 34-41 and 54).
 */
export function readQuery(raw: string): Parameters {
  return readPairs(raw, "query");
}

/** Returns the parameters of a raw form body, by the same grammar as {@link readQuery} (decision 41). */
export function readForm(raw: string): Parameters {
  return readPairs(raw, "body");
}

function readPairs(raw: string, place: "query" | "body"): Parameters {
  const parameters = new Map<string, Scalar>();
  if (raw === "") return parameters;
  const items = raw.split("&");
  if (items.length > PARAMETER_LIMIT) throw tooManyParameters(items.length);
  for (const item of items) {
    if (item === "") throw new OrderError("ILLEGAL_CHARS", { field: place, range: "name=value joined by &" });
    const [name, text] = readPair(item);
    checkName(parameters, name);
    parameters.set(name, { text, kind: "text" });
  }
  return parameters;
}

function readPair(item: string): readonly [name: string, text: string] {
  const equals = item.indexOf("=");
  const name = equals < 0 ? item : item.slice(0, equals);
  if (equals < 0 || item.includes("=", equals + 1)) {
    throw new OrderError("ILLEGAL_CHARS", { field: shownName(name), range: "name=value with one =" });
  }
  const text = isStrictQuery(item) ? percentDecode(item.slice(equals + 1)) : undefined;
  if (text === undefined) {
    throw new OrderError("ILLEGAL_CHARS", { field: shownName(name), range: "percent-encoded UTF-8" });
  }
  checkText(shownName(name), text);
  return [name, text];
}
