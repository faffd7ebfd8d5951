import { createMemoryDisk, createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { Clock, OrderStore } from "../../src/ports/index.ts";

/** Where the processes of a world keep their orders. It outlives them. */
export type WorldDisk = Readonly<{
  /** Opens a store for a process. */
  open: () => OrderStore;
  /** Reads durable data without faults. */
  reader: OrderStore;
  /** Returns the texts of all records in the archive, if there is one. */
  archived?: () => ReadonlySet<string>;
  /**
   * Whether a call is under way that needs turns of the event loop, and no time. Time stands still until it is done, or a
   * call would last as long as the longest timer.
   */
  isBusy?: () => boolean;
  /** Removes it. */
  remove: () => Promise<void>;
}>;

/**
 * Creates a disk. If `forgets` is true, the stores on it delete records with the rows of their orders. With a clock they
 * have leases.
 */
export type CreateDisk = (forgets: boolean, clock?: Pick<Clock, "nowMs">) => WorldDisk;

/** Creates a disk in memory. */
export const memoryDisk: CreateDisk = (forgets, clock) => {
  const disk = createMemoryDisk();
  const open = (): OrderStore =>
    createMemoryStore({ disk, journal: { prune: forgets }, ...(clock && { clock }) });
  return { open, reader: open(), remove: async () => undefined };
};
