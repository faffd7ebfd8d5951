import { describe, expect, it } from "vitest";
import { intentEverywhere, refusedEverywhere } from "./support.ts";

const limit = { symbol: "BTC/USD", side: "BUY", quantity: "0.5", price: "7000", type: "LIMIT" };
const at = 2_000_000_000_000;

describe("post-only orders", () => {
  it.each([
    { type: "LIMIT_MAKER" },
    { type: "POST_ONLY" },
    { timeInForce: "GTX" },
    { timeInForce: "POST_ONLY" },
    { timeInForce: "GTX", apiManaged: true },
    { type: "POST_ONLY", timeInForce: "GTC" },
  ])("contract, Order type values: %j is a LIMIT_MAKER until canceled", (fields) => {
    const { type, timeInForce, expireTimeMs } = intentEverywhere({ ...limit, ...fields });
    expect({ type, timeInForce, expireTimeMs }).toEqual({ type: "LIMIT_MAKER", timeInForce: "GTC" });
  });

  it.each([
    { type: "LIMIT_MAKER", timeInForce: "GTD", expireTime: at },
    { type: "LIMIT_MAKER", expireTime: at },
    { timeInForce: "GTX", expireTime: at },
    { timeInForce: "POST_ONLY", goodTillDate: at },
  ])("%j lives until its expiry", (fields) => {
    expect(intentEverywhere({ ...limit, ...fields })).toMatchObject({
      type: "LIMIT_MAKER",
      timeInForce: "GTD",
      expireTimeMs: at,
    });
  });

  it.each(["GTX", "POST_ONLY", "IOC", "FOK", "gtx"])(
    "only LIMIT accepts more than GTC and GTD: timeInForce %s",
    (timeInForce) => {
      for (const type of ["LIMIT_MAKER", "POST_ONLY", "SYNTHETIC_LIMIT"]) {
        refusedEverywhere({ ...limit, type, timeInForce }, -1115, "timeInForce");
      }
      refusedEverywhere({ ...limit, type: "STOP", price: undefined, stopPrice: "1", timeInForce }, -1115);
    },
  );

  it("gtx in lower case does not make a LIMIT managed", () => {
    refusedEverywhere({ ...limit, timeInForce: "gtx" }, -1116, "type");
    refusedEverywhere({ ...limit, timeInForce: "gtx", apiManaged: true }, -1115, "timeInForce");
  });

  it("a price is required, and fields of other types are refused", () => {
    for (const type of ["LIMIT_MAKER", "POST_ONLY"]) {
      refusedEverywhere({ ...limit, type, price: undefined }, -1102, "price");
      refusedEverywhere({ ...limit, type, stopPrice: "1" }, -1106, "stopPrice");
    }
    refusedEverywhere({ ...limit, timeInForce: "GTX", price: undefined }, -1102, "price");
    refusedEverywhere({ ...limit, timeInForce: "GTX", apiManaged: false }, -1130, "apiManaged");
    refusedEverywhere({ ...limit, timeInForce: "GTX", icebergQty: "0.1" }, -1106, "icebergQty");
  });
});
