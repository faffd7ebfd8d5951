/**
 * The store in a Postgres database, or in one that speaks its protocol and dialect. It needs the package pg.
 *
 * @module managed-orders/postgres
 */
export type { StoredRateLimiter, StoredRateLimiterOptions } from "../shared/index.ts";
export type {
  LeavingRecord,
  PostgresJournalOptions,
  PostgresRejectionOptions,
  PostgresStoreOptions,
} from "./opening.ts";
export {
  openPostgresCluster,
  openPostgresStore,
  type PostgresCluster,
  type PostgresClusterOptions,
  type PostgresRejections,
  type PostgresStore,
  type ShardContents,
} from "./order-store.ts";
