/** Exports of the Postgres store to other folders of this package. They are not part of the package's interface. */
export { databaseOf } from "./options.ts";
export { PostgresStoreError, UnknownOutcome } from "./postgres-error.ts";
export { beginPostgresCopy, type PostgresCopy } from "./store-copy.ts";
