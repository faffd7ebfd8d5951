import { describe, expect, it } from "vitest";
import {
  formatPrice,
  formatQuantity,
  notional,
  price,
  quantity,
  subtract,
  ZERO_QUANTITY,
} from "../../src/decimal/index.ts";
import type { OrderError } from "../../src/errors/index.ts";
import { type AdmissionContext, admit, reducibleOf } from "../../src/lifecycle/index.ts";
import type { ParentIntent } from "../../src/model/index.ts";
import { intentOf, NOW, quoteAt } from "./support.ts";

const BPS = { kind: "bps", bps: 100 } as const;

/** The code that refuses an intent, or its admission price. */
function admitted(
  change: Partial<ParentIntent>,
  context: Partial<AdmissionContext> = {},
): string | number | undefined {
  try {
    const { admissionPrice, exposure } = admit(intentOf(change), {
      nowMs: NOW,
      minimum: notional("15"),
      ...context,
    });
    return admissionPrice === undefined
      ? `exposure ${exposure && formatQuantity(exposure)}`
      : formatPrice(admissionPrice);
  } catch (error) {
    return (error as OrderError).code;
  }
}

describe("decision 23: the admission price", () => {
  it.each([
    ["the limit price", { price: price("100") }, "100"],
    [
      "the limit price before the stop price",
      { type: "STOP_LOSS_LIMIT", price: price("90"), stopPrice: price("95") },
      "90",
    ],
    ["the stop price", { type: "STOP_MARKET", stopPrice: price("95") }, "95"],
    ["the gate of a trail", { type: "TRAILING_STOP_MARKET", trailing: BPS, stopPrice: price("80") }, "80"],
    ["the counted ask for a BUY", { type: "TRAILING_STOP_MARKET", trailing: BPS }, "121"],
    ["the counted bid for a SELL", { side: "SELL", type: "TRAILING_STOP_MARKET", trailing: BPS }, "120"],
  ] as const)("is %s", (_what, change, expected) => {
    expect(admitted(change as Partial<ParentIntent>, { quote: quoteAt("120", "121") })).toBe(expected);
  });

  it("-1112 without any of them", () => {
    expect(admitted({ type: "TRAILING_STOP_MARKET", trailing: BPS })).toBe(-1112);
  });

  it.each([
    ["15 exactly", "0.15", "100"],
    ["a step below 15", "0.149999", -1013],
    ["complaint 21: 15.00 raw, 14.99 at the price", "0.1499", -1013],
  ])("minimum: %s", (_what, size, expected) => {
    expect(admitted({ quantity: quantity(size) })).toBe(expected);
  });
});

describe("decision 24: exposure at admission", () => {
  const negative = subtract(ZERO_QUANTITY, quantity("2"));

  it.each([
    ["SELL", quantity("2"), "exposure 2"],
    ["BUY", negative, "exposure 2"],
    ["SELL", negative, -2022],
    ["BUY", quantity("2"), -2022],
    ["SELL", ZERO_QUANTITY, -2022],
  ] as const)("%s over %s", (side, position, expected) => {
    expect(admitted({ side, reduceOnly: true, quantity: quantity("0.000001") }, { position })).toBe(expected);
  });

  it("an unknown position counts as none", () => {
    expect(admitted({ side: "SELL", reduceOnly: true })).toBe(-2022);
    expect(reducibleOf("SELL", ZERO_QUANTITY)).toBe(ZERO_QUANTITY);
  });
});

describe("decision 10: expiry", () => {
  it.each([
    ["GTD without a time", { timeInForce: "GTD" }, -1115],
    ["GTC with a time", { expireTimeMs: NOW + 1 }, -1115],
    ["a time that is now", { timeInForce: "GTD", expireTimeMs: NOW }, -1130],
    ["a time in the future", { timeInForce: "GTD", expireTimeMs: NOW + 1 }, "100"],
  ] as const)("%s", (_what, change, expected) => {
    expect(admitted(change)).toBe(expected);
  });
});

describe("the fields of a type, for intents built in process", () => {
  it.each([
    ["a limit without price", { type: "STOP_LOSS_LIMIT", stopPrice: price("95") }, -1102],
    ["a stop without stopPrice", { type: "STOP_MARKET" }, -1102],
    ["a stop with a price", { type: "STOP_MARKET", stopPrice: price("95"), price: price("95") }, -1106],
    ["a limit with a stopPrice", { price: price("100"), stopPrice: price("95") }, -1106],
    ["a trail without distance", { type: "TRAILING_STOP_MARKET" }, -1102],
    [
      "a trail at market with an offset",
      { type: "TRAILING_STOP_MARKET", trailing: BPS, limitOffset: price("1") },
      -1106,
    ],
    [
      "decision 19: a trailing limit without price and offset",
      { type: "TRAILING_STOP_LIMIT", trailing: BPS },
      -1128,
    ],
    [
      "decision 19: with both",
      { type: "TRAILING_STOP_LIMIT", trailing: BPS, price: price("100"), limitOffset: price("1") },
      -1128,
    ],
  ] as const)("%s", (_what, change, expected) => {
    expect(admitted(change as Partial<ParentIntent>, { quote: quoteAt("99", "100") })).toBe(expected);
  });
});
