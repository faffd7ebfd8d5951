import type { Entry, KeyRange } from "../../ports/index.ts";
import type { Database } from "./database.ts";

/** Where the entries of a kind of key are. */
export type Place = "journal" | "heads" | "short" | "long";

/**
 * The kinds of keys, by their first word, whose values are short. A released kind never changes its place: its entries
 * would not be found. Every other kind is in the table `long`, which suits any value.
 */
const SHORT: ReadonlySet<string> = new Set(
  (
    "accepted ban banend bar count epoch forgotten generation leg limiters listname listtime mark name " +
    "order orders placed pricebar print quote rejectname rejects rejecttime seen snapshot time total"
  ).split(" "),
);

/** Returns the place of a key. */
export function placeOf(key: string): Place {
  if (key.startsWith("log ")) return "journal";
  if (key.startsWith("head ")) return "heads";
  const end = key.indexOf(" ");
  return SHORT.has(end < 0 ? key : key.slice(0, end)) ? "short" : "long";
}

/** The entries of one place. Call the methods inside a transaction. */
export type KeyTable = Readonly<{
  get(key: string): string | undefined;
  put(key: string, value: string): void;
  delete(key: string): void;
  range: ReadRange;
}>;

/** Reads the entries of a range that are in one place. Stops when the budget is used up, after at least one. */
export type ReadRange = (range: KeyRange, budget: Budget) => Entry[];

/** How many more characters an answer may have. */
export type Budget = { characters: number };

/** Prepares the statements for a table of keys and values. */
export function keyTable(database: Database, table: Exclude<Place, "journal">): KeyTable {
  const get = database.prepare<[key: string], string>(`SELECT value FROM ${table} WHERE key = ?`).pluck();
  const put = database.prepare<[key: string, value: string]>(
    `INSERT INTO ${table} (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  );
  const remove = database.prepare<[key: string]>(`DELETE FROM ${table} WHERE key = ?`);
  return {
    get: (key) => get.get(key),
    put: (key, value) => void put.run(key, value),
    delete: (key) => void remove.run(key),
    range: rangeReader(
      database,
      (order) => `SELECT key, value FROM ${table} WHERE key >= ? AND key < ? ORDER BY key ${order} LIMIT ?`,
    ),
  };
}

/** Number of entries that are read at once: the first, whose length is not known, and the others. */
const FIRST_ROWS = 16;
const MOST_ROWS = 64;

/**
 * Prepares what reads ranges with a statement that has the parameters from, before and limit. It reads entries in pieces:
 * row by row, they would take half as long again.
 */
export function rangeReader(database: Database, sqlOf: (order: "ASC" | "DESC") => string): ReadRange {
  const prepare = (order: "ASC" | "DESC") =>
    database.prepare<[from: string, before: string, limit: number], Entry>(sqlOf(order)).raw();
  const [rising, falling] = [prepare("ASC"), prepare("DESC")];
  return ({ from, before, limit, reverse = false }, budget) => {
    const rest = { from, before };
    const entries: Entry[] = [];
    let [most, longest] = [FIRST_ROWS, 1];
    for (;;) {
      const asked = Math.min(most, limit - entries.length);
      const rows = (reverse ? falling : rising).all(rest.from, rest.before, asked);
      for (const entry of taken(rows, budget)) {
        entries.push(entry);
        longest = Math.max(longest, entry[1].length);
      }
      if (rows.length < asked || entries.length === limit || budget.characters <= 0) return entries;
      const last = rows.at(-1)?.[0] ?? "";
      if (reverse) rest.before = last;
      else rest.from = `${last} `;
      most = Math.min(MOST_ROWS, Math.ceil(budget.characters / longest));
    }
  };
}

/** Takes entries until the budget is used up, but at least one. */
export function taken(more: Iterable<Entry>, budget: Budget): Entry[] {
  const entries: Entry[] = [];
  for (const entry of more) {
    entries.push(entry);
    budget.characters -= entry[1].length;
    if (budget.characters <= 0) break;
  }
  return entries;
}

/** Reads ranges in several places, no key of which is in two. */
export function merged(places: readonly ReadRange[]): ReadRange {
  return (range, budget) => {
    const { limit, reverse = false } = range;
    let rest = range;
    let entries: Entry[] = [];
    for (const read of places) {
      const own: Budget = { characters: budget.characters };
      const found = read(rest, own);
      if (found.length === 0) continue;
      const end = found.at(-1)?.[0] ?? "";
      entries = entries.length === 0 ? found : inOrder(entries.concat(found), reverse).slice(0, limit);
      // What a cut place has beyond its last entry is unknown: others' entries beyond it would leave a hole.
      if (own.characters <= 0) entries = entries.filter(([key]) => (reverse ? key >= end : key <= end));
      else if (entries.length < limit) continue;
      rest = upTo(range, entries.at(-1)?.[0] ?? "");
    }
    for (const [, value] of entries) budget.characters -= value.length;
    return entries;
  };
}

/** Returns the part of a range that comes before a key. */
function upTo(range: KeyRange, key: string): KeyRange {
  return range.reverse === true ? { ...range, from: `${key} ` } : { ...range, before: key };
}

function inOrder(entries: Entry[], reverse: boolean): Entry[] {
  entries.sort(([a], [b]) => (a < b === reverse ? 1 : -1));
  return entries;
}

/** Returns whether all keys of a range begin like its first one, which has at least so many characters. */
export function liesWithin({ from, before }: KeyRange, length: number): boolean {
  if (from.length < length) return false;
  const end = String.fromCharCode(from.charCodeAt(length - 1) + 1);
  return before <= from.slice(0, length - 1) + end;
}

/**
 * Short texts for the keys of the journal, in their order. A key stands in the journal and again in its index: as it is, it
 * would take as much place as a tenth of a record, and an append would write a fifth more pages.
 *
 * The code of `log 003 0000000000012345` is `0033c1p`: the shard, then the sequence to the base 32, whose length stands before
 * it.
 */

/** The first key of the journal. Each `0` stands for any digit. */
const FIRST = "log 000 0000000000000000";

const FORM = /^log [0-9]{3} [0-9]{16}$/;

/** Where the sequence begins. */
const SEQUENCE = 8;

const BASE = 32;

/** After all codes. */
const END = "~";

/** Returns the code of a key; undefined if it is not a shard with a sequence. */
export function codeOf(key: string): string | undefined {
  const sequence = FORM.test(key) ? Number.parseInt(key.slice(SEQUENCE), 10) : Number.NaN;
  if (!Number.isSafeInteger(sequence)) return undefined;
  const digits = sequence.toString(BASE);
  return key.slice(4, 7) + digits.length.toString(BASE) + digits;
}

/** Returns the key that has a code. */
export const keyOfCode = (code: string): string =>
  `log ${shardOfCode(code)} ${String(sequenceOfCode(code)).padStart(16, "0")}`;

/** Returns the sequence in a code. */
export const sequenceOfCode = (code: string): number => Number.parseInt(code.slice(4), BASE);

/** Returns the digits of the shard. */
export const shardOfCode = (code: string): string => code.slice(0, 3);

/** Returns the code of the first key that has one and is not before a text. */
export function firstCode(text: string): string {
  for (let at = 0; at < FIRST.length; at++) {
    const least = FIRST.charAt(at);
    const character = text.charAt(at);
    if (character < least) return codeOrEnd(text.slice(0, at) + FIRST.slice(at));
    if (character > (least === "0" ? "9" : least)) return codeAfter(text.slice(0, at));
  }
  return text.length === FIRST.length ? codeOrEnd(text) : codeAfter(text.slice(0, FIRST.length));
}

/** Returns the code of the first key after all that begin like this. */
function codeAfter(start: string): string {
  for (let at = start.length - 1; at >= 0; at--) {
    const digit = start.charAt(at);
    if (FIRST.charAt(at) !== "0" || digit === "9") continue;
    return codeOrEnd(start.slice(0, at) + String(Number.parseInt(digit, 10) + 1) + FIRST.slice(at + 1));
  }
  return END;
}

/** A sequence that has no code is greater than all that have one: the first code after it is one of the next shard. */
const codeOrEnd = (key: string): string => codeOf(key) ?? codeAfter(key.slice(0, SEQUENCE));
