import { describe, expect, it } from "vitest";
import { type OrderFields, orderIntent, readPlacement } from "../../src/requests/index.ts";
import { context, intentEverywhere, json, query, rawJson, refusal, refusedEverywhere } from "./support.ts";

const base = { symbol: "BTC/USD", side: "BUY", quantity: "0.5" };
const twap = { ...base, type: "TWAP", interval: 60_000, intervalCount: 10 };
const vwap = { ...base, type: "VWAP" };
const weighted = { ...vwap, interval: 1_500, volumeProfile: "1,0,3" };
const pov = { ...base, type: "POV", participationBips: 1_000 };
const capped = { ...base, type: "LIMIT", price: "7000" };

const MINUTE = 60_000;

describe("TWAP", () => {
  it("interval and intervalCount, without a delay by default", () => {
    expect(intentEverywhere(twap)).toMatchObject({
      type: "TWAP",
      schedule: { intervalMs: 60_000, intervalCount: 10, intervalDelayMs: 0 },
    });
    expect(intentEverywhere({ ...twap, intervalDelay: 5 }).schedule?.intervalDelayMs).toBe(5);
    expect(intentEverywhere(twap)).not.toHaveProperty("price");
    expect(intentEverywhere(twap).schedule).not.toHaveProperty("weights");
  });

  it("both are required", () => {
    refusedEverywhere({ ...twap, interval: undefined }, -1102, "interval");
    refusedEverywhere({ ...twap, intervalCount: undefined }, -1102, "intervalCount");
  });

  it.each([
    "volumeProfile",
    "participationBips",
    "stopPrice",
    "trailingDelta",
    "limitOffset",
    "quoteOrderQty",
  ])("it does not take %s", (field) => {
    const value = field === "participationBips" || field === "trailingDelta" ? 1 : "1";
    refusedEverywhere({ ...twap, [field]: value }, -1106, field);
  });

  it("it may expire, reduce only and use FOK children", () => {
    const more = { expireTime: 2e12, reduceOnly: true, childTimeInForce: "FOK" };
    expect(intentEverywhere({ ...twap, ...more })).toMatchObject({
      timeInForce: "GTD",
      expireTimeMs: 2e12,
      reduceOnly: true,
      childTimeInForce: "FOK",
    });
    refusedEverywhere({ ...twap, timeInForce: "GTX" }, -1115, "timeInForce");
  });
});

describe("limits of schedule fields", () => {
  it.each([
    ["interval", 1_000, 86_400_000],
    ["intervalCount", 2, 10_000],
    ["intervalDelay", 0, 604_800_000],
  ])("hostile 86: %s from %d to %d", (field, least, most) => {
    const code = field === "interval" ? -1120 : -1130;
    for (const value of [least, most])
      expect(intentEverywhere({ ...twap, [field]: value }).type).toBe("TWAP");
    refusedEverywhere({ ...twap, [field]: most + 1 }, code, field);
    if (least > 0) refusedEverywhere({ ...twap, [field]: least - 1 }, code, field);
  });

  it("hostile 88: participationBips from 1 to 10000", () => {
    for (const participationBips of [1, 10_000]) {
      expect(intentEverywhere({ ...pov, participationBips })).toMatchObject({ participationBips });
    }
    refusedEverywhere({ ...pov, participationBips: 0 }, -1130, "participationBips");
    refusedEverywhere({ ...pov, participationBips: 10_001 }, -1130, "participationBips");
  });

  it.each(["interval", "intervalCount", "intervalDelay"])(
    "convention 1.2 r: %s is a plain integer",
    (field) => {
      const text = (value: string) =>
        refusal(() => readPlacement(query({ ...twap, [field]: value }), context));
      for (const value of ["1e4", "1.0", "-1", "+1", " 1", "0x10"]) {
        expect(text(value)).toMatchObject({ code: -1100, field });
      }
      expect(text("")).toMatchObject({ code: -1105, field });
      expect(text("9".repeat(20))).toMatchObject({ code: -1108, field });
      const quoted = refusal(() => readPlacement(json({ ...twap, [field]: "5000" }), context));
      const named = { ...twap, newClientOrderId: "a" } as OrderFields;
      const fraction = refusal(() => orderIntent({ ...named, [field]: 5_000.5 }));
      for (const refused of [quoted, fraction]) {
        expect(refused).toMatchObject({ code: field === "interval" ? -1120 : -1130, field });
      }
      const exponent = JSON.stringify({ ...twap, [field]: 0 }).replace(/:0([,}])/, ":1e4$1");
      expect(refusal(() => rawJson(exponent)).code).toBe(-1100);
    },
  );
});

describe("VWAP without a profile", () => {
  it("the interval is one minute by default, and the count is optional", () => {
    expect(intentEverywhere(vwap).schedule).toEqual({ intervalMs: MINUTE, intervalDelayMs: 0 });
    expect(intentEverywhere({ ...vwap, intervalCount: 2 }).schedule).toEqual({
      intervalMs: MINUTE,
      intervalCount: 2,
      intervalDelayMs: 0,
    });
  });

  it("whole minutes only", () => {
    expect(intentEverywhere({ ...vwap, interval: 2 * MINUTE }).schedule?.intervalMs).toBe(2 * MINUTE);
    for (const interval of [1_000, 59_999, MINUTE + 1, 90_000]) {
      const error = refusedEverywhere({ ...vwap, interval }, -1120, "interval");
      expect(error.remedy).toContain("whole minutes");
    }
  });

  it.each([
    [MINUTE, 512],
    [2 * MINUTE, 256],
    [256 * MINUTE, 2],
    [3 * MINUTE, 170],
  ])("contract rule 4: intervals of %d ms fit %d times into 512 minutes, not once more", (interval, most) => {
    expect(intentEverywhere({ ...vwap, interval, intervalCount: most }).type).toBe("VWAP");
    const error = refusedEverywhere({ ...vwap, interval, intervalCount: most + 1 }, -1130, "intervalCount");
    expect(error.remedy).toContain("512 minutes");
  });

  it("contract rule 4: an interval that does not fit in twice is refused without a count too", () => {
    expect(intentEverywhere({ ...vwap, interval: 256 * MINUTE }).type).toBe("VWAP");
    refusedEverywhere({ ...vwap, interval: 257 * MINUTE }, -1120, "interval");
    refusedEverywhere({ ...vwap, interval: 86_400_000 }, -1120, "interval");
    refusedEverywhere({ ...vwap, interval: 257 * MINUTE, intervalCount: 2 }, -1130, "intervalCount");
  });
});

describe("VWAP with a profile", () => {
  it("contract rule 4: any valid interval and duration, the count inferred or the same", () => {
    const schedule = { intervalMs: 1_500, intervalCount: 3, intervalDelayMs: 0, weights: [1, 0, 3] };
    expect(intentEverywhere(weighted).schedule).toEqual(schedule);
    expect(intentEverywhere({ ...weighted, intervalCount: 3 }).schedule).toEqual(schedule);
    const days = { ...vwap, interval: 86_400_000, volumeProfile: Array(10_000).fill("1").join() };
    expect(intentEverywhere(days).schedule?.intervalCount).toBe(10_000);
    expect(intentEverywhere({ ...weighted, interval: undefined }).schedule?.intervalMs).toBe(MINUTE);
  });

  it.each([2, 4])("hostile 87: intervalCount %d for three weights names both fields", (intervalCount) => {
    const error = refusedEverywhere({ ...weighted, intervalCount }, -1128, "intervalCount");
    expect(error.msg).toContain("['intervalCount','volumeProfile']");
  });

  it.each([
    ["", -1105],
    ["0,0", -1130],
    ["0,00,000", -1130],
    ["1", -1130],
    ["1,2,", -1100],
    [",1,2", -1100],
    ["1,,2", -1100],
    ["-1,2", -1100],
    ["1,-0", -1100],
    ["+1,2", -1100],
    ["1e3,2", -1100],
    ["1.0,2", -1100],
    ["1, 2", -1100],
    [" 1,2", -1100],
    ["1;2", -1100],
    ["1,٣", -1100],
    ["NaN,1", -1100],
    [`1,${"9".repeat(16)}`, -1100],
    [`1,${"0".repeat(15)}1`, -1100],
    ["[1,2]", -1100],
  ])("hostile 87: volumeProfile %j is refused", (volumeProfile, code) => {
    refusedEverywhere({ ...weighted, volumeProfile }, code, "volumeProfile");
  });

  it("hostile 87: 2 to 10000 items", () => {
    const items = (count: number) => ({ ...vwap, volumeProfile: Array(count).fill("1").join() });
    for (const count of [2, 10_000]) {
      expect(intentEverywhere(items(count)).schedule?.weights).toHaveLength(count);
    }
    refusedEverywhere(items(10_001), -1130, "volumeProfile");
  });

  it("in process, a profile of any length is refused without failing", () => {
    for (const volumeProfile of [
      "1,".repeat(5_000_000),
      `${"1,".repeat(5_000_000)}1`,
      "1".repeat(10_000_000),
    ]) {
      const order = { ...vwap, volumeProfile } as OrderFields;
      expect(refusal(() => orderIntent(order, { clientId: () => "a" }))).toMatchObject({
        code: -1130,
        field: "volumeProfile",
      });
    }
  });

  it("weights are whole numbers: 01 is 1, fifteen digits are exact", () => {
    const weights = (volumeProfile: string) => intentEverywhere({ ...vwap, volumeProfile }).schedule?.weights;
    expect(weights("01,1")).toEqual([1, 1]);
    expect(weights("000000000000001,999999999999999")).toEqual([1, 999_999_999_999_999]);
  });

  it("it is text in JSON", () => {
    const read = (volumeProfile: unknown) => readPlacement(json({ ...vwap, volumeProfile }), context);
    for (const value of [12, true]) {
      expect(refusal(() => read(value))).toMatchObject({ code: -1130, field: "volumeProfile" });
    }
  });
});

describe("POV", () => {
  it("participationBips alone", () => {
    const intent = intentEverywhere(pov);
    expect(intent).toMatchObject({ type: "POV", participationBips: 1_000 });
    expect(intent).not.toHaveProperty("schedule");
    refusedEverywhere({ ...pov, participationBips: undefined }, -1102, "participationBips");
    for (const field of ["interval", "intervalCount", "intervalDelay"]) {
      refusedEverywhere({ ...pov, [field]: 5_000 }, -1106, field);
    }
    refusedEverywhere({ ...pov, volumeProfile: "1,2" }, -1106, "volumeProfile");
  });
});

describe("price-capped schedules", () => {
  const strategies = [
    [180, "TWAP", { interval: 1_000, intervalCount: 2 }],
    [1_000_002, "VWAP", { volumeProfile: "1,2" }],
    [1_000_004, "POV", { participationBips: 10 }],
  ] as const;

  it.each(strategies)(
    "contract, Order input fields: LIMIT with targetStrategy %d is %s with a price",
    (targetStrategy, type, own) => {
      const priced = intentEverywhere({ ...capped, targetStrategy, ...own });
      expect(priced).toMatchObject({ type, price: 700_000_000_000 });
      expect(intentEverywhere({ ...capped, targetStrategy, ...own, apiManaged: true })).toEqual(priced);
      const { price: _, ...rest } = priced;
      expect(intentEverywhere({ ...base, type, ...own })).toEqual(rest);
    },
  );

  it.each(strategies)(
    "contract rule 6: %d needs a price, %s by name takes none",
    (targetStrategy, type, own) => {
      refusedEverywhere({ ...capped, price: undefined, targetStrategy, ...own }, -1102, "price");
      refusedEverywhere({ ...capped, type, ...own }, -1106, "price");
      refusedEverywhere({ ...capped, targetStrategy, ...own, price: "0" }, -1130, "price");
    },
  );

  it.each(["SYNTHETIC_LIMIT", "STOP_LOSS_LIMIT", "LIMIT_MAKER", "ICEBERG", "TWAP", "POV"])(
    "contract, Order input fields: targetStrategy cannot be combined with %s",
    (type) => {
      const error = refusedEverywhere({ ...capped, type, targetStrategy: 180 }, -1014, "targetStrategy");
      expect(error.remedy).toContain("'targetStrategy'");
    },
  );

  it.each([0, 179, 181, 1_000_001, 1_000_003, 1_000_005, 9_007_199_254_740_991])(
    "an unknown targetStrategy %d is refused on any type",
    (targetStrategy) => {
      for (const type of ["LIMIT", "SYNTHETIC_LIMIT", "STOP"]) {
        refusedEverywhere({ ...capped, type, targetStrategy }, -1134, "targetStrategy");
      }
    },
  );

  it("targetStrategy is an integer", () => {
    const inJson = (targetStrategy: unknown) => () =>
      readPlacement(json({ ...capped, targetStrategy }), context);
    for (const value of ["180", "TWAP", true, ""]) {
      expect(refusal(inJson(value))).toMatchObject({ code: -1134, field: "targetStrategy" });
      const order = { ...capped, targetStrategy: value } as unknown as OrderFields;
      expect(refusal(() => orderIntent(order))).toMatchObject({ code: -1134, field: "targetStrategy" });
    }
    const inQuery = (targetStrategy: string) => () =>
      readPlacement(query({ ...capped, targetStrategy }), context);
    expect(refusal(inQuery(""))).toMatchObject({ code: -1105, field: "targetStrategy" });
    for (const value of ["TWAP", "0x180", "180.0", "-180"]) {
      expect(refusal(inQuery(value))).toMatchObject({ code: -1100, field: "targetStrategy" });
    }
  });

  it("post-only and icebergs cannot be combined with a schedule", () => {
    const twapOf = { ...capped, targetStrategy: 180, interval: 1_000, intervalCount: 2 };
    refusedEverywhere({ ...twapOf, timeInForce: "GTX" }, -1115, "timeInForce");
    refusedEverywhere({ ...twapOf, icebergQty: "0.1" }, -1106, "icebergQty");
  });
});
