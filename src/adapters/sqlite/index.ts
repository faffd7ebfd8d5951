/**
 * The store in a SQLite file. It needs the package better-sqlite3 or Node.js 22.13.
 *
 * @module managed-orders/sqlite
 */
export type { StoredRateLimiter, StoredRateLimiterOptions } from "../shared/index.ts";
export { backupSqliteStore, type SqliteBackupOptions, type SqliteCopy } from "./backup.ts";
export type { SqliteDriverName } from "./database.ts";
export type { JournalPoint, SqliteJournalOptions } from "./journal-lifetime.ts";
export {
  openSqliteStore,
  type SqliteRejectionOptions,
  type SqliteRejections,
  type SqliteStore,
  type SqliteStoreOptions,
} from "./order-store.ts";
export {
  type RestoreStep,
  restoreSqliteStore,
  type SqliteRestored,
  type SqliteRestoreOptions,
} from "./restore.ts";
export {
  type MissingRecords,
  type SqliteVerification,
  type SqliteVerifyOptions,
  verifySqliteStore,
} from "./verification.ts";
