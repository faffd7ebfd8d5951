import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatQuantity, parseQuantity } from "../../src/decimal/index.ts";
import { ORDER_TYPES, type ParentIntent } from "../../src/model/index.ts";
import { canonicalIntent, type OrderFields, orderIntent, readPlacement } from "../../src/requests/index.ts";
import { fieldsOf, orders, similarOrders } from "./arbitraries.ts";
import { context, json, query, refusal } from "./support.ts";

const limit = {
  symbol: "BTC/USD",
  side: "BUY",
  type: "SYNTHETIC_LIMIT",
  quantity: "0.5",
  price: "7000",
  newClientOrderId: "a",
} satisfies OrderFields;

/** The intent of valid fields. */
const intentOrNone = (fields: OrderFields): ParentIntent | undefined => {
  try {
    return orderIntent(fields);
  } catch {
    return undefined;
  }
};

describe("orderIntent", () => {
  it("the canonical fields of any accepted intent reproduce it", () => {
    fc.assert(
      fc.property(orders, (fields) => {
        const intent = orderIntent(fields);
        expect(orderIntent(fieldsOf(intent))).toEqual(intent);
        expect(canonicalIntent(orderIntent(fieldsOf(intent)))).toBe(canonicalIntent(intent));
      }),
      { numRuns: 500 },
    );
  });

  it("I16 the wire and the in-process call read the same intent, decimals exactly", () => {
    fc.assert(
      fc.property(orders, (fields) => {
        const intent = orderIntent(fields);
        expect(readPlacement(json({ ...fields }), context).intent).toEqual(intent);
        expect(readPlacement(query({ ...fields }), context).intent).toEqual(intent);
        expect(parseQuantity(formatQuantity(intent.quantity))).toBe(parseQuantity(fields.quantity));
      }),
      { numRuns: 300 },
    );
  });

  it("any mixture of fields is accepted or refused with an OrderError", () => {
    const value = fc.oneof(
      fc.constantFrom("", "1", "GTC", "GTD", "BUY", "true"),
      fc.string(),
      fc.double(),
      fc.boolean(),
    );
    const names = [
      ...Object.keys(limit),
      "stopPrice",
      "trailingDelta",
      "price2",
      "expireTime",
      "icebergQty",
      "interval",
      "volumeProfile",
      "targetStrategy",
      "x",
    ];
    const mixture = fc.dictionary(fc.constantFrom(...names), value);
    fc.assert(
      fc.property(fc.constantFrom(...ORDER_TYPES, "LIMIT"), mixture, (type, fields) => {
        try {
          orderIntent({ ...limit, type, ...fields } as OrderFields);
        } catch (error) {
          expect(error).toMatchObject({ name: "OrderError", code: expect.any(Number) });
        }
      }),
      { numRuns: 500 },
    );
  });

  it("a missing client id is generated, or refused without a generator", () => {
    const { newClientOrderId: _, ...unnamed } = limit;
    expect(orderIntent(unnamed, { clientId: () => "made" }).clientOrderId).toBe("made");
    expect(orderIntent(limit, { clientId: () => "made" }).clientOrderId).toBe("a");
    expect(refusal(() => orderIntent(unnamed))).toMatchObject({ code: -1102, field: "newClientOrderId" });
    expect(refusal(() => orderIntent(unnamed, { clientId: () => "aqc-x" }))).toMatchObject({ code: -1130 });
  });

  it("fields that are undefined count as missing", () => {
    const fields = { ...limit, stopPrice: undefined, foo: undefined } as unknown as OrderFields;
    expect(orderIntent(fields)).toEqual(orderIntent(limit));
  });

  it.each([
    [{ quantity: 0.5 }, -1130, "quantity"],
    [{ price: 7000 }, -1130, "price"],
    [{ reduceOnly: "true" }, -1130, "reduceOnly"],
    [{ expireTime: "2000000000000" }, -1130, "expireTime"],
    [{ expireTime: 1.5 }, -1130, "expireTime"],
    [{ expireTime: Number.NaN }, -1130, "expireTime"],
    [{ side: "buy" }, -1117, "side"],
    [{ type: 7 }, -1130, "type"],
    [{ symbol: "" }, -1105, "symbol"],
    [{ symbol: null }, -1130, "symbol"],
    [{ account: 1 }, -1104, "account"],
    [{ nonce: 1 }, -1104, "nonce"],
    [{ icebergQty: 0.1 }, -1130, "icebergQty"],
    [{ type: "MARKET" }, -1116, "type"],
    [{ type: "TWAP", price: undefined }, -1102, "interval"],
    [JSON.parse('{"__proto__":1}'), -1104, "__proto__"],
  ])("%j is refused as on the wire", (fields, code, field) => {
    expect(refusal(() => orderIntent({ ...limit, ...fields } as OrderFields))).toMatchObject({ code, field });
  });
});

describe("canonicalIntent", () => {
  const text = (fields: Partial<OrderFields>): string =>
    canonicalIntent(orderIntent({ ...limit, ...fields } as OrderFields));

  it("aliases, defaults and spellings are one intent", () => {
    const same: readonly Partial<OrderFields>[] = [
      { type: "LIMIT", apiManaged: true },
      { type: "LIMIT", timeInForce: "GTC", apiManaged: true },
      { quantity: "0.50", price: "7000.00000000" },
      { timeInForce: "GTC", reduceOnly: false, childTimeInForce: "IOC" },
      { newClientOrderId: "b" },
    ];
    for (const fields of same) expect(text(fields)).toBe(text({}));
    const expiring = { timeInForce: "GTD", expireTime: 2e12 } as const;
    expect(text({ goodTillDate: 2e12 })).toBe(text(expiring));
  });

  it("spellings of the other types are one intent too", () => {
    const { price: _, ...plain } = limit;
    const same: readonly (readonly OrderFields[])[] = [
      [
        { ...limit, type: "LIMIT_MAKER" },
        { ...limit, type: "POST_ONLY", timeInForce: "GTC" },
        { ...limit, type: "LIMIT", timeInForce: "GTX" },
        { ...limit, type: "LIMIT", timeInForce: "POST_ONLY", apiManaged: true },
      ],
      [
        { ...limit, icebergQty: "0.1" },
        { ...limit, type: "LIMIT", icebergQty: "0.10" },
      ],
      [
        { ...plain, type: "TWAP", interval: 1_000, intervalCount: 2 },
        { ...plain, type: "TWAP", interval: 1_000, intervalCount: 2, intervalDelay: 0 },
      ],
      [
        { ...plain, type: "VWAP" },
        { ...plain, type: "VWAP", interval: 60_000, intervalDelay: 0 },
      ],
      [
        { ...plain, type: "VWAP", volumeProfile: "1,2,3" },
        { ...plain, type: "VWAP", volumeProfile: "1,02,3", intervalCount: 3 },
      ],
    ];
    const texts = same.map((orders) => new Set(orders.map((order) => canonicalIntent(orderIntent(order)))));
    expect(texts.map(({ size }) => size)).toEqual(same.map(() => 1));
    expect(new Set(texts.flatMap((each) => [...each])).size).toBe(same.length);
  });

  it("two orders have one text if and only if they have one intent, apart from its id", () => {
    const counts = { same: 0, different: 0 };
    const near = fc
      .tuple(similarOrders, similarOrders, fc.nat())
      .map(([a, b, pick]): readonly [OrderFields, OrderFields] => {
        const entries = Object.entries(b);
        const [name, value] = entries[pick % entries.length] ?? ["symbol", a.symbol];
        return [a, { ...a, [name]: value }];
      });
    fc.assert(
      fc.property(fc.oneof(near, fc.tuple(similarOrders, similarOrders)), ([first, second]) => {
        const [a, b] = [intentOrNone(first), intentOrNone(second)];
        fc.pre(a !== undefined && b !== undefined);
        const same = isDeepStrictEqual({ ...a, clientOrderId: "" }, { ...b, clientOrderId: "" });
        expect(canonicalIntent(a) === canonicalIntent(b)).toBe(same);
        counts[same ? "same" : "different"] += 1;
      }),
      { numRuns: 2_000 },
    );
    expect(counts.same).toBeGreaterThan(100);
    expect(counts.different).toBeGreaterThan(100);
  });

  it("every field with another meaning makes another intent", () => {
    const trail = { ...limit, type: "TRAILING_STOP_LIMIT", trailingDelta: 100 } as const;
    const { trailingDelta: _, ...untrailed } = trail;
    const { price: __, ...uncapped } = trail;
    const { price: ___, ...unpriced } = limit;
    const intents: readonly OrderFields[] = [
      limit,
      { ...limit, symbol: "ETH/USD" },
      { ...limit, side: "SELL" },
      { ...limit, quantity: "0.500001" },
      { ...limit, price: "7000.00000001" },
      { ...limit, type: "STOP_LOSS_LIMIT", stopPrice: "7000" },
      { ...limit, type: "TAKE_PROFIT_LIMIT", stopPrice: "7000" },
      { ...limit, type: "TAKE_PROFIT_LIMIT", stopPrice: "7001" },
      { ...limit, reduceOnly: true },
      { ...limit, childTimeInForce: "FOK" },
      { ...limit, expireTime: 2e12 },
      { ...limit, expireTime: 2e12 + 1 },
      trail,
      { ...trail, trailingDelta: 1 },
      { ...trail, stopPrice: "7000" },
      { ...untrailed, price2: "1" },
      { ...untrailed, price2: "99" },
      { ...untrailed, trailingAmount: "1" },
      { ...uncapped, limitOffset: "7000" },
      { ...uncapped, limitOffset: "0" },
      { ...limit, type: "LIMIT_MAKER" },
      { ...limit, type: "ICEBERG", icebergQty: "0.1" },
      { ...limit, icebergQty: "0.1" },
      { ...limit, icebergQty: "0.2" },
      { ...limit, type: "LIMIT", targetStrategy: 180, interval: 1_000, intervalCount: 2 },
      { ...unpriced, type: "TWAP", interval: 1_000, intervalCount: 2 },
      { ...unpriced, type: "TWAP", interval: 1_001, intervalCount: 2 },
      { ...unpriced, type: "TWAP", interval: 1_000, intervalCount: 3 },
      { ...unpriced, type: "TWAP", interval: 1_000, intervalCount: 2, intervalDelay: 1 },
      { ...unpriced, type: "VWAP" },
      { ...unpriced, type: "VWAP", intervalCount: 2 },
      { ...unpriced, type: "VWAP", volumeProfile: "1,2" },
      { ...unpriced, type: "VWAP", volumeProfile: "2,4" },
      { ...unpriced, type: "VWAP", volumeProfile: "2,1" },
      { ...unpriced, type: "POV", participationBips: 1 },
      { ...unpriced, type: "POV", participationBips: 2 },
    ];
    expect(new Set(intents.map((fields) => canonicalIntent(orderIntent(fields)))).size).toBe(intents.length);
  });
});
