import {
  createManualClock,
  createMemoryDisk,
  createMemoryStore,
} from "../../../src/adapters/memory/index.ts";
import type { AppendBatch, OrderStore, ShardAppend } from "../../../src/ports/index.ts";
import type { OrderStoreSubject, OrderStoreSupport } from "../../store/rules/index.ts";
import type { PlantedFault } from "../../support/planted-faults.ts";

/** A fault of an order store: called once per place, then once per handle with the sound store below it. */
export type StoreFault = () => (store: OrderStore, handle: number) => Partial<OrderStore>;

const WHOLE: OrderStoreSupport = {
  leases: true,
  pageEndedNames: true,
  priceBars: true,
  progress: true,
  pruneEnded: true,
};
const CLOCK = createManualClock({ startMs: 1_000 });

/** Describes memory stores with a fault, or without one. */
export function memorySubject(
  name: string,
  fault: StoreFault = () => () => ({}),
  supports: Partial<OrderStoreSupport> = {},
): OrderStoreSubject {
  return {
    name,
    supports: { ...WHOLE, ...supports },
    createPlace() {
      const disk = createMemoryDisk();
      const plant = fault();
      let handles = 0;
      return {
        open() {
          const store = createMemoryStore({ disk, clock: CLOCK, journal: { prune: true } });
          return { ...store, ...plant(store, handles++) };
        },
        remove: () => {},
      };
    },
  };
}

/** A memory store with a fault, and the rules that it breaks. */
export type PlantedStore = PlantedFault<OrderStoreSubject>;

/** Describes a fault with the rules that it breaks. */
export function planted(
  fault: string,
  breaks: readonly string[],
  plant: StoreFault,
  supports?: Partial<OrderStoreSupport>,
): PlantedStore {
  return { fault, breaks, subject: memorySubject(fault, plant, supports) };
}

/** Returns a batch with every part changed. */
export const withParts = (batch: AppendBatch, change: (part: ShardAppend) => ShardAppend): AppendBatch => ({
  ...batch,
  shards: batch.shards.map(change),
});

/** Keeps the first row of each ended order, and drops the rows that replace it. */
export const keepsFirstRow: StoreFault = () => {
  const seen = new Set<number>();
  return (store) => ({
    append: (batch) =>
      store.append(
        withParts(batch, (part) => ({
          ...part,
          ended: part.ended.filter(({ orderId }) => !seen.has(orderId) && seen.add(orderId)),
        })),
      ),
  });
};

/** Waits for some turns of the event loop, so that other calls come first. */
export async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
