import type { OrderVerdict, RateLimiter, WeightVerdict } from "../../ports/index.ts";
import { holds, same } from "../checks.ts";
import { LIMITS, type LimiterRules, START_MS } from "./world.ts";

const MINUTE_MS = 60_000;
/** Refused requests after which an address is banned at the latest. */
const PATIENCE = 200;

const weigh = async (limiter: RateLimiter, weight: number, address = "192.0.2.1"): Promise<WeightVerdict> =>
  await limiter.weigh({ address, weight });

/** Goes on until the answer is a ban. Returns when it ends, in epoch milliseconds. */
export async function bannedUntil(limiter: RateLimiter): Promise<number> {
  for (let n = 0; n < PATIENCE; n++) {
    const { refused } = await weigh(limiter, LIMITS.weightPerMinute);
    if (refused?.kind === "ban") return refused.untilMs;
  }
  holds(`${PATIENCE} requests above the limit`, false, "a refusal of kind `ban`", "refusals of kind `limit`");
  return 0;
}

/** Rules of request weight. */
export const weight: LimiterRules = {
  "convention 5.3: weight counts by the minute of the clock, not from the first request": {
    remedy: "Begin a window at a whole multiple of 60,000 ms of epoch time, and count from 0 in the next.",
    where: { limits: true },
    async check({ limiter, advanceBy }) {
      await advanceBy(MINUTE_MS - 1);
      same("weigh 10 of 10 at the end of a minute", await weigh(limiter, 10), { used: 10 });
      await advanceBy(1);
      same("weigh 1 in the next minute", await weigh(limiter, 1), { used: 1 });
    },
  },
  "weight above the limit is refused until the end of the minute, in epoch milliseconds": {
    remedy:
      "Refuse when the sum exceeds the limit, not when it reaches it. `untilMs` is a moment, not a duration, and not seconds.",
    where: { limits: true },
    async check({ limiter, advanceBy }) {
      await advanceBy(12_345);
      same("weigh 9 of 10", await weigh(limiter, 9), { used: 9 });
      same("weigh 1 more", await weigh(limiter, 1), { used: 10 });
      const refused = { kind: "limit", untilMs: START_MS + MINUTE_MS };
      same("weigh 1 above the limit", await weigh(limiter, 1), { used: 11, refused });
    },
  },
  "weight 0 is a query: it counts nothing and is never refused for a limit": {
    remedy: "Answer weight 0 with the weight that was used, and count no refusal for it.",
    where: { limits: true },
    async check({ limiter }) {
      await weigh(limiter, LIMITS.weightPerMinute + 1);
      for (let n = 0; n < PATIENCE; n++)
        same("weigh 0 after 11 of 10", await weigh(limiter, 0), { used: LIMITS.weightPerMinute + 1 });
    },
  },
  "addresses have separate limits": {
    remedy:
      "Count by the whole text of the address. The service has already shortened an IPv6 address to its network.",
    async check({ limiter }) {
      await weigh(limiter, LIMITS.weightPerMinute + 1);
      same("weigh 1 of another address", await weigh(limiter, 1, "192.0.2.2"), { used: 1 });
      same("weigh 1 of an IPv6 network", await weigh(limiter, 1, "2001:db8:0:1::/64"), { used: 1 });
      same("weigh 1 of another IPv6 network", await weigh(limiter, 1, "2001:db8:0:2::/64"), { used: 1 });
    },
  },
  "an address that goes on in spite of refusals is banned, alone, until the time that was announced": {
    remedy: "Keep the announced end of a ban, whatever is requested during it, and end the ban exactly then.",
    where: { limits: true, bans: true },
    async check({ limiter, advanceBy }) {
      const untilMs = await bannedUntil(limiter);
      holds("end of the ban", untilMs > START_MS, `a time after ${START_MS}`, untilMs);
      const { refused } = await weigh(limiter, 1, "192.0.2.2");
      same("weigh 1 of another address", refused, undefined);
      await advanceBy(untilMs - START_MS - 1);
      for (let n = 0; n < 3; n++) {
        const verdict = await weigh(limiter, 1);
        same("weigh 1 in the last millisecond of the ban", verdict.refused, { kind: "ban", untilMs });
      }
      await advanceBy(1);
      same("weigh 0 after the ban", (await weigh(limiter, 0)).refused, undefined);
    },
  },
  "a limiter without bans never bans": {
    remedy: "Declare `bans: true`, so that the rules of bans are checked, or refuse with kind `limit` only.",
    where: { limits: true, bans: false },
    async check({ limiter }) {
      for (let n = 0; n < PATIENCE; n++) {
        const { refused } = await weigh(limiter, LIMITS.weightPerMinute + 1);
        same("kind of a refusal", refused?.kind, "limit");
      }
    },
  },
};

const TEN_SECONDS_MS = 10_000;
const DAY_MS = 86_400_000;

const take = async (limiter: RateLimiter, count: number, accountId = 1): Promise<OrderVerdict> =>
  await limiter.takeOrders({ accountId, count });

/** Rules of the counts of orders. */
export const orders: LimiterRules = {
  "orders count in both windows, which are aligned to the clock": {
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
  },
  "a full window of ten seconds refuses, counts nothing, and says when it ends, in epoch milliseconds": {
    remedy:
      "Refuse when the count would exceed the limit. `untilMs` is the end of the window, not a duration.",
    where: { limits: true },
    async check({ limiter, advanceBy }) {
      await advanceBy(1_234);
      for (let n = 1; n <= 4; n++) same(`takeOrders, ${n} of 4`, (await take(limiter, 1)).refused, undefined);
      const { counts, refused } = await take(limiter, 1);
      same("takeOrders, the fifth of 4", refused, { window: "per10s", untilMs: START_MS + TEN_SECONDS_MS });
      same("counts of the refusal", counts, { per10s: 4, perDay: 4 });
    },
  },
  "a full day refuses, counts nothing, and says when it ends, in epoch milliseconds": {
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
  },
  "accounts have separate counts": {
    remedy: "Count by account. Accounts have ids beyond 32 bits.",
    async check({ limiter }) {
      await take(limiter, 4);
      for (const accountId of [2, 11, 2 ** 32 + 1])
        same(`takeOrders 1 of account ${accountId}`, (await take(limiter, 1, accountId)).counts, {
          ...{ per10s: 1, perDay: 1 },
        });
    },
  },
  "convention 3.5: a list counts each of its legs, and is refused as a whole; a smaller one may still fit": {
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
  },
  "placements at the same time do not exceed the limit together": {
    remedy: "Compare and add in one atomic step, such as a script of the database.",
    where: { limits: true },
    async check({ limiter }) {
      const verdicts = await Promise.all(Array.from({ length: 8 }, () => take(limiter, 1)));
      const taken = verdicts.filter(({ refused }) => refused === undefined).length;
      same("takeOrders 1, eight times at once: number not refused", taken, 4);
    },
  },
  "returned orders no longer count, all legs of them": {
    remedy: "Subtract `count` from both windows of `takenAtMs`, and answer with the counts after that.",
    async check({ limiter }) {
      await take(limiter, 1);
      const { takenAtMs } = await take(limiter, 3);
      const after = await limiter.returnOrders({ accountId: 1, count: 3, takenAtMs });
      same("returnOrders 3 of 4", after, { per10s: 1, perDay: 1 });
      same("takeOrders 3 again", (await take(limiter, 3)).counts, { per10s: 4, perDay: 4 });
    },
  },
  "orders are returned to the windows in which they were counted, not to later ones": {
    remedy: "Find the windows by `takenAtMs`. A window that is over stays as it is.",
    async check({ limiter, advanceBy }) {
      const { takenAtMs } = await take(limiter, 2);
      await advanceBy(TEN_SECONDS_MS);
      await take(limiter, 1);
      const after = await limiter.returnOrders({ accountId: 1, count: 2, takenAtMs });
      same("returnOrders 2 of the ten seconds before", after, { per10s: 1, perDay: 1 });
    },
  },
  "no count falls below zero": {
    remedy: "Bound the subtraction at 0. A count below 0 would allow more than the limit.",
    async check({ limiter }) {
      const { takenAtMs } = await take(limiter, 1);
      const after = await limiter.returnOrders({ accountId: 1, count: 3, takenAtMs });
      same("returnOrders 3 of 1", after, { per10s: 0, perDay: 0 });
      same("takeOrders 1 after that", (await take(limiter, 1)).counts, { per10s: 1, perDay: 1 });
    },
  },
  "a placement gets a finite number that identifies its windows": {
    remedy: "Return the time of the count in `takenAtMs`, refused or not.",
    async check({ limiter }) {
      const { takenAtMs } = await take(limiter, 1);
      holds("takenAtMs", Number.isFinite(takenAtMs), "a finite number", takenAtMs);
    },
  },
};
