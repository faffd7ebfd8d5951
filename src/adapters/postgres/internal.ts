/** Exports of the Postgres store to other folders of this package. They are not part of the package's interface. */
export { databaseOf } from "./opening.ts";
export { beginPostgresCopy, type PostgresCopy } from "./order-store.ts";
export { PostgresStoreError, UnknownOutcome } from "./postgres-error.ts";
