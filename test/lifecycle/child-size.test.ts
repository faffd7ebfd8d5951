import { describe, expect, it } from "vitest";
import { formatPrice, formatQuantity, notional, price, quantity } from "../../src/decimal/index.ts";
import { executable, restOf, type SizingContext, sizeChild } from "../../src/lifecycle/index.ts";
import type { Level, ParentIntent, Quote } from "../../src/model/index.ts";
import { quoteAt, Subject } from "./support.ts";

const MINIMUM = { minimum: notional("15") };

const levelsOf = (levels: readonly (readonly [string, string?])[]): readonly Level[] =>
  levels.map(([at, size]) => ({ price: price(at), ...(size === undefined ? {} : { size: quantity(size) }) }));

const asksOf = (...levels: readonly (readonly [string, string?])[]): Quote => ({
  ...quoteAt("1", levels[0]?.[0] ?? "1"),
  asks: levelsOf(levels),
});
const bidsOf = (...levels: readonly (readonly [string, string?])[]): Quote => ({
  ...quoteAt(levels[0]?.[0] ?? "1", "9999999"),
  bids: levelsOf(levels),
});

/** The child of an order of 10, or the reason why there is none. */
function sized(change: Partial<ParentIntent>, quote: Quote, more: Partial<SizingContext> = {}): string {
  const { order } = new Subject({ quantity: quantity("10"), ...change });
  const sizing = sizeChild(order, quote, { ...MINIMUM, ...more });
  if (sizing.kind !== "send") return sizing.kind === "wait" ? sizing.reason : sizing.kind;
  const cap = sizing.limitPrice === undefined ? "market" : formatPrice(sizing.limitPrice);
  return `${formatQuantity(sizing.quantity)} @ ${cap}`;
}

describe("Quantity of a child", () => {
  it.each([
    ["everything if no sizes are shown", {}, asksOf(["100"]), "10 @ 100"],
    ["the whole quantity even if less is visible", {}, asksOf(["99", "0.2"]), "10 @ 100"],
    ["nothing above its cap", {}, asksOf(["100.00000001"]), "PRICE_OUTSIDE_LIMIT"],
    [
      "nothing if the size inside the cap is too little",
      {},
      asksOf(["100", "0.149999"], ["101", "9"]),
      "BELOW_MINIMUM_NOTIONAL",
    ],
    ["at exactly the minimum", {}, asksOf(["100", "0.15"], ["101", "9"]), "10 @ 100"],
    [
      "nothing for levels of size zero",
      {},
      { ...asksOf(["100"]), asks: [{ price: price("100"), size: 0 as never }] },
      "PRICE_OUTSIDE_LIMIT",
    ],
    ["SELL: nothing below its floor", { side: "SELL" }, bidsOf(["99.99999999"]), "PRICE_OUTSIDE_LIMIT"],
    [
      "SELL: down to its floor",
      { side: "SELL" },
      bidsOf(["101", "0.1"], ["100", "0.05"], ["99", "9"]),
      "10 @ 100",
    ],
    [
      "at market, all visible levels",
      { type: "STOP_MARKET" },
      asksOf(["100", "0.1"], ["500", "0.01"]),
      "10 @ market",
    ],
    ["FOK: the whole", { childTimeInForce: "FOK" }, asksOf(["99", "9"], ["100", "1"]), "10 @ 100"],
    [
      "FOK: nothing if one step is missing",
      { childTimeInForce: "FOK" },
      asksOf(["99", "9"], ["100", "0.999999"], ["101", "9"]),
      "NOT_FILLABLE_WHOLE",
    ],
  ] as const)("%s", (_what, change, quote, expected) => {
    expect(sized(change as Partial<ParentIntent>, quote as Quote)).toBe(expected);
  });

  it("the value of the executable size is exact", () => {
    const { order } = new Subject({
      quantity: quantity("999999999999.999999"),
      price: price("9999999999.99999999"),
    });
    const taken = executable(order, { levels: levelsOf([["9999999999.99999999"]]), wanted: restOf(order) });
    expect(taken.value).toBe(999_999_999_999_999_999n * 999_999_999_999_999_999n);
  });
});

describe("Reduce-only", () => {
  it.each([
    ["the reducible quantity", "3", "3 @ 100"],
    ["at most the rest", "30", "10 @ 100"],
    ["also below the minimum", "0.000001", "0.000001 @ 100"],
  ])("%s", (_what, reducible, expected) => {
    expect(sized({ reduceOnly: true }, asksOf(["99"]), { reducible: quantity(reducible) })).toBe(expected);
  });

  it("FOK for the reducible quantity, as a whole", () => {
    const [fok, reducible] = [{ reduceOnly: true, childTimeInForce: "FOK" } as const, quantity("3")];
    expect(sized(fok, asksOf(["99", "3"]), { reducible })).toBe("3 @ 100");
    expect(sized(fok, asksOf(["99", "2.999999"]), { reducible })).toBe("NOT_FILLABLE_WHOLE");
  });

  it("zero means wait", () => {
    const { order } = new Subject({ reduceOnly: true });
    expect(sizeChild(order, quoteAt("99", "100"), { ...MINIMUM, reducible: 0 as never })).toEqual({
      kind: "wait",
      reason: "NO_EXPOSURE",
    });
  });
});

describe("A rest too small to execute", () => {
  const filledAlmost = (size: string, change: Partial<ParentIntent> = {}): Subject => {
    const subject = new Subject({ ...change });
    subject.fire("100", { exposure: quantity("1") });
    subject.report("closed", [["a", size]]);
    return subject;
  };

  it("a residual worth less than the minimum at the best price is a residual, whatever size is visible", () => {
    expect(sizeChild(filledAlmost("0.86").order, asksOf(["100", "0.01"]), MINIMUM)).toEqual({
      kind: "residual",
    });
    expect(sizeChild(filledAlmost("0.85").order, asksOf(["100", "0.01"]), MINIMUM)).toMatchObject({
      reason: "BELOW_MINIMUM_NOTIONAL",
    });
  });

  it("except for a parent without fills, and a reduce-only one", () => {
    const { order } = new Subject({ quantity: quantity("0.1") });
    expect(sizeChild(order, asksOf(["100"]), MINIMUM)).toMatchObject({ reason: "BELOW_MINIMUM_NOTIONAL" });
    const reducing = filledAlmost("0.99", { reduceOnly: true }).order;
    expect(sizeChild(reducing, asksOf(["100"]), { ...MINIMUM, reducible: quantity("1") })).toMatchObject({
      kind: "send",
    });
  });
});

describe("What a child leaves can be executed, too", () => {
  const STOP = { type: "STOP_MARKET", stopPrice: price("100") } as const;
  const STOP_LIMIT = { type: "STOP_LOSS_LIMIT", stopPrice: price("100"), price: price("100") } as const;
  const ICEBERG = { type: "ICEBERG", price: price("100") } as const;

  it.each([
    ["the minimum itself", {}, "1", "1", "0.85", undefined, "0.85 @ 100"],
    ["a quarter more than it, if it can choose", {}, "1", "1", "0.850001", undefined, "0.8125 @ 100"],
    ["the minimum, if no more", {}, "0.33", "1", "0.3", undefined, "0.18 @ 100"],
    [
      "a TWAP leaves anything: its schedule ends it",
      { type: "TWAP" },
      "1",
      "1",
      "0.9",
      undefined,
      "0.9 @ market",
    ],
    ["else a limit waits for the whole", {}, "0.25", "0.2", "1", undefined, "NOT_FILLABLE_WHOLE"],
    ["so does a stop with a limit", STOP_LIMIT, "0.25", "0.2", "1", undefined, "NOT_FILLABLE_WHOLE"],
    [
      "and a market order that nothing triggered",
      { type: "VWAP" },
      "0.25",
      "0.2",
      "1",
      undefined,
      "NOT_FILLABLE_WHOLE",
    ],
    ["a triggered market order takes what is there", STOP, "0.25", "0.2", "1", undefined, "0.25 @ market"],
    ["a reduce-only one, too", { reduceOnly: true }, "0.25", "0.2", "1", undefined, "0.25 @ 100"],
    ["a display that is never larger waits in vain", ICEBERG, "0.25", "0.2", "0.2", "0.2", "0.2 @ 100"],
    ["one that may grow to the whole waits", ICEBERG, "0.25", "0.2", "0.2", "0.25", "NOT_FILLABLE_WHOLE"],
    ["one of which too little is visible waits", ICEBERG, "0.4", "0.18", "0.2", "0.2", "NOT_FILLABLE_WHOLE"],
  ] as const)("%s", (_what, change, rest, visible, most, largest, expected) => {
    const allowed = { most: quantity(most), ...(largest !== undefined && { largest: quantity(largest) }) };
    expect(sized({ quantity: quantity(rest), ...change }, asksOf(["100", visible]), allowed)).toBe(expected);
  });
});

it("an iceberg whose display leaves too little sends all of it: no child may ever be larger", () => {
  const [whole, icebergQuantity] = [quantity("0.25"), quantity("0.2")];
  const subject = new Subject({ type: "ICEBERG", price: price("100"), quantity: whole, icebergQuantity });
  subject.fire("100");
  expect(subject.order.child?.quantity).toBe(icebergQuantity);
});

it("a child at market has no limit price", () => {
  const { order } = new Subject({ type: "STOP_MARKET", stopPrice: price("100") });
  expect(sizeChild(order, quoteAt("99", "100"), MINIMUM)).toStrictEqual({
    kind: "send",
    quantity: quantity("1"),
  });
});
