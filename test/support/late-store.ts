import { createMemoryStore, type MemoryDisk } from "../../src/adapters/memory/index.ts";
import type { AppendBatch, AppendOutcome, OrderStore } from "../../src/ports/index.ts";

/**
 * The fate of the next call: it is lost, it is applied and reported as failed, or it is reported as failed and stays in
 * flight.
 */
export type Fault = "lost" | "denied" | "late" | "silent";

/** A store whose appends and fences can stay in flight after it has reported them as failed. */
export type LateStore = Readonly<{
  store: OrderStore;
  /** Faults of the next appends and fences, one for each. */
  appends: Fault[];
  fences: Fault[];
  /** Rounds that were requested. */
  rounds: number[];
  /** Lets the oldest append in flight arrive. */
  land(): Promise<readonly AppendOutcome[]>;
  /** The same for a fence. */
  landFence(): Promise<void>;
  /** Arrives before the next reading of a head. */
  landBeforeRead(): void;
}>;

const failed = new Error("the store does not say what became of it");

export function createLateStore(disk: MemoryDisk): LateStore {
  const inner = createMemoryStore({ disk });
  const [appends, fences, rounds]: [Fault[], Fault[], number[]] = [[], [], []];
  const onTheirWay: AppendBatch[] = [];
  const lateFences: (() => Promise<void>)[] = [];
  let isDue = false;
  const land = async (): Promise<readonly AppendOutcome[]> => {
    const batch = onTheirWay.shift();
    return batch === undefined ? [] : await inner.append(batch);
  };
  const through = async <T>(
    fault: Fault | undefined,
    call: () => Promise<T>,
    late: () => void,
  ): Promise<T> => {
    if (fault === undefined) return await call();
    if (fault === "denied") await call();
    if (fault === "late") late();
    if (fault === "silent") await new Promise<never>(() => undefined);
    throw failed;
  };
  const store: OrderStore = {
    ...inner,
    append: (batch) =>
      through(
        appends.shift(),
        () => inner.append(batch),
        () => onTheirWay.push(batch),
      ),
    fence(round) {
      rounds.push(round.round);
      const call = (): Promise<void> => inner.fence(round);
      return through(fences.shift(), call, () => lateFences.push(call));
    },
    async head(shard) {
      if (isDue) await land();
      isDue = false;
      return await inner.head(shard);
    },
  };
  return {
    store,
    appends,
    fences,
    rounds,
    land,
    landFence: async () => await lateFences.shift()?.(),
    landBeforeRead: () => {
      isDue = true;
    },
  };
}
