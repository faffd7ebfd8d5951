import { describe, expect, it } from "vitest";
import { readAllOrdersPage, readOrderHistoryPage } from "../../src/requests/index.ts";
import { context, type Fields, json, query, rawJson, refusal } from "./support.ts";

const all = (fields: Fields) =>
  readAllOrdersPage(query({ symbol: "BTC/USD", ...fields }), { ...context, exactSymbol: true });
const history = (fields: Fields) => readOrderHistoryPage(json(fields), context.resolve);

describe("the parameters of allOrders", () => {
  it("contract: 500 by default, at most 1000", () => {
    expect(all({})).toEqual({ symbol: "BTC/USD", limit: 500 });
    expect(all({ limit: 1 }).limit).toBe(1);
    expect(all({ limit: 1_000 }).limit).toBe(1_000);
  });

  it("hostile 93: a limit above 1000 or below 1, and a start after the end, are refused", () => {
    const refused = (fields: Fields) => refusal(() => all(fields));
    expect(refused({ limit: 1_001 })).toMatchObject({ code: -1102, field: "limit" });
    expect(refused({ limit: 1_001 }).error.msg).toContain("Cannot be greater than 1000");
    expect(refused({ limit: 0 })).toMatchObject({ code: -1130, field: "limit" });
    expect(refused({ limit: "ten" })).toMatchObject({ code: -1100, field: "limit" });
    expect(refused({ startTime: 7, endTime: 6 })).toMatchObject({ code: -1023, field: "startTime" });
    expect(all({ startTime: 7, endTime: 7 })).toMatchObject({ startTimeMs: 7, endTimeMs: 7 });
  });

  it.each(["1", "0", "-5", "9007199254740993", "8389765489680951453", "9223372036854775807"])(
    "complaint 39, hostile 76: the lowest id %s is kept exactly",
    (orderId) => {
      expect(all({ orderId }).orderId).toBe(BigInt(orderId));
    },
  );

  it.each([
    ["9223372036854775808", -1108],
    ["-9223372036854775809", -1108],
    ["1.0", -1100],
    ["-0", -1100],
    ["1e3", -1100],
    ["", -1105],
  ])("hostile 76: the lowest id %s is refused", (orderId, code) => {
    expect(refusal(() => all({ orderId }))).toMatchObject({ code, field: "orderId" });
  });

  it("contract: every alias of the client id narrows it; hostile 80: they must not differ", () => {
    for (const alias of ["origClientOrderId", "clientOrderId", "clOrdId", "clordid"]) {
      expect(all({ [alias]: "My id/7" }).clientOrderId).toBe("My id/7");
      expect(refusal(() => all({ [alias]: "x".repeat(65) }))).toMatchObject({ code: -1100, field: alias });
      expect(refusal(() => all({ [alias]: "" }))).toMatchObject({ code: -1119, field: alias });
    }
    expect(all({ clOrdId: "a", clordid: "a" }).clientOrderId).toBe("a");
    expect(refusal(() => all({ clOrdId: "a", clordid: "b" })).code).toBe(-1128);
  });

  it("requires the exact symbol", () => {
    expect(refusal(() => all({ symbol: "BTCUSD" }))).toMatchObject({ code: -1121, field: "symbol" });
    expect(refusal(() => all({ symbol: undefined }))).toMatchObject({ code: -1102, field: "symbol" });
    expect(refusal(() => all({ foo: 1 })).code).toBe(-1104);
  });

  it("account, userId and authentication are known", () => {
    expect(all({ account: 2, userId: 3, timestamp: 1, recvWindow: 2, nonce: 3, signature: "x" })).toEqual({
      symbol: "BTC/USD",
      limit: 500,
      accountId: 2,
      userId: 3,
    });
  });
});

describe("the parameters of POST getOrderHistory", () => {
  it("convention 1, gap 13: a symbol is optional, the newest 1000 are the default and the maximum", () => {
    expect(history({})).toEqual({ limit: 1_000 });
    expect(history({ symbol: "ETH/USD", limit: 3 })).toEqual({ symbol: "ETH/USD", limit: 3 });
    expect(refusal(() => history({ limit: 1_001 }))).toMatchObject({ code: -1102, field: "limit" });
    expect(refusal(() => history({ symbol: "ETHUSD" })).code).toBe(-1121);
    expect(refusal(() => history({ startTime: 2, endTime: 1 })).code).toBe(-1023);
  });

  it("complaint 39: an id in JSON is exact", () => {
    const body = rawJson('{"orderId":8389765489680951453,"clOrdId":"a"}');
    expect(readOrderHistoryPage(body, context.resolve)).toEqual({
      limit: 1_000,
      orderId: 8_389_765_489_680_951_453n,
      clientOrderId: "a",
    });
  });
});
