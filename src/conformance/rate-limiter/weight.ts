import type { RateLimiter, WeightVerdict } from "../../ports/index.ts";
import { holds, same } from "../suite/index.ts";
import { LIMITS, type LimiterRule, type LimiterRules, START_MS } from "./world.ts";

const MINUTE_MS = 60_000;
/** Refused requests after which an address is banned at the latest. */
const PATIENCE = 200;

const weigh = async (limiter: RateLimiter, weight: number, address = "192.0.2.1"): Promise<WeightVerdict> =>
  await limiter.weigh({ address, weight });

const aligned: LimiterRule = {
  name: "convention 5.3: weight counts by the minute of the clock, not from the first request",
  remedy: "Begin a window at a whole multiple of 60,000 ms of epoch time, and count from 0 in the next.",
  where: { limits: true },
  async check({ limiter, advanceBy }) {
    await advanceBy(MINUTE_MS - 1);
    same("weigh 10 of 10 at the end of a minute", await weigh(limiter, 10), { used: 10 });
    await advanceBy(1);
    same("weigh 1 in the next minute", await weigh(limiter, 1), { used: 1 });
  },
};

const refusedWeight: LimiterRule = {
  name: "weight above the limit is refused until the end of the minute, in epoch milliseconds",
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
};

const query: LimiterRule = {
  name: "weight 0 is a query: it counts nothing and is never refused for a limit",
  remedy: "Answer weight 0 with the weight that was used, and count no refusal for it.",
  where: { limits: true },
  async check({ limiter }) {
    await weigh(limiter, LIMITS.weightPerMinute + 1);
    for (let n = 0; n < PATIENCE; n++)
      same("weigh 0 after 11 of 10", await weigh(limiter, 0), { used: LIMITS.weightPerMinute + 1 });
  },
};

const addresses: LimiterRule = {
  name: "addresses have separate limits",
  remedy:
    "Count by the whole text of the address. The service has already shortened an IPv6 address to its network.",
  async check({ limiter }) {
    await weigh(limiter, LIMITS.weightPerMinute + 1);
    same("weigh 1 of another address", await weigh(limiter, 1, "192.0.2.2"), { used: 1 });
    same("weigh 1 of an IPv6 network", await weigh(limiter, 1, "2001:db8:0:1::/64"), { used: 1 });
    same("weigh 1 of another IPv6 network", await weigh(limiter, 1, "2001:db8:0:2::/64"), { used: 1 });
  },
};

/** Goes on until the answer is a ban. Returns when it ends, in epoch milliseconds. */
export async function bannedUntil(limiter: RateLimiter): Promise<number> {
  for (let n = 0; n < PATIENCE; n++) {
    const { refused } = await weigh(limiter, LIMITS.weightPerMinute);
    if (refused?.kind === "ban") return refused.untilMs;
  }
  holds(`${PATIENCE} requests above the limit`, false, "a refusal of kind `ban`", "refusals of kind `limit`");
  return 0;
}

const ban: LimiterRule = {
  name: "an address that goes on in spite of refusals is banned, alone, until the time that was announced",
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
};

const noBan: LimiterRule = {
  name: "a limiter without bans never bans",
  remedy: "Declare `bans: true`, so that the rules of bans are checked, or refuse with kind `limit` only.",
  where: { limits: true, bans: false },
  async check({ limiter }) {
    for (let n = 0; n < PATIENCE; n++) {
      const { refused } = await weigh(limiter, LIMITS.weightPerMinute + 1);
      same("kind of a refusal", refused?.kind, "limit");
    }
  },
};

/** Rules of request weight. */
export const weight: LimiterRules = {
  name: "request weight",
  rules: [aligned, refusedWeight, query, addresses, ban, noBan],
};
