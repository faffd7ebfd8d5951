import { describe, expect, it } from "vitest";
import {
  readDayTickerQuery,
  readDepthQuery,
  readPairsQuery,
  readTickerQuery,
} from "../../src/requests/index.ts";
import { query, refusal } from "./support.ts";

describe("public queries", () => {
  it("convention 1.2 t: unknown parameters are ignored", () => {
    expect(readTickerQuery(query({ symbol: "BTC/USD", foo: 1, type: "MINI" }))).toEqual({
      symbol: "BTC/USD",
    });
    expect(readPairsQuery(query({ symbol: "" }))).toEqual({ limit: 100 });
  });

  it("the ticker of a day needs no symbol, but refuses an empty one", () => {
    expect(readDayTickerQuery(query({ type: "FULL" }))).toEqual({});
    expect(readDayTickerQuery(query({ symbol: "BTC/USD" }))).toEqual({ symbol: "BTC/USD" });
    expect(refusal(() => readDayTickerQuery(query({ symbol: "" })))).toMatchObject({ code: -1105 });
  });

  it("symbol is required", () => {
    for (const read of [readTickerQuery, readDepthQuery]) {
      expect(refusal(() => read(query({ x: 1 })))).toMatchObject({ code: -1102, field: "symbol" });
      expect(refusal(() => read(query({ symbol: "" })))).toMatchObject({ code: -1105, field: "symbol" });
    }
  });

  it.each([
    [{}, 100],
    [{ limit: 1 }, 1],
    [{ limit: 5000 }, 5000],
    [{ limit: 5001 }, 5000],
    [{ limit: "9223372036854775807" }, 5000],
  ])("depth with %j shows %d levels", (fields, limit) => {
    expect(readDepthQuery(query({ symbol: "BTC/USD", ...fields }))).toEqual({ symbol: "BTC/USD", limit });
  });

  it.each([
    ["0", -1130],
    ["-1", -1100],
    ["1.5", -1100],
    ["ten", -1100],
    ["", -1105],
    ["9223372036854775808", -1108],
  ])("limit %j is refused", (limit, code) => {
    const fields = { symbol: "BTC/USD", limit };
    expect(refusal(() => readDepthQuery(query(fields)))).toMatchObject({ code, field: "limit" });
    expect(refusal(() => readPairsQuery(query(fields)))).toMatchObject({ code, field: "limit" });
  });

  it("pairs: 1 to 5000", () => {
    expect([1, 5000].map((limit) => readPairsQuery(query({ limit })).limit)).toEqual([1, 5000]);
    expect(refusal(() => readPairsQuery(query({ limit: 5001 })))).toMatchObject({
      code: -1102,
      field: "limit",
    });
  });
});
