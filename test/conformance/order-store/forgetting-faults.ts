import type { OrderStore } from "../../../src/ports/index.ts";
import { keepsFirstRow, type PlantedStore, planted, type StoreFault } from "./faulty-place.ts";

type Forget = NonNullable<OrderStore["pruneEnded"]>;

const changed =
  (change: (store: OrderStore, ...requested: Parameters<Forget>) => Promise<void> | undefined): StoreFault =>
  () =>
  (store) => ({
    pruneEnded: async (range, goesOn) => await change(store, range, goesOn),
  });

/** Hides records of shard 0 after a deletion: those that `isGone` names. */
const alsoHides =
  (isGone: (sequence: number, snapshot: number) => boolean): StoreFault =>
  () => {
    let snapshot: number | undefined;
    return (store) => ({
      async pruneEnded(range, goesOn) {
        await store.pruneEnded?.(range, goesOn);
        snapshot = (await store.readSnapshot(0))?.sequence ?? 0;
      },
      async readRecords(range) {
        const records = await store.readRecords(range);
        return records.filter(({ sequence }) => snapshot === undefined || !isGone(sequence, snapshot));
      },
    });
  };

const TOGETHER = "orders that ended before the time leave with all their records";
const NEEDED = "records from the newest snapshot on stay";
const IN_STEPS = "many orders leave in short steps";

/** Deletes ended legs before their list has ended. */
const legsFirst: StoreFault = () => {
  let beforeMs = 0;
  return (store) => ({
    async pruneEnded(range, goesOn) {
      await store.pruneEnded?.(range, goesOn);
      beforeMs = range.beforeMs;
    },
    async findEnded(key) {
      const found = await store.findEnded(key);
      return (found?.ended?.atMs ?? Number.POSITIVE_INFINITY) < beforeMs ? undefined : found;
    },
  });
};

/** Faults of deleting ended orders together with their records. */
export const forgettingFaults: readonly PlantedStore[] = [
  planted("the method is missing", ["a store that forgets has the method"], () => () => ({
    pruneEnded: undefined as never,
  })),
  planted("the method is there and declared as absent", ["a store that does not forget"], () => () => ({}), {
    pruneEnded: false,
  }),
  planted(
    "records stay when their rows leave",
    [TOGETHER],
    changed(async (store, { beforeMs }) => void (await store.deleteEnded({ beforeMs, limit: 1_000 }))),
  ),
  planted(
    "the time of a deletion is included",
    [TOGETHER],
    changed((store, { beforeMs }, goesOn) => store.pruneEnded?.({ beforeMs: beforeMs + 1 }, goesOn)),
  ),
  planted(
    "the record before the first deleted one leaves too",
    [TOGETHER],
    alsoHides((n) => n === 2),
  ),
  planted("the head does not say what has left", [TOGETHER], () => (store) => ({
    async head(shard) {
      const { forgotten: _forgotten, ...head } = await store.head(shard);
      return head;
    },
  })),
  planted(
    "records above the snapshot are deleted",
    [NEEDED],
    alsoHides((n, snapshot) => n > snapshot),
  ),
  planted(
    "the record of the snapshot is deleted",
    [NEEDED],
    alsoHides((n, snapshot) => n === snapshot),
  ),
  planted(
    "rows of orders above the snapshot are deleted",
    [NEEDED],
    changed(async (store, range, goesOn) => {
      await store.pruneEnded?.(range, goesOn);
      await store.deleteEnded({ ...range, limit: 1_000 });
    }),
  ),
  planted("a leg leaves before its list", ["stays with its records as long as its list"], legsFirst),
  planted("a row that exists is not replaced", ["a late fill changed after its end leaves"], keepsFirstRow),
  planted("only the handle that deleted knows what has left", ["for the next handle the head"], () => {
    return (store, handle) => ({
      async acquire() {
        const heads = await store.acquire();
        return handle === 0 ? heads : heads.map(({ forgotten: _forgotten, ...head }) => head);
      },
    });
  }),
  planted("a handle that was replaced deletes", ["after another handle has called acquire"], () => {
    const owned: OrderStore[] = [];
    return (store) => {
      owned.push(store);
      return { pruneEnded: async (range, goesOn) => await owned.at(-1)?.pruneEnded?.(range, goesOn) };
    };
  }),
  planted(
    "rows leave first, and records later",
    ["a deletion that ends early leaves each order whole"],
    changed(async (store, { beforeMs }, goesOn) => {
      while ((await store.deleteEnded({ beforeMs, limit: 250 })) > 0) if (!goesOn()) return;
      await store.pruneEnded?.({ beforeMs }, goesOn);
    }),
  ),
  planted(
    "the question whether to go on is not asked",
    [IN_STEPS],
    changed((store, range) => store.pruneEnded?.(range, () => true)),
  ),
];
