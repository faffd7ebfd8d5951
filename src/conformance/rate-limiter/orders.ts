import type { OrderVerdict, RateLimiter } from "../../ports/index.ts";
import { holds, same } from "../suite/index.ts";
import { type LimiterRule, type LimiterRules, START_MS } from "./world.ts";

const TEN_SECONDS_MS = 10_000;
const DAY_MS = 86_400_000;

const take = async (limiter: RateLimiter, count: number, accountId = 1): Promise<OrderVerdict> =>
  await limiter.takeOrders({ accountId, count });

const both: LimiterRule = {
  name: "orders count in both windows, which are aligned to the clock",
  remedy:
    "Count each order in a window of 10,000 ms and in one of 86,400,000 ms, both at whole multiples of epoch time.",
  async check({ limiter, advanceBy }) {
    await advanceBy(TEN_SECONDS_MS - 1);
    same("takeOrders 1", (await take(limiter, 1)).counts, { per10s: 1, perDay: 1 });
    await advanceBy(1);
    same("takeOrders 1 in the next ten seconds", (await take(limiter, 1)).counts, { per10s: 1, perDay: 2 });
    await advanceBy(DAY_MS - TEN_SECONDS_MS);
    same("takeOrders 1 on the next day", (await take(limiter, 1)).counts, { per10s: 1, perDay: 1 });
  },
};

const fullTenSeconds: LimiterRule = {
  name: "a full window of ten seconds refuses, counts nothing, and says when it ends, in epoch milliseconds",
  remedy: "Refuse when the count would exceed the limit. `untilMs` is the end of the window, not a duration.",
  where: { limits: true },
  async check({ limiter, advanceBy }) {
    await advanceBy(1_234);
    for (let n = 1; n <= 4; n++) same(`takeOrders, ${n} of 4`, (await take(limiter, 1)).refused, undefined);
    const { counts, refused } = await take(limiter, 1);
    same("takeOrders, the fifth of 4", refused, { window: "per10s", untilMs: START_MS + TEN_SECONDS_MS });
    same("counts of the refusal", counts, { per10s: 4, perDay: 4 });
  },
};

const fullDay: LimiterRule = {
  name: "a full day refuses, counts nothing, and says when it ends, in epoch milliseconds",
  remedy: "Name the window that is full. A day ends at midnight UTC.",
  where: { limits: true },
  async check({ limiter, advanceBy }) {
    await take(limiter, 4);
    await advanceBy(TEN_SECONDS_MS);
    await take(limiter, 2);
    await advanceBy(TEN_SECONDS_MS);
    const { counts, refused } = await take(limiter, 1);
    same("takeOrders, the seventh of 6", refused, { window: "perDay", untilMs: START_MS + DAY_MS });
    same("counts of the refusal", counts, { per10s: 0, perDay: 6 });
  },
};

const accounts: LimiterRule = {
  name: "accounts have separate counts",
  remedy: "Count by account. Accounts have ids beyond 32 bits.",
  async check({ limiter }) {
    await take(limiter, 4);
    for (const accountId of [2, 11, 2 ** 32 + 1])
      same(`takeOrders 1 of account ${accountId}`, (await take(limiter, 1, accountId)).counts, {
        ...{ per10s: 1, perDay: 1 },
      });
  },
};

const wholeList: LimiterRule = {
  name: "convention 3.5: a list counts each of its legs, and is refused as a whole; a smaller one may still fit",
  remedy: "Add `count` only if all of it fits, in one atomic step.",
  where: { limits: true },
  async check({ limiter, advanceBy }) {
    same("takeOrders 2 of 4", (await take(limiter, 2)).counts, { per10s: 2, perDay: 2 });
    const { counts, refused } = await take(limiter, 3);
    same("takeOrders 3 where 2 fit: window", refused?.window, "per10s");
    same("takeOrders 3 where 2 fit: counts", counts, { per10s: 2, perDay: 2 });
    const smaller = await take(limiter, 2);
    same("takeOrders 2 where 2 fit: refused", smaller.refused, undefined);
    same("takeOrders 2 where 2 fit: counts", smaller.counts, { per10s: 4, perDay: 4 });
    await advanceBy(TEN_SECONDS_MS);
    const ofDay = await take(limiter, 3);
    same("takeOrders 3 where 2 fit into the day: window", ofDay.refused?.window, "perDay");
    same("takeOrders 3 where 2 fit into the day: counts", ofDay.counts, { per10s: 0, perDay: 4 });
  },
};

const atOnce: LimiterRule = {
  name: "placements at the same time do not exceed the limit together",
  remedy: "Compare and add in one atomic step, such as a script of the database.",
  where: { limits: true },
  async check({ limiter }) {
    const verdicts = await Promise.all(Array.from({ length: 8 }, () => take(limiter, 1)));
    const taken = verdicts.filter(({ refused }) => refused === undefined).length;
    same("takeOrders 1, eight times at once: number not refused", taken, 4);
  },
};

const returned: LimiterRule = {
  name: "returned orders no longer count, all legs of them",
  remedy: "Subtract `count` from both windows of `takenAtMs`, and answer with the counts after that.",
  async check({ limiter }) {
    await take(limiter, 1);
    const { takenAtMs } = await take(limiter, 3);
    const after = await limiter.returnOrders({ accountId: 1, count: 3, takenAtMs });
    same("returnOrders 3 of 4", after, { per10s: 1, perDay: 1 });
    same("takeOrders 3 again", (await take(limiter, 3)).counts, { per10s: 4, perDay: 4 });
  },
};

const ownWindow: LimiterRule = {
  name: "orders are returned to the windows in which they were counted, not to later ones",
  remedy: "Find the windows by `takenAtMs`. A window that is over stays as it is.",
  async check({ limiter, advanceBy }) {
    const { takenAtMs } = await take(limiter, 2);
    await advanceBy(TEN_SECONDS_MS);
    await take(limiter, 1);
    const after = await limiter.returnOrders({ accountId: 1, count: 2, takenAtMs });
    same("returnOrders 2 of the ten seconds before", after, { per10s: 1, perDay: 1 });
  },
};

const notNegative: LimiterRule = {
  name: "no count falls below zero",
  remedy: "Bound the subtraction at 0. A count below 0 would allow more than the limit.",
  async check({ limiter }) {
    const { takenAtMs } = await take(limiter, 1);
    const after = await limiter.returnOrders({ accountId: 1, count: 3, takenAtMs });
    same("returnOrders 3 of 1", after, { per10s: 0, perDay: 0 });
    same("takeOrders 1 after that", (await take(limiter, 1)).counts, { per10s: 1, perDay: 1 });
  },
};

const takenAt: LimiterRule = {
  name: "a placement gets a finite number that identifies its windows",
  remedy: "Return the time of the count in `takenAtMs`, refused or not.",
  async check({ limiter }) {
    const { takenAtMs } = await take(limiter, 1);
    holds("takenAtMs", Number.isFinite(takenAtMs), "a finite number", takenAtMs);
  },
};

/** Rules of the counts of orders. */
export const orders: LimiterRules = {
  name: "order counts",
  rules: [
    ...[both, fullTenSeconds, fullDay, accounts, wholeList, atOnce],
    ...[returned, ownWindow, notNegative, takenAt],
  ],
};
