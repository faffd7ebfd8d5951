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
export type {
  LeavingRecord,
  PostgresJournalOptions,
  PostgresRejectionOptions,
  PostgresStoreOptions,
} from "./options.ts";
export { openPostgresStore, type PostgresRejections, type PostgresStore } from "./order-store.ts";
