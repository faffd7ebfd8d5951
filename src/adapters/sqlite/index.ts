export { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from "./order-store.ts";
