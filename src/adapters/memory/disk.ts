import { type OptionCheck, uncheckedOption, wrongOption } from "../../common/index.ts";
import type { JournalRecord } from "../../model/index.ts";
import { OrderedMap } from "./ordered-map.ts";

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

/** Checks the option `disk`; {@link contentsOf} checks the disk itself. */
export const diskOption: OptionCheck = uncheckedOption;
