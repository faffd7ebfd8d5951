import { normalise } from "../decimal/index.ts";
import { InvariantError } from "../errors/index.ts";
import {
  ExecutionIds,
  type JournalRecord,
  type ParentOrder,
  packedIntent,
  packedPlan,
} from "../model/index.ts";
import { unknownInParent, unknownInRecord } from "./journal-members.ts";
import {
  expect,
  expectEnd,
  type JsonCursor,
  peek,
  take,
  takeNumber,
  takeString,
  takeWord,
} from "./json-cursor.ts";

/** Format of the texts written now. A reader refuses every other format instead of guessing. */
const FORMAT = 1;

/** How a bigint begins in a text; cannot occur inside a JSON string, whose quotes are escaped. */
const BIGINT_MARK = '{"n":"';

const BIGINT_TEXT = /^-?[0-9]{1,40}$/;

/**
 * Text of a journal record for a store; about 400 bytes for an acceptance. Exact: a bigint becomes `{"n":"digits"}`.
 * Source: invariants I16 and I53.
 *
 * @example
 * ```ts
 * import { decodeRecord, encodeRecord } from "managed-orders";
 * const record = { shard: 7, sequence: 1, timeMs: 0, cause: { kind: "RECOVERY" }, changes: [] } as const;
 * console.log(decodeRecord(encodeRecord(record)).cause.kind); // RECOVERY
 * ```
 */
export function encodeRecord(record: JournalRecord): string {
  return `{"v":${FORMAT},"record":${write(record)}}`;
}

/**
 * The record a text holds. With a `place` the text must be the record of that place.
 * Throws an InvariantError I53 on anything else, a kind of fact or cause and a member that this version does not know
 * among it; its message names shard, sequence and kind, and repeats nothing else of the text.
 */
export function decodeRecord(
  text: string,
  place?: Readonly<{ shard: number; sequence: number }>,
): JournalRecord {
  const name = (): string =>
    place === undefined ? "journal record" : `journal record ${place.sequence} of shard ${place.shard}`;
  const value = read(text, "record", name);
  const whole =
    areIntegers(value, ["shard", "sequence", "timeMs"]) &&
    isObject(value.cause) &&
    Array.isArray(value.changes);
  if (!whole) throw broken(name, "a member is missing or of the wrong kind");
  const record = value as JournalRecord;
  const misplaced =
    place !== undefined && (record.shard !== place.shard || record.sequence !== place.sequence);
  if (misplaced) throw broken(name, `it is record ${record.sequence} of shard ${record.shard}`);
  const unknown = unknownInRecord(value);
  if (unknown !== undefined)
    throw tooNew(`journal record ${record.sequence} of shard ${record.shard}`, unknown);
  return record;
}

/**
 * Text of a parent order for a store, exact like {@link encodeRecord}. It never holds a line break, so that many
 * can be joined by one. Source: invariants I16 and I53.
 */
export function encodeParent(order: ParentOrder): string {
  return `{"v":${FORMAT},"parent":${write(order)}}`;
}

/**
 * The parent order a text holds. With an `orderId` the text must be that order.
 * Throws an InvariantError I53 on anything else, a member that this version does not know among it; its message names
 * order and member, and repeats nothing else of the text.
 */
export function decodeParent(text: string, orderId?: number): ParentOrder {
  const name = (): string => (orderId === undefined ? "parent order" : `parent order ${orderId}`);
  const value = read(text, "parent", name);
  const { executions } = value;
  const isWhole = areIntegers(value, ["orderId", "accountId", "record"]) && isObject(value.intent);
  if (!isWhole || !Array.isArray(executions)) throw broken(name, "a member is missing or of the wrong kind");
  value.executions = ExecutionIds.of(executions as readonly string[]);
  const order = value as ParentOrder;
  if (orderId !== undefined && order.orderId !== orderId) throw broken(name, `it is order ${order.orderId}`);
  const unknown = unknownInParent(value);
  if (unknown !== undefined) throw tooNew(`parent order ${order.orderId}`, unknown);
  const { intent, plan } = order;
  return {
    ...order,
    intent: packedIntent(intent),
    ...(plan !== undefined && { plan: packedPlan(plan) }),
  };
}

type Members = Record<string, unknown>;
type Name = () => string;

function read(text: string, member: "record" | "parent", name: Name): Members {
  const envelope = parse(text, name);
  if (!isObject(envelope)) throw broken(name, "it is no object");
  if (envelope.v !== FORMAT) throw broken(name, `its format is not ${FORMAT}, the one this version reads`);
  const value = envelope[member];
  if (!isObject(value)) throw broken(name, `it holds no ${member}`);
  if (text.includes(BIGINT_MARK)) restoreBigints(value, name);
  return value;
}

function parse(text: string, name: Name): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which must not reach a log.
    throw broken(name, `broken text at character ${faultOf(text)} of ${text.length}`);
  }
}

/** Where a text stops being JSON, counted from 0. */
function faultOf(text: string): number {
  const cursor: JsonCursor = { text, at: 0 };
  try {
    skipValue(cursor);
    expectEnd(cursor);
  } catch {
    // The cursor stands at the fault now.
  }
  return cursor.at;
}

function skipValue(cursor: JsonCursor): void {
  const first = peek(cursor);
  if (first === '"') takeString(cursor);
  else if (first === "{" || first === "[") skipMembers(cursor, first === "{" ? "}" : "]");
  else if (first === "t" || first === "f" || first === "n") takeWord(cursor);
  else takeNumber(cursor);
}

function skipMembers(cursor: JsonCursor, end: "}" | "]"): void {
  cursor.at++;
  if (take(cursor, end)) return;
  do {
    if (end === "}") {
      takeString(cursor);
      expect(cursor, ":");
    }
    skipValue(cursor);
  } while (take(cursor, ","));
  expect(cursor, end);
}

/** Walks the fresh value and puts bigints back in place; three times as fast as a reviver. */
function restoreBigints(node: Members, name: Name): void {
  for (const key in node) {
    const value = node[key];
    if (!isObject(value)) continue;
    const digits = value.n;
    if (digits === undefined) restoreBigints(value, name);
    else if (typeof digits === "string" && BIGINT_TEXT.test(digits)) node[key] = normalise(BigInt(digits));
    else throw broken(name, "a number is not readable");
  }
}

/** Without a replacer four times as fast; only a value that holds a bigint, which is rare, needs one. */
function write(value: JournalRecord | ParentOrder): string {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, writeBigint);
  }
}

function writeBigint(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? { n: String(value) } : value;
}

function areIntegers(value: Members, keys: readonly string[]): boolean {
  return keys.every((key) => Number.isSafeInteger(value[key]));
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

function broken(name: Name, what: string): InvariantError {
  return new InvariantError("I53", `${name()} cannot be read: ${what}`);
}

/** What a newer version wrote means something; read without it, an order would be another one. */
function tooNew(place: string, unknown: string): InvariantError {
  return broken(
    () => place,
    `it holds ${unknown}, which this version does not know; a newer version of managed-orders wrote it: run that version`,
  );
}
