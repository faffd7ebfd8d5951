import type { KeyValueStore } from "../../ports/index.ts";
import { contentsOf, createMemoryDisk, type MemoryDisk } from "./disk.ts";

/** Small values of a host, kept in memory; pass a disk to find again what an earlier store on it has kept. */
export function createMemoryKeyValueStore(options: Readonly<{ disk?: MemoryDisk }> = {}): KeyValueStore {
  const { values } = contentsOf(options.disk ?? createMemoryDisk());
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => {
      values.set(key, value);
    },
  };
}
