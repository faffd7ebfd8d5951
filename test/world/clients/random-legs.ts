import type { Random } from "../../../src/common/random.ts";
import type { RequestParameters } from "../../../src/signing/index.ts";
import { levelOf, randomTriggers } from "./random-orders.ts";

/** Fields of one order under their own names. */
export type Leg = RequestParameters;

/** Returns a level above the market. */
export const high = (random: Random): string => levelOf(101 + random.next() * 24);
/** Returns a level below the market. */
export const low = (random: Random): string => levelOf(76 + random.next() * 23);

/** Returns a leg that takes the profit of an exit on this side. */
export function profitOf(random: Random, side: string): Leg {
  const level = side === "SELL" ? high : low;
  return random.pick([
    { type: "LIMIT", price: level(random) },
    { type: "LIMIT_MAKER", price: level(random) },
    { type: "LIMIT", price: level(random), icebergQty: "0.6" },
    { type: "TAKE_PROFIT", stopPrice: level(random) },
    { type: "TAKE_PROFIT_LIMIT", stopPrice: level(random), price: "100" },
    { type: "TAKE_PROFIT", trailingDelta: 200, stopPrice: level(random) },
  ]);
}

/** Returns a leg that protects against a loss on this side. */
export function protectiveOf(random: Random, side: string): Leg {
  const level = side === "SELL" ? low : high;
  return random.pick([
    { type: "STOP", stopPrice: level(random) },
    { type: "STOP_LOSS_LIMIT", stopPrice: level(random), price: "100" },
    { type: "STOP", trailingDelta: 50 + random.below(500) },
    { type: "TRAILING_STOP", trailingAmount: "4" },
    { type: "TRAILING_STOP_LIMIT", price2: "2", limitOffset: "1" },
  ]);
}

/** Returns exits of a SELL that one quote can meet at once: a limit that is already met, and a close trailing stop. */
export function tightPair(random: Random): readonly [profit: Leg, protective: Leg] {
  return [
    { type: "LIMIT", price: low(random) },
    { type: "STOP", trailingDelta: 10 + random.below(40) },
  ];
}

/** Returns an entry near the market. */
export function workingOf(random: Random): Leg {
  const near = levelOf(90 + random.next() * 20);
  return random.pick([
    { type: "LIMIT", price: near },
    { type: "LIMIT", price: near },
    { type: "ICEBERG", price: near, icebergQty: "0.4" },
    { type: "LIMIT_MAKER", price: near },
    randomTriggers(random),
  ]);
}

/** Returns the fields of a leg under their names in a list. */
export function prefixed(prefix: string, leg: Leg): Leg {
  return Object.fromEntries(
    Object.entries(leg).map(([name, value]) => [
      `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      value,
    ]),
  );
}
