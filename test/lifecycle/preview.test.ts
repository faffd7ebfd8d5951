import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, formatNotional, notional, price, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import { OrderError } from "../../src/errors/index.ts";
import { admit, previewOrder } from "../../src/lifecycle/index.ts";
import type { ParentIntent } from "../../src/model/index.ts";

const NOW = 1_760_000_000_000;
const CONTEXT = { nowMs: NOW, minimum: notional("15") };

const twap: ParentIntent = {
  symbol: "BTC/USD",
  side: "BUY",
  type: "TWAP",
  quantity: quantity("0.6"),
  price: price("100"),
  schedule: { intervalMs: 1_000, intervalCount: 4, intervalDelayMs: 500 },
  timeInForce: "GTC",
  reduceOnly: false,
  childTimeInForce: "IOC",
  clientOrderId: "preview-1",
};

describe("a preview says what the service would say (decisions 27-29)", () => {
  it("slots with their times, the smallest slice against the minimum, and the end", () => {
    const preview = previewOrder(twap, CONTEXT);
    expect(preview.refusal).toBeUndefined();
    expect(preview.slots?.map(({ opensAtMs }) => opensAtMs - NOW)).toEqual([500, 1_500, 2_500, 3_500]);
    expect(preview.smallestSlice).toBe(quantity("0.15"));
    expect(preview.smallestSliceValue).toBe(notional("15"));
    expect(preview.endsAtMs).toBe(NOW + 4_500);
  });

  it("decision 28: a smallest slice of 14.99 USD is refused, and its slots are shown beside the refusal", () => {
    const preview = previewOrder({ ...twap, quantity: quantity("0.5996") }, CONTEXT);
    expect(preview.refusal).toMatchObject({ reason: "FILTER_NOTIONAL", details: { field: "intervalCount" } });
    expect(formatNotional(preview.smallestSliceValue ?? notional("0"))).toBe("14.99");
    expect(preview.slots).toHaveLength(4);
  });

  it("complaint 7: fewer steps than slots are a refusal, not a crash", () => {
    const tiny = { ...twap, quantity: quantity("0.000003"), price: price("10000000") };
    const preview = previewOrder(tiny, CONTEXT);
    expect(preview.refusal).toMatchObject({ code: -1013 });
    expect(preview.smallestSlice).toBe(ZERO_QUANTITY);
  });

  it("decision 23: without a price and without a quote the refusal is -1112, and there is no value to show", () => {
    const { price: _price, ...market } = twap;
    const preview = previewOrder(market, CONTEXT);
    expect(preview.refusal).toMatchObject({ code: -1112 });
    expect(preview.smallestSliceValue).toBeUndefined();
    expect(preview.slots).toHaveLength(4);
  });

  it("decision 29: a VWAP without weights needs a profile: -2016 and no slots", () => {
    const schedule = { intervalMs: 60_000, intervalDelayMs: 0 };
    const preview = previewOrder({ ...twap, type: "VWAP", schedule }, CONTEXT);
    expect(preview.refusal).toMatchObject({ code: -2016 });
    expect(preview.slots).toBeUndefined();
    const profile = { count: 2, weights: [quantity("1"), quantity("3")] };
    const shown = previewOrder({ ...twap, type: "VWAP", schedule }, { ...CONTEXT, profile });
    expect(shown.slots?.map((slot) => slot.quantity)).toEqual([quantity("0.15"), quantity("0.45")]);
  });

  it("shows an order without a schedule too, and lets what is no refusal through", () => {
    const { schedule: _schedule, ...plain } = twap;
    expect(previewOrder({ ...plain, type: "SYNTHETIC_LIMIT" }, CONTEXT)).toEqual({
      admissionPrice: price("100"),
      minimum: notional("15"),
    });
    const broken = { ...twap, schedule: { intervalMs: 1_000, intervalCount: 0.5, intervalDelayMs: 0 } };
    expect(() => previewOrder(broken, CONTEXT)).toThrow(RangeError);
  });

  it("property: refuses exactly when admission does, and its slots are those of the plan that is kept", () => {
    const intents = fc.record({
      units: fc.integer({ min: 1, max: 3_000_000 }),
      count: fc.integer({ min: 2, max: 50 }),
    });
    fc.assert(
      fc.property(intents, ({ units, count }) => {
        const schedule = { intervalMs: 1_000, intervalCount: count, intervalDelayMs: 0 };
        const intent = { ...twap, quantity: units as unknown as ParentIntent["quantity"], schedule };
        const preview = previewOrder(intent, CONTEXT);
        let refused: unknown;
        try {
          expect(admit(intent, CONTEXT).plan?.count).toBe(count);
        } catch (error) {
          if (!(error instanceof OrderError)) throw error;
          refused = error.reason;
        }
        expect(preview.refusal?.reason).toBe(refused);
        const sum = preview.slots?.reduce((total, slot) => add(total, slot.quantity), ZERO_QUANTITY);
        expect(sum).toBe(intent.quantity);
      }),
    );
  });
});
