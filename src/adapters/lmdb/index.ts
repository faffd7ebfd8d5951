/**
 * The storage in an LMDB file. It needs the package lmdb.
 *
 * @module managed-orders/lmdb
 */
export { type LmdbStorageOptions, openLmdbStorage } from "./storage.ts";
