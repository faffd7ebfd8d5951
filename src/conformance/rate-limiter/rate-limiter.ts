import type { RateLimiter } from "../../ports/index.ts";
import { holds, same } from "../checks.ts";
import { declareSuite, type TestFramework } from "../suite.ts";
import { bannedUntil, orders, weight } from "./counts.ts";
import {
  createLimiterWorld,
  LIMITS,
  type LimiterRules,
  type RateLimiterSubject,
  rateLimiterSubject,
  START_MS,
} from "./world.ts";

const DAY_MS = 86_400_000;

/** Returns the orders of an account today, this one included. */
async function ordersWithOne(limiter: RateLimiter, accountId = 1): Promise<number> {
  return (await limiter.takeOrders({ accountId, count: 1 })).counts.perDay;
}

/** Rules of restarts. */
const restarts: LimiterRules = {
  "convention 5.3: the orders of the day are counted on after a restart, without those that were returned": {
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
  },
  "convention 5.3: a day that is full is full after a restart": {
    remedy: "Compare the limit with all orders of the day.",
    where: { durable: true, limits: true },
    async check({ limiter, reopen, advanceBy }) {
      await limiter.takeOrders({ accountId: 1, count: 4 });
      await advanceBy(10_000);
      await limiter.takeOrders({ accountId: 1, count: 2 });
      const { refused } = await (await reopen()).takeOrders({ accountId: 1, count: 1 });
      same("takeOrders, the seventh of 6", refused, { window: "perDay", untilMs: START_MS + DAY_MS });
    },
  },
  "orders of an earlier day do not count after a restart": {
    remedy: "Keep the day with the count. A day begins at midnight UTC.",
    where: { durable: true },
    async check({ limiter, reopen, advanceBy }) {
      await limiter.takeOrders({ accountId: 1, count: 2 });
      await advanceBy(DAY_MS);
      same("orders of account 1 on the next day", await ordersWithOne(await reopen(), 1), 1);
    },
  },
  "a ban lasts over a restart, until the time that was announced": {
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
  },
  "a limiter that is not durable begins with nothing after a restart": {
    remedy: "Declare `durable: true`, so that the rules of restarts are checked.",
    where: { durable: false },
    async check({ limiter, reopen }) {
      await limiter.takeOrders({ accountId: 1, count: 2 });
      same("orders of account 1 after a restart", await ordersWithOne(await reopen(), 1), 1);
    },
  },
};

/** Lets account 1 go from a node to another one. */
async function move(from: RateLimiter, to: RateLimiter): Promise<void> {
  await from.lost?.();
  await to.gained?.((accountId) => accountId === 1);
}

/** Rules of several nodes, between which accounts move. */
const nodes: LimiterRules = {
  "a limiter for several nodes has `gained` and `lost`": {
    remedy: "Implement both, or declare `nodes: false`.",
    where: { nodes: true },
    async check({ limiter: { gained, lost } }) {
      holds("typeof gained", typeof gained === "function", "function", gained);
      holds("typeof lost", typeof lost === "function", "function", lost);
    },
  },
  "a limiter for one node has neither `gained` nor `lost`": {
    remedy: "Declare `nodes: true`, so that the rules of several nodes are checked.",
    where: { nodes: false },
    async check({ limiter }) {
      same("the methods gained and lost", [limiter.gained, limiter.lost], [undefined, undefined]);
    },
  },
  "the orders of the day of an account move with it, and each counts once": {
    remedy:
      "In `lost`, write what is counted. In `gained`, read what others have written, and add what is counted here.",
    where: { nodes: true },
    async check({ limiter: first, openBeside }) {
      const second = await openBeside();
      same("orders of account 1 at the first node", await ordersWithOne(first), 1);
      await move(first, second);
      same("orders of account 1 at the second node", await ordersWithOne(second), 2);
      await second.gained?.((accountId) => accountId === 1);
      same("orders of account 1 at the second node, which has read twice", await ordersWithOne(second), 3);
      await move(second, first);
      same("orders of account 1 back at the first node", await ordersWithOne(first), 4);
    },
  },
  "orders that were returned do not move with the account": {
    remedy: "Write the number of orders after those that were returned.",
    where: { nodes: true },
    async check({ limiter: first, openBeside }) {
      const second = await openBeside();
      const { takenAtMs } = await first.takeOrders({ accountId: 1, count: 3 });
      await first.returnOrders({ accountId: 1, count: 2, takenAtMs });
      await move(first, second);
      same("orders of account 1 at the second node", await ordersWithOne(second), 2);
    },
  },
  "the limit of the day is one for all nodes": {
    remedy: "Compare the limit with the orders that all nodes have counted.",
    where: { nodes: true, limits: true },
    async check({ limiter: first, openBeside, advanceBy }) {
      const second = await openBeside();
      await first.takeOrders({ accountId: 1, count: 4 });
      await advanceBy(10_000);
      await first.takeOrders({ accountId: 1, count: 2 });
      await move(first, second);
      const { refused } = await second.takeOrders({ accountId: 1, count: 1 });
      same("takeOrders, the seventh of 6", refused, { window: "perDay", untilMs: START_MS + DAY_MS });
    },
  },
  "orders of yesterday do not move with the account": {
    remedy: "Read the orders of today only. A day begins at midnight UTC.",
    where: { nodes: true },
    async check({ limiter: first, openBeside, advanceBy }) {
      const second = await openBeside();
      await first.takeOrders({ accountId: 1, count: 2 });
      await first.lost?.();
      await advanceBy(DAY_MS);
      await move(first, second);
      same("orders of account 1 on the next day", await ordersWithOne(second), 1);
    },
  },
};

const FIVE_MINUTES_MS = 300_000;

const limits: LimiterRules = {
  "shows the limits that it enforces": {
    remedy: "Return the limits in `limits`. Clients read them in exchangeInfo.",
    where: { limits: true },
    async check({ limiter, supports }) {
      const { connectionsPer5Min, ...others } = LIMITS;
      same("limits", limiter.limits, { ...others, ...(supports.connect && { connectionsPer5Min }) });
    },
  },
  "a limiter without limits shows none, counts and never refuses": {
    remedy:
      "Declare `limits: true`, or leave `limits` undefined and refuse nothing: clients cannot know a hidden limit.",
    where: { limits: false },
    async check({ limiter }) {
      same("limits", limiter.limits, undefined);
      for (let n = 1; n <= 40; n++) {
        same("weigh 1", await limiter.weigh({ address: "192.0.2.1", weight: 1 }), { used: n });
        const { counts, refused } = await limiter.takeOrders({ accountId: 1, count: 3 });
        same("takeOrders 3", { counts, refused }, { counts: { per10s: 3 * n, perDay: 3 * n } });
        const verdict = await limiter.connect?.({ address: "192.0.2.1" });
        same("connect", verdict?.refusedUntilMs, undefined);
      }
    },
  },
};

const connectionRules: LimiterRules = {
  "a limiter that counts connections has `connect`": {
    remedy: "Implement `connect`, or declare `connect: false`.",
    where: { connect: true },
    async check({ limiter }) {
      holds("typeof connect", typeof limiter.connect === "function", "function", limiter.connect);
    },
  },
  "connections above the limit are refused until the end of their five minutes, in epoch milliseconds": {
    remedy: "Count by address in windows of 300,000 ms at whole multiples of epoch time.",
    where: { limits: true, connect: true },
    async check({ limiter, advanceBy }) {
      const connect = async (address = "192.0.2.1") => await limiter.connect?.({ address });
      await advanceBy(1_234);
      for (let n = 1; n <= 3; n++) same(`connect, ${n} of 3`, await connect(), {});
      same("connect, the fourth of 3", await connect(), { refusedUntilMs: START_MS + FIVE_MINUTES_MS });
      same("connect of another address", await connect("192.0.2.2"), {});
      await advanceBy(FIVE_MINUTES_MS - 1_234);
      same("connect in the next five minutes", await connect(), {});
    },
  },
  "a limiter that does not count connections has no `connect`": {
    remedy: "Declare `connect: true`, or leave the method and `connectionsPer5Min` out.",
    where: { connect: false },
    async check({ limiter }) {
      same("the method connect", limiter.connect, undefined);
      same("limits.connectionsPer5Min", limiter.limits?.connectionsPer5Min, undefined);
    },
  },
};

/** All rules of the rate limiter port, by subject. */
export const rateLimiterRules: Readonly<Record<string, LimiterRules>> = {
  ...{ limits, "request weight": weight, "order counts": orders },
  ...{ connections: connectionRules, restarts, nodes },
};

/**
 * Declares one test for each rule of the rate limiter port. Throws a TypeError that names a part of the description
 * that is missing, unknown or of the wrong type; a test that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { testRateLimiter } from "managed-orders/conformance";
 * import { createManualClock, createMemoryRateLimiter } from "managed-orders/memory";
 *
 * export const declareTests = (): void =>
 *   testRateLimiter({ describe, it }, {
 *     name: "memory",
 *     supports: { limits: true, connect: true, bans: true, durable: false, nodes: false },
 *     createPlace({ limits, startMs }) {
 *       const clock = createManualClock({ startMs });
 *       const reopen = () => createMemoryRateLimiter({ clock, ...limits });
 *       return { limiter: reopen(), reopen, advanceBy: (ms) => clock.advanceBy(ms), remove: () => {} };
 *     },
 *   });
 * ```
 */
export function testRateLimiter(framework: TestFramework, subject: RateLimiterSubject): void {
  rateLimiterSubject(subject, "testRateLimiter");
  declareSuite(framework, {
    port: "rate limiter",
    subject,
    groups: rateLimiterRules,
    open: (atEnd) => createLimiterWorld(subject, atEnd),
  });
}
