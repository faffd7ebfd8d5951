import type { Migration } from "./migrations.ts";

/** Where the entries of a kind of key are. */
export type Place = "journal" | "heads" | "short" | "long";

/**
 * The kinds of keys, by their first word, whose values are short. A released kind never changes its place: its entries
 * would not be found. Every other kind is in the table `long`, which suits any value.
 */
const SHORT: ReadonlySet<string> = new Set(
  (
    "accepted account ban banend bar count epoch forgotten generation leg limiters listname listtime mark name " +
    "orders placed pricebar print quote rejectname rejects rejecttime seen snapshot time total"
  ).split(" "),
);

/** Returns the place of a key. */
export function placeOf(key: string): Place {
  if (key.startsWith("log ")) return "journal";
  if (key.startsWith("head ")) return "heads";
  const end = key.indexOf(" ");
  return SHORT.has(end < 0 ? key : key.slice(0, end)) ? "short" : "long";
}

/**
 * The steps from an empty file to the newest schema of ordered keys. A released step never changes; every change is a new
 * step.
 *
 * Entries of the journal are stored in order of arrival. If they were stored in order of their keys, every append would write
 * one page per shard: with 64 records from 64 shards, throughput fell to a quarter. `journal_index` maps a key to its
 * position. It is filled in bulk; the counts in `heads` say which is the last position that it contains.
 *
 * Short values are stored beside their keys, in order: one table, with no second place for the key. Long ones are stored in
 * order of arrival, with an index: in order of their keys, a page would hold three of them, two thirds full.
 */
export const STORAGE_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    sql: `
      -- The row without a key has the counts of the file: transactions that wrote something, the last position that an
      -- entry of the journal got, also if it was deleted, and the last one that the index contains.
      CREATE TABLE heads (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO heads (key, value) VALUES ('', '0 0 0');

      CREATE TABLE journal (position INTEGER PRIMARY KEY, code TEXT NOT NULL, value TEXT NOT NULL) STRICT;
      CREATE TABLE journal_index (code TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;

      CREATE TABLE short (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE long (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    `,
  },
];
