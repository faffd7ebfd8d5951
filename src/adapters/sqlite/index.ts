/**
 * The store in a SQLite file. It needs the package better-sqlite3.
 *
 * @module managed-orders/sqlite
 */
export { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from "./order-store.ts";
export type { SqliteRejectionOptions, SqliteRejections } from "./rejections.ts";
