/** The two tables. The journal has its own, because its keys only come, in order, and need no search for older values. */
export type StorageTable = "entry" | "log";

/** The first key of the journal, and the first after all of its keys. */
export const JOURNAL_KEYS: readonly [first: string, end: string] = ["log ", "log!"];

/** The clock of the server in milliseconds. It is told, and decides nothing. */
export const CLOCK_MS: string = "(extract(epoch FROM clock_timestamp()) * 1000)::int8";

/** The newest row of `c`. The loop always searches in the index. */
const NEWEST = `
  LEFT JOIN LATERAL (
    SELECT e.version, e.value, e.replaced FROM managed_orders.entry AS e WHERE e.key = c.key
    ORDER BY e.version DESC LIMIT 1 FOR UPDATE
  ) AS l ON true`;

/** Whether the part of `p` is written. */
const HOLDS = "NOT EXISTS (SELECT 1 FROM failed AS f WHERE f.part = p.part)";

/** Rows of which a version is locked that was replaced since the snapshot. What has a condition fails by it. */
const DUE = `
  SELECT p.key, p.expected, p.checks, p.puts, p.value, p.deletes, p.version, p.found FROM locked AS p
  WHERE ${HOLDS} AND 1 / CASE WHEN p.replaced AND NOT p.checks AND (p.puts OR p.deletes) THEN 0 ELSE 1 END = 1`;

/** A first value is replaced, or a row without one gets it. */
const FILLED = `
  UPDATE managed_orders.entry AS e
  SET value = CASE WHEN d.found IS NULL THEN d.value END, replaced = CASE WHEN d.found IS NULL THEN NULL ELSE true END
  FROM due AS d WHERE d.puts AND d.version = 0 AND e.key = d.key AND e.version = 0 RETURNING 1`;

const WRITTEN = `
  SELECT d.key, coalesce(d.version + 1, 0), d.value FROM due AS d
  WHERE d.puts AND (d.version IS NULL OR d.found IS NOT NULL)`;

const LOCKED = `
  SELECT c.part, c.key, c.checks, c.expected, c.puts, c.value, c.deletes, l.version, l.value AS found, l.replaced
  FROM (SELECT c.part, c.key, c.checks, c.expected, c.puts, c.value, c.deletes
    FROM unnest($1::int4[], $2::text[], $3::bool[], $4::text[], $5::bool[], $6::text[], $7::bool[])
      AS c (part, key, checks, expected, puts, value, deletes) ORDER BY c.key) AS c${NEWEST}`;

const FAILED = (table: string): string =>
  `SELECT p.part FROM ${table} AS p WHERE p.checks AND (p.found IS DISTINCT FROM p.expected OR p.replaced)`;

/** Rows of the journal are changed in place: that is rare. */
const LOCKED_RECORDS = `
  SELECT c.part, c.key, c.checks, c.expected, c.puts, c.value, c.deletes, l.key AS held, l.value AS found, false AS replaced
  FROM (SELECT c.part, c.key, c.checks, c.expected, c.puts, c.value, c.deletes
    FROM unnest($8::int4[], $9::text[], $10::bool[], $11::text[], $12::bool[], $13::text[], $14::bool[])
      AS c (part, key, checks, expected, puts, value, deletes) ORDER BY c.key) AS c
  LEFT JOIN LATERAL (SELECT e.key, e.value FROM managed_orders.log AS e WHERE e.key = c.key FOR UPDATE) AS l ON true`;

/** What must stay absent until the end of the commit. */
const ABSENT = "(d.deletes OR d.checks AND d.expected IS NULL AND NOT d.puts)";

/** An error of the server that says that a commit was rolled back because a key has appeared beside it (22012). */
const ROLLED_BACK = "(1 / (octet_length(e.key) - octet_length(e.key)))::text";

/**
 * Commits. Each is one statement at READ COMMITTED, whose parts have one place in the order of all commits: what it relies on
 * is locked, in the order of the keys, until its end. Writing a key without a row fails if it has appeared since the snapshot
 * of the statement; so does replacing a value without a condition that was replaced since then. The statement is then sent
 * again. The answer has a row for each part that was left out.
 *
 * `plain` is for commits without deletions and conditions on the journal, in which what must be absent is written by its own
 * part, and not searched for; `records` is for those that write nothing but new records. `whole` is for all others. It writes rows without a value (`missing`) for keys that must stay
 * absent until its end; the answer names them, so that they are deleted. It is not prepared: its plan is made for the tables
 * as they are.
 */
export const COMMIT: Readonly<Record<"records" | "plain" | "whole", string>> = {
  records: `
WITH locked AS MATERIALIZED (
  SELECT c.part, true AS checks, c.expected, l.value AS found, l.replaced
  FROM (SELECT c.part, c.key, c.expected FROM unnest($1::int4[], $2::text[], $3::text[]) AS c (part, key, expected)
    ORDER BY c.key) AS c${NEWEST}
), failed AS MATERIALIZED (
  ${FAILED("locked")}
), records AS (
  INSERT INTO managed_orders.log (key, value)
  SELECT p.key, p.value FROM unnest($4::int4[], $5::text[], $6::text[]) AS p (part, key, value) WHERE ${HOLDS}
  RETURNING 1
)
SELECT f.part, NULL::text FROM failed AS f`,
  plain: `
WITH locked AS MATERIALIZED (${LOCKED}
), failed AS MATERIALIZED (
  ${FAILED("locked")}
), due AS MATERIALIZED (${DUE}
), records AS (
  INSERT INTO managed_orders.log (key, value)
  SELECT p.key, p.value FROM unnest($11::int4[], $12::text[], $13::text[]) AS p (part, key, value) WHERE ${HOLDS}
  RETURNING 1
), removed AS (
  DELETE FROM managed_orders.entry AS e USING due AS d
  WHERE d.version > 0 AND d.puts AND e.key = d.key AND e.version = d.version RETURNING 1
), filled AS (${FILLED}
), written AS (
  INSERT INTO managed_orders.entry (key, version, value)${WRITTEN}
  UNION ALL SELECT p.key, 0, p.value FROM unnest($8::int4[], $9::text[], $10::text[]) AS p (part, key, value) WHERE ${HOLDS}
  ORDER BY 1 RETURNING 1
)
SELECT f.part, NULL::text FROM failed AS f`,
  whole: `
WITH locked AS MATERIALIZED (${LOCKED}
), locked_records AS MATERIALIZED (${LOCKED_RECORDS}
), failed AS MATERIALIZED (
  ${FAILED("locked")}
  UNION ${FAILED("locked_records")}
), due AS MATERIALIZED (${DUE}
), due_records AS MATERIALIZED (
  SELECT p.key, p.expected, p.checks, p.puts, p.value, p.deletes, p.held FROM locked_records AS p WHERE ${HOLDS}
), removed AS (
  DELETE FROM managed_orders.entry AS e USING (
    SELECT d.key, d.version FROM due AS d WHERE d.puts AND d.version > 0 OR d.deletes
    UNION SELECT d.key, 0 FROM due AS d WHERE d.deletes
  ) AS d WHERE e.key = d.key AND e.version = d.version RETURNING 1
), removed_records AS (
  DELETE FROM managed_orders.log AS e
  WHERE e.key = ANY (ARRAY (SELECT d.key FROM due_records AS d WHERE d.deletes)) RETURNING 1
), filled AS (${FILLED}
), missing AS MATERIALIZED (
  SELECT d.key FROM due AS d WHERE d.version IS NULL AND ${ABSENT}
  UNION SELECT d.key FROM due_records AS d WHERE d.held IS NULL AND ${ABSENT}
), written AS (
  INSERT INTO managed_orders.entry (key, version, value)${WRITTEN}
  UNION ALL SELECT m.key, 0, NULL::text FROM missing AS m WHERE m.key NOT LIKE 'log %'
  ORDER BY 1 RETURNING 1
), written_records AS (
  INSERT INTO managed_orders.log AS e (key, value) SELECT d.key, d.value FROM due_records AS d WHERE d.puts
  UNION ALL SELECT m.key, NULL::text FROM missing AS m WHERE m.key LIKE 'log %'
  ORDER BY 1
  ON CONFLICT (key) DO UPDATE SET value = CASE
    WHEN e.key IN (SELECT d.held FROM due_records AS d) THEN excluded.value ELSE ${ROLLED_BACK} END
  RETURNING 1
)
SELECT f.part, NULL::text FROM failed AS f UNION ALL SELECT -1, m.key FROM missing AS m`,
};

/** Deletes the rows of keys that have no value. */
export const SWEEP = `
WITH entries AS (
  DELETE FROM managed_orders.entry AS e
  WHERE e.key = ANY ($1::text[]) AND e.version = 0 AND e.value IS NULL AND e.replaced IS NULL RETURNING 1
)
DELETE FROM managed_orders.log AS e WHERE e.key = ANY ($1::text[]) AND e.value IS NULL RETURNING 1`;

/** Reads of the values of keys, by the table that has them. */
export const GET: Readonly<Record<StorageTable, string>> = {
  entry: `SELECT k.key, l.value FROM unnest($1::text[]) AS k (key)
CROSS JOIN LATERAL (
  SELECT e.value FROM managed_orders.entry AS e WHERE e.key = k.key ORDER BY e.version DESC LIMIT 1
) AS l WHERE l.value IS NOT NULL`,
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
