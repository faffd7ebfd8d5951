import type { Random } from "../../../src/common/random.ts";
import type { ListForm } from "../../../src/requests/index.ts";
import type { RequestParameters } from "../../../src/signing/index.ts";
import {
  high,
  type Leg,
  low,
  prefixed,
  profitOf,
  protectiveOf,
  tightPair,
  workingOf,
} from "./random-legs.ts";
import { randomBracket, randomOca } from "./random-shared-lists.ts";

/** A list in the form in which a client sends it, so that it can be sent again. */
export type RandomList = Readonly<{ form: ListForm; fields: RequestParameters }>;

/** Returns a list of any form around a price of 100. `reduces` makes it a pair of reduce-only exits. */
export function randomList(
  random: Random,
  options: Readonly<{ symbol: string; id: string; nowMs: number; reduces: boolean }>,
): RandomList {
  const { symbol, id, nowMs, reduces } = options;
  const own = random.of(id);
  if (own.chance(0.35))
    return reduces || own.chance(0.35) ? randomOca(own, options) : randomBracket(own, options);
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
