/** Exports of the SQLite store to other folders of this package. They are not part of the package's interface. */
export { lockFile, type Unlock } from "./file-lock.ts";
export { oneFile } from "./open-database.ts";
export { requireSqliteAtRest, withSqliteStorage } from "./store-contents.ts";
