import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import type { Engine } from "../../../src/engine/index.ts";
import { accountIn, openBenchEngine } from "../bench-engine.ts";
import { benchFolder } from "../bench-folder.ts";
import { storeOfEnded, storeOfShards } from "../burst-stores.ts";
import type { Line } from "../line.ts";
import { medianOf } from "../measure.ts";

const PAGES = 200;
const OPEN = 1_000_000;
const ENDED = 10_000_000;

/** Measures a page of ten of an account's history, in milliseconds. */
async function pageMs(engine: Engine, accountId: number): Promise<number> {
  const page = { accountId, includeHistory: true, newestFirst: true, limit: 10, afterOrderId: 0 };
  const times: number[] = [];
  for (let n = 0; n < PAGES; n++) {
    const start = performance.now();
    const { orders } = await engine.page(page);
    times.push(performance.now() - start);
    if (orders.length !== 10) throw new Error(`a page has ${orders.length} orders`);
  }
  return medianOf(times);
}

/** Measures a page of the account that has the whole history. */
export const historyPage: Line = {
  work: "page of ten with its total, 1,000,000 open and 10,000,000 ended of one account, SQLite",
  unit: "ms",
  timedBy: "clock",
  target: "<= 2 ms",
  reached: (ms) => ms <= 2,
  async open({ of }) {
    const folder = benchFolder();
    const path = folder.path("orders.db");
    await storeOfShards({ path, parents: of(OPEN), accountOf: accountIn });
    await storeOfEnded({ path, rows: of(ENDED), accountOf: () => accountIn(0), after: 10 * OPEN });
    const { engine } = await openBenchEngine(openSqliteStore({ path }));
    return {
      take: async () => ({ figure: await pageMs(engine, accountIn(0)) }),
      async close() {
        await engine.close();
        folder.remove();
      },
    };
  },
};
