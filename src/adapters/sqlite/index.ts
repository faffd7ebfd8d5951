export { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from "./order-store.ts";
export type { SqliteRejectionOptions, SqliteRejections } from "./rejections.ts";
