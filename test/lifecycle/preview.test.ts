import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, formatQuantity, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import { type PreviewContext, previewOrder } from "../../src/lifecycle/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";

const NOW = 1_760_000_000_000;

const common = { symbol: "BTC/USD", side: "BUY", quantity: "0.6" } as const;
const twap = {
  ...common,
  type: "LIMIT",
  targetStrategy: 180,
  price: "100",
  interval: 1_000,
  intervalCount: 4,
  intervalDelay: 500,
} as const satisfies OrderFields;

describe("a preview warns of an order that fires below the minimum", () => {
  const quote = { bid: "60000", ask: "60001" };
  const sell = { symbol: "BTC/USD", side: "SELL" } as const;
  const trailing = { ...sell, type: "TRAILING_STOP", trailingDelta: 2_000 } as const;
  it.each<readonly [string, OrderFields, string | undefined]>([
    ["a trailing stop of USD 18 that fires 20 % lower", { ...trailing, quantity: "0.0003" }, "14.4"],
    ["one of USD 18.78 fires above the minimum", { ...trailing, quantity: "0.000313" }, undefined],
    [
      "a purchase at exactly the minimum",
      {
        ...sell,
        side: "BUY",
        type: "STOP_LOSS_LIMIT",
        stopPrice: "75000",
        price: "80000",
        quantity: "0.0002",
      },
      undefined,
    ],
    ["a reduce-only one has no minimum", { ...trailing, quantity: "0.0003", reduceOnly: true }, undefined],
    ["a gated one fires below its gate", { ...trailing, stopPrice: "60000", quantity: "0.0003" }, "14.4"],
    [
      "a purchase above its stop price",
      {
        ...sell,
        side: "BUY",
        type: "STOP_LOSS_LIMIT",
        stopPrice: "70000",
        price: "80000",
        quantity: "0.0002",
      },
      "14",
    ],
    [
      "a purchase whose market is far inside its limit",
      { ...sell, side: "BUY", type: "SYNTHETIC_LIMIT", price: "80000", quantity: "0.0002" },
      "12.0002",
    ],
    [
      "the displayed part of an iceberg",
      { ...trailing, quantity: "1", icebergQty: "0.0003", type: "TRAILING_STOP_LIMIT", limitOffset: "10" },
      "14.4",
    ],
  ])("%s", (_what, order, value) => {
    const preview = previewOrder(order, { quote, position: "5" });
    expect(preview.refusal).toBeUndefined();
    const low = preview.firesBelowMinimum;
    expect(low?.value).toBe(value);
  });
});

it("a preview does not warn of an order that is refused anyway", () => {
  const order = { symbol: "BTC/USD", side: "SELL", type: "TRAILING_STOP", trailingDelta: 2_000 } as const;
  const preview = previewOrder({ ...order, quantity: "0.0001" }, { quote: { bid: "60000", ask: "60001" } });
  expect([preview.refusal?.code, preview.firesBelowMinimum]).toEqual([-1013, undefined]);
});

describe("a preview agrees with the service", () => {
  it("shows slots with their times, the smallest slice against the minimum, and the end", () => {
    const preview = previewOrder(twap, { nowMs: NOW });
    expect(preview.refusal).toBeUndefined();
    expect(preview.slots?.map(({ opensAtMs }) => opensAtMs - NOW)).toEqual([500, 1_500, 2_500, 3_500]);
    expect(preview.smallestSlice).toBe("0.15");
    expect(preview.smallestSliceValue).toBe("15");
    expect(preview.endsAtMs).toBe(NOW + 4_500);
    expect(previewOrder(twap).endsAtMs).toBe(4_500);
  });

  it("refuses a smallest slice of 14.99 USD, and shows its slots beside the refusal", () => {
    const preview = previewOrder({ ...twap, quantity: "0.5996" });
    expect(preview.refusal).toMatchObject({ reason: "FILTER_NOTIONAL", details: { field: "intervalCount" } });
    expect(preview.smallestSliceValue).toBe("14.99");
    expect(preview.slots).toHaveLength(4);
  });

  it("complaint 7: refuses fewer steps than slots without crashing", () => {
    const preview = previewOrder({ ...twap, quantity: "0.000003", price: "10000000" });
    expect(preview.refusal).toMatchObject({ code: -1013 });
    expect(preview.smallestSlice).toBe("0");
  });

  it("without a price and without a quote the refusal is -1112, and there is no value", () => {
    const market: OrderFields = { ...common, type: "TWAP", interval: 1_000, intervalCount: 4 };
    const preview = previewOrder(market);
    expect(preview.refusal).toMatchObject({ code: -1112 });
    expect(preview).not.toHaveProperty("admissionPrice");
    expect(preview.smallestSliceValue).toBeUndefined();
    expect(preview.slots).toHaveLength(4);
    expect(previewOrder(market, { quote: { bid: "99", ask: "100" } })).toMatchObject({
      admissionPrice: "100",
      smallestSliceValue: "15",
    });
  });

  it("a VWAP without weights needs a profile: -2016 and no slots", () => {
    const vwap: OrderFields = { ...common, type: "LIMIT", targetStrategy: 1_000_002, price: "100" };
    const preview = previewOrder(vwap);
    expect(preview.refusal).toMatchObject({ code: -2016 });
    expect(preview.slots).toBeUndefined();
    const profile = { count: 2, weights: [quantity("1"), quantity("3")] };
    const shown = previewOrder(vwap, { profile });
    expect(shown.slots?.map((slot) => slot.quantity)).toEqual(["0.15", "0.45"]);
  });

  it("a VWAP shows the slices that were joined, and the refusal of weights of its own", () => {
    const vwap: OrderFields = { ...common, type: "LIMIT", targetStrategy: 1_000_002, price: "100" };
    const weights = ["1", "6", "1"].map((weight) => quantity(weight));
    const shown = previewOrder(vwap, { profile: { count: 3, weights } });
    expect(shown.slots?.map(({ slot, quantity: size }) => [slot, size])).toEqual([[1, "0.6"]]);
    expect(shown.refusal).toBeUndefined();
    const own = previewOrder({ ...vwap, volumeProfile: "1,6,1" });
    const reported = [own.refusal?.code, own.refusal?.field, own.smallestSlice];
    expect(reported).toEqual([-1013, "volumeProfile", "0.075"]);
  });

  it("shows an order without a schedule too", () => {
    expect(previewOrder({ ...common, type: "SYNTHETIC_LIMIT", price: "100" })).toStrictEqual({
      admissionPrice: "100",
      minimum: "15",
    });
  });

  it("refuses fields that the service refuses", () => {
    const fields: OrderFields = { ...common, type: "SYNTHETIC_LIMIT", price: "1e3" };
    const refusal = expect.objectContaining({ field: "price" });
    expect(previewOrder(fields)).toStrictEqual({ refusal, minimum: "15" });
  });

  it("passes on an error that is no refusal", () => {
    const fields = {
      ...common,
      type: "SYNTHETIC_LIMIT",
      get price(): string {
        throw new RangeError("own");
      },
    } as const;
    expect(() => previewOrder(fields)).toThrow(new RangeError("own"));
  });

  it("property: the slots add up to the quantity", () => {
    const sizes = fc.record({
      units: fc.integer({ min: 1, max: 3_000_000 }),
      count: fc.integer({ min: 2, max: 50 }),
    });
    fc.assert(
      fc.property(sizes, ({ units, count }) => {
        const whole = formatQuantity(units as unknown as typeof ZERO_QUANTITY);
        const { slots } = previewOrder({ ...twap, quantity: whole, intervalCount: count });
        const sum = slots?.reduce((total, slot) => add(total, quantity(slot.quantity)), ZERO_QUANTITY);
        expect(sum).toBe(units);
      }),
    );
  });
});

describe("an invalid context is a TypeError that names the option", () => {
  const limit: OrderFields = { ...common, type: "LIMIT_MAKER", price: "100" };
  const wrong: readonly (readonly [unknown, string])[] = [
    [{ quote: { bid: 99, ask: "100" } }, "previewOrder.quote.bid must be a decimal string, got 99"],
    [{ quote: { bid: "99" } }, "previewOrder.quote.ask is missing: pass a decimal string"],
    [
      { quote: { bid: "0", ask: "1" } },
      "previewOrder.quote.bid: a price must be a decimal string above 0 with at most 8 decimals, got 0",
    ],
    [
      { quote: { bid: "101", ask: "100" } },
      "previewOrder.quote.bid 101 is above the ask 100; the service does not count such a quote",
    ],
    [{ position: "1.2.3" }, "previewOrder.position: a position must be a decimal string, got 1.2.3"],
    [{ position: 1 }, "previewOrder.position must be a decimal string, got 1"],
    [{ minimumNotional: 15 }, "previewOrder.minimumNotional must be a decimal string, got 15"],
    [
      { minimumNotional: "x" },
      "previewOrder.minimumNotional: an amount must be a decimal string with at most 14 decimals, got x",
    ],
    [
      { quote: { bid: "1", ask: "0" } },
      "previewOrder.quote.ask: a price must be a decimal string above 0 with at most 8 decimals, got 0",
    ],
    [{ nowMs: "1" }, 'previewOrder.nowMs must be a finite number of milliseconds, got "1"'],
    [
      { profile: { count: 2, weights: 1 } },
      "previewOrder.profile.weights must be the weights of a profile, as volumeProfile returns them, got 1",
    ],
    [{ now: 1 }, "unknown option `now` of previewOrder; did you mean `nowMs`?"],
  ];

  it.each(wrong)("%j", (context, message) => {
    expect(() => previewOrder(limit, context as PreviewContext)).toThrow(new TypeError(message));
  });

  it.each([
    [{ maxIcebergParts: -1 }, "previewOrder.maxIcebergParts must be a whole number of at least 0, got -1"],
    [
      { profile: { count: 0, weights: [] } },
      "previewOrder.profile.count must be a whole number of at least 1, got 0",
    ],
  ])("%j is out of range", (context, message) => {
    expect(() => previewOrder(limit, context)).toThrow(new RangeError(message));
  });

  it("the error of a decimal keeps its cause, and a bid may equal the ask", () => {
    const message = "a price must be a decimal string above 0 with at most 8 decimals, got x";
    try {
      previewOrder(limit, { quote: { bid: "x", ask: "1" } });
      expect.unreachable();
    } catch (error) {
      expect((error as Error).cause).toEqual(new RangeError(message));
    }
    expect(previewOrder(limit, { quote: { bid: "101", ask: "101" } }).refusal).toBeUndefined();
  });

  it("without a time, an expiry is not compared", () => {
    const expiring = { ...limit, expireTime: NOW + 1 };
    expect(() => previewOrder(expiring)).toThrow(
      new TypeError(
        "previewOrder.nowMs is missing: without the time, the preview cannot check the order's expiry",
      ),
    );
    expect(previewOrder(expiring, { nowMs: NOW }).refusal).toBeUndefined();
    expect(previewOrder(expiring, { nowMs: NOW + 1 }).refusal?.field).toBe("expireTime");
  });
});
