import { OrderError } from "../errors/index.ts";
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
import { checkName, checkText, type Parameters, type Scalar } from "./scalar.ts";

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
