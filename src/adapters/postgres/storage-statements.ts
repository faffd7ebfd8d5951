import type { Migration } from "./migrations.ts";

/** The two tables. The journal has its own, because its keys only come, in order, and need no search for older values. */
export type StorageTable = "entry" | "log";

/** The first key of the journal, and the first after all of its keys. */
export const JOURNAL_KEYS: readonly [first: string, end: string] = ["log ", "log!"];

/**
 * The steps of a schema that holds entries. `value` is NULL in the row of a key that has no value: such a row is locked by a
 * commit that relies on it, and deleted after the commit. Pages of `entry` keep room, so that a value that is replaced stays
 * on its page and the index is not written.
 */
export const STORAGE_STEPS: readonly Migration[] = [
  {
    version: 1,
    usableFrom: 1,
    sql: [
      `CREATE TABLE managed_orders.entry (
        key text COLLATE "C" PRIMARY KEY,
        value text
      ) WITH (fillfactor = 80)`,
      `CREATE TABLE managed_orders.log (
        key text COLLATE "C" PRIMARY KEY,
        value text
      )`,
      // Pages of rows that are no entries, so that the table is never so small that a plan which searches all of it is made:
      // the server would keep that plan while the table grows. These keys are longer than any that is allowed.
      "INSERT INTO managed_orders.entry (key) SELECT repeat('!', 1100) || n FROM generate_series(1, 128) AS g (n)",
    ],
  },
];

/** An error of the server that says that a commit was rolled back because a key has appeared beside it (22012). */
const ROLLED_BACK = "(1 / (octet_length(e.key) - octet_length(e.key)))::text";

const CONDITIONS = "unnest($1::int4[], $2::text[], $3::text[]) AS c (part, key, value)";

/** Whether the part of `p` is written. */
const HOLDS = "NOT EXISTS (SELECT 1 FROM failed AS f WHERE f.part = p.part)";

const PUTS = "FROM unnest($4::int4[], $5::text[], $6::text[]) AS p (part, key, value)";

/** Only a value that is locked because of a condition, or that is written without one, is replaced. */
const REPLACED = `
  ON CONFLICT (key) DO UPDATE SET value = CASE
    WHEN e.value IS NULL OR e.key IN (SELECT u.key FROM unnest($7::text[]) AS u (key)) THEN excluded.value
    ELSE ${ROLLED_BACK} END
  RETURNING 1`;

/**
 * Rows are locked in the order of their keys, and each is judged by its newest value. The loop always searches in the index.
 * A key that is expected and not seen may have appeared since the snapshot of the statement.
 */
const BEGINNING = `
WITH failed AS MATERIALIZED (
  SELECT c.part FROM (SELECT c.part, c.key, c.value FROM ${CONDITIONS} ORDER BY c.key) AS c
  LEFT JOIN LATERAL (
    SELECT e.key, e.value FROM managed_orders.entry AS e WHERE e.key = c.key FOR UPDATE
  ) AS l ON true
  WHERE l.value IS DISTINCT FROM c.value AND 1 / CASE WHEN l.key IS NULL AND NOT c.value IS NULL THEN 0 ELSE 1 END = 1
)`;

const RECORDS = `, records AS (
  INSERT INTO managed_orders.log (key, value)
  SELECT p.key, p.value FROM unnest($8::int4[], $9::text[], $10::text[]) AS p (part, key, value)
  WHERE ${HOLDS}
  RETURNING 1
)`;

const ENTRIES = `, written AS (
  INSERT INTO managed_orders.entry AS e (key, value) SELECT p.key, p.value ${PUTS}
  WHERE ${HOLDS} ORDER BY p.key${REPLACED}
)
SELECT f.part, NULL::text FROM failed AS f`;

const LOCKED = (table: StorageTable): string => `
  SELECT e.key, e.value FROM (SELECT u.key FROM unnest($2::text[]) AS u (key) ORDER BY u.key) AS k
  CROSS JOIN LATERAL (SELECT e.key, e.value FROM managed_orders.${table} AS e WHERE e.key = k.key FOR UPDATE) AS e`;

const DELETES = "FROM unnest($9::int4[], $10::text[]) AS p (part, key)";

const DELETED = (table: StorageTable): string => `
  DELETE FROM managed_orders.${table} AS e WHERE e.key = ANY (ARRAY (SELECT p.key ${DELETES} WHERE ${HOLDS}))
  RETURNING e.key`;

const WRITTEN = (table: StorageTable): string => {
  const isIts = table === "log" ? "LIKE" : "NOT LIKE";
  return `
  INSERT INTO managed_orders.${table} AS e (key, value)
  SELECT p.key, p.value ${PUTS} WHERE p.key ${isIts} 'log %' AND ${HOLDS}
  UNION ALL SELECT m.key, NULL::text FROM missing AS m WHERE m.key ${isIts} 'log %'
  ORDER BY 1${REPLACED}`;
};

/**
 * Commits. Each is one statement at READ COMMITTED, whose parts have one place in the order of all commits: what it relies on
 * is locked until its end. A key without a row cannot be locked, so that writing it fails if it has appeared since the snapshot,
 * and the statement is sent again. The answer has a row for each part that was left out.
 *
 * `records` and `entries` are for the most common commits: no deletions, no conditions on the journal, and what must be absent
 * is written by its own part. `whole` is for all others. It writes rows without a value (`missing`) for keys that must stay
 * absent until its end, or were expected in vain; the answer names them, so that they are deleted. It is not prepared: its plan
 * is made for the tables as they are.
 */
export const COMMIT: Readonly<Record<"records" | "entries" | "whole", string>> = {
  records: BEGINNING + RECORDS + ENTRIES,
  entries: BEGINNING + ENTRIES,
  whole: `
WITH locked AS MATERIALIZED (${LOCKED("entry")}
  UNION ALL${LOCKED("log")}
), failed AS MATERIALIZED (
  SELECT c.part FROM ${CONDITIONS} LEFT JOIN locked AS l ON l.key = c.key WHERE l.value IS DISTINCT FROM c.value
), deleted_entries AS (${DELETED("entry")}
), deleted_records AS (${DELETED("log")}
), missing AS MATERIALIZED (
  SELECT c.key FROM unnest($2::text[], $3::text[], $8::bool[]) AS c (key, value, alone)
  LEFT JOIN locked AS l ON l.key = c.key WHERE l.key IS NULL AND (c.alone OR NOT c.value IS NULL)
  UNION SELECT p.key ${DELETES} WHERE ${HOLDS}
    AND NOT EXISTS (SELECT 1 FROM deleted_entries AS d WHERE d.key = p.key)
    AND NOT EXISTS (SELECT 1 FROM deleted_records AS d WHERE d.key = p.key)
), written_entries AS (${WRITTEN("entry")}
), written_records AS (${WRITTEN("log")}
)
SELECT f.part, NULL::text FROM failed AS f UNION ALL SELECT -1, m.key FROM missing AS m`,
};

/** Deletes the rows of keys that have no value. */
export const SWEEP = `
WITH entries AS (
  DELETE FROM managed_orders.entry AS e WHERE e.key = ANY ($1::text[]) AND e.value IS NULL RETURNING 1
)
DELETE FROM managed_orders.log AS e WHERE e.key = ANY ($1::text[]) AND e.value IS NULL RETURNING 1`;

export const GET: Readonly<Record<StorageTable, string>> = {
  entry: "SELECT e.key, e.value FROM managed_orders.entry AS e WHERE e.key = ANY ($1::text[])",
  log: "SELECT e.key, e.value FROM managed_orders.log AS e WHERE e.key = ANY ($1::text[])",
};

/** Ranges of one table that are read in one direction. */
export type RangeGroup = Readonly<{ table: StorageTable; reverse: boolean }>;

/**
 * Reads groups of ranges. $1 is the number of bytes of a range after which no further entry is sent. Each group has five
 * parameters: places of its ranges, their bounds and limits, and the highest limit. A row has the place, key, value, and how
 * many entries the range has up to the highest limit.
 */
export function rangeStatement(groups: readonly RangeGroup[]): string {
  return groups
    .map(({ table, reverse }, group) => {
      const [places, from, before, limits, most] = [2, 3, 4, 5, 6].map((first) => `$${first + 5 * group}`);
      const order = `ORDER BY e.key${reverse ? " DESC" : ""}`;
      return `
SELECT r.place, b.key, b.value, b.entries
FROM unnest(${places}::int4[], ${from}::text[], ${before}::text[], ${limits}::int8[]) AS r (place, lower, upper, most)
CROSS JOIN LATERAL (
  SELECT e.key, e.value, count(*) OVER () AS entries, count(*) OVER (${order}) AS number,
    sum(octet_length(e.value)) OVER (${order}) - octet_length(e.value) AS bytes
  FROM (
    SELECT e.key, e.value FROM managed_orders.${table} AS e
    WHERE e.key >= r.lower AND e.key < r.upper AND NOT e.value IS NULL ${order} LIMIT ${most}::int8
  ) AS e
) AS b WHERE b.number <= r.most AND b.bytes < $1::int8`;
    })
    .join("\nUNION ALL");
}
