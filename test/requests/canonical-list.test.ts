import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListIntent } from "../../src/model/index.ts";
import { canonicalList, type ListFields, type ListForm, listIntent } from "../../src/requests/index.ts";
import { listFieldsOf, prefixed, type SentList, similarLists } from "./arbitraries.ts";

const read = ({ form, fields }: SentList, clientId?: (field: string) => string): ListIntent | undefined => {
  try {
    const options = clientId === undefined ? {} : { clientId };
    return listIntent(form, fields as ListFields[ListForm], options);
  } catch {
    return undefined;
  }
};

/** The content of a list, without members outside its intent. */
const requested = ({ contingency, legs }: ListIntent) => ({
  contingency,
  legs: legs.map((leg) =>
    leg.generatedClientId ? { ...leg, intent: { ...leg.intent, clientOrderId: "" } } : leg,
  ),
});

/** Two lists that differ in one field, in none, or in any number. */
const pairs = fc.oneof(
  fc.tuple(similarLists, similarLists, fc.nat()).map(([a, b, pick]): readonly [SentList, SentList] => {
    const entries = Object.entries(b.fields).filter(([name]) => name in a.fields);
    const [name, value] = entries[pick % entries.length] ?? ["symbol", "BTC/USD"];
    return [a, { ...a, fields: { ...a.fields, [name]: value } }];
  }),
  fc.tuple(similarLists, similarLists),
);

describe("canonicalList", () => {
  it("two lists have one text if and only if their intents are equal", () => {
    const counts = { same: 0, different: 0 };
    fc.assert(
      fc.property(pairs, ([first, second]) => {
        const [a, b] = [read(first), read(second)];
        fc.pre(a !== undefined && b !== undefined);
        const same = isDeepStrictEqual(requested(a), requested(b));
        expect(canonicalList(a) === canonicalList(b)).toBe(same);
        counts[same ? "same" : "different"] += 1;
      }),
      { numRuns: 500 },
    );
    expect(counts.same).toBeGreaterThan(30);
    expect(counts.different).toBeGreaterThan(30);
  });

  it("canonical fields express the same list", () => {
    fc.assert(
      fc.property(similarLists, (sent) => {
        const list = read(sent);
        fc.pre(list !== undefined);
        const again = read(listFieldsOf(list));
        expect(again && canonicalList(again)).toBe(canonicalList(list));
      }),
      { numRuns: 300 },
    );
  });

  it("generated ids of legs do not count, given ids do", () => {
    const fields = {
      symbol: "BTC/USD",
      side: "SELL",
      quantity: "0.5",
      aboveType: "LIMIT",
      abovePrice: "8000",
      belowType: "STOP",
      belowStopPrice: "7000",
      listClientOrderId: "list-1",
    } as const;
    const text = (own: object, made = "x") => {
      const list = read({ form: "oco", fields: { ...fields, ...own } }, (field) => `${made}-${field}`);
      return list && canonicalList(list);
    };
    expect(text({}, "y")).toBe(text({}, "x"));
    expect(text({ listClientOrderId: "list-2" })).toBe(text({}));
    expect(text({ aboveClientOrderId: "a" }, "y")).toBe(text({ aboveClientOrderId: "a" }, "x"));
    expect(text({ aboveClientOrderId: "x-aboveClientOrderId" })).not.toBe(text({}));
    expect(text({ aboveClientOrderId: "b" })).not.toBe(text({ aboveClientOrderId: "a" }));
  });

  it("a pair and an entry with the same two orders are two intents", () => {
    const leg = { type: "STOP_MARKET", stopPrice: "7000" };
    const limit = { type: "LIMIT", price: "8000" };
    const size = { side: "SELL", quantity: "1" };
    const common = { symbol: "BTC/USD", listClientOrderId: "a" };
    const texts = [
      { form: "oco" as const, fields: { ...size, ...prefixed("above", limit), ...prefixed("below", leg) } },
      {
        form: "oto" as const,
        fields: {
          ...prefixed("working", { ...leg, ...size }),
          ...prefixed("pending", { ...limit, ...size }),
        },
      },
    ].map(({ form, fields }) => read({ form, fields: { ...common, ...fields } }, (field) => field));
    expect(texts.map((list) => list?.legs.map(({ intent }) => intent.type))).toEqual([
      ["STOP_MARKET", "SYNTHETIC_LIMIT"],
      ["STOP_MARKET", "SYNTHETIC_LIMIT"],
    ]);
    expect(new Set(texts.map((list) => list && canonicalList(list))).size).toBe(2);
  });

  it("hostile 81: swapped legs make another list", () => {
    const leg = (prefix: string, side: string) => ({
      [`${prefix}Type`]: "LIMIT",
      [`${prefix}Side`]: side,
      [`${prefix}Quantity`]: "1",
      [`${prefix}Price`]: "7",
    });
    const oto = (working: string, pending: string): SentList => ({
      form: "oto",
      fields: {
        symbol: "BTC/USD",
        listClientOrderId: "a",
        ...leg("working", working),
        ...leg("pending", pending),
      },
    });
    const lists = [oto("BUY", "SELL"), oto("SELL", "BUY")].map((sent) => read(sent, (field) => field));
    expect(new Set(lists.map((list) => list && canonicalList(list))).size).toBe(2);
  });
});
