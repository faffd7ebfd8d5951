import type { SqliteStoreOptions } from "../../src/adapters/sqlite/index.ts";

/** `STORE_THREAD=1` runs benchmarks and campaigns with the store's transactions in a thread of their own. */
export const STORE_THREAD: Pick<SqliteStoreOptions, "thread"> = {
  thread: process.env["STORE_THREAD"] === "1",
};
