import {
  expect,
  expectEnd,
  type JsonCursor,
  malformedJson,
  peek,
  take,
  takeNumber,
  takeString,
  takeWord,
} from "./json-cursor.ts";

/**
 * A value read from JSON. Integers are exact: a `number` while safe, a `bigint` beyond 2^53. A number with a fraction
 * or an exponent is a double; money is never sent as one.
 */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject;

/** A JSON object with its own members only. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

const DEPTH_LIMIT = 32;
const INTEGER_DIGITS_LIMIT = 40;
const INTEGER = /^-?[0-9]+$/;

/**
 * Parses one JSON document with exact integers, for replies, journals and control bodies. Throws OrderError -1135 for
 * malformed text, a name twice in one object, the name `__proto__`, more than 32 levels, an integer of more than 40
 * characters, and a number beyond a double (decision 2, hostile inputs 55-63).
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
