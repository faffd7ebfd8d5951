import { describe, expect, it } from "vitest";
import { notional, price, quantity } from "../../src/decimal/index.ts";
import { placementFlow, readNativePlacement } from "../../src/requests/index.ts";
import { context, type Fields, json, query, rawJson, refusal } from "./support.ts";

const base = { symbol: "BTC/USD", side: "BUY" };
const limit = { ...base, type: "LIMIT", quantity: "0.5", price: "7000" };
const market = { ...base, type: "MARKET", quantity: "0.5" };

const READERS = [json, query] as const;
const place = (fields: Fields) => {
  const [first, ...others] = READERS.map((read) => readNativePlacement(read(fields), context));
  for (const other of others) expect(other).toEqual(first);
  return first;
};
const refused = (fields: Fields) => {
  const [first, ...others] = READERS.map((read) => refusal(() => readNativePlacement(read(fields), context)));
  for (const { error } of others) expect(error.toBody()).toEqual(first?.error.toBody());
  return first;
};

describe("the selection of a native order", () => {
  it.each([
    { type: "MARKET" },
    { type: "MARKET", apiManaged: "false" },
    { type: "MARKET", targetStrategy: "180" },
    { type: "LIMIT" },
    { type: "LIMIT", apiManaged: "false" },
    { type: "LIMIT", timeInForce: "GTC" },
    { type: "LIMIT", timeInForce: "IOC" },
    { type: "LIMIT", timeInForce: "FOK" },
    { type: "LIMIT", timeInForce: "GTC", expireTime: "2000000000000" },
  ])("%j selects one", (fields) => {
    expect(placementFlow(query({ ...base, ...fields }))).toBe("native");
  });

  it.each([
    { type: "SYNTHETIC_LIMIT" },
    { type: "STOP" },
    { type: "LIMIT_MAKER" },
    { type: "TWAP" },
    { type: "LIMIT", apiManaged: "true" },
    { type: "LIMIT", targetStrategy: "180" },
    { type: "LIMIT", icebergQty: "1" },
    { type: "LIMIT", timeInForce: "GTX" },
    { type: "LIMIT", timeInForce: "POST_ONLY" },
    { type: "LIMIT", timeInForce: "GTD" },
    { type: "LIMIT", expireTime: "2000000000000" },
    { type: "LIMIT", goodTillDate: "2000000000000" },
    { type: "MARKET", apiManaged: "true" },
    { type: "limit" },
    {},
  ])("%j does not select one, and is refused as a native order", (fields) => {
    const sent = { ...base, quantity: "1", price: "7000", ...fields };
    expect(placementFlow(query(sent))).toBe("managed");
    const code = "type" in fields ? -1116 : -1102;
    expect(refusal(() => readNativePlacement(query(sent), context))).toMatchObject({ code, field: "type" });
  });

  it("an unknown parameter is refused before the selection", () => {
    expect(refusal(() => placementFlow(query({ ...limit, foo: "1" })))).toMatchObject({
      code: -1104,
      field: "foo",
    });
  });
});

describe("a native LIMIT", () => {
  it("convention 3.1: has price and quantity, and is GTC by default", () => {
    const terms = {
      type: "LIMIT",
      symbol: "BTC/USD",
      side: "BUY",
      timeInForce: "GTC",
      quantity: quantity("0.5"),
      price: price("7000"),
      clientOrderId: "generated-newClientOrderId",
    };
    expect(place(limit)).toEqual({ terms });
    expect(place({ ...limit, quantity: "0.500", price: "7000.00" })).toEqual({ terms });
    expect(place({ ...limit, timeInForce: "IOC" })?.terms).toEqual({ ...terms, timeInForce: "IOC" });
    expect(place({ ...limit, newClientOrderId: "mine", account: 4, userId: 1 })).toEqual({
      terms: { ...terms, clientOrderId: "mine" },
      accountId: 4,
      userId: 1,
    });
  });

  it("a symbol alias resolves; an instrument without a liquidity market is refused", () => {
    expect(place({ ...limit, symbol: "BTCUSD" })?.terms.symbol).toBe("BTC/USD");
    expect(refused({ ...limit, symbol: "STETH/USD" })).toMatchObject({ code: -1121, field: "symbol" });
    expect(refused({ ...limit, symbol: "NO/USD" })).toMatchObject({ code: -1121 });
  });

  it.each([
    [{ timeInForce: "DAY" }, -1115, "timeInForce"],
    [{ price: undefined }, -1102, "price"],
    [{ quantity: undefined }, -1102, "quantity"],
    [{ quantity: "0.0000001" }, -1111, "quantity"],
    [{ quantity: "1e3" }, -1100, "quantity"],
    [{ quantity: "0" }, -1130, "quantity"],
    [{ quantity: "1000000000000" }, -1108, "quantity"],
    [{ price: "1.123456789" }, -1111, "price"],
    [{ side: "buy" }, -1117, "side"],
    [{ side: undefined }, -1102, "side"],
    [{ symbol: undefined }, -1102, "symbol"],
    [{ stopPrice: "1" }, -1106, "stopPrice"],
    [{ reduceOnly: true }, -1106, "reduceOnly"],
    [{ quoteOrderQty: "20" }, -1106, "quoteOrderQty"],
    [{ trailingDelta: 5 }, -1106, "trailingDelta"],
    [{ timeInForce: "GTC", expireTime: 2_000_000_000_000 }, -1106, "expireTime"],
    [{ selfTradePreventionMode: "EXPIRE_BOTH" }, -1130, "selfTradePreventionMode"],
  ])("with %j is refused", (fields, code, field) => {
    expect(refused({ ...limit, ...fields })).toMatchObject({ code, field });
  });

  it("accepts parameters of the convention's clients without reading them", () => {
    const sent = {
      newOrderRespType: "ACK",
      strategyId: "7",
      selfTradePreventionMode: "NONE",
      recvWindow: "5000",
    };
    expect(place({ ...limit, ...sent })).toEqual(place(limit));
  });
});

describe("hostile 78: the client id of a native order", () => {
  it.each(["a", "x".repeat(36), "A.b_c-9", "aqc", "xaqc-1", "..."])("%s is accepted", (newClientOrderId) => {
    expect(place({ ...limit, newClientOrderId })?.terms.clientOrderId).toBe(newClientOrderId);
  });

  it.each([
    ["", -1118],
    ["x".repeat(37), -1100],
    ["a b", -1100],
    ["a/b", -1100],
    ["é", -1100],
    ["e\u0301", -1100],
    ["ı", -1100],
    ["😀", -1100],
    ["..", -1130],
    [".", -1130],
    ["aqc-x", -1130],
    ["AQC-x", -1130],
  ])("%j is refused", (newClientOrderId, code) => {
    expect(refused({ ...limit, newClientOrderId })).toMatchObject({ code, field: "newClientOrderId" });
    expect(refused({ ...market, newClientOrderId })).toMatchObject({ code, field: "newClientOrderId" });
  });
});

describe("a native MARKET", () => {
  it("convention 3.1: has a quantity, or an amount of USD", () => {
    const terms = {
      type: "MARKET",
      symbol: "BTC/USD",
      side: "BUY",
      clientOrderId: "generated-newClientOrderId",
    };
    expect(place(market)).toEqual({ terms: { ...terms, quantity: quantity("0.5") } });
    const byAmount = { ...base, type: "MARKET", quoteOrderQty: "20.00000001" };
    expect(place(byAmount)).toEqual({ terms: { ...terms, quoteQuantity: notional("20.00000001") } });
  });

  it.each([
    [{ quantity: undefined }, -1102, "quantity"],
    [{ quoteOrderQty: "20" }, -1128, "quantity"],
    [{ timeInForce: "IOC" }, -1114, "timeInForce"],
    [{ price: "7000" }, -1106, "price"],
    [{ icebergQty: "0.1" }, -1106, "icebergQty"],
    [{ targetStrategy: 180 }, -1106, "targetStrategy"],
    [{ quantity: undefined, quoteOrderQty: "0" }, -1130, "quoteOrderQty"],
    [{ quantity: undefined, quoteOrderQty: "1.123456789" }, -1111, "quoteOrderQty"],
    [{ quantity: undefined, quoteOrderQty: "1000000000000" }, -1108, "quoteOrderQty"],
    [{ quantity: undefined, quoteOrderQty: "-1" }, -1100, "quoteOrderQty"],
  ])("with %j is refused", (fields, code, field) => {
    expect(refused({ ...market, ...fields })).toMatchObject({ code, field });
  });

  it("hostile 64: an amount as a JSON number is refused", () => {
    const body = '{"symbol":"BTC/USD","side":"BUY","type":"MARKET","quoteOrderQty":20}';
    expect(refusal(() => readNativePlacement(rawJson(body), context))).toMatchObject({
      code: -1130,
      field: "quoteOrderQty",
    });
  });
});
