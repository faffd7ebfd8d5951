import type { RateLimiter } from "../../ports/index.ts";
import { same } from "../suite/index.ts";
import { bannedUntil } from "./weight.ts";
import { type LimiterRule, type LimiterRules, START_MS } from "./world.ts";

const DAY_MS = 86_400_000;

/** Returns the orders of an account today, this one included. */
async function ordersWithOne(limiter: RateLimiter, accountId: number): Promise<number> {
  return (await limiter.takeOrders({ accountId, count: 1 })).counts.perDay;
}

const storedOrders: LimiterRule = {
  name: "convention 5.3: the orders of the day are counted on after a restart, without those that were returned",
  remedy: "Write the orders of each account and day, and begin with them.",
  where: { durable: true },
  async check({ limiter, reopen }) {
    await limiter.takeOrders({ accountId: 1, count: 2 });
    const { takenAtMs } = await limiter.takeOrders({ accountId: 2, count: 2 });
    await limiter.returnOrders({ accountId: 2, count: 1, takenAtMs });
    const second = await reopen();
    same("orders of account 1 after a restart", await ordersWithOne(second, 1), 3);
    const third = await reopen();
    same("orders of account 1 after two restarts", await ordersWithOne(third, 1), 4);
    same("orders of account 2 after two restarts", await ordersWithOne(third, 2), 2);
    same("orders of account 3, which has none", await ordersWithOne(third, 3), 1);
  },
};

const storedLimit: LimiterRule = {
  name: "convention 5.3: a day that is full is full after a restart",
  remedy: "Compare the limit with all orders of the day.",
  where: { durable: true, limits: true },
  async check({ limiter, reopen, advanceBy }) {
    await limiter.takeOrders({ accountId: 1, count: 4 });
    await advanceBy(10_000);
    await limiter.takeOrders({ accountId: 1, count: 2 });
    const { refused } = await (await reopen()).takeOrders({ accountId: 1, count: 1 });
    same("takeOrders, the seventh of 6", refused, { window: "perDay", untilMs: START_MS + DAY_MS });
  },
};

const nextDay: LimiterRule = {
  name: "orders of an earlier day do not count after a restart",
  remedy: "Keep the day with the count. A day begins at midnight UTC.",
  where: { durable: true },
  async check({ limiter, reopen, advanceBy }) {
    await limiter.takeOrders({ accountId: 1, count: 2 });
    await advanceBy(DAY_MS);
    same("orders of account 1 on the next day", await ordersWithOne(await reopen(), 1), 1);
  },
};

const storedBan: LimiterRule = {
  name: "decision 42: a ban lasts over a restart, until the time that was announced",
  remedy: "Write the end of each ban, and begin with those that have not ended.",
  where: { durable: true, limits: true, bans: true },
  async check({ limiter, reopen, advanceBy }) {
    const untilMs = await bannedUntil(limiter);
    await advanceBy(untilMs - START_MS - 1);
    const again = await reopen();
    const { refused } = await again.weigh({ address: "192.0.2.1", weight: 1 });
    same("weigh 1 in the last millisecond of the ban", refused, { kind: "ban", untilMs });
    const other = await again.weigh({ address: "192.0.2.2", weight: 1 });
    same("weigh 1 of another address", other.refused, undefined);
    await advanceBy(1);
    same(
      "weigh 0 after the ban",
      (await again.weigh({ address: "192.0.2.1", weight: 0 })).refused,
      undefined,
    );
  },
};

const forgotten: LimiterRule = {
  name: "a limiter that is not durable begins with nothing after a restart",
  remedy: "Declare `durable: true`, so that the rules of restarts are checked.",
  where: { durable: false },
  async check({ limiter, reopen }) {
    await limiter.takeOrders({ accountId: 1, count: 2 });
    same("orders of account 1 after a restart", await ordersWithOne(await reopen(), 1), 1);
  },
};

/** Rules of restarts. */
export const restarts: LimiterRules = {
  name: "restarts",
  rules: [storedOrders, storedLimit, nextDay, storedBan, forgotten],
};
