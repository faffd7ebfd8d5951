import { describe, expect, it } from "vitest";
import { quantity } from "../../src/decimal/index.ts";
import { readPlacement } from "../../src/requests/index.ts";
import { context, type Fields, intentEverywhere, query, refusal, refusedEverywhere } from "./support.ts";

const base = { symbol: "BTC/USD", side: "SELL", quantity: "1", price: "10" };
const iceberg = { ...base, type: "ICEBERG", icebergQty: "0.1" };

const HOSTS: readonly (readonly [string, Fields])[] = [
  ["SYNTHETIC_LIMIT", { type: "SYNTHETIC_LIMIT" }],
  ["SYNTHETIC_LIMIT", { type: "LIMIT" }],
  ["SYNTHETIC_LIMIT", { type: "LIMIT", apiManaged: true }],
  ["STOP_LOSS_LIMIT", { type: "STOP_LIMIT", stopPrice: "9" }],
  ["TAKE_PROFIT_LIMIT", { type: "TAKE_PROFIT_LIMIT", stopPrice: "11" }],
  ["TRAILING_STOP_LIMIT", { type: "TRAILING_STOP_LIMIT", trailingDelta: 100 }],
  [
    "TRAILING_STOP_LIMIT",
    { type: "TRAILING_STOP_LIMIT", trailingDelta: 100, price: undefined, limitOffset: "1" },
  ],
];

describe("icebergs", () => {
  it("contract, Order type values: ICEBERG needs price and icebergQty", () => {
    expect(intentEverywhere(iceberg)).toMatchObject({ type: "ICEBERG", icebergQuantity: 100_000 });
    refusedEverywhere({ ...iceberg, icebergQty: undefined }, -1102, "icebergQty");
    refusedEverywhere({ ...iceberg, price: undefined }, -1102, "price");
    refusedEverywhere({ ...iceberg, stopPrice: "1" }, -1106, "stopPrice");
  });

  it.each(HOSTS)("icebergQty turns %s into %j", (type, fields) => {
    const intent = intentEverywhere({ ...base, ...fields, icebergQty: "0.25" });
    expect(intent).toMatchObject({ type, icebergQuantity: 250_000 });
    expect(intentEverywhere({ ...base, apiManaged: true, ...fields })).not.toHaveProperty("icebergQuantity");
  });

  it.each([
    { type: "STOP", price: undefined, stopPrice: "9" },
    { type: "TAKE_PROFIT", price: undefined, stopPrice: "9" },
    { type: "TRAILING_STOP", price: undefined, trailingDelta: 100 },
    { type: "LIMIT_MAKER" },
    { type: "TWAP", price: undefined, interval: 1_000, intervalCount: 2 },
    { type: "VWAP", price: undefined },
    { type: "POV", price: undefined, participationBips: 1 },
    { type: "LIMIT", targetStrategy: 1_000_004, participationBips: 1 },
  ])("icebergQty is refused on %j", (fields) => {
    refusedEverywhere({ ...base, ...fields, icebergQty: "0.1" }, -1106, "icebergQty");
  });

  it("hostile 75, convention 6.4: icebergQty up to the quantity, one step more is refused", () => {
    expect(intentEverywhere({ ...iceberg, icebergQty: "1" }).icebergQuantity).toBe(quantity("1"));
    const error = refusedEverywhere({ ...iceberg, icebergQty: "1.000001" }, -1013, "icebergQty");
    expect(error.reason).toBe("ICEBERG_EXCEEDS_QUANTITY");
    expect(error.msg).toBe("IcebergQty exceeds QTY.");
    for (const [, fields] of HOSTS) {
      refusedEverywhere({ ...base, ...fields, icebergQty: "1.000001" }, -1013, "icebergQty");
    }
  });

  it("quantities beyond 2^53 steps are compared exactly", () => {
    const large = { ...iceberg, quantity: "999999999999.999998" };
    expect(intentEverywhere({ ...large, icebergQty: "999999999999.999998" }).type).toBe("ICEBERG");
    refusedEverywhere({ ...large, icebergQty: "999999999999.999999" }, -1013, "icebergQty");
  });

  it.each([
    ["0", -1130],
    ["0.0000001", -1111],
    ["1e-1", -1100],
    ["-1", -1100],
    ["", -1100],
    ["1000000000000", -1108],
  ])("icebergQty %j is refused", (icebergQty, code) => {
    refusedEverywhere({ ...iceberg, icebergQty }, code, "icebergQty");
    refusedEverywhere({ ...base, type: "LIMIT", icebergQty }, code, "icebergQty");
  });

  it("convention 1.2 ee: GTC and GTD are accepted, other lifetimes are not", () => {
    expect(intentEverywhere({ ...iceberg, expireTime: 2e12 }).timeInForce).toBe("GTD");
    refusedEverywhere({ ...iceberg, timeInForce: "GTX" }, -1115, "timeInForce");
    refusedEverywhere(
      { ...base, type: "LIMIT", icebergQty: "0.1", timeInForce: "IOC" },
      -1115,
      "timeInForce",
    );
  });

  it("a query carries the smallest step exactly", () => {
    const read = (icebergQty: string) => readPlacement(query({ ...iceberg, icebergQty }), context).intent;
    expect(read("0.000001").icebergQuantity).toBe(1);
    expect(refusal(() => read("0.0000010"))).toMatchObject({ code: -1111, field: "icebergQty" });
  });
});
