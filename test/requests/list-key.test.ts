import { describe, expect, it } from "vitest";
import { type ListKeyContext, readListKey } from "../../src/requests/index.ts";
import { context, type Fields, json, query, rawJson, refusal } from "./support.ts";

const status: ListKeyContext = { resolve: context.resolve, purpose: "status" };
const cancel: ListKeyContext = { resolve: context.resolve, purpose: "cancel" };

const key = (fields: Fields, how: ListKeyContext = status) => readListKey(query(fields), how);
const refused = (fields: Fields, how: ListKeyContext = status) => refusal(() => key(fields, how));

describe("orderListId", () => {
  it.each(["-256", "1", "0", "-9007199254740993", "9223372036854775807", "-9223372036854775808"])(
    "%s is kept exactly",
    (orderListId) => {
      for (const how of [status, cancel]) {
        expect(key({ orderListId }, how)).toEqual({ orderListId: BigInt(orderListId) });
      }
    },
  );

  it.each([
    ["-0", -1100],
    ["1.0", -1100],
    ["1e3", -1100],
    ["-00", -1100],
    ["9223372036854775808", -1108],
    ["-9223372036854775809", -1108],
    ["", -1105],
  ])("hostile 76: %s is refused", (orderListId, code) => {
    for (const how of [status, cancel]) {
      expect(refused({ orderListId }, how)).toMatchObject({ code, field: "orderListId" });
    }
  });

  it.each(["-0256", "0000001"])("convention 1.2 r: leading zeros of %s have no meaning", (orderListId) => {
    for (const how of [status, cancel]) {
      expect(key({ orderListId }, how)).toEqual({ orderListId: BigInt(Number(orderListId)) });
    }
  });

  it("in JSON it is an integer, not a string", () => {
    expect(readListKey(rawJson('{"orderListId":-9007199254740993}'), cancel)).toEqual({
      orderListId: -9_007_199_254_740_993n,
    });
    const quoted = json({ orderListId: "-256" });
    expect(refusal(() => readListKey(quoted, cancel))).toMatchObject({ code: -1130, field: "orderListId" });
  });
});

describe("client id of a list", () => {
  it.each(["origClientOrderId", "listClientOrderId"])("contract, List queries: %s names a list", (alias) => {
    expect(key({ [alias]: "My list/7" })).toEqual({ listClientOrderId: "My list/7" });
    expect(key({ [alias]: "x".repeat(64) }, cancel).listClientOrderId).toHaveLength(64);
    expect(refused({ [alias]: "x".repeat(65) })).toMatchObject({ code: -1100, field: alias });
    expect(refused({ [alias]: "" })).toMatchObject({ code: -1119, field: alias });
  });

  it("hostile 80: equal aliases are one id, different ones conflict", () => {
    expect(key({ origClientOrderId: "a", listClientOrderId: "a" })).toEqual({ listClientOrderId: "a" });
    const conflict = refused({ origClientOrderId: "a", listClientOrderId: "A" }, cancel);
    expect(conflict).toMatchObject({ code: -1128, field: "origClientOrderId" });
    expect(conflict.error.msg).toContain("['origClientOrderId','listClientOrderId']");
  });

  it("one id is needed; both kinds may be combined", () => {
    for (const how of [status, cancel]) {
      expect(refused({}, how)).toMatchObject({ code: -1102, field: "orderListId" });
      expect(refused({ symbol: "BTC/USD" }, how).error.msg).toContain("'orderListId' or 'listClientOrderId'");
      expect(key({ orderListId: "-256", listClientOrderId: "a" }, how)).toEqual({
        orderListId: -256n,
        listClientOrderId: "a",
      });
    }
  });
});

describe("conditions of a look-up", () => {
  it("contract, List queries: symbol, resolved, and instrument", () => {
    expect(key({ orderListId: 1, symbol: "BTCUSD", instrumentId: 7 })).toEqual({
      orderListId: 1n,
      symbol: "BTC/USD",
      instrumentId: 7,
    });
    expect(refused({ orderListId: 1, symbol: "btcusd" })).toMatchObject({ code: -1121, field: "symbol" });
    expect(refused({ orderListId: 1, symbol: "" })).toMatchObject({ code: -1105, field: "symbol" });
    expect(refused({ orderListId: 1, instrumentId: 0 })).toMatchObject({
      code: -1130,
      field: "instrumentId",
    });
    expect(refused({ orderListId: 1, instrumentId: "x" })).toMatchObject({ code: -1100 });
  });

  it("a cancel accepts symbol and newClientOrderId without reading them", () => {
    for (const ignored of [{ symbol: "XXX" }, { symbol: "" }, { newClientOrderId: "a b" }]) {
      expect(key({ orderListId: 1, ...ignored }, cancel)).toEqual({ orderListId: 1n });
    }
    expect(key({ orderListId: 1, newOrderRespType: "ACK", nonce: "1" }, cancel)).toEqual({ orderListId: 1n });
    expect(refused({ orderListId: 1, newClientOrderId: "a" })).toMatchObject({ code: -1104 });
    expect(refused({ orderListId: 1, instrumentId: 1 }, cancel)).toMatchObject({ code: -1104 });
  });

  it("account and userId are known, others are not", () => {
    const expected = { orderListId: 1n, accountId: 2, userId: 3 };
    for (const how of [status, cancel]) {
      expect(key({ orderListId: 1, account: 2, userId: 3, timestamp: 1, signature: "x" }, how)).toEqual(
        expected,
      );
      for (const name of ["orderId", "clientOrderId", "orderlistid", "limit", "foo"]) {
        expect(refused({ orderListId: 1, [name]: "1" }, how)).toMatchObject({ code: -1104, field: name });
      }
    }
  });
});
