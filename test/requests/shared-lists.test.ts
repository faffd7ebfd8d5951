import { describe, expect, it } from "vitest";
import { formatQuantity } from "../../src/decimal/index.ts";
import type { ListIntent } from "../../src/model/index.ts";
import { bracket, canonicalList, oca } from "../../src/requests/index.ts";
import { type Fields, listEverywhere, listRefused, refusal } from "./support.ts";

const BRACKET: Fields = {
  symbol: "BTC/USD",
  listClientOrderId: "ladder",
  workingType: "LIMIT",
  workingSide: "BUY",
  workingQuantity: "1",
  workingPrice: "7500",
  takeProfit1Price: "8000",
  takeProfit1ShareBips: 3_333,
  takeProfit2Type: "TAKE_PROFIT",
  takeProfit2StopPrice: "9000",
  takeProfit2ShareBips: 6_667,
  stopPrice: "7000",
};

const OCA: Fields = {
  symbol: "BTC/USD",
  listClientOrderId: "shared",
  side: "SELL",
  quantity: "0.5",
  mode: "REDUCE",
  leg1Type: "LIMIT",
  leg1Price: "8000",
  leg2Type: "STOP",
  leg2StopPrice: "7000",
};

const legs = ({ legs: all }: ListIntent): readonly string[] =>
  all.map(({ role, intent }) => {
    return `${role} ${intent.side} ${intent.type} ${formatQuantity(intent.quantity)} ${intent.clientOrderId}`;
  });

describe("a bracket by fills", () => {
  it("has the entry, its stop for the whole, and take-profits for their shares", () => {
    const list = listEverywhere("bracket", BRACKET);
    expect(list).toMatchObject({ contingency: "OTOCO", kind: "BRACKET", listClientOrderId: "ladder" });
    expect(legs(list)).toEqual([
      "working BUY SYNTHETIC_LIMIT 1 generated-workingClientOrderId",
      "protective SELL STOP_MARKET 1 generated-stopClientOrderId",
      "profit SELL SYNTHETIC_LIMIT 0.3333 generated-takeProfit1ClientOrderId",
      "profit SELL TAKE_PROFIT_MARKET 0.6667 generated-takeProfit2ClientOrderId",
    ]);
  });

  it("shares are rounded down, and the last of the whole has the rest", () => {
    const sizes = (fields: Fields): readonly string[] =>
      listEverywhere("bracket", { ...BRACKET, workingQuantity: "0.010001", ...fields })
        .legs.slice(2)
        .map(({ intent }) => formatQuantity(intent.quantity));
    expect(sizes({})).toEqual(["0.003333", "0.006668"]);
    expect(sizes({ takeProfit2ShareBips: 5_000 })).toEqual(["0.003333", "0.005"]);
    const one = {
      takeProfit2Type: undefined,
      takeProfit2StopPrice: undefined,
      takeProfit2ShareBips: undefined,
    };
    expect(sizes({ ...one, takeProfit1ShareBips: undefined })).toEqual(["0.010001"]);
  });

  it("the stop is a stop-limit with a limit, trails, or is of the type that it names", () => {
    const type = (fields: Fields): string | undefined =>
      listEverywhere("bracket", { ...BRACKET, ...fields }).legs[1]?.intent.type;
    expect(type({ stopLimitPrice: "6900" })).toBe("STOP_LOSS_LIMIT");
    expect(type({ stopPrice: undefined, stopTrailingDelta: 100 })).toBe("STOP_MARKET");
    expect(type({ stopType: "TRAILING_STOP", stopPrice: undefined, stopTrailingAmount: "9" })).toBe(
      "TRAILING_STOP_MARKET",
    );
  });

  it("the stop moves to the entry or to a price", () => {
    const move = (fields: Fields) => listEverywhere("bracket", { ...BRACKET, ...fields }).stopMove;
    expect(move({})).toBeUndefined();
    expect(move({ moveStopAfter: 1, moveStopTo: "ENTRY" })).toEqual({ after: 1, to: "ENTRY" });
    expect(move({ moveStopAfter: 2, moveStopTo: "7600", moveStopOffset: "0.5" })).toEqual({
      after: 2,
      to: 760_000_000_000,
      offset: 50_000_000,
    });
  });

  it.each<readonly [string, Fields, readonly [number, string]]>([
    ["a gap", { takeProfit4Price: "9500", takeProfit4ShareBips: 1 }, [-1102, "takeProfit3ShareBips"]],
    ["no take-profit price", { takeProfit1Price: undefined }, [-1102, "takeProfit1Price"]],
    ["shares of more than all", { takeProfit2ShareBips: 6_668 }, [-1128, "takeProfit1ShareBips"]],
    ["a share of none", { takeProfit1ShareBips: 0 }, [-1130, "takeProfit1ShareBips"]],
    ["a share below a step", { workingQuantity: "0.000001" }, [-1130, "takeProfit1ShareBips"]],
    ["a share left out", { takeProfit2ShareBips: undefined }, [-1102, "takeProfit2ShareBips"]],
    ["a move to nowhere", { moveStopAfter: 1 }, [-1102, "moveStopTo"]],
    ["a move after nothing", { moveStopTo: "ENTRY" }, [-1102, "moveStopAfter"]],
    ["an offset of no move", { moveStopOffset: "1" }, [-1102, "moveStopAfter"]],
    ["a move after too many", { moveStopAfter: 3, moveStopTo: "ENTRY" }, [-1130, "moveStopAfter"]],
    ["a move to a word", { moveStopAfter: 1, moveStopTo: "entry" }, [-1100, "moveStopTo"]],
    ["a stop above", { stopPrice: "8500" }, [-2010, "takeProfit1Price"]],
    ["a take-profit below", { takeProfit2StopPrice: "6999" }, [-2010, "takeProfit2StopPrice"]],
    [
      "a move of a stop that trails",
      { stopTrailingDelta: 5, moveStopAfter: 1, moveStopTo: "ENTRY" },
      [-1128, "moveStopAfter"],
    ],
    ["an 11th take-profit", { takeProfit11Price: "9999" }, [-1104, "takeProfit11Price"]],
    ["a side of an exit", { stopSide: "SELL" }, [-1104, "stopSide"]],
    ["a quantity of an exit", { takeProfit1Quantity: "1" }, [-1104, "takeProfit1Quantity"]],
    [
      "one id twice",
      { takeProfit1ClientOrderId: "a", takeProfit2ClientOrderId: "a" },
      [-2010, "takeProfit2ClientOrderId"],
    ],
  ])("%s is refused", (_what, fields, refused) => {
    listRefused("bracket", { ...BRACKET, ...fields }, refused);
  });

  it("the builder says the same in arrays and objects, and names a field as its caller does", () => {
    const orders = {
      symbol: "BTC/USD",
      listClientOrderId: "ladder",
      quantity: "1",
      exits: "by-fills",
      entry: { side: "BUY", type: "LIMIT", price: "7500" },
      takeProfits: [
        { type: "LIMIT", price: "8000", shareBips: 3_333 },
        { type: "TAKE_PROFIT", stopPrice: "9000", shareBips: 6_667 },
      ],
      stopLoss: { type: "STOP", stopPrice: "7000" },
      moveStop: { after: 1, to: "ENTRY", offset: "2" },
    } as const;
    const reducing = { stopReduceOnly: true, takeProfit1ReduceOnly: true, takeProfit2ReduceOnly: true };
    const ids = {
      workingClientOrderId: "ladder-entry",
      stopClientOrderId: "ladder-stop",
      takeProfit1ClientOrderId: "ladder-profit-1",
      takeProfit2ClientOrderId: "ladder-profit-2",
    };
    const move = { moveStopAfter: 1, moveStopTo: "ENTRY", moveStopOffset: "2" };
    expect(bracket(orders)).toEqual(listEverywhere("bracket", { ...BRACKET, ...reducing, ...ids, ...move }));
    const field = (more: object) => refusal(() => bracket({ ...orders, ...more })).field;
    expect(field({ takeProfits: [] })).toBe("takeProfits[0]");
    expect(field({ takeProfits: Array.from({ length: 11 }, () => orders.takeProfits[0]) })).toMatch(/\[10\]/);
    expect(field({ moveStop: { after: 3, to: "ENTRY" } })).toBe("moveStop.after");
    expect(field({ stopLoss: { type: "STOP", stopPrice: "8500" } })).toBe("takeProfits[0].price");
  });
});

describe("an OCA", () => {
  it("has two to ten legs of one side and quantity", () => {
    const list = listEverywhere("oca", { ...OCA, leg3Type: "TAKE_PROFIT", leg3StopPrice: "9000" });
    expect(list).toMatchObject({ contingency: "OCO", kind: "OCA", mode: "REDUCE" });
    expect(legs(list)).toEqual([
      "shared SELL SYNTHETIC_LIMIT 0.5 generated-leg1ClientOrderId",
      "shared SELL STOP_MARKET 0.5 generated-leg2ClientOrderId",
      "shared SELL TAKE_PROFIT_MARKET 0.5 generated-leg3ClientOrderId",
    ]);
    const built = oca({
      ...{ symbol: "BTC/USD", listClientOrderId: "shared", side: "SELL", quantity: "0.5", mode: "REDUCE" },
      orders: [
        { type: "LIMIT", price: "8000", newClientOrderId: "a" },
        { type: "STOP", stopPrice: "7000" },
      ],
    });
    expect(built).toEqual(
      listEverywhere("oca", { ...OCA, leg1ClientOrderId: "a", leg2ClientOrderId: "shared-2" }),
    );
  });

  it.each<readonly [string, Fields, readonly [number, string]]>([
    ["one leg", { leg2Type: undefined, leg2StopPrice: undefined }, [-1102, "leg2Type"]],
    ["an 11th leg", { leg11Type: "LIMIT" }, [-1104, "leg11Type"]],
    ["a gap", { leg4Type: "LIMIT", leg4Price: "9" }, [-1102, "leg3Type"]],
    ["no mode", { mode: undefined }, [-1102, "mode"]],
    ["another mode", { mode: "BLOCK" }, [-1130, "mode"]],
    ["a schedule", { leg1Type: "TWAP", leg1Price: undefined }, [-1158, "leg1Type"]],
    ["one id twice", { leg1ClientOrderId: "a", leg2ClientOrderId: "a" }, [-2010, "leg2ClientOrderId"]],
  ])("%s is refused", (_what, fields, refused) => {
    listRefused("oca", { ...OCA, ...fields }, refused);
  });
});

describe("I03: the same list", () => {
  const text = (form: "bracket" | "oca", fields: Fields) => canonicalList(listEverywhere(form, fields));

  it("is the same in other words, and another with another mode or move of the stop", () => {
    const moved = { ...BRACKET, moveStopAfter: 1, moveStopTo: "7600" };
    expect(text("bracket", { ...moved, moveStopTo: "7600.0", moveStopOffset: "0" })).toBe(
      text("bracket", moved),
    );
    const others = [
      BRACKET,
      moved,
      { ...moved, moveStopAfter: 2 },
      { ...moved, moveStopTo: "ENTRY" },
      { ...moved, moveStopOffset: "1" },
    ].map((fields) => text("bracket", fields));
    expect(new Set(others).size).toBe(others.length);
    expect(text("oca", OCA)).not.toBe(text("oca", { ...OCA, mode: "CANCEL" }));
  });
});
