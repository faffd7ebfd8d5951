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
import { type AdmissionContext, admit, expiresAtMs, reducibleOf } from "../../src/lifecycle/index.ts";
import type { ParentIntent, ParentType } from "../../src/model/index.ts";
import { intentOf, NOW, quoteAt, Subject } from "./support.ts";

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

describe("the admission price", () => {
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

describe("exposure at admission", () => {
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

describe("expiry", () => {
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
    ["a trailing limit without price and offset", { type: "TRAILING_STOP_LIMIT", trailing: BPS }, -1128],
    [
      "with both",
      { type: "TRAILING_STOP_LIMIT", trailing: BPS, price: price("100"), limitOffset: price("1") },
      -1128,
    ],
  ] as const)("%s", (_what, change, expected) => {
    expect(admitted(change as Partial<ParentIntent>, { quote: quoteAt("99", "100") })).toBe(expected);
  });
});

const admittedFacts = (change: Partial<ParentIntent>, context: Partial<AdmissionContext> = {}): unknown =>
  admit(intentOf(change), { nowMs: NOW, minimum: notional("15"), ...context });

/** The refusal of an intent. */
function refused(change: Partial<ParentIntent>, context: Partial<AdmissionContext> = {}): OrderError {
  try {
    admittedFacts(change, context);
  } catch (error) {
    return error as OrderError;
  }
  throw new Error("was not refused");
}

const HUNDRED = { admissionPrice: price("100") };
const schedule = { intervalMs: 60_000, intervalCount: 2, intervalDelayMs: 0 };
const twap = { type: "TWAP", price: price("100"), schedule } as const;
const vwap = {
  type: "VWAP",
  price: price("100"),
  schedule: { intervalMs: 60_000, intervalDelayMs: 0 },
} as const;
const pov = { type: "POV", price: price("100"), participationBips: 3_000 } as const;
const maker = { type: "LIMIT_MAKER", price: price("100") } as const;
const iceberg = (display: string): Partial<ParentIntent> => ({
  type: "ICEBERG",
  price: price("100"),
  icebergQuantity: quantity(display),
});
const plan = { startsAtMs: NOW, intervalMs: 60_000, count: 2 };
const GTD = { timeInForce: "GTD", expireTimeMs: NOW + 1 } as const;

describe("what an admission stores with its parent", () => {
  it.each([
    ["its price", {}, {}, HUNDRED],
    ["for an expiry, how far time was ahead", GTD, { aheadMs: 7 }, { aheadMs: 7, ...HUNDRED }],
    ["nothing of that without an expiry", {}, { aheadMs: 7 }, HUNDRED],
    ["nothing of that if time is not ahead", GTD, {}, HUNDRED],
    ["the plan of a TWAP", twap, {}, { ...HUNDRED, plan }],
    [
      "the plan of a VWAP from its profile",
      vwap,
      { profile: { count: 2, weights: [1, 3] } },
      { ...HUNDRED, plan: { ...plan, cumulative: [1, 4] } },
    ],
    [
      "the plan of a VWAP, in which a slice below the minimum joins the next",
      vwap,
      { profile: { count: 2, weights: [1, 999] } },
      { ...HUNDRED, plan: { ...plan, cumulative: [0, 1000] } },
    ],
    ["the volume before a POV", pov, { volume: quantity("5") }, { ...HUNDRED, volumeBefore: quantity("5") }],
    [
      "that this volume is that of the market's own log",
      pov,
      { volume: quantity("5"), volumeLogged: true },
      { ...HUNDRED, volumeBefore: quantity("5"), volumeLogged: true },
    ],
    [
      "or that it is not",
      pov,
      { volume: quantity("5"), volumeLogged: false },
      { ...HUNDRED, volumeBefore: quantity("5") },
    ],
    ["no volume before a POV", pov, {}, { ...HUNDRED, volumeBefore: ZERO_QUANTITY }],
    ["an iceberg may show all of it", iceberg("1"), {}, HUNDRED],
    [
      "that a quote was outside a post-only order",
      maker,
      { quote: quoteAt("100", "100.01") },
      { ...HUNDRED, posted: true },
    ],
    ["nothing of that without a quote", maker, {}, HUNDRED],
    [
      "nothing of that for a held leg",
      maker,
      { quote: quoteAt("100", "100"), leg: "held" },
      { ...HUNDRED, held: true },
    ],
    ["that a leg is held", {}, { leg: "held" }, { ...HUNDRED, held: true }],
  ] as const)("%s", (_what, change, context, stored) => {
    expect(
      admittedFacts(change as Partial<ParentIntent>, context as Partial<AdmissionContext>),
    ).toStrictEqual(stored);
  });

  it("an expiry is compared with the wall clock, which engine time may be ahead of", () => {
    const expiring = { timeInForce: "GTD", expireTimeMs: NOW - 6 } as const;
    expect(admittedFacts(expiring, { aheadMs: 7 })).toStrictEqual({ aheadMs: 7, ...HUNDRED });
    expect(refused(expiring, { aheadMs: 6 }).reason).toBe("INVALID_PARAMETER");
  });
});

it("a parent expires when the wall clock shows its time", () => {
  expect(expiresAtMs(new Subject().order)).toBeUndefined();
  expect(expiresAtMs({ ...new Subject(GTD).order, aheadMs: 7 })).toBe(NOW + 8);
});

const MINIMUM = "FILTER_NOTIONAL";

describe("a refusal names the field that is to blame", () => {
  it.each([
    ["no exposure", { reduceOnly: true }, {}, "REDUCE_ONLY_REJECTED", "reduceOnly"],
    ["no expiry", { timeInForce: "GTD" }, {}, "BAD_TIME_IN_FORCE", "timeInForce"],
    ["it would match", maker, { quote: quoteAt("99", "100") }, "WOULD_MATCH", "price"],
    ["no count", { ...twap, schedule: vwap.schedule }, {}, "PARAMETER_MISSING", "intervalCount"],
    ["no volume history", vwap, {}, "NO_VOLUME_HISTORY", "volumeProfile"],
    ["it would show too much", iceberg("1.000001"), {}, "ICEBERG_EXCEEDS_QUANTITY", "icebergQty"],
    ["too many parts", iceberg("0.3"), { maxIcebergParts: 3 }, "FILTER_ICEBERG_PARTS", "icebergQty"],
    ["below the minimum", { quantity: quantity("0.149999") }, {}, MINIMUM, "quantity"],
    ["a part below the minimum", iceberg("0.149999"), {}, MINIMUM, "icebergQty"],
    ["a slice below the minimum", { ...twap, quantity: quantity("0.299999") }, {}, MINIMUM, "intervalCount"],
  ] as const)("%s", (_what, change, context, reason, field) => {
    const error = refused(change as Partial<ParentIntent>, context as Partial<AdmissionContext>);
    expect([error.reason, error.field]).toEqual([reason, field]);
  });

  it("the most parts that are allowed", () => {
    expect(refused(iceberg("0.3"), { maxIcebergParts: 3 }).details.limit).toBe(3);
    expect(admittedFacts(iceberg("0.25"), { maxIcebergParts: 4 })).toEqual(HUNDRED);
  });

  it.each([
    ["in seconds", Math.floor(NOW / 1_000) + 60, "Send the expiry in milliseconds; this looks like seconds."],
    ["in the past", NOW - 1, "Send an expiry in the future, in epoch milliseconds."],
    ["in the past by years", NOW / 100, "Send an expiry in the future, in epoch milliseconds."],
    ["1 second after the epoch", 1_000, "Send an expiry in the future, in epoch milliseconds."],
    ["exactly now, in seconds", NOW / 1_000, "Send an expiry in the future, in epoch milliseconds."],
  ])("an expiry %s", (_what, expireTimeMs, advice) => {
    expect(refused({ timeInForce: "GTD", expireTimeMs }).details.advice).toBe(advice);
  });

  it("a trailing limit has one of price and offset", () => {
    const trailing = { kind: "bps", bps: 100 } as const;
    const { details } = refused({ type: "TRAILING_STOP_LIMIT", trailing }, { quote: quoteAt("99", "100") });
    expect(details).toEqual({
      fields: "'price', 'limitOffset'",
      advice: "Send exactly one of price and limitOffset.",
    });
  });
});

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

  it("a trailing limit has exactly one of price and limitOffset", () => {
    expect(refusal("TRAILING_STOP_LIMIT", ["trailing", "limitOffset"])).toBeUndefined();
    expect(refusal("TRAILING_STOP_LIMIT", ["trailing", "limitOffset", "price"])).toMatch(/^-1128/);
  });
});

describe("a leg", () => {
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
