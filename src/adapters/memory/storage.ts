import { type OptionCheck, optionalOption, optionsOf, portOption } from "../../common/index.ts";
import type { Clock, CommitPart, Storage } from "../../ports/index.ts";
import type { Store, StoreOptions } from "../../store/index.ts";
import { storeOn, storeOptions } from "../../store/internal.ts";
import { contentsOf, createMemoryDisk, diskOption, type MemoryDisk } from "./disk.ts";
import type { OrderedMap } from "./ordered-map.ts";

/** Options of a storage in memory. */
export interface MemoryStorageOptions {
  /** The disk of an earlier storage; by default a new one. */
  readonly disk?: MemoryDisk;
  /** The wall clock. A storage with a clock can be shared, so that several engines of a test can use one disk. */
  readonly clock?: Pick<Clock, "nowMs">;
}

/** Options of a store in memory: those of its storage, and of every store. */
export interface MemoryStoreOptions extends MemoryStorageOptions, StoreOptions {}

const storageOptions: Readonly<Record<keyof MemoryStorageOptions, OptionCheck>> = {
  disk: diskOption,
  clock: optionalOption(
    portOption<Pick<Clock, "nowMs">>("Clock (managed-orders/ports)", { nowMs: "required" }),
  ),
};

const storageOption: OptionCheck = optionsOf<MemoryStorageOptions>(storageOptions);

const storeOption: OptionCheck = optionsOf<MemoryStoreOptions>({ ...storageOptions, ...storeOptions });

/**
 * Creates a storage in memory, for tests, simulations and hosts that need no durability. Every call is done in its own turn.
 *
 * @example
 * ```ts
 * import { createMemoryStorage } from "managed-orders/memory";
 * const storage = createMemoryStorage();
 * const part = { conditions: [["a", undefined]], puts: [["a", "1"]], deletes: [] } as const;
 * console.log(await storage.commit([part]), await storage.commit([part])); // [ true ] [ false ]
 * ```
 */
export function createMemoryStorage(options: MemoryStorageOptions = {}): Storage {
  storageOption(options, "createMemoryStorage");
  const { disk = createMemoryDisk(), clock } = options;
  const { keys } = contentsOf(disk, "createMemoryStorage.disk");
  let isClosed = false;
  const opened = (): OrderedMap => {
    if (isClosed) throw new Error("the storage is closed");
    return keys;
  };
  return {
    commit: async (parts) => commit(opened(), parts),
    async get(wanted) {
      const open = opened();
      return wanted.map((key) => open.get(key));
    },
    async range(ranges) {
      const open = opened();
      return ranges.map((range) => open.range(range));
    },
    ...(clock !== undefined && {
      clock: async () => {
        opened();
        return { nowMs: clock.nowMs() };
      },
    }),
    async close() {
      isClosed = true;
    },
  };
}

/** Writes the parts of which all conditions hold. They are checked first: each part sees what was before it all. */
function commit(keys: OrderedMap, parts: readonly CommitPart[]): readonly boolean[] {
  const answers = parts.map(({ conditions }) => conditions.every(([key, value]) => keys.get(key) === value));
  for (const [place, { puts, deletes }] of parts.entries()) {
    if (answers[place] !== true) continue;
    for (const [key, value] of puts) keys.set(key, value);
    for (const key of deletes) keys.delete(key);
  }
  return answers;
}

/**
 * Creates an order store in memory, for tests, simulations and hosts that need no durability. It stores texts, as a
 * database does, so it shares no reference with its user. Pass a disk to reopen the data of an earlier store.
 *
 * @example
 * ```ts
 * import { createMemoryStore } from "managed-orders/memory";
 * const store = createMemoryStore();
 * const heads = await store.acquire();
 * console.log(heads.length, heads[0]?.epoch); // 256 1
 * ```
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  storeOption(options, "createMemoryStore");
  const { disk = createMemoryDisk(), clock, ...rest } = options;
  const { listeners } = contentsOf(disk, "createMemoryStore.disk");
  const store = storeOn(createMemoryStorage({ disk, ...(clock !== undefined && { clock }) }), rest);
  return {
    ...store,
    async append(batch) {
      const outcomes = await store.append(batch);
      if (listeners.size === 0) return outcomes;
      for (const [place, { records }] of batch.shards.entries())
        if (outcomes[place] === "durable")
          for (const record of records) for (const listener of listeners) listener(record);
      return outcomes;
    },
  };
}
