import { describe, expect, it } from "vitest";
import { type OrderKeyContext, readOrderKey } from "../../src/requests/index.ts";
import { context, type Fields, json, query, rawJson, refusal } from "./support.ts";

const status: OrderKeyContext = { resolve: context.resolve, exactSymbol: true, purpose: "status" };
const cancel: OrderKeyContext = { resolve: context.resolve, exactSymbol: false, purpose: "cancel" };

const key = (fields: Fields, how: OrderKeyContext = status) =>
  readOrderKey(query({ symbol: "BTC/USD", ...fields }), how);
const refused = (fields: Fields, how: OrderKeyContext = status) => refusal(() => key(fields, how));

describe("orderId", () => {
  it.each([
    "1",
    "0",
    "-256",
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
  ])("complaint 39: %s is kept exactly", (orderId) => {
    expect(key({ orderId })).toEqual({ symbol: "BTC/USD", orderId: BigInt(orderId) });
  });

  it.each([
    ["-0", -1100],
    ["1.0", -1100],
    ["1e3", -1100],
    ["+1", -1100],
    ["-00", -1100],
    ["--1", -1100],
    ["9".repeat(400), -1100],
    ["9223372036854775808", -1108],
    ["-9223372036854775809", -1108],
    ["", -1105],
  ])("hostile 76: %s is refused", (orderId, code) => {
    expect(refused({ orderId })).toMatchObject({ code, field: "orderId" });
  });

  it("in JSON it is an integer, not a string", () => {
    const body = '{"symbol":"BTC/USD","orderId":-9007199254740993}';
    expect(readOrderKey(rawJson(body), cancel).orderId).toBe(-9007199254740993n);
    const quoted = json({ symbol: "BTC/USD", orderId: "-256" });
    expect(refusal(() => readOrderKey(quoted, cancel))).toMatchObject({ code: -1130, field: "orderId" });
  });
});

describe("client id", () => {
  const aliases = ["origClientOrderId", "clientOrderId", "clOrdId", "clordid"];

  it.each(aliases)("%s names an order", (alias) => {
    expect(key({ [alias]: "My id/7" })).toEqual({ symbol: "BTC/USD", clientOrderId: "My id/7" });
  });

  it.each(aliases)("hostile 79: %s has 1 to 64 characters, 65 are refused", (alias) => {
    expect(key({ [alias]: "~" }).clientOrderId).toBe("~");
    expect(key({ [alias]: "x".repeat(64) }).clientOrderId).toHaveLength(64);
    expect(refused({ [alias]: "x".repeat(65) })).toMatchObject({ code: -1100, field: alias });
    expect(refused({ [alias]: "é" })).toMatchObject({ code: -1100, field: alias });
    expect(refused({ [alias]: "" })).toMatchObject({ code: -1119, field: alias });
  });

  it("hostile 80: equal aliases are one id, different ones conflict", () => {
    expect(key(Object.fromEntries(aliases.map((alias) => [alias, "a"]))).clientOrderId).toBe("a");
    const conflict = refused({ clOrdId: "a", clordid: "A" });
    expect(conflict).toMatchObject({ code: -1128, field: "clOrdId" });
    expect(conflict.error.msg).toContain("['clOrdId','clordid']");
  });

  it("both kinds of id may be combined", () => {
    expect(key({ orderId: "-256", clOrdId: "a" })).toMatchObject({ orderId: -256n, clientOrderId: "a" });
  });

  it("one of them is needed", () => {
    expect(refused({})).toMatchObject({ code: -1102, field: "orderId" });
    expect(refused({}).error.msg).toContain("'orderId' or 'origClientOrderId'");
  });
});

describe("symbol", () => {
  it("hostile 82: version 2 queries need the exact symbol", () => {
    for (const symbol of ["BTCUSD", "BTC-USD", "btc/usd", "BTC/USD/", "BTC%2FUSD"]) {
      expect(refused({ symbol, orderId: 1 })).toMatchObject({ code: -1121, field: "symbol" });
    }
  });

  it("elsewhere aliases resolve", () => {
    expect(key({ symbol: "BTCUSD", orderId: 1 }, cancel).symbol).toBe("BTC/USD");
    expect(refused({ symbol: "btcusd", orderId: 1 }, cancel).code).toBe(-1121);
  });

  it("it is required and not empty", () => {
    const without = () => readOrderKey(query({ orderId: 1 }), status);
    expect(refusal(without)).toMatchObject({ code: -1102, field: "symbol" });
    expect(refused({ symbol: "", orderId: 1 })).toMatchObject({ code: -1105, field: "symbol" });
  });
});

describe("other parameters", () => {
  it("account, userId and authentication are known", () => {
    const fields = {
      orderId: 1,
      account: 2,
      userId: 3,
      timestamp: 1,
      recvWindow: 2,
      nonce: 3,
      signature: "x",
    };
    expect(key(fields)).toEqual({ symbol: "BTC/USD", orderId: 1n, accountId: 2, userId: 3 });
    expect(refused({ orderId: 1, account: 0 })).toMatchObject({ code: -1130, field: "account" });
  });

  it("convention 3.3: only a cancel accepts an id of its own and a condition", () => {
    expect(key({ orderId: 1, newClientOrderId: "a", cancelRestrictions: "ONLY_NEW" }, cancel)).toEqual({
      symbol: "BTC/USD",
      orderId: 1n,
      cancelId: "a",
      restriction: "ONLY_NEW",
    });
    expect(refused({ orderId: 1, cancelRestrictions: "only_new" }, cancel)).toMatchObject({ code: -1145 });
    expect(refused({ orderId: 1, cancelRestrictions: "ONLY_NEW" })).toMatchObject({ code: -1104 });
    expect(refused({ orderId: 1, newClientOrderId: "a b" }, cancel)).toMatchObject({ code: -1100 });
    expect(refused({ orderId: 1, newClientOrderId: "a" })).toMatchObject({ code: -1104 });
  });

  it.each(["limit", "accountId", "orderid", "foo"])("%s is not read", (name) => {
    for (const how of [status, cancel]) {
      expect(refused({ orderId: 1, [name]: "1" }, how)).toMatchObject({ code: -1104, field: name });
    }
  });

  it("a cancel accepts the parameters of the convention", () => {
    expect(key({ orderId: 1, newOrderRespType: "ACK" }, cancel).orderId).toBe(1n);
    expect(refused({ orderId: 1, newOrderRespType: "ACK" })).toMatchObject({ code: -1104 });
    expect(refused({ orderId: 1, selfTradePreventionMode: "X" }, cancel)).toMatchObject({ code: -1130 });
  });
});
