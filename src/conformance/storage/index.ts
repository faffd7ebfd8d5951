export { testStorage } from "./storage.ts";
export type { StoragePlace, StorageSubject, StorageSupport } from "./world.ts";
