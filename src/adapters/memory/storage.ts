import {
  type OptionCheck,
  optional,
  optionsOf,
  portOption,
  uncheckedOption,
  wrongOption,
} from "../../common/index.ts";
import type { Clock, CommitPart, Storage } from "../../ports/index.ts";
import { OrderedMap } from "./ordered-map.ts";

/** The keys that survive a storage in memory, as a disk survives a process. Pass them to the next storage after a simulated crash. */
export interface MemoryKeys {
  readonly kind: "memory-keys";
}

/** Options of a storage in memory. */
export interface MemoryStorageOptions {
  /** The keys of an earlier storage; by default none. */
  readonly keys?: MemoryKeys;
  /** The wall clock. A storage with a clock can be shared, so that several engines of a test can use the same keys. */
  readonly clock?: Pick<Clock, "nowMs">;
}

const storageOptions: OptionCheck = optionsOf<MemoryStorageOptions>({
  keys: uncheckedOption,
  clock: optional(portOption<Pick<Clock, "nowMs">>("Clock (managed-orders/ports)", { nowMs: "required" })),
});

const maps = new WeakMap<MemoryKeys, OrderedMap>();

/**
 * Creates keys of which there are none yet.
 *
 * @example
 * ```ts
 * import { createMemoryKeys, createMemoryStorage } from "managed-orders/memory";
 * const keys = createMemoryKeys();
 * const put = { conditions: [], puts: [["a", "1"]], deletes: [] } as const;
 * await createMemoryStorage({ keys }).commit([put]);
 * console.log(await createMemoryStorage({ keys }).get(["a"])); // [ '1' ]
 * ```
 */
export function createMemoryKeys(): MemoryKeys {
  const keys: MemoryKeys = { kind: "memory-keys" };
  maps.set(keys, new OrderedMap());
  return keys;
}

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
  storageOptions(options, "createMemoryStorage");
  const { keys = createMemoryKeys(), clock } = options;
  const map = maps.get(keys);
  if (map === undefined)
    throw wrongOption(keys, "createMemoryStorage.keys", "a value that createMemoryKeys returned");
  let isClosed = false;
  const opened = (): OrderedMap => {
    if (isClosed) throw new Error("the storage is closed");
    return map;
  };
  return {
    commit: async (parts) => commit(opened(), parts),
    get: async (wanted) => {
      const open = opened();
      return wanted.map((key) => open.get(key));
    },
    range: async (ranges) => {
      const open = opened();
      return ranges.map((range) => open.range(range));
    },
    ...(clock && {
      clock: async () => {
        opened();
        return { nowMs: clock.nowMs() };
      },
    }),
    close: async () => {
      isClosed = true;
    },
  };
}

/** Writes the parts of which all conditions hold. They are checked for all parts first: each part sees the keys before it all. */
function commit(map: OrderedMap, parts: readonly CommitPart[]): readonly boolean[] {
  const answers = parts.map(({ conditions }) => conditions.every(([key, value]) => map.get(key) === value));
  for (const [place, { puts, deletes }] of parts.entries()) {
    if (answers[place] !== true) continue;
    for (const [key, value] of puts) map.set(key, value);
    for (const key of deletes) map.delete(key);
  }
  return answers;
}
