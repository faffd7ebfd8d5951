import { VIEWS } from "./views.ts";

/** One step of the schema. */
export type Migration = Readonly<{
  /** The version that the step leads to. */
  version: number;
  /** The oldest version of the schema whose programs can work with this one, side by side with newer ones. */
  usableFrom: number;
  sql: readonly string[];
}>;

/**
 * The steps from an empty schema to the newest one. A released step never changes. A step only adds: tables, columns that may
 * be absent, indexes. So programs of two neighbouring versions can use one database side by side.
 * A value of `entry` is never changed in place: dead versions of a row that is
 * updated often would form a chain that every search of it walks, and that grows as long as a backup holds its snapshot. A
 * value that is replaced is deleted, and the new one has the next version, which a search finds first.
 *
 * The row of version 0 stays as long as its key has a value, so that inserting it fails for a key that is there: a first
 * value is that row, and when it is replaced the row loses its value and says so (`replaced`). A row of version 0 without
 * a value that was not replaced is that of a key without a value: a commit that relies on that writes it, and it is deleted
 * after the commit.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    usableFrom: 1,
    sql: [
      `CREATE TABLE managed_orders.entry (
        key text COLLATE "C",
        version int8,
        value text,
        replaced bool,
        PRIMARY KEY (key, version)
      ) WITH (fillfactor = 10)`,
      `CREATE TABLE managed_orders.log (
        key text COLLATE "C" PRIMARY KEY,
        value text
      )`,
      // Pages with a row that is no entry, so that the table is never so small that a plan which searches all of it is made:
      // the server would keep that plan while the table grows. These keys are longer than any that is allowed.
      `INSERT INTO managed_orders.entry (key, version)
        SELECT repeat('!', 1100) || n, 0 FROM generate_series(1, 256) AS g (n)`,
      "ALTER TABLE managed_orders.entry SET (fillfactor = 100)",
      ...VIEWS,
    ],
  },
];

/** Creates the schema. The server demands the right to create schemas for it, also where the schema exists. */
export const SCHEMA_CREATION = "CREATE SCHEMA IF NOT EXISTS managed_orders";

const VERSIONS = `managed_orders.managed_orders_version (
    version int4 PRIMARY KEY,
    usable_from int4 NOT NULL
  )`;

/** Creates the table of the versions, which marks the schema as the store's own. */
export const VERSIONS_CREATION: string = `CREATE TABLE IF NOT EXISTS ${VERSIONS}`;

/** The same for a copy, which fails if another process has made the schema a store meanwhile. */
export const FIRST_VERSIONS_CREATION: string = `CREATE TABLE ${VERSIONS}`;

/** Notes a step. It comes first, so that of two processes that run the step at once one waits, and then fails. */
export const NOTE_STEP = (step: Migration): string =>
  `INSERT INTO managed_orders.managed_orders_version (version, usable_from) VALUES (${step.version}, ${step.usableFrom})`;
