/** Exports of the SQLite store to other folders of this package. They are not part of the package's interface. */
export { lockFile, oneFile, type Unlock } from "./file.ts";
export { requireSqliteAtRest, withSqliteStorage } from "./order-store.ts";
export { writerProgram } from "./store-thread.ts";
