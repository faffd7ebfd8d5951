import { type ErrorName, OrderError } from "../errors/index.ts";
import {
  checkName,
  checkText,
  PARAMETER_LIMIT,
  type Parameters,
  readFlatJson,
  type Scalar,
  shownName,
  tooManyParameters,
} from "./json.ts";

/** Created at the first use: some clients import this module on platforms without TextDecoder. */
let latin1: InstanceType<typeof TextDecoder> | undefined;

/**
 * Returns text with one character for each byte, so that positions in the text are positions in the bytes. ASCII
 * stays as it is. A byte beyond ASCII becomes a character beyond ASCII, which the grammars of query and form refuse.
 */
export function bytesToText(bytes: Uint8Array): string {
  latin1 ??= new TextDecoder("latin1");
  return latin1.decode(bytes);
}

const PRINTABLE = /^[\x20-\x7e]*$/;

/** Headers of authentication, which are refused with errors of their own. */
const OWN_ERRORS: ReadonlyMap<string, ErrorName> = new Map<string, ErrorName>([
  ["x-mbx-apikey", "BAD_API_KEY_FORMAT"],
  ["signature", "BAD_SIGNATURE"],
]);

/**
 * Returns the value of a header that may appear once, as sent; `undefined` when it is absent. `name` may be in any
 * letter case. Throws OrderError when the header appears twice (a joined `a, b` would hide that) or contains anything
 * but printable ASCII: -2014 for X-MBX-APIKEY, -1022 for signature, else -1101 or -1100 (hostile inputs 10, 26, 27,
 * 48).
 */
export function singleHeader(rawHeaders: readonly string[], name: string): string | undefined {
  const wanted = name.toLowerCase();
  let found: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? "";
    if (sent.length !== wanted.length || sent.toLowerCase() !== wanted) continue;
    if (found !== undefined)
      throw new OrderError(OWN_ERRORS.get(wanted) ?? "DUPLICATE_PARAMETER", { field: name });
    found = rawHeaders[index + 1];
  }
  if (found !== undefined && !PRINTABLE.test(found)) {
    throw new OrderError(OWN_ERRORS.get(wanted) ?? "ILLEGAL_CHARS", {
      field: name,
      range: "printable ASCII",
    });
  }
  return found;
}

/** Raw path and raw query of a request target. `query` is without the question mark, and empty when there is none. */
export type RequestTarget = Readonly<{ path: string; query: string }>;

/**
 * Splits a target at its first question mark and changes nothing. Returns `undefined` for anything but an origin-form
 * target: absolute form, authority form, `*`, or a fragment. {@link isStrictQuery} checks the bytes of the query
 * afterwards, so that the route of a bad query is known and its weight counted (hostile inputs 42-44).
 */
export function splitTarget(target: string): RequestTarget | undefined {
  if (!target.startsWith("/") || target.includes("#")) return undefined;
  const mark = target.indexOf("?");
  if (mark < 0) return { path: target, query: "" };
  return { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

const OUTSIDE_QUERY = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]|%(?![0-9A-Fa-f]{2})/;

/**
 * Returns whether a raw query contains only what RFC 3986 allows in one: its characters, and `%` with two hex digits. This
 * closes the boundary shift between query and JSON body, which needs a raw `{` or `"`.
 */
export function isStrictQuery(query: string): boolean {
  return !OUTSIDE_QUERY.test(query);
}

/** Text that needs no encoding. Checked first, because most names and values need none. */
const UNRESERVED = /^[A-Za-z0-9\-._~]*$/;
const LEFT_BY_HOST = /[!'()*]/g;

/**
 * Percent-encodes text by RFC 3986: every byte but letters, digits and `-._~` becomes `%XX` in upper case; a space is
 * `%20`. Throws a URIError for a lone surrogate.
 */
export function percentEncode(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text).replace(
    LEFT_BY_HOST,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Percent-decodes text strictly. Returns `undefined` for a broken `%` and for bytes that are not well-formed UTF-8
 * (overlong forms and surrogates included). A `+` stays a plus. The text is a copy, so that a kept value does not
 * keep its request alive.
 */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the parameters of a raw query (without the question mark): `name=value` joined by `&`, no empty item, exactly one
 * `=` each, plain names, strictly percent-decoded values, only the bytes of RFC 3986. A `+` is a plus, as in RFC 3986 and
 * in the signed bytes; a space is `%20`. No field of the contract contains either. Throws OrderError -1100 or -1101
 * (hostile inputs 34-41 and 54).
 */
export function readQuery(raw: string): Parameters {
  return readPairs(raw, "query");
}

/** Returns the parameters of a raw form body, by the same grammar as {@link readQuery}. */
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

const BRACE = 0x7b;
const JSON_TYPE = /^application\/json(?: *; *charset=(?:utf-8|"utf-8"))?$/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded(?: *; *charset=(?:utf-8|"utf-8"))?$/i;

/** Returns whether a body is JSON: its first byte is `{`, whatever its Content-Type says. */
export function isJsonBody(body: Uint8Array): boolean {
  return body[0] === BRACE;
}

/**
 * Returns the parameters of a body. An empty body has none, whatever its Content-Type. A body that begins with `{` is
 * JSON and needs `application/json`; any other body is a form and needs `application/x-www-form-urlencoded`. The only
 * type parameter that either may have is `charset=utf-8`. A missing type matches neither.
 *
 * Throws OrderError -1135 when the type says JSON and the body does not begin with `{`, and -1130 naming Content-Type for
 * every other mismatch. Otherwise throws what the two readers throw (contract, Version 3 REST 3; hostile input 48).
 */
export function readBody(body: Uint8Array, contentType: string | undefined): Parameters {
  if (body.length === 0) return new Map();
  const type = contentType ?? "";
  if (isJsonBody(body)) {
    if (!JSON_TYPE.test(type)) throw wrongType("application/json");
    return readFlatJson(body);
  }
  if (JSON_TYPE.test(type)) throw new OrderError("INVALID_JSON");
  if (!FORM_TYPE.test(type)) throw wrongType("application/x-www-form-urlencoded");
  return readForm(bytesToText(body));
}

function wrongType(due: string): OrderError {
  return new OrderError("INVALID_PARAMETER", {
    field: "Content-Type",
    advice: `Send this body in UTF-8 with the Content-Type ${due}.`,
  });
}
