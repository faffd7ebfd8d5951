import { describe, expect, it } from "vitest";
import { readCancelAll, readOpenOrdersPage } from "../../src/requests/index.ts";
import { type Fields, json, query, refusal } from "./support.ts";

const page = (fields: Fields) => readOpenOrdersPage(query({ apiManaged: true, ...fields }));
const refused = (fields: Fields) => refusal(() => page(fields));

describe("page of open orders", () => {
  it("defaults", () => {
    expect(page({})).toEqual({ includeHistory: false, newestFirst: false, limit: 100, afterOrderId: 0 });
  });

  it("all parameters", () => {
    const fields = {
      includeHistory: true,
      newestFirst: true,
      limit: 1000,
      afterOrderId: -512,
      account: 2,
      userId: 3,
    };
    const { account, userId, ...rest } = fields;
    expect(page(fields)).toEqual({ ...rest, accountId: account, userId });
    expect(readOpenOrdersPage(json({ apiManaged: true, ...fields }))).toEqual(page(fields));
  });

  it.each([
    [{ limit: 0 }, -1130, "limit"],
    [{ limit: 1001 }, -1102, "limit"],
    [{ limit: "1e2" }, -1100, "limit"],
    [{ limit: "-1" }, -1100, "limit"],
    [{ limit: "" }, -1105, "limit"],
    [{ afterOrderId: 1 }, -1130, "afterOrderId"],
    [{ afterOrderId: "-0" }, -1100, "afterOrderId"],
    [{ afterOrderId: "-1.0" }, -1100, "afterOrderId"],
    [{ afterOrderId: "-9007199254740992" }, -1130, "afterOrderId"],
    [{ afterOrderId: "-9223372036854775809" }, -1108, "afterOrderId"],
    [{ apiManaged: false }, -1130, "apiManaged"],
    [{ apiManaged: "TRUE" }, -1130, "apiManaged"],
    [{ includeHistory: "1" }, -1130, "includeHistory"],
    [{ newestFirst: "yes" }, -1130, "newestFirst"],
    [{ symbol: "BTC/USD" }, -1106, "symbol"],
    [{ instrumentId: 1 }, -1106, "instrumentId"],
    [{ side: "BUY" }, -1106, "side"],
    [{ orderId: 1 }, -1104, "orderId"],
    [{ Limit: 1 }, -1104, "Limit"],
  ])("hostile 92: %j is refused", (fields, code, field) => {
    expect(refused(fields)).toMatchObject({ code, field });
  });

  it("hostile 92: apiManaged is required", () => {
    expect(refusal(() => readOpenOrdersPage(query({ nonce: 1 })))).toMatchObject({
      code: -1102,
      field: "apiManaged",
    });
    expect(refusal(() => readOpenOrdersPage(json({ apiManaged: "true" })))).toMatchObject({ code: -1130 });
  });

  it("a limit above the maximum names the maximum", () => {
    expect(refused({ limit: 1001 }).error.msg).toContain("Cannot be greater than 1000");
  });

  it("limit 1 and the lowest managed id are accepted", () => {
    expect(page({ limit: 1, afterOrderId: "-9007199254740991" })).toMatchObject({
      limit: 1,
      afterOrderId: Number.MIN_SAFE_INTEGER,
    });
  });
});

describe("cancel-all", () => {
  it("accepts apiManaged, account and userId", () => {
    expect(readCancelAll(query({ apiManaged: true, nonce: 1 }))).toEqual({});
    expect(readCancelAll(json({ apiManaged: true, account: 2, userId: 3 }))).toEqual({
      accountId: 2,
      userId: 3,
    });
  });

  it.each([
    [{}, -1102, "apiManaged"],
    [{ apiManaged: false }, -1130, "apiManaged"],
    [{ apiManaged: true, symbol: "BTC/USD" }, -1106, "symbol"],
    [{ apiManaged: true, instrumentId: 1 }, -1106, "instrumentId"],
    [{ apiManaged: true, side: "BUY" }, -1106, "side"],
    [{ apiManaged: true, limit: 1 }, -1104, "limit"],
    [{ apiManaged: true, includeHistory: true }, -1104, "includeHistory"],
    [{ apiManaged: true, afterOrderId: 0 }, -1104, "afterOrderId"],
    [{ apiManaged: true, newestFirst: true }, -1104, "newestFirst"],
  ])("%j is refused", (fields, code, field) => {
    expect(refusal(() => readCancelAll(query(fields)))).toMatchObject({ code, field });
  });
});
