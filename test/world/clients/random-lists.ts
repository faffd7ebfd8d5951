import type { Random } from "../../../src/common/random.ts";
import type { ListForm } from "../../../src/requests/index.ts";
import type { RequestParameters } from "../../../src/signing/index.ts";
import { levelOf, randomTriggers } from "./random-orders.ts";

/** A list in the form in which a client sends it, so that it can be sent again. */
export type RandomList = Readonly<{ form: ListForm; fields: RequestParameters }>;

/** Fields of one order under their own names. */
type Leg = RequestParameters;

/** Returns a list of any form around a price of 100. `reduces` makes it a pair of reduce-only exits. */
export function randomList(
  random: Random,
  options: Readonly<{ symbol: string; id: string; nowMs: number; reduces: boolean }>,
): RandomList {
  const { symbol, id, nowMs, reduces } = options;
  const common = { symbol, listClientOrderId: id };
  const quantity = `${1 + random.below(3)}.${random.below(10)}`;
  const form = reduces ? "oco" : random.pick(["oco", "oto", "otoco", "legacyOco"] as const);
  const side = reduces ? "SELL" : random.pick(["BUY", "SELL"] as const);
  const exit = side === "BUY" ? "SELL" : "BUY";
  const only = reduces ? { reduceOnly: true } : {};
  const life = (): Leg =>
    random.chance(0.2) ? { timeInForce: "GTD", expireTime: nowMs + 1 + random.below(60_000) } : {};
  const pairOf = (on: string): Readonly<{ above: Leg; below: Leg }> => {
    const isTight = reduces && random.chance(0.2);
    const [onProfit, onLoss] = isTight ? tightPair(random) : [profitOf(random, on), protectiveOf(random, on)];
    const profit = { ...onProfit, ...life(), ...only };
    const protective = { ...onLoss, ...life(), ...only };
    return on === "SELL" ? { above: profit, below: protective } : { above: protective, below: profit };
  };
  if (form === "legacyOco") {
    const [price, stopPrice] = side === "SELL" ? [high(random), low(random)] : [low(random), high(random)];
    return { form, fields: { ...common, side, quantity, price, stopPrice } };
  }
  if (form === "oco") {
    const { above, below } = pairOf(side);
    return {
      form,
      fields: { ...common, side, quantity, ...prefixed("above", above), ...prefixed("below", below) },
    };
  }
  const working = { ...workingOf(random), ...life(), side, quantity };
  if (form === "oto") {
    const pending = random.pick([profitOf, protectiveOf])(random, exit);
    const legs = {
      ...prefixed("working", working),
      ...prefixed("pending", { ...pending, side: exit, quantity }),
    };
    return { form, fields: { ...common, ...legs } };
  }
  const { above, below } = pairOf(exit);
  const pending = { ...prefixed("pendingAbove", above), ...prefixed("pendingBelow", below) };
  return {
    form,
    fields: {
      ...common,
      ...prefixed("working", working),
      pendingSide: exit,
      pendingQuantity: quantity,
      ...pending,
    },
  };
}

const high = (random: Random): string => levelOf(101 + random.next() * 24);
const low = (random: Random): string => levelOf(76 + random.next() * 23);

/** Returns a leg that takes the profit of an exit on this side. */
function profitOf(random: Random, side: string): Leg {
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
function protectiveOf(random: Random, side: string): Leg {
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
function tightPair(random: Random): readonly [profit: Leg, protective: Leg] {
  return [
    { type: "LIMIT", price: low(random) },
    { type: "STOP", trailingDelta: 10 + random.below(40) },
  ];
}

/** Returns an entry near the market. */
function workingOf(random: Random): Leg {
  const near = levelOf(90 + random.next() * 20);
  return random.pick([
    { type: "LIMIT", price: near },
    { type: "LIMIT", price: near },
    { type: "ICEBERG", price: near, icebergQty: "0.4" },
    { type: "LIMIT_MAKER", price: near },
    randomTriggers(random),
  ]);
}

function prefixed(prefix: string, leg: Leg): Leg {
  return Object.fromEntries(
    Object.entries(leg).map(([name, value]) => [
      `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      value,
    ]),
  );
}
