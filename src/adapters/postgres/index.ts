/**
 * The store in a Postgres database, or in one that speaks its protocol and dialect. It needs the package pg.
 *
 * @module managed-orders/postgres
 */
export type { StoredRateLimiter, StoredRateLimiterOptions } from "../shared/index.ts";
export {
  openPostgresCluster,
  type PostgresCluster,
  type PostgresClusterOptions,
  type ShardContents,
} from "./cluster-handle.ts";
export type { LeavingRecord, PostgresJournalOptions } from "./journal-lifetime.ts";
export type { PostgresStoreOptions } from "./options.ts";
export { openPostgresStore, type PostgresStore } from "./order-store.ts";
export type { PostgresRejectionOptions, PostgresRejections } from "./rejections.ts";
