import {
  type OptionCheck,
  optionalOption,
  optionsOf,
  portOption,
  uncheckedOption,
  wrongOption,
} from "../../common/index.ts";
import type { JournalRecord } from "../../model/index.ts";
import type { Clock, CommitPart, Entry, KeyRange, Storage } from "../../ports/index.ts";
import type { Store, StoreOptions } from "../../store/index.ts";
import { storeOn, storeOptions } from "../../store/internal.ts";

/**
 * The data that survives a store in memory, as a disk survives a process. Pass it to the next store after a simulated
 * crash.
 */
export interface MemoryDisk {
  readonly kind: "memory-disk";
}

/** What is on a disk, and who is told of every record that is stored. */
export type DiskContents = Readonly<{ keys: OrderedMap; listeners: Set<(record: JournalRecord) => void> }>;

const contents = new WeakMap<MemoryDisk, DiskContents>();

/**
 * Creates an empty disk.
 *
 * @example
 * ```ts
 * import { createMemoryDisk, createMemoryStore } from "managed-orders/memory";
 * const disk = createMemoryDisk();
 * await createMemoryStore({ disk }).acquire();
 * const [head] = await createMemoryStore({ disk }).acquire();
 * console.log(head?.epoch); // 2
 * ```
 */
export function createMemoryDisk(): MemoryDisk {
  const disk: MemoryDisk = { kind: "memory-disk" };
  contents.set(disk, { keys: new OrderedMap(), listeners: new Set() });
  return disk;
}

/** Returns the contents of a disk. Throws a TypeError for an object that {@link createMemoryDisk} did not make. */
export function contentsOf(disk: MemoryDisk, name = "disk"): DiskContents {
  const stored = contents.get(disk);
  if (stored === undefined) throw wrongOption(disk, name, "a value that createMemoryDisk returned");
  return stored;
}

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
  // `contentsOf` checks it.
  disk: uncheckedOption,
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

/** Most keys of a block. Adding a key moves at most as many. */
const LONGEST_BLOCK = 512;

/**
 * Texts by keys of ASCII characters, with the order of the keys: values in a `Map`, which finds a single one at once, and
 * beside it the keys in sorted blocks, of which the first keys find the right one. A block that is full is divided in
 * halves, or only followed by a new one if the key comes after all of its keys, as those of a journal do.
 */
export class OrderedMap {
  readonly #values = new Map<string, string>();
  /** No block is empty, except the only one of an empty map. */
  readonly #blocks: string[][] = [[]];
  /** The first key of each block. That of the first block is the empty text, before every key. */
  readonly #firsts: string[] = [""];
  /** The block that was used last: the next key is often in it too. */
  #last = 0;

  /** Number of keys. */
  get size(): number {
    return this.#values.size;
  }

  /** Returns the value of a key. */
  get(key: string): string | undefined {
    return this.#values.get(key);
  }

  /** Adds a key, or replaces its value. */
  set(key: string, value: string): void {
    const { size } = this.#values;
    this.#values.set(key, value);
    if (this.#values.size > size) this.#insert(key);
  }

  /** Deletes a key. Returns false when there is none. */
  delete(key: string): boolean {
    if (!this.#values.delete(key)) return false;
    const number = this.#blockOf(key);
    const block = this.#block(number);
    block.splice(lastUpTo(block, key), 1);
    this.#narrow(number);
    return true;
  }

  /** Returns the entries of a range, in its order. */
  range({ from, before, limit, reverse = false }: KeyRange): Entry[] {
    const entries: Entry[] = [];
    const step = reverse ? -1 : 1;
    const start = reverse ? before : from;
    let number = this.#blockOf(start);
    let block = this.#block(number);
    let place = lastUpTo(block, start);
    // Rising, the key `from` belongs to the range; falling, the key `before` does not.
    if (reverse === (block[place] === start)) place += step;
    while (entries.length < limit) {
      const key = block[place];
      if (key === undefined) {
        number += step;
        const next = this.#blocks[number];
        if (next === undefined) break;
        block = next;
        place = reverse ? block.length - 1 : 0;
      } else {
        if (reverse ? key < from : key >= before) break;
        entries.push([key, this.#values.get(key) as string]);
        place += step;
      }
    }
    return entries;
  }

  #block(number: number): string[] {
    return this.#blocks[number] as string[];
  }

  /** Returns the number of the block that a key is in, or would be. */
  #blockOf(key: string): number {
    const firsts = this.#firsts;
    const last = this.#last;
    // If there is no such block any more, the first comparison is false.
    const isInLast =
      (firsts[last] as string) <= key && (last + 1 === firsts.length || key < (firsts[last + 1] as string));
    if (!isInLast) this.#last = lastUpTo(firsts, key);
    return this.#last;
  }

  #insert(key: string): void {
    const number = this.#blockOf(key);
    const block = this.#block(number);
    const place = lastUpTo(block, key) + 1;
    if (place < block.length) {
      block.splice(place, 0, key);
      if (block.length > LONGEST_BLOCK) this.#add(number + 1, block.splice(block.length >>> 1));
    } else if (place < LONGEST_BLOCK) block.push(key);
    else this.#add(number + 1, [key]);
  }

  #add(number: number, block: string[]): void {
    this.#blocks.splice(number, 0, block);
    this.#firsts.splice(number, 0, block[0] as string);
    this.#last = number;
  }

  /** Joins a short block with the next, and removes one that has become empty. */
  #narrow(number: number): void {
    const [block, next] = [this.#block(number), this.#blocks[number + 1]];
    if (next !== undefined && block.length + next.length <= LONGEST_BLOCK >>> 1) {
      this.#blocks.splice(number, 2, block.concat(next));
      this.#firsts.splice(number + 1, 1);
    } else if (block.length === 0 && this.#blocks.length > 1) {
      this.#blocks.splice(number, 1);
      this.#firsts.splice(number, 1);
      this.#firsts[0] = "";
    }
  }
}

/** Returns the place of the last key up to `key`; -1 if all come after it. Calling no function per step is faster. */
function lastUpTo(keys: readonly string[], key: string): number {
  // A new key is mostly the last one of its block.
  let high = keys.length;
  if (high > 0 && (keys[high - 1] as string) <= key) return high - 1;
  let low = 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
