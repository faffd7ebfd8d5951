import {
  expect,
  expectEnd,
  type JsonCursor,
  malformedJson,
  peek,
  skipValue,
  take,
  takeString,
} from "./json.ts";

/**
 * A request exactly as it was received. `target` (path and query) and header values are byte for byte; `rawHeaders`
 * alternates name and value. Nothing is decoded, joined or reordered, because signatures cover these bytes (contract,
 * Version 3 REST).
 */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
  /** Address of the peer, as text. */
  readonly remoteAddress: string;
}

/** A reply ready to be sent. `body` is UTF-8 text; header names are as they go out. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Correlates a reply with its request: text, a whole number, or null. */
export type RequestId = string | number | bigint | null;

/** One WebSocket message of which only the envelope was read. */
export type SocketMessage = Readonly<{
  /** Undefined when it is missing or has no legal form. */
  id: RequestId | undefined;
  /** Undefined when it is missing or not a string. */
  method: string | undefined;
  /** The params as sent, well-formed JSON; undefined when there are none. */
  params: string | undefined;
}>;

type Envelope = { id?: RequestId | undefined; method?: string | undefined; params?: string };

const MEMBERS: ReadonlySet<string> = new Set(["id", "method", "params"]);
const TEXT_ID = /^[\x20-\x7e]{1,36}$/;
const NUMBER_ID = /^(?:0|-?[1-9][0-9]{0,18})$/;
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Reads the envelope of a WebSocket message. Members may be in any order; unknown ones are skipped. An id is 1-36
 * printable ASCII characters, a 64-bit integer or null; integers keep their lexeme. The params stay text, because a
 * signature covers their content.
 *
 * Throws OrderError -1135 for anything but a JSON object, for a member of the envelope that appears twice, and for more
 * than 32 levels (contract, WebSocket request methods; hostile inputs 59-63, 94, 95).
 */
export function readSocketMessage(text: string): SocketMessage {
  const cursor: JsonCursor = { text, at: 0 };
  if (text.charAt(0) !== "{") throw malformedJson();
  cursor.at = 1;
  const envelope: Envelope = {};
  const seen = new Set<string>();
  if (!take(cursor, "}")) {
    do readMember(cursor, envelope, seen);
    while (take(cursor, ","));
    expect(cursor, "}");
  }
  expectEnd(cursor);
  return { id: envelope.id, method: envelope.method, params: envelope.params };
}

function readMember(cursor: JsonCursor, envelope: Envelope, seen: Set<string>): void {
  const name = takeString(cursor);
  expect(cursor, ":");
  if (seen.has(name)) throw malformedJson();
  if (MEMBERS.has(name)) seen.add(name);
  peek(cursor);
  const start = cursor.at;
  skipValue(cursor);
  const lexeme = cursor.text.slice(start, cursor.at);
  if (name === "id") envelope.id = idOf(lexeme);
  if (name === "method") envelope.method = textOf(lexeme);
  if (name === "params") envelope.params = lexeme;
}

function idOf(lexeme: string): RequestId | undefined {
  if (lexeme === "null") return null;
  const text = textOf(lexeme);
  if (text !== undefined) return TEXT_ID.test(text) ? text : undefined;
  if (!NUMBER_ID.test(lexeme)) return undefined;
  const value = BigInt(lexeme);
  return value > INT64_MAX || value < -INT64_MAX - 1n ? undefined : value;
}

/** Returns the value of a lexeme that is a string; undefined for any other. */
function textOf(lexeme: string): string | undefined {
  return lexeme.startsWith('"') ? takeString({ text: lexeme, at: 0 }) : undefined;
}
