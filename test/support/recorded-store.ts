import { createMemoryStore, type MemoryDisk } from "../../src/adapters/memory/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";

/** Returns what opens a store in memory that does something before it tells the owner of a shard. */
export const requesting =
  (before: (shard: number) => Promise<void>) =>
  (disk: MemoryDisk): OrderStore => {
    const store = createMemoryStore({ disk });
    return {
      ...store,
      async head(shard) {
        await before(shard);
        return await store.head(shard);
      },
    };
  };
