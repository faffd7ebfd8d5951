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
export function takeNumber(cursor: JsonCursor): string {
  return takeLexeme(cursor, NUMBER);
}

/** Takes `true`, `false` or `null`. Throws OrderError -1135 when none of them comes next. */
export function takeWord(cursor: JsonCursor): "true" | "false" | "null" {
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
