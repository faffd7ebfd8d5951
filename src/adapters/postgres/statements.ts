/**
 * Statements of the opening and of a copy. Like those of `storage-statements.ts`, each is one transaction and needs no state of
 * a session. They use what Postgres 14 to 18, CockroachDB and YugabyteDB share; `test/adapters/postgres/statements.test.ts`
 * checks that. `managed_orders` stands for the schema of the store.
 */

/** The opening of a store. */
export const OPENING: Readonly<Record<"settings" | "schemas" | "tables" | "versions", string>> = {
  /** Settings that decide whether every text can be kept and a commit survives; NULL where a server does not have one. */
  settings: `
SELECT version(), current_setting('server_version_num', true), current_setting('synchronous_commit', true),
  current_setting('synchronous_standby_names', true), current_setting('fsync', true),
  current_setting('full_page_writes', true), current_setting('transaction_read_only', true),
  current_setting('client_min_messages', true), current_setting('server_encoding', true)`,
  /** The schema, if it is there and the user has any right to it. */
  schemas: "SELECT s.schema_name FROM information_schema.schemata AS s WHERE s.schema_name = $1::text",
  /** Tables of the schema, and whether one of them is that of the versions. Those to which the user has no right are missing. */
  tables: `
SELECT t.table_name FROM information_schema.tables AS t WHERE t.table_schema = $1::text ORDER BY t.table_name LIMIT 100`,
  versions:
    "SELECT v.version, v.usable_from FROM managed_orders.managed_orders_version AS v ORDER BY v.version",
};

/** A copy into an empty schema. */
export const COPYING: Readonly<Record<"begin" | "finish", string>> = {
  /** A version that no program can use: the schema is no store until `finish`. */
  begin:
    "INSERT INTO managed_orders.managed_orders_version (version, usable_from) VALUES (2147483647, 2147483647)",
  finish:
    "DELETE FROM managed_orders.managed_orders_version AS v WHERE v.version = 2147483647 RETURNING v.version",
};
