import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatPrice, formatQuantity, parsePrice, parseQuantity } from "../../src/decimal/index.ts";
import type { ParentIntent, TrailingDistance } from "../../src/model/index.ts";
import {
  canonicalIntent,
  ORDER_TYPES,
  type OrderFields,
  orderIntent,
  readPlacement,
} from "../../src/requests/index.ts";
import { context, json, query, refusal } from "./support.ts";

const scaledText = (scale: number, integers: bigint): fc.Arbitrary<string> =>
  fc
    .tuple(fc.bigInt({ min: 0n, max: integers - 1n }), fc.nat(scale), fc.nat(10 ** scale - 1))
    .map(([whole, decimals, fraction]) =>
      decimals === 0 ? String(whole) : `${whole}.${String(fraction).padStart(scale, "0").slice(0, decimals)}`,
    );

const priceText = scaledText(8, 10n ** 10n).filter((text) => parsePrice(text) !== undefined);
const quantityText = scaledText(6, 10n ** 12n).filter((text) => parseQuantity(text) !== undefined);
const percentText = scaledText(8, 100n).filter((text) => parsePrice(text) !== undefined);
const clientId = fc.stringMatching(/^[A-Za-z0-9_-]{1,36}$/).filter((id) => !/^aqc-/i.test(id));

const distance: fc.Arbitrary<Partial<OrderFields>> = fc.oneof(
  fc.record({ trailingDelta: fc.integer({ min: 1, max: 9_999 }) }),
  fc.record({ price2: percentText }),
  fc.record({ trailingAmount: priceText }),
);
const cap: fc.Arbitrary<Partial<OrderFields>> = fc.oneof(
  fc.record({ price: priceText }),
  fc.record({ limitOffset: fc.oneof(priceText, fc.constant("0.00")) }),
);
const gate = fc.record({ stopPrice: priceText }, { requiredKeys: [] });
const merged = (...parts: readonly fc.Arbitrary<object>[]): fc.Arbitrary<object> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all));
const typed = (...names: readonly string[]): fc.Arbitrary<object> =>
  fc.record({ type: fc.constantFrom(...names) });

const own: fc.Arbitrary<object> = fc.oneof(
  merged(typed("SYNTHETIC_LIMIT"), fc.record({ price: priceText })),
  merged(fc.constant({ type: "LIMIT", apiManaged: true }), fc.record({ price: priceText })),
  merged(
    typed("STOP", "STOP_LOSS", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET"),
    fc.record({ stopPrice: priceText }),
  ),
  merged(
    typed("STOP_LIMIT", "STOP_LOSS_LIMIT", "TAKE_PROFIT_LIMIT"),
    fc.record({ stopPrice: priceText, price: priceText }),
  ),
  merged(typed("TRAILING_STOP", "TRAILING_STOP_MARKET"), distance, gate),
  merged(typed("TRAILING_STOP_LIMIT"), distance, gate, cap),
);

const common = fc.record(
  {
    symbol: fc.constant("BTC/USD"),
    side: fc.constantFrom("BUY", "SELL"),
    quantity: quantityText,
    newClientOrderId: clientId,
    reduceOnly: fc.boolean(),
    childTimeInForce: fc.constantFrom("IOC", "FOK"),
    expireTime: fc.integer({ min: 1, max: 253_402_300_798_999 }),
  },
  { requiredKeys: ["symbol", "side", "quantity", "newClientOrderId"] },
);

const orders = merged(own, common) as fc.Arbitrary<OrderFields>;

const trailingFields = (trailing: TrailingDistance | undefined): Partial<OrderFields> => {
  if (trailing === undefined) return {};
  if (trailing.kind === "bps") return { trailingDelta: trailing.bps };
  if (trailing.kind === "percent") return { price2: formatPrice(trailing.percent) };
  return { trailingAmount: formatPrice(trailing.amount) };
};

/** The canonical fields that an intent stands for. */
const fieldsOf = (intent: ParentIntent): OrderFields => ({
  symbol: intent.symbol,
  side: intent.side,
  type: intent.type,
  quantity: formatQuantity(intent.quantity),
  ...(intent.price !== undefined && { price: formatPrice(intent.price) }),
  ...(intent.stopPrice !== undefined && { stopPrice: formatPrice(intent.stopPrice) }),
  ...(intent.limitOffset !== undefined && { limitOffset: formatPrice(intent.limitOffset) }),
  ...trailingFields(intent.trailing),
  timeInForce: intent.timeInForce,
  ...(intent.expireTimeMs !== undefined && { expireTime: intent.expireTimeMs }),
  reduceOnly: intent.reduceOnly,
  childTimeInForce: intent.childTimeInForce,
  newClientOrderId: intent.clientOrderId,
});

const limit: OrderFields = {
  symbol: "BTC/USD",
  side: "BUY",
  type: "SYNTHETIC_LIMIT",
  quantity: "0.5",
  price: "7000",
  newClientOrderId: "a",
};

describe("orderIntent", () => {
  it("any accepted intent comes out of its own canonical fields again", () => {
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
        expect(readPlacement(json(fields), context).intent).toEqual(intent);
        expect(readPlacement(query(fields), context).intent).toEqual(intent);
        expect(parseQuantity(formatQuantity(intent.quantity))).toBe(parseQuantity(fields.quantity));
      }),
      { numRuns: 300 },
    );
  });

  it("any mixture of fields is taken or refused with an OrderError", () => {
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

  it("a missing client id is asked for, else refused", () => {
    const { newClientOrderId: _, ...unnamed } = limit;
    expect(orderIntent(unnamed, { clientId: () => "made" }).clientOrderId).toBe("made");
    expect(orderIntent(limit, { clientId: () => "made" }).clientOrderId).toBe("a");
    expect(refusal(() => orderIntent(unnamed))).toMatchObject({ code: -1102, field: "newClientOrderId" });
    expect(refusal(() => orderIntent(unnamed, { clientId: () => "aqc-x" }))).toMatchObject({ code: -1130 });
  });

  it("fields that are undefined are not sent", () => {
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
    [{ icebergQty: "0.1" }, -1106, "icebergQty"],
    [{ type: "TWAP" }, -1116, "type"],
    [JSON.parse('{"__proto__":1}'), -1104, "__proto__"],
  ])("%j is refused as on the wire", (fields, code, field) => {
    expect(refusal(() => orderIntent({ ...limit, ...fields } as OrderFields))).toMatchObject({ code, field });
  });
});

describe("canonicalIntent", () => {
  const text = (fields: Partial<OrderFields>): string =>
    canonicalIntent(orderIntent({ ...limit, ...fields }));

  it("decision 1: aliases, defaults and spellings are one intent", () => {
    const same: readonly Partial<OrderFields>[] = [
      { type: "LIMIT", apiManaged: true },
      { quantity: "0.50", price: "7000.00000000" },
      { timeInForce: "GTC", reduceOnly: false, childTimeInForce: "IOC" },
      { newClientOrderId: "b" },
    ];
    for (const fields of same) expect(text(fields)).toBe(text({}));
    const expiring = { timeInForce: "GTD", expireTime: 2e12 } as const;
    expect(text({ goodTillDate: 2e12 })).toBe(text(expiring));
  });

  it("decision 1: every field that says something else makes another intent", () => {
    const trail = { ...limit, type: "TRAILING_STOP_LIMIT", trailingDelta: 100 } as const;
    const { trailingDelta: _, ...untrailed } = trail;
    const { price: __, ...uncapped } = trail;
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
    ];
    expect(new Set(intents.map((fields) => canonicalIntent(orderIntent(fields)))).size).toBe(intents.length);
  });
});
