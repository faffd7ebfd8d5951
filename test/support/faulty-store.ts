import type { OrderStore } from "../../src/ports/index.ts";

/**
 * How a store misbehaves. `fail`: an append rejects and writes nothing. `unknown`: it writes everything and rejects.
 * `slow`: it waits for `release` before it does anything. `fail-reads`: every read rejects.
 */
export type StoreFault = "none" | "fail" | "unknown" | "slow" | "fail-reads";

/** An order store whose faults a test activates. */
export type FaultyStore = OrderStore &
  Readonly<{
    /** Activates a fault for the next `count` calls to which it applies (for ever by default), replacing any other. */
    inject(fault: StoreFault, count?: number): void;
    /** Releases waiting appends, in their order. */
    release(): void;
    /** Appends that wait for `release`. */
    readonly waiting: number;
  }>;

/** Adds faults between a store and its user; without any it behaves as the store does. */
export function createFaultyStore(store: OrderStore): FaultyStore {
  let current: StoreFault = "none";
  let left = 0;
  let held: (() => void)[] = [];
  const strikes = (fault: StoreFault): boolean => {
    if (current !== fault || left === 0) return false;
    left -= 1;
    return true;
  };
  const reading = async <T>(read: () => Promise<T>): Promise<T> => {
    if (strikes("fail-reads")) throw new Error("the store cannot read");
    return read();
  };
  const { pageEndedNames, pruneEnded } = store;
  return {
    ...(pageEndedNames && { pageEndedNames: (page) => reading(() => pageEndedNames.call(store, page)) }),
    ...(pruneEnded && { pruneEnded: (range, goesOn) => pruneEnded.call(store, range, goesOn) }),
    acquire: () => store.acquire(),
    head: (shard) => reading(() => store.head(shard)),
    fence: (round) => reading(() => store.fence(round)),
    readRecords: (range) => reading(() => store.readRecords(range)),
    readSnapshot: (shard, received) => reading(() => store.readSnapshot(shard, received)),
    readMarks: (shards) => reading(() => store.readMarks(shards)),
    readQuotes: () => reading(() => store.readQuotes()),
    findEnded: (key) => reading(() => store.findEnded(key)),
    pageEnded: (page) => reading(() => store.pageEnded(page)),
    countEnded: (whose) => reading(() => store.countEnded(whose)),
    readEnded: (range) => reading(() => store.readEnded(range)),
    findEndedList: (key) => reading(() => store.findEndedList(key)),
    pageEndedLists: (page) => reading(() => store.pageEndedLists(page)),
    readVolume: (received) => reading(() => store.readVolume(received)),
    writeSnapshot: (snapshot, writing) => store.writeSnapshot(snapshot, writing),
    deleteMarks: (marks) => store.deleteMarks(marks),
    deleteEnded: (range) => store.deleteEnded(range),
    deleteVolume: (range, deleting) => store.deleteVolume(range, deleting),
    close: () => store.close(),
    async append(batch) {
      if (strikes("fail")) throw new Error("the store did not keep the append");
      if (strikes("slow")) await new Promise<void>((resolve) => held.push(resolve));
      const lost = strikes("unknown");
      const outcomes = await store.append(batch);
      if (lost) throw new Error("the store does not say whether it kept the append");
      return outcomes;
    },
    inject(fault, count = Number.POSITIVE_INFINITY) {
      current = fault;
      left = count;
    },
    release() {
      const waiting = held;
      held = [];
      for (const resolve of waiting) resolve();
    },
    get waiting() {
      return held.length;
    },
  };
}
