import { describe, expect, it } from "vitest";
import { canonicalList, listIntent, readListPlacement } from "../../src/requests/index.ts";
import { context, type Fields, listEverywhere, listRefused, query, refusal } from "./support.ts";

const sell = {
  symbol: "BTC/USD",
  side: "SELL",
  quantity: "0.5",
  price: "8000",
  stopPrice: "7000",
  listClientOrderId: "list-1",
};
const buy = { ...sell, side: "BUY", price: "7000", stopPrice: "8000" };
const at = 2_000_000_000_000;

const legsOf = (fields: Fields) => listEverywhere("legacyOco", fields).legs;
const refused = (fields: Fields, code: number, field?: string) =>
  listRefused("legacyOco", fields, field === undefined ? [code] : [code, field]);

describe("legacy OCO", () => {
  it.each([sell, buy])(
    "contract, List creation rule 5: a limit and a stop, the stop shown first",
    (fields) => {
      const list = listEverywhere("legacyOco", fields);
      expect(list).toMatchObject({ contingency: "OCO", listClientOrderId: "list-1" });
      expect(list.legs.map(({ role, intent }) => [role, intent.type, intent.clientOrderId])).toEqual([
        ["protective", "STOP_MARKET", "generated-stopClientOrderId"],
        ["profit", "SYNTHETIC_LIMIT", "generated-limitClientOrderId"],
      ]);
    },
  );

  it("stopLimitPrice makes the stop a stop-limit", () => {
    const [stop] = legsOf({ ...sell, stopLimitPrice: "6900", stopLimitTimeInForce: "GTC" });
    expect(stop?.intent).toMatchObject({
      type: "STOP_LOSS_LIMIT",
      price: 690_000_000_000,
      timeInForce: "GTC",
    });
  });

  it("each leg has its own id and display quantity", () => {
    const own = {
      limitClientOrderId: "l",
      stopClientOrderId: "s",
      limitIcebergQty: "0.1",
      stopIcebergQty: "0.2",
    };
    const legs = legsOf({ ...sell, ...own, stopLimitPrice: "6900" });
    expect(
      legs.map(({ intent, generatedClientId }) => [
        intent.clientOrderId,
        intent.icebergQuantity,
        generatedClientId,
      ]),
    ).toEqual([
      ["s", 200_000, false],
      ["l", 100_000, false],
    ]);
    refused({ ...sell, limitClientOrderId: "x", stopClientOrderId: "x" }, -2010, "stopClientOrderId");
  });

  it("stopIcebergQty needs stopLimitPrice, both at most the quantity", () => {
    refused({ ...sell, stopIcebergQty: "0.1" }, -1106, "stopIcebergQty");
    const limited = { ...sell, stopLimitPrice: "6900" };
    expect(legsOf({ ...limited, stopIcebergQty: "0.5", limitIcebergQty: "0.5" })).toHaveLength(2);
    refused({ ...limited, stopIcebergQty: "0.500001" }, -1013, "stopIcebergQty");
    refused({ ...limited, limitIcebergQty: "0.500001" }, -1013, "limitIcebergQty");
  });

  it("the stop has a stopPrice, a trailingDelta or both", () => {
    const trailed = { ...sell, stopPrice: undefined, trailingDelta: 150 };
    const [stop] = legsOf(trailed);
    expect(stop?.intent).toMatchObject({ type: "STOP_MARKET", trailing: { kind: "bps", bps: 150 } });
    expect(stop?.intent).not.toHaveProperty("stopPrice");
    const [both] = legsOf({ ...trailed, stopPrice: "7000", stopLimitPrice: "6900" });
    expect(both?.intent).toMatchObject({ type: "STOP_LOSS_LIMIT", stopPrice: 700_000_000_000 });
    const none = refused({ ...sell, stopPrice: undefined }, -1102, "stopPrice");
    expect(none.msg).toContain("'stopPrice' or 'trailingDelta'");
  });

  it("complaint 44: for BUY the stop is above the limit, for SELL below; both fields are named", () => {
    expect(legsOf({ ...sell, price: "7000.00000001" })).toHaveLength(2);
    expect(legsOf({ ...buy, stopPrice: "7000.00000001" })).toHaveLength(2);
    for (const [fields, upper, lower] of [
      [{ ...sell, price: "7000" }, "price", "stopPrice"],
      [{ ...sell, side: "BUY" }, "stopPrice", "price"],
      [{ ...buy, stopPrice: "7000" }, "stopPrice", "price"],
      [{ ...buy, side: "SELL" }, "price", "stopPrice"],
    ] as const) {
      const error = refused(fields, -2010, upper);
      expect(error).toMatchObject({ reason: "BAD_PRICE_RELATION", details: { upper, lower } });
    }
  });

  it.each(["symbol", "side", "quantity", "price", "listClientOrderId"])("%s is required", (field) => {
    refused({ ...sell, [field]: undefined }, -1102, field);
  });

  it.each([
    "type",
    "timeInForce",
    "reduceOnly",
    "limitPrice",
    "stopLimitPrice2",
    "icebergQty",
    "newClientOrderId",
    "aboveType",
    "trailingAmount",
    "stopStopPrice",
    "childTimeInForce",
  ])("hostile 67: %s is unknown", (field) => {
    refused({ ...sell, [field]: "1" }, -1104, field);
  });

  it("errors use the legacy names", () => {
    const limited = { ...sell, stopLimitPrice: "6900" };
    refused({ ...limited, stopLimitPrice: "0" }, -1130, "stopLimitPrice");
    refused({ ...limited, stopLimitPrice: "1.000000001" }, -1111, "stopLimitPrice");
    refused({ ...limited, stopLimitTimeInForce: "IOC" }, -1115, "stopLimitTimeInForce");
    refused({ ...sell, limitClientOrderId: "" }, -1118, "limitClientOrderId");
    refused({ ...sell, stopClientOrderId: "aqc-1" }, -1130, "stopClientOrderId");
    refused({ ...sell, limitIcebergQty: "x" }, -1100, "limitIcebergQty");
    refused({ ...sell, trailingDelta: 10_000 }, -1130, "trailingDelta");
    const text = (trailingDelta: string) => query({ ...sell, trailingDelta });
    const read = () => readListPlacement("legacyOco", text("1.5"), context);
    expect(refusal(read)).toMatchObject({ code: -1100, field: "trailingDelta" });
  });

  it("the expiry applies to the stop that is sent as GTD", () => {
    const gtd = { ...sell, stopLimitPrice: "6900", stopLimitTimeInForce: "GTD" };
    expect(legsOf({ ...gtd, expireTime: at }).map(({ intent }) => intent.expireTimeMs)).toEqual([
      at,
      undefined,
    ]);
    expect(legsOf({ ...gtd, goodTillDate: at })[0]?.intent.timeInForce).toBe("GTD");
    refused(gtd, -1102, "expireTime");
    refused({ ...sell, expireTime: at }, -1106, "expireTime");
    refused({ ...gtd, stopLimitTimeInForce: "GTC", goodTillDate: at }, -1106, "goodTillDate");
  });

  it("it has the same intent as the equal OCO", () => {
    const ids = { limitClientOrderId: "l", stopClientOrderId: "s" };
    const legacy = listIntent("legacyOco", { ...sell, side: "SELL", ...ids });
    const oco = listIntent("oco", {
      symbol: "BTC/USD",
      side: "SELL",
      quantity: "0.50",
      aboveType: "LIMIT",
      abovePrice: "8000.0",
      aboveClientOrderId: "l",
      belowType: "STOP_LOSS",
      belowStopPrice: "7000",
      belowClientOrderId: "s",
      listClientOrderId: "list-1",
    });
    expect(legacy).toEqual(oco);
    expect(canonicalList(legacy)).toBe(canonicalList(oco));
  });
});
