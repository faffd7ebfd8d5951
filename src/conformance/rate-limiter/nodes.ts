import type { RateLimiter } from "../../ports/index.ts";
import { holds, same } from "../suite/index.ts";
import { type LimiterRule, type LimiterRules, START_MS } from "./world.ts";

const DAY_MS = 86_400_000;

/** Lets account 1 go from a node to another one. */
async function move(from: RateLimiter, to: RateLimiter): Promise<void> {
  await from.lost?.();
  await to.gained?.((accountId) => accountId === 1);
}

/** Returns the orders of account 1 today, this one included. */
async function ordersWithOne(limiter: RateLimiter): Promise<number> {
  return (await limiter.takeOrders({ accountId: 1, count: 1 })).counts.perDay;
}

const hasMoves: LimiterRule = {
  name: "a limiter for several nodes has `gained` and `lost`",
  remedy: "Implement both, or declare `nodes: false`.",
  where: { nodes: true },
  async check({ limiter: { gained, lost } }) {
    holds("typeof gained", typeof gained === "function", "function", gained);
    holds("typeof lost", typeof lost === "function", "function", lost);
  },
};

const noMoves: LimiterRule = {
  name: "a limiter for one node has neither `gained` nor `lost`",
  remedy: "Declare `nodes: true`, so that the rules of several nodes are checked.",
  where: { nodes: false },
  async check({ limiter }) {
    same("the methods gained and lost", [limiter.gained, limiter.lost], [undefined, undefined]);
  },
};

const counted: LimiterRule = {
  name: "decision XQ: the orders of the day of an account move with it, and each counts once",
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
};

const returned: LimiterRule = {
  name: "decision XQ: orders that were returned do not move with the account",
  remedy: "Write the number of orders after those that were returned.",
  where: { nodes: true },
  async check({ limiter: first, openBeside }) {
    const second = await openBeside();
    const { takenAtMs } = await first.takeOrders({ accountId: 1, count: 3 });
    await first.returnOrders({ accountId: 1, count: 2, takenAtMs });
    await move(first, second);
    same("orders of account 1 at the second node", await ordersWithOne(second), 2);
  },
};

const full: LimiterRule = {
  name: "decision XQ: the limit of the day is one for all nodes",
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
};

const earlierDay: LimiterRule = {
  name: "decision XQ: orders of yesterday do not move with the account",
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
};

/** Rules of several nodes, between which accounts move. */
export const nodes: LimiterRules = {
  name: "nodes",
  rules: [hasMoves, noMoves, counted, returned, full, earlierDay],
};
