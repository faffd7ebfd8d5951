import { describe, expect, it } from "vitest";
import { notional, price, quantity } from "../../src/decimal/index.ts";
import type { OrderError } from "../../src/errors/index.ts";
import { admit } from "../../src/lifecycle/index.ts";
import type { ParentIntent, ParentType } from "../../src/model/index.ts";
import { intentOf, NOW, quoteAt } from "./support.ts";

const FIELDS = {
  price: price("100"),
  stopPrice: price("100"),
  trailing: { kind: "bps", bps: 100 },
  limitOffset: price("1"),
  icebergQuantity: quantity("0.5"),
  schedule: { intervalMs: 60_000, intervalCount: 2, intervalDelayMs: 0, weights: [1, 1] },
  participationBips: 1_000,
} as const satisfies Partial<ParentIntent>;
type Field = keyof typeof FIELDS;
const ALL = Object.keys(FIELDS) as readonly Field[];

/** The required and the allowed fields of each type. */
const SHAPES: Readonly<Record<ParentType, readonly [needs: readonly Field[], takes: readonly Field[]]>> = {
  SYNTHETIC_LIMIT: [["price"], ["icebergQuantity"]],
  STOP_MARKET: [["stopPrice"], []],
  STOP_LOSS_LIMIT: [["stopPrice", "price"], ["icebergQuantity"]],
  TAKE_PROFIT_MARKET: [["stopPrice"], []],
  TAKE_PROFIT_LIMIT: [["stopPrice", "price"], ["icebergQuantity"]],
  TRAILING_STOP_MARKET: [["trailing"], ["stopPrice"]],
  TRAILING_STOP_LIMIT: [
    ["trailing", "price"],
    ["stopPrice", "icebergQuantity"],
  ],
  LIMIT_MAKER: [["price"], []],
  ICEBERG: [["price", "icebergQuantity"], []],
  TWAP: [["schedule"], ["price"]],
  VWAP: [["schedule"], ["price"]],
  POV: [["participationBips"], ["price"]],
};
const TYPES = Object.keys(SHAPES) as readonly ParentType[];

/** Undefined if an intent of these fields is admitted, else the code and the field that its refusal names. */
function refusal(type: ParentType, fields: readonly Field[], leg?: "active"): string | undefined {
  const given = Object.fromEntries(fields.map((field) => [field, FIELDS[field]]));
  const { price: _price, ...bare } = intentOf();
  try {
    const context = { nowMs: NOW, minimum: notional("15"), quote: quoteAt("110", "111") };
    admit({ ...bare, type, ...given }, { ...context, ...(leg && { leg }) });
    return undefined;
  } catch (error) {
    const { code, details } = error as OrderError;
    return `${code} ${details.field ?? details.fields}`;
  }
}

describe("contract, Order type values: the fields of an intent that was built in process", () => {
  it.each(TYPES)("%s with its required fields, and with each allowed one, is admitted", (type) => {
    const [needs, takes] = SHAPES[type];
    expect(refusal(type, needs)).toBeUndefined();
    for (const one of takes) expect([one, refusal(type, [...needs, one])]).toEqual([one, undefined]);
  });

  it.each(TYPES)("%s without a required field is refused", (type) => {
    const [needs] = SHAPES[type];
    for (const one of needs) {
      const rest = needs.filter((field) => field !== one);
      const isEither = type === "TRAILING_STOP_LIMIT" && one === "price";
      expect(refusal(type, rest)).toBe(isEither ? "-1128 'price', 'limitOffset'" : `-1102 ${one}`);
    }
  });

  it.each(TYPES)("%s with a field that it does not take is refused", (type) => {
    const [needs, takes] = SHAPES[type];
    const either = type === "TRAILING_STOP_LIMIT" ? ["limitOffset"] : [];
    const foreign = ALL.filter((field) => ![...needs, ...takes, ...either].includes(field));
    for (const one of foreign) expect(refusal(type, [...needs, one])).toBe(`-1106 ${one}`);
  });

  it("decision 19: a trailing limit has exactly one of price and limitOffset", () => {
    expect(refusal("TRAILING_STOP_LIMIT", ["trailing", "limitOffset"])).toBeUndefined();
    expect(refusal("TRAILING_STOP_LIMIT", ["trailing", "limitOffset", "price"])).toMatch(/^-1128/);
  });
});

describe("decision 18: a leg", () => {
  it.each(["STOP_MARKET", "STOP_LOSS_LIMIT", "TAKE_PROFIT_MARKET", "TAKE_PROFIT_LIMIT"] as const)(
    "%s may trail, with or without a stop price; outside lists it may not",
    (type) => {
      const needs = SHAPES[type][0];
      const without = needs.filter((field) => field !== "stopPrice");
      expect(refusal(type, [...needs, "trailing"], "active")).toBeUndefined();
      expect(refusal(type, [...without, "trailing"], "active")).toBeUndefined();
      expect(refusal(type, without, "active")).toBe("-1102 stopPrice");
      expect(refusal(type, [...needs, "trailing"])).toBe("-1106 trailing");
      expect(refusal(type, [...without, "trailing"])).toMatch(/stopPrice|trailing/);
    },
  );

  it("of another type may not", () => {
    expect(refusal("SYNTHETIC_LIMIT", ["price", "trailing"], "active")).toBe("-1106 trailing");
  });
});
