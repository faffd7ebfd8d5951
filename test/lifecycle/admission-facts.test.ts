import { describe, expect, it } from "vitest";
import { notional, price, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { OrderError } from "../../src/errors/index.ts";
import { type AdmissionContext, admit, expiresAtMs } from "../../src/lifecycle/index.ts";
import type { ParentIntent } from "../../src/model/index.ts";
import { intentOf, NOW, quoteAt, Subject } from "./support.ts";

const admitted = (change: Partial<ParentIntent>, context: Partial<AdmissionContext> = {}): unknown =>
  admit(intentOf(change), { nowMs: NOW, minimum: notional("15"), ...context });

/** The refusal of an intent. */
function refused(change: Partial<ParentIntent>, context: Partial<AdmissionContext> = {}): OrderError {
  try {
    admitted(change, context);
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
    ["decision 10: for an expiry, how far time was ahead", GTD, { aheadMs: 7 }, { aheadMs: 7, ...HUNDRED }],
    ["decision 10: nothing of that without an expiry", {}, { aheadMs: 7 }, HUNDRED],
    ["decision 10: nothing of that if time is not ahead", GTD, {}, HUNDRED],
    ["decision 27: the plan of a TWAP", twap, {}, { ...HUNDRED, plan }],
    [
      "decision 29: the plan of a VWAP from its profile",
      vwap,
      { profile: { count: 2, weights: [1, 3] } },
      { ...HUNDRED, plan: { ...plan, cumulative: [1, 4] } },
    ],
    [
      "decision 29: the plan of a VWAP, in which a slice below the minimum joins the next",
      vwap,
      { profile: { count: 2, weights: [1, 999] } },
      { ...HUNDRED, plan: { ...plan, cumulative: [0, 1000] } },
    ],
    [
      "decision 30: the volume before a POV",
      pov,
      { volume: quantity("5") },
      { ...HUNDRED, volumeBefore: quantity("5") },
    ],
    [
      "decision XO: that this volume is that of the market's own log",
      pov,
      { volume: quantity("5"), volumeLogged: true },
      { ...HUNDRED, volumeBefore: quantity("5"), volumeLogged: true },
    ],
    [
      "decision XO: or that it is not",
      pov,
      { volume: quantity("5"), volumeLogged: false },
      { ...HUNDRED, volumeBefore: quantity("5") },
    ],
    ["decision 30: no volume before a POV", pov, {}, { ...HUNDRED, volumeBefore: ZERO_QUANTITY }],
    ["decision 31: an iceberg may show all of it", iceberg("1"), {}, HUNDRED],
    [
      "decision 21: that a quote was outside a post-only order",
      maker,
      { quote: quoteAt("100", "100.01") },
      { ...HUNDRED, posted: true },
    ],
    ["decision 21: nothing of that without a quote", maker, {}, HUNDRED],
    [
      "decision 21: nothing of that for a held leg",
      maker,
      { quote: quoteAt("100", "100"), leg: "held" },
      { ...HUNDRED, held: true },
    ],
    ["decision 34: that a leg is held", {}, { leg: "held" }, { ...HUNDRED, held: true }],
  ] as const)("%s", (_what, change, context, stored) => {
    expect(admitted(change as Partial<ParentIntent>, context as Partial<AdmissionContext>)).toStrictEqual(
      stored,
    );
  });

  it("decision 10: an expiry is compared with the wall clock, which engine time may be ahead of", () => {
    const expiring = { timeInForce: "GTD", expireTimeMs: NOW - 6 } as const;
    expect(admitted(expiring, { aheadMs: 7 })).toStrictEqual({ aheadMs: 7, ...HUNDRED });
    expect(refused(expiring, { aheadMs: 6 }).reason).toBe("INVALID_PARAMETER");
  });
});

it("decision 10: a parent expires when the wall clock shows its time", () => {
  expect(expiresAtMs(new Subject().order)).toBeUndefined();
  expect(expiresAtMs({ ...new Subject(GTD).order, aheadMs: 7 })).toBe(NOW + 8);
});

const MINIMUM = "FILTER_NOTIONAL";

describe("a refusal names the field that is to blame", () => {
  it.each([
    ["decision 24: no exposure", { reduceOnly: true }, {}, "REDUCE_ONLY_REJECTED", "reduceOnly"],
    ["decision 10: no expiry", { timeInForce: "GTD" }, {}, "BAD_TIME_IN_FORCE", "timeInForce"],
    ["decision 21: it would match", maker, { quote: quoteAt("99", "100") }, "WOULD_MATCH", "price"],
    ["decision 27: no count", { ...twap, schedule: vwap.schedule }, {}, "PARAMETER_MISSING", "intervalCount"],
    ["decision 29: no volume history", vwap, {}, "NO_VOLUME_HISTORY", "volumeProfile"],
    [
      "decision 31: it would show too much",
      iceberg("1.000001"),
      {},
      "ICEBERG_EXCEEDS_QUANTITY",
      "icebergQty",
    ],
    [
      "decision 31: too many parts",
      iceberg("0.3"),
      { maxIcebergParts: 3 },
      "FILTER_ICEBERG_PARTS",
      "icebergQty",
    ],
    ["decision 23: below the minimum", { quantity: quantity("0.149999") }, {}, MINIMUM, "quantity"],
    ["decision 31: a part below the minimum", iceberg("0.149999"), {}, MINIMUM, "icebergQty"],
    [
      "decision 28: a slice below the minimum",
      { ...twap, quantity: quantity("0.299999") },
      {},
      MINIMUM,
      "intervalCount",
    ],
  ] as const)("%s", (_what, change, context, reason, field) => {
    const error = refused(change as Partial<ParentIntent>, context as Partial<AdmissionContext>);
    expect([error.reason, error.field]).toEqual([reason, field]);
  });

  it("decision 31: the most parts that are allowed", () => {
    expect(refused(iceberg("0.3"), { maxIcebergParts: 3 }).details.limit).toBe(3);
    expect(admitted(iceberg("0.25"), { maxIcebergParts: 4 })).toEqual(HUNDRED);
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

  it("decision 19: a trailing limit has one of price and offset", () => {
    const trailing = { kind: "bps", bps: 100 } as const;
    const { details } = refused({ type: "TRAILING_STOP_LIMIT", trailing }, { quote: quoteAt("99", "100") });
    expect(details).toEqual({
      fields: "'price', 'limitOffset'",
      advice: "Send exactly one of price and limitOffset.",
    });
  });
});
