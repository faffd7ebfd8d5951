import type { Random } from "../../../src/common/random.ts";
import { type Leg, prefixed, profitOf, protectiveOf, workingOf } from "./random-legs.ts";
import type { RandomList } from "./random-lists.ts";
import { levelOf } from "./random-orders.ts";

type Options = Readonly<{ symbol: string; id: string; nowMs: number; reduces: boolean }>;

/** Shares of take-profits, in basis points: of the whole, of less, and some below the minimum of an order. */
const SHARES: readonly (readonly number[])[] = [
  [10_000],
  [6_000],
  [5_000, 5_000],
  [3_000, 4_000],
  [200, 9_800],
  [3_000, 3_000, 4_000],
  [2_500, 1_500, 1_000],
];

/** Returns a bracket by fills around a price of 100, with one to three take-profits. */
export function randomBracket(random: Random, { symbol, id, nowMs }: Options): RandomList {
  const side = random.pick(["BUY", "SELL"] as const);
  const exit = side === "BUY" ? "SELL" : "BUY";
  const quantity = `${1 + random.below(3)}.${random.below(10)}`;
  const working = { ...workingOf(random), ...lifeOf(random, nowMs, 0.2), side, quantity };
  const stop = stopOf(random, exit);
  const shares = random.pick(SHARES);
  const profits = shares.map((shareBips, index) => {
    const profit = random.chance(0.5) ? nearProfit(random, exit) : profitOf(random, exit);
    return prefixed(`takeProfit${index + 1}`, { ...profit, ...lifeOf(random, nowMs, 0.1), shareBips });
  });
  const fields = {
    symbol,
    listClientOrderId: id,
    ...prefixed("working", working),
    ...named(stop),
    ...Object.assign({}, ...profits),
    ...(stop.stopPrice !== undefined && stop.trailingDelta === undefined && moveOf(random, exit, shares)),
  };
  return { form: "bracket", fields };
}

/** Returns two or three orders around a price of 100 that share one quantity. */
export function randomOca(random: Random, { symbol, id, nowMs, reduces }: Options): RandomList {
  const side = reduces ? "SELL" : random.pick(["BUY", "SELL"] as const);
  const legs = Array.from({ length: 2 + random.below(2) }, (_, index) => {
    const leg = random.pick([profitOf, nearProfit, stopOf, protectiveOf])(random, side);
    const only = reduces ? { reduceOnly: true } : {};
    return prefixed(`leg${index + 1}`, { ...leg, ...lifeOf(random, nowMs, 0.2), ...only });
  });
  const quantity = `${1 + random.below(3)}.${random.below(10)}`;
  const mode = random.pick(["CANCEL", "REDUCE"] as const);
  const fields = { symbol, listClientOrderId: id, side, quantity, mode, ...Object.assign({}, ...legs) };
  return { form: "oca", fields };
}

const lifeOf = (random: Random, nowMs: number, share: number): Leg =>
  random.chance(share) ? { timeInForce: "GTD", expireTime: nowMs + 1 + random.below(60_000) } : {};

/** Returns a take-profit that the market meets soon. */
function nearProfit(random: Random, side: string): Leg {
  const away = random.next() * 4;
  const level = levelOf(side === "SELL" ? 100.5 + away : 99.5 - away);
  return random.pick([
    { type: "LIMIT", price: level },
    { type: "TAKE_PROFIT", stopPrice: level },
  ]);
}

/** Returns a stop, more often a fixed one, which alone can be moved. */
function stopOf(random: Random, side: string): Leg {
  if (random.chance(0.4)) return protectiveOf(random, side);
  const away = 1 + random.next() * 9;
  return { type: "STOP", stopPrice: levelOf(side === "SELL" ? 99 - away : 101 + away) };
}

/** Returns the fields of a stop under their names: its limit has a name of its own. */
function named({ price, stopPrice, ...stop }: Leg): Leg {
  return {
    ...prefixed("stop", stop),
    ...(price !== undefined && { stopLimitPrice: price }),
    ...(stopPrice !== undefined && { stopPrice }),
  };
}

function moveOf(random: Random, side: string, { length }: readonly number[]): Leg {
  if (random.chance(0.3)) return {};
  const level = levelOf(side === "SELL" ? 99.4 : 100.6);
  return {
    moveStopAfter: 1 + random.below(length),
    moveStopTo: random.chance(0.7) ? "ENTRY" : level,
    ...(random.chance(0.3) && { moveStopOffset: "0.05" }),
  };
}
