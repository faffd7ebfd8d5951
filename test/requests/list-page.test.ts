import { describe, expect, it } from "vitest";
import { readListPage } from "../../src/requests/index.ts";
import { type Fields, json, query, refusal } from "./support.ts";

const page = (fields: Fields) => readListPage(query({ nonce: 1, ...fields }));
const refused = (fields: Fields) => refusal(() => page(fields));

describe("pages of lists", () => {
  it("contract, List queries: 500 of all times by default", () => {
    expect(page({})).toEqual({ limit: 500 });
    const fields = { limit: 1, startTime: 5, endTime: 5, account: 2, userId: 3 };
    const expected = { limit: 1, startTimeMs: 5, endTimeMs: 5, accountId: 2, userId: 3 };
    expect(page(fields)).toEqual(expected);
    expect(readListPage(json(fields))).toEqual(expected);
    expect(page({ startTime: 0, limit: 1_000 })).toEqual({ limit: 1_000, startTimeMs: 0 });
  });

  it("convention 1.2 z: a start after the end is refused, also by one millisecond", () => {
    expect(page({ startTime: 6, endTime: 7 })).toMatchObject({ startTimeMs: 6, endTimeMs: 7 });
    expect(refused({ startTime: 7, endTime: 6 })).toMatchObject({ code: -1023, field: "startTime" });
  });

  it.each([
    [{ limit: 0 }, -1130, "limit"],
    [{ limit: 1_001 }, -1102, "limit"],
    [{ limit: "-1" }, -1100, "limit"],
    [{ limit: "" }, -1105, "limit"],
    [{ startTime: "-1" }, -1100, "startTime"],
    [{ startTime: "1.5" }, -1100, "startTime"],
    [{ endTime: "" }, -1105, "endTime"],
    [{ endTime: "9007199254740992" }, -1130, "endTime"],
    [{ endTime: "9223372036854775808" }, -1108, "endTime"],
    [{ symbol: "BTC/USD" }, -1104, "symbol"],
    [{ fromId: 1 }, -1104, "fromId"],
    [{ afterOrderId: 0 }, -1104, "afterOrderId"],
  ])("%j is refused", (fields, code, field) => {
    expect(refused(fields)).toMatchObject({ code, field });
  });

  it("a limit above the maximum names the maximum", () => {
    expect(refused({ limit: 1_001 }).error.msg).toContain("Cannot be greater than 1000");
  });
});
