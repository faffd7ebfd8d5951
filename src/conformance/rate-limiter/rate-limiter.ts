import { declareSuite, holds, same, type TestFramework } from "../suite/index.ts";
import { nodes } from "./nodes.ts";
import { orders } from "./orders.ts";
import { restarts } from "./restarts.ts";
import { weight } from "./weight.ts";
import {
  createLimiterWorld,
  LIMITS,
  type LimiterRule,
  type LimiterRules,
  type RateLimiterSubject,
  rateLimiterSubject,
  START_MS,
} from "./world.ts";

const FIVE_MINUTES_MS = 300_000;

const shown: LimiterRule = {
  name: "shows the limits that it enforces",
  remedy: "Return the limits in `limits`. Clients read them in exchangeInfo.",
  where: { limits: true },
  async check({ limiter, supports }) {
    const { connectionsPer5Min, ...others } = LIMITS;
    same("limits", limiter.limits, { ...others, ...(supports.connect && { connectionsPer5Min }) });
  },
};

const counting: LimiterRule = {
  name: "a limiter without limits shows none, counts and never refuses",
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
};

const connections: LimiterRule = {
  name: "connections above the limit are refused until the end of their five minutes, in epoch milliseconds",
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
};

const noConnections: LimiterRule = {
  name: "a limiter that does not count connections has no `connect`",
  remedy: "Declare `connect: true`, or leave the method and `connectionsPer5Min` out.",
  where: { connect: false },
  async check({ limiter }) {
    same("the method connect", limiter.connect, undefined);
    same("limits.connectionsPer5Min", limiter.limits?.connectionsPer5Min, undefined);
  },
};

const hasConnections: LimiterRule = {
  name: "a limiter that counts connections has `connect`",
  remedy: "Implement `connect`, or declare `connect: false`.",
  where: { connect: true },
  async check({ limiter }) {
    holds("typeof connect", typeof limiter.connect === "function", "function", limiter.connect);
  },
};

/** All rules of the rate limiter port, by subject. */
export const rateLimiterRules: readonly LimiterRules[] = [
  { name: "limits", rules: [shown, counting] },
  weight,
  orders,
  { name: "connections", rules: [hasConnections, connections, noConnections] },
  restarts,
  nodes,
];

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
  const { name, supports } = subject;
  declareSuite(framework, {
    name: `rate limiter: ${name}`,
    supports,
    groups: rateLimiterRules,
    open: (atEnd) => createLimiterWorld(subject, atEnd),
  });
}
