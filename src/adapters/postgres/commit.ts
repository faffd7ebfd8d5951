import type { CommitPart, Condition } from "../../ports/index.ts";

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

/** A commit as it is sent: a statement and its columns. One in the whole form is rare. */
export type SentCommit = Readonly<{ text: string; values: readonly Buffer[]; isRare?: boolean }>;

/** Returns the table that has a key. */
export const tableOf = (key: string): StorageTable => (key.startsWith(JOURNAL_KEYS[0]) ? "log" : "entry");

/** What is sent of a key: what it must have (null is nothing), and what becomes of it. */
type Given = Readonly<{
  checks: boolean;
  expected?: string | undefined;
  value?: string | undefined;
  deletes?: boolean;
}>;

/** Rows of a commit, in columns. */
class CommitRows {
  readonly #parts: number[] = [];
  readonly #keys: string[] = [];
  readonly #checks: boolean[] = [];
  readonly #expected: (string | null)[] = [];
  readonly #puts: boolean[] = [];
  readonly #values: (string | null)[] = [];
  readonly #deletes: boolean[] = [];

  add(part: number, key: string, { checks, expected, value, deletes = false }: Given): void {
    this.#parts.push(part);
    this.#keys.push(key);
    this.#checks.push(checks);
    this.#expected.push(expected ?? null);
    this.#puts.push(value !== undefined);
    this.#values.push(value ?? null);
    this.#deletes.push(deletes);
  }

  get sent(): readonly Buffer[] {
    return [
      ...[binaryArray("int4", this.#parts), binaryArray("text", this.#keys)],
      ...[binaryArray("bool", this.#checks), binaryArray("text", this.#expected)],
      ...[binaryArray("bool", this.#puts), binaryArray("text", this.#values)],
      binaryArray("bool", this.#deletes),
    ];
  }
}

/** Keys with one text each: of entries that are written if their key is not there, or what they must have. */
class Texts {
  readonly #parts: number[] = [];
  readonly #keys: string[] = [];
  readonly #texts: string[] = [];

  add(part: number, key: string, text: string): void {
    this.#parts.push(part);
    this.#keys.push(key);
    this.#texts.push(text);
  }

  get sent(): readonly Buffer[] {
    return [
      ...[binaryArray("int4", this.#parts), binaryArray("text", this.#keys)],
      binaryArray("text", this.#texts),
    ];
  }
}

/** Returns the form of a commit that costs least. */
export const sentCommit = (parts: readonly CommitPart[]): SentCommit =>
  recordsCommit(parts) ?? plainCommit(parts) ?? wholeCommit(parts);

/** Returns a commit that writes nothing but new records, as most do; undefined for another one. */
function recordsCommit(parts: readonly CommitPart[]): SentCommit | undefined {
  const [required, records] = [new Texts(), new Texts()];
  for (let part = 0; part < parts.length; part++) {
    const { conditions, puts, deletes } = parts[part] as CommitPart;
    if (deletes.length > 0) return undefined;
    for (const [key, value] of puts) {
      if (tableOf(key) !== "log") return undefined;
      records.add(part, key, value);
    }
    for (const [key, expected] of conditions) {
      if (expected === undefined ? !puts.some((put) => put[0] === key) : tableOf(key) === "log")
        return undefined;
      if (expected !== undefined) required.add(part, key, expected);
    }
  }
  return { text: COMMIT.records, values: [...required.sent, ...records.sent] };
}

/** Returns a commit that deletes nothing, and in which what must be absent is written by its own part. */
function plainCommit(parts: readonly CommitPart[]): SentCommit | undefined {
  const columns = { rows: new CommitRows(), fresh: new Texts(), records: new Texts() };
  const { rows, fresh, records } = columns;
  for (const [number, part] of parts.entries()) if (!addPlain(columns, number, part)) return undefined;
  return { text: COMMIT.plain, values: [...rows.sent, ...fresh.sent, ...records.sent] };
}

/** Adds a part. Returns false for one that needs the whole form. */
function addPlain(
  { rows, fresh, records }: Readonly<{ rows: CommitRows; fresh: Texts; records: Texts }>,
  number: number,
  { conditions, puts, deletes }: CommitPart,
): boolean {
  if (deletes.length > 0) return false;
  const rest = new Map<string, Condition[1]>(conditions);
  for (const [key, value] of puts) {
    const expected = rest.get(key);
    const checks = rest.delete(key);
    if (tableOf(key) === "entry" && (!checks || expected !== undefined))
      rows.add(number, key, { expected, value, checks });
    else if (expected !== undefined) return false;
    else (tableOf(key) === "log" ? records : fresh).add(number, key, value);
  }
  for (const [key, expected] of rest) {
    if (expected === undefined || tableOf(key) === "log") return false;
    rows.add(number, key, { expected, checks: true });
  }
  return true;
}

/** Returns a commit in the form that knows everything. */
export function wholeCommit(parts: readonly CommitPart[]): SentCommit {
  const rows: Readonly<Record<StorageTable, CommitRows>> = { entry: new CommitRows(), log: new CommitRows() };
  for (const [number, { conditions, puts, deletes }] of parts.entries()) {
    const rest = new Map<string, Condition[1]>(conditions);
    const add = (key: string, given: Readonly<{ value?: string; deletes?: boolean }>): void => {
      const expected = rest.get(key);
      rows[tableOf(key)].add(number, key, { ...given, expected, checks: rest.delete(key) });
    };
    for (const [key, value] of puts) add(key, { value });
    for (const key of deletes) add(key, { deletes: true });
    for (const key of [...rest.keys()]) add(key, {});
  }
  return { text: COMMIT.whole, isRare: true, values: [...rows.entry.sent, ...rows.log.sent] };
}

/**
 * Arrays in the binary format of Postgres, which the driver sends as they are. In its text format, every quotation mark of a
 * record is escaped here and unescaped by the server, and every number is written and parsed.
 */

/** A type of the elements of an array. */
export type ElementType = "bool" | "int4" | "int8" | "text";

/** Numbers of the types. They are the same on every server. */
const TYPE_IDS: Readonly<Record<ElementType, number>> = { bool: 16, int8: 20, int4: 23, text: 25 };

/** Number of dimensions, whether there are NULLs, and the type of the elements. */
const HEADER_BYTES = 12;
/** Number of elements and the index of the first one. An empty array has no dimension. */
const DIMENSION_BYTES = 8;
/** The length of an element, before it. */
const LENGTH_BYTES = 4;
const LENGTH_OF_NULL = -1;

const TWO_TO_32 = 2 ** 32;

type Format = Readonly<{ bytes: number; write: (buffer: Buffer, value: unknown, at: number) => void }>;

const FORMATS: Readonly<Record<Exclude<ElementType, "text">, Format>> = {
  bool: { bytes: 1, write: (buffer, value, at) => buffer.writeUInt8(value === true ? 1 : 0, at) },
  int4: { bytes: 4, write: (buffer, value, at) => buffer.writeInt32BE(whole(value), at) },
  int8: { bytes: 8, write: writeInt8 },
};

/** Most bytes of a unit of a string in UTF-8. */
const MOST_BYTES = 3;

/**
 * Returns an array of values; null is NULL. Numbers of the type int8 may also be texts, because amounts exceed a double.
 * Throws a RangeError for a number that is not of the type.
 */
export function binaryArray(type: ElementType, values: readonly unknown[]): Buffer {
  if (type === "text") return textArray(values as readonly (string | null)[]);
  const { bytes, write } = FORMATS[type];
  const buffer = Buffer.allocUnsafe(startOf(values) + values.length * (LENGTH_BYTES + bytes));
  let at = begin(buffer, type, values);
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? LENGTH_OF_NULL : bytes, at);
    if (value === null) continue;
    write(buffer, value, at);
    at += bytes;
  }
  return buffer.subarray(0, at);
}

/** Most bytes for which a place to write is kept. */
const MOST_RETAINED = 1_024 * 1_024;

let retained = Buffer.alloc(0);

/** Returns a place of a size, which is overwritten by the next one: memory that is new each time costs more than a copy. */
function place(size: number): Buffer {
  if (size > MOST_RETAINED) return Buffer.allocUnsafe(size);
  if (size > retained.length) retained = Buffer.allocUnsafeSlow(Math.min(2 * size, MOST_RETAINED));
  return retained;
}

/** The length of a text is known when it is written: asking for it before would take as long as that. */
function textArray(values: readonly (string | null)[]): Buffer {
  let size = startOf(values) + values.length * LENGTH_BYTES;
  for (const value of values) size += MOST_BYTES * (value?.length ?? 0);
  const buffer = place(size);
  let at = begin(buffer, "text", values);
  for (const value of values) {
    const length = value === null ? LENGTH_OF_NULL : buffer.write(value, at + LENGTH_BYTES);
    buffer.writeInt32BE(length, at);
    at += LENGTH_BYTES + Math.max(0, length);
  }
  return Buffer.from(buffer.subarray(0, at));
}

const startOf = (values: readonly unknown[]): number =>
  HEADER_BYTES + (values.length === 0 ? 0 : DIMENSION_BYTES);

/** Writes all that comes before the elements, and returns their place. */
function begin(buffer: Buffer, type: ElementType, values: readonly unknown[]): number {
  buffer.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(TYPE_IDS[type], 8);
  if (values.length > 0) {
    buffer.writeInt32BE(values.length, HEADER_BYTES);
    buffer.writeInt32BE(1, HEADER_BYTES + 4);
  }
  return startOf(values);
}

function whole(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no whole number`);
  return value as number;
}

/** In two halves, because writing a bigint takes several times as long. */
function writeInt8(buffer: Buffer, value: unknown, at: number): void {
  if (typeof value === "string") {
    buffer.writeBigInt64BE(BigInt(value), at);
    return;
  }
  const high = Math.floor(whole(value) / TWO_TO_32);
  buffer.writeInt32BE(high, at);
  buffer.writeUInt32BE(whole(value) - high * TWO_TO_32, at + 4);
}
