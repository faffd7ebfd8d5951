import type { KeyValueStore } from "../../ports/index.ts";
import { contentsIn, type MemoryDisk } from "./disk.ts";

/**
 * Creates a store for small values of a host, in memory. Pass a disk to reopen the values of an earlier store on it.
 *
 * @example
 * ```ts
 * import { createMemoryKeyValueStore } from "managed-orders/memory";
 * const store = createMemoryKeyValueStore();
 * await store.set("lastImport", "2026-11-23");
 * console.log(await store.get("lastImport")); // 2026-11-23
 * ```
 */
export function createMemoryKeyValueStore(options: Readonly<{ disk?: MemoryDisk }> = {}): KeyValueStore {
  const { values } = contentsIn(options, "createMemoryKeyValueStore");
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => {
      values.set(key, value);
    },
  };
}
