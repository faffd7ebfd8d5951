import { InvariantError } from "../../errors/index.ts";
import {
  type JournalRecord,
  type ParentIntent,
  type ParentOrder,
  packedIntent,
  packedPlan,
} from "../../model/index.ts";
import { expectEnd, type JsonCursor, skipValue } from "../json.ts";
import { FACT_KINDS, intent, parent, record } from "./record.ts";
import { type Around, isObject, type Kind, type Members, NEWER, read, Unfit, write } from "./schema.ts";

/**
 * A format of the texts: its version number, which the texts begin with, the schema of each kind of row, and the
 * schema of an intent in them.
 */
export type Format = Readonly<{
  version: number;
  record: Kind<JournalRecord>;
  parent: Kind<ParentOrder>;
  intent: Kind<ParentIntent>;
}>;

const FIRST: Format = { version: 1, record, parent, intent };

/**
 * Every format that was ever written. All of them stay readable forever. A change that an existing reader would
 * misread needs a new format.
 */
export const FORMATS: ReadonlyMap<unknown, Format> = new Map([[FIRST.version, FIRST]]);

/** The format of new texts. */
export const WRITTEN: Format = FIRST;

/** Name of a text for an error message. */
export type Name = () => string;

/** Returns the unchecked content of a text, and its format. Throws an InvariantError I53. */
export function opened(
  text: string,
  member: "record" | "parent" | "parents",
  name: Name,
): Readonly<{ format: Format; value: Members }> {
  const envelope = parse(text, name);
  if (!isObject(envelope)) throw unreadable(name, "it is not an object");
  const format = FORMATS.get(envelope.v);
  if (format === undefined) throw unreadable(name, problemOf(envelope.v));
  const value = envelope[member];
  if (!isObject(value)) throw unreadable(name, `it has no member ${member}`);
  return { format, value };
}

function problemOf(version: unknown): string {
  const isNewer = typeof version === "number" && Number.isSafeInteger(version) && version > WRITTEN.version;
  if (isNewer) return `it has the format ${version}, ${NEWER}`;
  return `its format is not ${[...FORMATS.keys()].join(" or ")}, the one this version reads`;
}

/** Returns the error for a text that cannot be read. */
export function unreadable(name: Name, what: string): InvariantError {
  return new InvariantError("I53", `${name()} cannot be read: ${what}`);
}

function parse(text: string, name: Name): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which must not reach a log.
    throw unreadable(name, `broken text at character ${faultOf(text)} of ${text.length}`);
  }
}

/** Returns the position at which a text stops being JSON, counted from 0. */
function faultOf(text: string): number {
  const cursor: JsonCursor = { text, at: 0 };
  try {
    skipValue(cursor);
    expectEnd(cursor);
  } catch {
    // The cursor is at the fault now.
  }
  return cursor.at;
}

/**
 * Returns the text of a journal record for a store, about 400 bytes for an acceptance. The text is exact: a bigint
 * becomes `{"n":"digits"}`. Throws an InvariantError I53 for a record that could not be read again (invariants I16
 * and I53).
 *
 *
 * @example
 * ```ts
 * import { decodeRecord, encodeRecord } from "managed-orders/ports";
 * const record = { shard: 7, sequence: 1, timeMs: 0, cause: { kind: "RECOVERY" }, changes: [] } as const;
 * console.log(decodeRecord(encodeRecord(record)).cause.kind); // RECOVERY
 * ```
 */
export function encodeRecord(record: JournalRecord): string {
  return written(
    "record",
    WRITTEN.record,
    record,
    () => `journal record ${record.sequence} of shard ${record.shard}`,
  );
}

/**
 * Returns the record in a text. With a `place` the text must be the record of that place. Throws an InvariantError
 * I53 for anything else, including a kind of fact or cause, a member or a word that this version does not know. Its
 * message names shard, sequence, kind and member, and repeats nothing else of the text.
 *
 * @example
 * ```ts
 * import type { JournalRecord } from "managed-orders";
 * import { decodeRecord } from "managed-orders/ports";
 * const read = (row: { text: string; shard: number; sequence: number }): JournalRecord => decodeRecord(row.text, row);
 * ```
 */
export function decodeRecord(
  text: string,
  place?: Readonly<{ shard: number; sequence: number }>,
): JournalRecord {
  const name = (): string =>
    place === undefined ? "journal record" : `journal record ${place.sequence} of shard ${place.shard}`;
  const { format, value } = opened(text, "record", name);
  const { shard, sequence } = value;
  if (!Number.isSafeInteger(shard) || !Number.isSafeInteger(sequence)) throw unreadable(name, INCOMPLETE);
  if (place !== undefined && (shard !== place.shard || sequence !== place.sequence))
    throw unreadable(name, `it is record ${sequence} of shard ${shard}`);
  return checked(format.record, value, () => `journal record ${sequence} of shard ${shard}`);
}

/**
 * Throws an InvariantError I53 for an intent that a journal could not hold, such as one with a fraction of a price step. A
 * host may have built it by hand. If it got further, it would fail the append that it shares with others.
 */
export function requireStorable(intent: ParentIntent): void {
  const clientOrderId = String(intent.clientOrderId).slice(0, LONGEST_NAME);
  written("intent", WRITTEN.intent, intent, () => `the intent of "${clientOrderId}"`);
}

/**
 * Returns the text of a parent order for a store, exact like {@link encodeRecord}. It never contains a line break, so
 * many can be joined by one. Throws an InvariantError I53 for an order that could not be read again (invariants I16
 * and I53).
 *
 * @example
 * ```ts
 * import type { ParentOrder } from "managed-orders";
 * import { encodeParent } from "managed-orders/ports";
 * const textOf = (orders: readonly ParentOrder[]): string => orders.map(encodeParent).join("\n");
 * ```
 */
export function encodeParent(order: ParentOrder): string {
  return written("parent", WRITTEN.parent, order, () => `parent order ${order.orderId}`);
}

/**
 * Returns the parent order in a text. With an `orderId` the text must be that order. Throws an InvariantError I53 for
 * anything else, including a member or a word that this version does not know. Its message names order and member,
 * and repeats nothing else of the text.
 *
 * @example
 * ```ts
 * import type { ParentOrder } from "managed-orders";
 * import { decodeParent } from "managed-orders/ports";
 * const read = (row: { text: string; orderId: number }): ParentOrder => decodeParent(row.text, row.orderId);
 * ```
 */
export function decodeParent(text: string, orderId?: number): ParentOrder {
  const name = (): string => (orderId === undefined ? "parent order" : `parent order ${orderId}`);
  const { format, value } = opened(text, "parent", name);
  const { orderId: own } = value;
  if (!Number.isSafeInteger(own)) throw unreadable(name, INCOMPLETE);
  if (orderId !== undefined && own !== orderId) throw unreadable(name, `it is order ${own}`);
  return packed(checked(format.parent, value, () => `parent order ${own}`));
}

/** Most characters of a client id in an error. */
const LONGEST_NAME = 36;

/** What is said of a text that lacks something. */
export const INCOMPLETE = "a member is missing or has the wrong type";

/** Returns the parent with its weights and their sums packed. */
export function packed(order: ParentOrder): ParentOrder {
  const intent = packedIntent(order.intent);
  const plan = order.plan && packedPlan(order.plan);
  if (intent === order.intent && plan === order.plan) return order;
  return { ...order, intent, ...(plan !== undefined && { plan }) };
}

/** Reads a parsed value by its schema. Throws an InvariantError I53 for anything else. */
export function checked<T>(kind: Kind<T>, value: unknown, name: Name, place = ""): T {
  try {
    return read(kind, value, place);
  } catch (error) {
    throw error instanceof Unfit ? unreadable(name, error.message) : error;
  }
}

function written<T>(member: Exclude<keyof Format, "version">, kind: Kind<T>, value: T, name: Name): string {
  return textOf(kind, value, name, { before: `{"v":${WRITTEN.version},"${member}":`, after: "}" });
}

/** Returns the JSON of a value. Throws an InvariantError I53 for one that could not be read again. */
export function textOf<T>(kind: Kind<T>, value: T, name: Name, around: Around): string {
  try {
    return write(kind, value, around);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    throw new InvariantError("I53", `${name()} cannot be written: ${error.message}`);
  }
}

/** Returns what this version can read of a journal: the highest format, and the kinds of facts. */
export function readableJournal(): Readonly<{ format: number; kinds: readonly string[] }> {
  return { format: WRITTEN.version, kinds: FACT_KINDS };
}
