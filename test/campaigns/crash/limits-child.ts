import { createSystemClock } from "../../../src/adapters/node/index.ts";
import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { STORE_THREAD } from "../../support/store-thread.ts";

const [path = "", orders = "0"] = process.argv.slice(2);

/** Counts orders, of which one is returned, has an address banned, and never ends. Nobody asks for a write. */
const store = openSqliteStore({ path, ...STORE_THREAD });
const limiter = await store.openRateLimiter({ clock: createSystemClock(), ordersPer10s: 1_000_000 });
for (let n = 0; n < Number(orders); n++) limiter.takeOrders({ accountId: 1, count: 1 });
const { takenAtMs } = await limiter.takeOrders({ accountId: 1, count: 1 });
await limiter.returnOrders({ accountId: 1, count: 1, takenAtMs });
let until = 0;
while (until === 0) {
  const { refused } = await limiter.weigh({ address: "192.0.2.1", weight: 6_001 });
  if (refused?.kind === "ban") until = refused.untilMs;
}
process.stdout.write(`${Math.ceil(until)}\n`);
setInterval(() => undefined, 1_000_000);
