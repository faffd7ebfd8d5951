import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import type { Engine } from "../../../src/engine/index.ts";
import { STORE_THREAD } from "../../support/store-thread.ts";
import {
  ABOVE,
  accountIn,
  intentsOf,
  openBenchEngine,
  openOnSqlite,
  placeAll,
  stopIntent,
} from "../bench-engine.ts";
import { benchFolder } from "../bench-folder.ts";
import { storeOfShards } from "../burst-stores.ts";
import type { Line } from "../line.ts";
import { metered } from "../metered.ts";

const PARENTS = 1_000_000;
const WARM_UP = 40_000;

/** The number in flight at once: callers hold no more, and the memory of the benchmark itself must not be measured. */
const PART = 512;

/** V8 releases the pages that a full collection freed only with the next one. */
const COLLECTIONS = 3;

const residentBytes = (): number => {
  for (let count = 0; count < COLLECTIONS; count++) globalThis.gc?.();
  return process.memoryUsage().rss;
};

async function placeMany(engine: Engine, count: number): Promise<void> {
  for (let from = 0; from < count; from += PART) {
    const intents = intentsOf(Math.min(PART, count - from), (n) => stopIntent(`${5_000 + (n % 1_000)}.25`));
    await placeAll(engine, intents, { accounts: 256 });
  }
}

/** Measures the memory of the process for each resting parent, after they were placed one by one. */
export const memory: Line = {
  work: "memory of the process (RSS) for each of 1,000,000 stops at rest",
  unit: "bytes",
  timedBy: "clock",
  target: "<= 800 bytes",
  reached: (bytes) => bytes <= 800,
  alone: true,
  async open({ of }) {
    const { engine, close } = await openOnSqlite();
    engine.market.quote(ABOVE);
    await placeMany(engine, of(WARM_UP));
    return {
      async take() {
        const [count, before] = [of(PARENTS), residentBytes()];
        await placeMany(engine, count);
        return { figure: (residentBytes() - before) / count };
      },
      close,
    };
  },
};

/** Measures a restart: half of the parents are read from snapshots, half from the journal. */
export const restart: Line = {
  work: "restart with 1,000,000 parents, SQLite",
  unit: "parents",
  timedBy: "clock",
  target: ">= 200 k/s",
  reached: (perSecond) => perSecond >= 200_000,
  async open({ of }) {
    const folder = benchFolder();
    const path = folder.path("orders.db");
    const parents = of(PARENTS);
    await storeOfShards({ path, parents, accountOf: accountIn });
    return {
      async take() {
        let engine: Engine | undefined;
        const ours = await metered(parents, async () => {
          engine = (await openBenchEngine(openSqliteStore({ path, ...STORE_THREAD }))).engine;
        });
        await engine?.close();
        return { ours };
      },
      close: async () => folder.remove(),
    };
  },
};
