import { pause } from "../common/index.ts";
import type { Clock, OrderStore } from "../ports/index.ts";

/**
 * Fault of the store. `fail`: nothing is stored. `unknown`: it is stored and the answer is lost. `slow`: it takes a
 * second.
 */
export type StoreFaultMode = "none" | "fail" | "unknown" | "slow";

/** A fault of the store. It hits `count` appends, or all if left out. */
export type StoreFault = Readonly<{ mode: StoreFaultMode; count?: number | undefined }>;

const SLOW_MS = 1_000;

/** A store with injected faults in its appends. */
export type FaultyStore = OrderStore & Readonly<{ setFault: (fault: StoreFault) => void }>;

/** Wraps a store with faults. */
export function withFaults(store: OrderStore, clock: Clock): FaultyStore {
  let mode: StoreFaultMode = "none";
  let left = 0;
  const next = (): StoreFaultMode => {
    if (mode === "none" || left-- > 0) return mode;
    mode = "none";
    return mode;
  };
  const slowly = (): Promise<void> => pause(clock, SLOW_MS);
  const append: OrderStore["append"] = async (batch) => {
    const fault = next();
    if (fault === "fail") throw new Error("an injected fault makes the store fail");
    if (fault === "slow") await slowly();
    const outcomes = await store.append(batch);
    if (fault === "unknown") throw new Error("an injected fault makes the store lose its answer");
    return outcomes;
  };
  const setFault = (fault: StoreFault): void => {
    mode = fault.mode;
    left = fault.count ?? Number.POSITIVE_INFINITY;
  };
  return { ...boundTo(store), append, setFault };
}

/** Returns the methods of a store as members of a plain object. */
function boundTo(store: OrderStore): OrderStore {
  const { pageEndedNames, forgetEnded, leases } = store;
  return {
    ...(leases && { leases }),
    ...(pageEndedNames && { pageEndedNames: (page) => pageEndedNames.call(store, page) }),
    ...(forgetEnded && { forgetEnded: (range, goesOn) => forgetEnded.call(store, range, goesOn) }),
    acquire: () => store.acquire(),
    head: (shard) => store.head(shard),
    append: (batch) => store.append(batch),
    fence: (round) => store.fence(round),
    readRecords: (range) => store.readRecords(range),
    readSnapshot: (shard, reading) => store.readSnapshot(shard, reading),
    writeSnapshot: (snapshot, writing) => store.writeSnapshot(snapshot, writing),
    readMarks: (shards) => store.readMarks(shards),
    readQuotes: () => store.readQuotes(),
    deleteMarks: (marks) => store.deleteMarks(marks),
    findEnded: (key) => store.findEnded(key),
    pageEnded: (page) => store.pageEnded(page),
    countEnded: (whose) => store.countEnded(whose),
    readEnded: (range) => store.readEnded(range),
    findEndedList: (key) => store.findEndedList(key),
    pageEndedLists: (page) => store.pageEndedLists(page),
    deleteEnded: (range) => store.deleteEnded(range),
    readVolume: (reading) => store.readVolume(reading),
    deleteVolume: (range, deleting) => store.deleteVolume(range, deleting),
    close: () => store.close(),
  };
}
