import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListIntent } from "../../src/model/index.ts";
import {
  bracket,
  type ListFields,
  type ListForm,
  listIntent,
  type Orders,
  oco,
  oto,
} from "../../src/requests/index.ts";
import { lists } from "./arbitraries.ts";
import { type Fields, refusal } from "./support.ts";

const BRACKET: Orders.BracketOrders = {
  symbol: "BTC/USD",
  listClientOrderId: "trade-7",
  quantity: "0.5",
  entry: { side: "BUY", type: "LIMIT", price: "60000" },
  takeProfit: { type: "LIMIT", price: "63000" },
  stopLoss: { type: "STOP_MARKET", stopPrice: "58500" },
};

const OCO: Orders.OcoOrders = {
  symbol: "BTC/USD",
  listClientOrderId: "exit-1",
  side: "SELL",
  quantity: "0.5",
  takeProfit: { type: "LIMIT", price: "63000" },
  stopLoss: { type: "TRAILING_STOP", trailingDelta: 200 },
};

const OTO: Orders.OtoOrders = {
  symbol: "BTC/USD",
  listClientOrderId: "step-1",
  working: { side: "BUY", quantity: "0.5", type: "ICEBERG", price: "60000", icebergQty: "0.1" },
  pending: { side: "SELL", quantity: "0.25", type: "TAKE_PROFIT", stopPrice: "63000" },
};

/** A list in the prefixed form and in that of its builder, with the prefixes by leg of the builder. */
type Pair = Readonly<{
  form: ListForm;
  fields: Fields;
  orders: Fields;
  build: (orders: never) => ListIntent;
}>;

const lower = (name: string): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;

/** Removes the prefixed fields and puts each leg's fields under its own name. */
function nested(fields: Fields, parts: Readonly<Record<string, string>>): Fields {
  const orders: Record<string, Record<string, unknown>> = {};
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const [part, prefix] = Object.entries(parts).find(([, each]) => name.startsWith(each)) ?? [];
    if (part === undefined || prefix === undefined) own[name] = value;
    else {
      const field = name === `${prefix}ClientOrderId` ? "newClientOrderId" : lower(name.slice(prefix.length));
      orders[part] = { ...orders[part], [field]: value };
    }
  }
  return { ...own, ...orders };
}

const pairs: fc.Arbitrary<Pair> = lists.map(({ form, fields }): Pair => {
  if (form === "oto") {
    return { form, fields, orders: nested(fields, { working: "working", pending: "pending" }), build: oto };
  }
  const buys = form === "oco" ? fields.side === "BUY" : fields.pendingSide === "BUY";
  const [stopLoss, takeProfit] = buys ? ["Above", "Below"] : ["Below", "Above"];
  if (form === "oco") {
    const parts = { stopLoss: lower(stopLoss), takeProfit: lower(takeProfit) };
    return { form, fields, orders: nested(fields, parts), build: oco };
  }
  const { pendingSide: _side, pendingQuantity: quantity, workingQuantity: _size, ...legs } = fields;
  const parts = {
    entry: "working",
    stopLoss: `pending${stopLoss}`,
    takeProfit: `pending${takeProfit}`,
  };
  const orders = { ...nested({ ...legs, workingSide: buys ? "SELL" : "BUY" }, parts), quantity };
  const exits = { pendingAboveReduceOnly: true, pendingBelowReduceOnly: true };
  const same = { ...exits, ...fields, workingSide: buys ? "SELL" : "BUY", workingQuantity: quantity };
  return { form, fields: same, orders, build: bracket };
});

/** The result of a call, or the code of its refusal. */
const outcome = (call: () => unknown): unknown => {
  let made: unknown;
  try {
    made = call();
  } catch {
    return refusal(call).code;
  }
  return made;
};

describe("bracket, oco and oto build the lists of the prefixed forms", () => {
  it("property: the same list, or a refusal with the same code", () => {
    const seen = { made: 0, refused: 0 };
    fc.assert(
      fc.property(pairs, ({ form, fields, orders, build }) => {
        const made = outcome(() => build(orders as never));
        expect(made).toEqual(outcome(() => listIntent(form, fields as ListFields[ListForm])));
        seen[typeof made === "number" ? "refused" : "made"]++;
      }),
      { numRuns: 120 },
    );
    expect(Math.min(seen.made, seen.refused)).toBeGreaterThan(10);
  });

  it("exits are by default reduce-only on the other side of the entry", () => {
    const exits = (orders: Orders.BracketOrders): readonly unknown[] =>
      bracket(orders).legs.map(({ role, intent }) => `${role} ${intent.side} ${intent.reduceOnly}`);
    expect(exits(BRACKET)).toEqual(["working BUY false", "protective SELL true", "profit SELL true"]);
    const short: Orders.BracketOrders = {
      ...BRACKET,
      entry: { side: "SELL", type: "LIMIT", price: "60000" },
      takeProfit: { type: "TAKE_PROFIT", stopPrice: "58500", reduceOnly: false },
      stopLoss: { type: "STOP_LIMIT", stopPrice: "61000", price: "61500" },
    };
    expect(exits(short)).toEqual(["working SELL false", "protective BUY true", "profit BUY false"]);
  });

  it("a leg without an id gets one derived from the list's", () => {
    const ids = ({ legs }: ListIntent): readonly string[] => legs.map(({ intent }) => intent.clientOrderId);
    expect(ids(bracket(BRACKET))).toEqual(["trade-7-entry", "trade-7-stop", "trade-7-profit"]);
    expect(ids(oco(OCO))).toEqual(["exit-1-stop", "exit-1-profit"]);
    expect(ids(oto(OTO))).toEqual(["step-1-working", "step-1-pending"]);
    const named = { ...BRACKET.stopLoss, newClientOrderId: "mine" };
    expect(ids(bracket({ ...BRACKET, stopLoss: named }))[1]).toBe("mine");
    const unnamed = {
      ...BRACKET.stopLoss,
      newClientOrderId: undefined,
    } as unknown as Orders.BracketOrders["stopLoss"];
    expect(ids(bracket({ ...BRACKET, stopLoss: unnamed }))[1]).toBe("trade-7-stop");
    expect(bracket(BRACKET).legs.every(({ generatedClientId }) => !generatedClientId)).toBe(true);
  });

  it.each([
    ["a missing leg", { stopLoss: undefined }, -1102, "stopLoss"],
    ["a leg that is not an object", { entry: "LIMIT" }, -1102, "entry"],
    ["a missing field of a leg", { stopLoss: { type: "STOP" } }, -1102, "stopLoss.stopPrice"],
    [
      "a field that the type does not take",
      { takeProfit: { ...BRACKET.takeProfit, limitOffset: "1" } },
      -1106,
      "takeProfit.limitOffset",
    ],
    ["an unknown field of a leg", { entry: { ...BRACKET.entry, prise: "1" } }, -1104, "entry.prise"],
    ["a side of an exit", { stopLoss: { ...BRACKET.stopLoss, side: "SELL" } }, -1104, "stopLoss.side"],
    ["an unknown field of the list", { leverage: 3 }, -1104, "leverage"],
    ["a list without an id", { listClientOrderId: undefined }, -1102, "listClientOrderId"],
    [
      "exits whose levels cross",
      { stopLoss: { type: "STOP", stopPrice: "64000" } },
      -2010,
      "takeProfit.price",
    ],
  ])("names %s as the caller writes it", (_name, more, code, field) => {
    expect(refusal(() => bracket({ ...BRACKET, ...more } as never))).toMatchObject({ code, field });
  });
});
