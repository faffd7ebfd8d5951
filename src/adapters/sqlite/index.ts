/**
 * The store in a SQLite file. It needs the package better-sqlite3 or Node.js 22.13.
 *
 * @module managed-orders/sqlite
 */
export type { StoredRateLimiter, StoredRateLimiterOptions } from "../shared/index.ts";
export type { JournalPoint } from "./archive/index.ts";
export type { SqliteDriverName } from "./database.ts";
export type { SqliteJournalOptions } from "./journal-lifetime.ts";
export {
  openSqliteStore,
  type SqliteRejectionOptions,
  type SqliteRejections,
  type SqliteStore,
  type SqliteStoreOptions,
} from "./order-store.ts";
export type { MissingRecords } from "./seen-records.ts";
export {
  backupSqliteStore,
  type RestoreStep,
  restoreSqliteStore,
  type SqliteBackupOptions,
  type SqliteCopy,
  type SqliteRestored,
  type SqliteRestoreOptions,
} from "./store-backup.ts";
export {
  type SqliteVerification,
  type SqliteVerifyOptions,
  verifySqliteStore,
} from "./store-verification.ts";
