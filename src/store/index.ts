/**
 * The order store on any database that has ordered keys: the one place that knows what is kept.
 *
 * @module managed-orders/store
 */
export {
  openStore,
  type Store,
  type StoredRejectionOptions,
  type StoredRejections,
  type StoreOptions,
} from "./store.ts";
