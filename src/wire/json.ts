import { OrderError } from "../errors/index.ts";

/** A JSON text and the position of the reader. The token readers move `at` past the token that they return. */
export type JsonCursor = { readonly text: string; at: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** Length from which a slice shares the memory of its text in V8. A shorter slice is a copy. */
const SHORTEST_SHARED = 13;
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;

/** Returns the error for text that is not JSON. */
export function malformedJson(): OrderError {
  return new OrderError("INVALID_JSON");
}

/** Skips white space and returns the next character without taking it; "" at the end. */
export function peek(cursor: JsonCursor): string {
  while (isSpace(cursor.text.charCodeAt(cursor.at))) cursor.at++;
  return cursor.text.charAt(cursor.at);
}

/** Takes `character` if it comes next after white space. Returns whether it did. */
export function take(cursor: JsonCursor, character: string): boolean {
  const comes = peek(cursor) === character;
  if (comes) cursor.at++;
  return comes;
}

/** Takes `character`. Throws OrderError -1135 when something else comes next. */
export function expect(cursor: JsonCursor, character: string): void {
  if (!take(cursor, character)) throw malformedJson();
}

/**
 * Takes a string token and returns its value. Throws OrderError -1135 for anything else. The result is a copy, so
 * that a kept value does not keep the whole text alive.
 */
export function takeString(cursor: JsonCursor): string {
  if (peek(cursor) !== '"') throw malformedJson();
  const start = cursor.at;
  const end = plainEnd(cursor.text, start + 1);
  cursor.at = end < 0 ? stringEnd(cursor.text, start) : end + 1;
  if (end >= 0 && end - start <= SHORTEST_SHARED) return cursor.text.slice(start + 1, end);
  try {
    return JSON.parse(cursor.text.slice(start, cursor.at)) as string;
  } catch {
    throw malformedJson();
  }
}

/** Skips a string token without decoding its value. Throws OrderError -1135 for anything else. */
export function skipString(cursor: JsonCursor): void {
  if (peek(cursor) !== '"') throw malformedJson();
  takeLexeme(cursor, STRING);
}

/** Takes the lexeme of a number. Throws OrderError -1135 when no number comes next. */
function takeNumber(cursor: JsonCursor): string {
  return takeLexeme(cursor, NUMBER);
}

/** Takes `true`, `false` or `null`. Throws OrderError -1135 when none of them comes next. */
function takeWord(cursor: JsonCursor): "true" | "false" | "null" {
  return takeLexeme(cursor, WORD) as "true" | "false" | "null";
}

const DEPTH_LIMIT = 32;

/** Skips one value of any kind. Throws OrderError -1135 when none comes next, or one of more than 32 levels. */
export function skipValue(cursor: JsonCursor, depth = 0): void {
  const first = peek(cursor);
  if (first === '"') skipString(cursor);
  else if (first === "{" || first === "[") skipMembers(cursor, depth + 1);
  else if (first === "t" || first === "f" || first === "n") takeWord(cursor);
  else takeNumber(cursor);
}

/** Throws OrderError -1135 when anything but white space remains. */
export function expectEnd(cursor: JsonCursor): void {
  if (peek(cursor) !== "") throw malformedJson();
}

function takeLexeme(cursor: JsonCursor, grammar: RegExp): string {
  grammar.lastIndex = cursor.at;
  const lexeme = grammar.exec(cursor.text)?.[0];
  if (lexeme === undefined) throw malformedJson();
  cursor.at += lexeme.length;
  return lexeme;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/**
 * Returns the position of the closing quote of a string without escapes; -1 for a string with escapes or a malformed
 * one.
 */
function plainEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH || code < SPACE) return -1;
  }
  return -1;
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
  }
  throw malformedJson();
}

function skipMembers(cursor: JsonCursor, depth: number): void {
  if (depth > DEPTH_LIMIT) throw malformedJson();
  const isObject = take(cursor, "{");
  if (!isObject) expect(cursor, "[");
  const end = isObject ? "}" : "]";
  if (take(cursor, end)) return;
  do {
    if (isObject) {
      skipString(cursor);
      expect(cursor, ":");
    }
    skipValue(cursor, depth);
  } while (take(cursor, ","));
  expect(cursor, end);
}

/**
 * One parameter value with its text exactly as sent (after unescaping). `kind` is "text" when it came from a query or
 * a form, which have no types, else its type in JSON. Integers keep their lexeme and never become a double.
 */
export type Scalar = Readonly<{ text: string; kind: "text" | "string" | "integer" | "boolean" }>;

/** Parameters by name, in the order sent. A Map, so that no name can reach a prototype. */
export type Parameters = ReadonlyMap<string, Scalar>;

/** Most parameters in one query, form or JSON body. */
export const PARAMETER_LIMIT = 100;

const NAME = /^[A-Za-z0-9_]+$/;
/** Control characters, lone surrogates, line and paragraph separators. */
const UNCLEAN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
const SHOWN_LENGTH = 40;

/** Returns a name for display in an error: printable ASCII, truncated. */
export function shownName(name: string): string {
  const shown = name.slice(0, SHOWN_LENGTH).replace(/[^\x21-\x7e]/g, "?");
  return shown === "" ? "name" : shown;
}

/**
 * Checks the name of one more parameter. Throws OrderError -1100 when it contains other characters than letters, digits and
 * underscores, and -1101 when it is there already or exceeds the limit (hostile inputs 34-37, 54, 55).
 */
export function checkName(parameters: Parameters, name: string): void {
  if (!NAME.test(name))
    throw new OrderError("ILLEGAL_CHARS", { field: shownName(name), range: "A-Za-z0-9_" });
  if (parameters.has(name)) throw new OrderError("DUPLICATE_PARAMETER", { field: name });
  if (parameters.size >= PARAMETER_LIMIT) throw tooManyParameters(parameters.size + 1);
}

/**
 * Checks a decoded value. Throws OrderError -1100 when it contains a control character, a line separator or a lone
 * surrogate (hostile inputs 39 and 62).
 */
export function checkText(name: string, text: string): void {
  if (UNCLEAN.test(text))
    throw new OrderError("ILLEGAL_CHARS", { field: name, range: "no control characters" });
}

/** Returns the error for more parameters than the limit. `received` is the least number that came. */
export function tooManyParameters(received: number): OrderError {
  return new OrderError("TOO_MANY_PARAMETERS", { limit: PARAMETER_LIMIT, received });
}

/**
 * Merges the parameters of query and body. Throws OrderError -1101 when a name is in both (contract, Linked lists, "exactly
 * one place").
 */
export function mergeParameters(query: Parameters, body: Parameters): Parameters {
  if (body.size === 0) return query;
  const merged = new Map(query);
  for (const [name, value] of body) {
    if (merged.has(name)) throw new OrderError("DUPLICATE_PARAMETER", { field: name });
    merged.set(name, value);
  }
  return merged;
}

/** Digits of a number that an error repeats. */
const MOST_REPEATED = 40;

/** Says how to send a decimal, which a JSON number would round. */
const adviceOn = (number: string): string =>
  ` A JSON number is not read as a decimal: put it in quotes, such as "${number.length > MOST_REPEATED ? "30000.5" : number}".`;

/** A number with decimals and without an exponent. */
const PLAIN_DECIMAL = /^(?:0|-?[1-9][0-9]*|-0)\.[0-9]+$/;

const PLAIN_INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

/** Created at the first use: some clients import this module on platforms without TextDecoder. */
let utf8: InstanceType<typeof TextDecoder> | undefined;

/**
 * Returns the parameters of one flat JSON object in UTF-8 whose first byte is the brace. Values are strings, booleans
 * and plain integers, whose lexemes are kept. Values are never nested, so the reader does not recurse.
 *
 * Throws OrderError:
 * - -1135 for anything that is not such JSON (bad UTF-8, a byte order mark, a second document),
 * - -1101 for a name that appears twice after unescaping,
 * - -1130 for an object, array or null as value,
 * - -1100 for any other number (`1.0`, `1e3`, `-0`), and for text with control characters or lone surrogates.
 *
 * (Contract, Linked lists, "Fields are scalars"; hostile inputs 55-66.)
 */
export function readFlatJson(bytes: Uint8Array): Parameters {
  return readFlatText(decode(bytes));
}

/** What a flat object may have besides: numbers with decimals, whose lexemes are kept as text without a type. */
type FlatOptions = Readonly<{ decimals?: boolean }>;

/** Like {@link readFlatJson}, for JSON as text, such as a part of a WebSocket message. */
export function readFlatText(text: string, { decimals = false }: FlatOptions = {}): Parameters {
  const cursor: JsonCursor = { text, at: 0 };
  if (cursor.text.charAt(0) !== "{") throw malformedJson();
  cursor.at = 1;
  const parameters = new Map<string, Scalar>();
  if (!take(cursor, "}")) readMembers(cursor, parameters, decimals);
  expectEnd(cursor);
  return parameters;
}

function readMembers(cursor: JsonCursor, parameters: Map<string, Scalar>, decimals: boolean): void {
  do {
    const name = takeString(cursor);
    checkName(parameters, name);
    expect(cursor, ":");
    parameters.set(name, readScalar(cursor, name, decimals));
  } while (take(cursor, ","));
  expect(cursor, "}");
}

function readScalar(cursor: JsonCursor, name: string, decimals: boolean): Scalar {
  const first = peek(cursor);
  if (first === '"') return readText(cursor, name);
  if (first === "{" || first === "[") throw new OrderError("NESTED_JSON", { field: name });
  if (first === "t" || first === "f" || first === "n") return readBoolean(cursor, name);
  const text = takeNumber(cursor);
  if (decimals && PLAIN_DECIMAL.test(text)) return { text, kind: "text" };
  if (!PLAIN_INTEGER.test(text)) {
    const range = "a decimal in quotes, or a whole number";
    const advice = PLAIN_DECIMAL.test(text) ? adviceOn(text) : "";
    throw new OrderError("ILLEGAL_CHARS", { field: name, range, advice });
  }
  return { text, kind: "integer" };
}

function readText(cursor: JsonCursor, name: string): Scalar {
  const text = takeString(cursor);
  checkText(name, text);
  return { text, kind: "string" };
}

function readBoolean(cursor: JsonCursor, name: string): Scalar {
  const text = takeWord(cursor);
  if (text === "null") throw new OrderError("NESTED_JSON", { field: name });
  return { text, kind: "boolean" };
}

function decode(bytes: Uint8Array): string {
  try {
    utf8 ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return utf8.decode(bytes);
  } catch {
    throw malformedJson();
  }
}

/**
 * A value read from JSON. Integers are exact: a `number` while safe, a `bigint` beyond 2^53. A number with a fraction
 * or an exponent is a double; money is never sent as one.
 */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject;

/** A JSON object with its own members only. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

const INTEGER_DIGITS_LIMIT = 40;
const INTEGER = /^-?[0-9]+$/;

/**
 * Parses one JSON document with exact integers, for replies, journals and control bodies. Throws OrderError -1135 for
 * malformed text, a name twice in one object, the name `__proto__`, more than 32 levels, an integer of more than 40
 * characters, and a number beyond a double (hostile inputs 55-63).
 *
 * @example
 * ```ts
 * import { readJson } from "managed-orders/signing";
 * console.log(readJson('{"orderId":9007199254740993}')); // { orderId: 9007199254740993n }
 * ```
 */
export function readJson(text: string): JsonValue {
  const cursor: JsonCursor = { text, at: 0 };
  const value = readValue(cursor, 0);
  expectEnd(cursor);
  return value;
}

function readValue(cursor: JsonCursor, depth: number): JsonValue {
  const first = peek(cursor);
  if (first === '"') return takeString(cursor);
  if (first === "{" || first === "[") {
    if (depth === DEPTH_LIMIT) throw malformedJson();
    cursor.at++;
    return first === "{" ? readObject(cursor, depth + 1) : readArray(cursor, depth + 1);
  }
  if (first === "t" || first === "f" || first === "n") return readWord(cursor);
  return readNumber(takeNumber(cursor));
}

function readWord(cursor: JsonCursor): boolean | null {
  const word = takeWord(cursor);
  return word === "null" ? null : word === "true";
}

function readArray(cursor: JsonCursor, depth: number): readonly JsonValue[] {
  const items: JsonValue[] = [];
  if (take(cursor, "]")) return items;
  do items.push(readValue(cursor, depth));
  while (take(cursor, ","));
  expect(cursor, "]");
  return items;
}

function readObject(cursor: JsonCursor, depth: number): JsonObject {
  const object: { [name: string]: JsonValue } = {};
  if (take(cursor, "}")) return object;
  do {
    const name = takeString(cursor);
    if (name === "__proto__" || Object.hasOwn(object, name)) throw malformedJson();
    expect(cursor, ":");
    object[name] = readValue(cursor, depth);
  } while (take(cursor, ","));
  expect(cursor, "}");
  return object;
}

function readNumber(lexeme: string): number | bigint {
  const value = JSON.parse(lexeme) as number;
  if (!INTEGER.test(lexeme)) {
    if (!Number.isFinite(value)) throw malformedJson();
    return value;
  }
  if (Number.isSafeInteger(value)) return value + 0;
  if (lexeme.length > INTEGER_DIGITS_LIMIT) throw malformedJson();
  return BigInt(lexeme);
}
