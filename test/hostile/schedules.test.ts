import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Attack,
  type HostileWorld,
  type JsonFields,
  openHostileWorld,
  orderWith,
  refusal,
} from "../support/hostile-world.ts";

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld();
});

afterAll(() => world.close());

const ILLEGAL = refusal(-1100);
const INVALID = refusal(-1130);
const NOTIONAL = refusal(-1013);
const NOT_REQUIRED = refusal(-1106);

const text = JSON.stringify;

/** Price-capped schedules, so that no quote is needed; large enough for 10,000 slots. */
const scheduled = (targetStrategy: string, fields: JsonFields): Attack =>
  orderWith({ type: text("LIMIT"), quantity: text("100"), targetStrategy, ...fields });
const twap = (fields: JsonFields = {}): Attack =>
  scheduled("180", { interval: "60000", intervalCount: "10", ...fields });
const vwap = (fields: JsonFields = {}): Attack =>
  scheduled("1000002", { volumeProfile: text("1,2,3"), ...fields });
const pov = (fields: JsonFields = {}): Attack =>
  scheduled("1000004", { participationBips: "1000", ...fields });

describe("intervals", () => {
  it.each(["0", "999", "86400001", "9007199254740993"])(
    "hostile 86: refuses an interval of %s ms",
    (interval) => world.bothRefuse(twap({ interval }), refusal(-1120)),
  );

  it.each(["0", "1", "10001"])("hostile 86: refuses %s intervals", (intervalCount) =>
    world.bothRefuse(twap({ intervalCount }), INVALID),
  );

  it("hostile 86: refuses a delay of 604,800,001 ms", () =>
    world.bothRefuse(twap({ intervalDelay: "604800001" }), INVALID));

  it("hostile 86: the limits themselves are accepted", async () => {
    expect(await world.accepts(twap({ interval: "1000", intervalCount: "2" }))).toMatchObject({
      type: "TWAP",
      targetStrategy: 180,
      price: "7000",
      interval: 1_000,
      intervalCount: 2,
      intervalDelay: 0,
    });
    const longest = { interval: "86400000", intervalCount: "10000", intervalDelay: "604800000" };
    expect(await world.accepts(twap(longest))).toMatchObject({
      interval: 86_400_000,
      intervalCount: 10_000,
      intervalDelay: 604_800_000,
    });
  });

  it.each(["interval", "intervalCount", "intervalDelay"])(
    "hostile 86: refuses %s as a whole number",
    async (name) => {
      for (const value of ["-1", "1.5", "6e4", "-0"])
        await world.bothRefuse(twap({ [name]: value }), ILLEGAL);
      const expected = name === "interval" ? refusal(-1120) : INVALID;
      await world.refuses(twap({ [name]: text("60000") }), expected);
    },
  );

  it.each(["interval", "intervalCount"])("refuses a TWAP without %s", (name) =>
    world.bothRefuse(twap({ [name]: undefined }), refusal(-1102)),
  );
});

describe("volume profiles", () => {
  it.each([
    ["", -1105],
    ["0,0,0", -1130],
    ["-1,2", -1100],
    ["1,,2", -1100],
    ["1,2,", -1100],
    [",1,2", -1100],
    ["1e3,2", -1100],
    ["1, 2", -1100],
    ["1 2", -1100],
    ["1.5,2", -1100],
    ["1000000000000000,1", -1100],
    ["\u0661,2", -1100],
    ["5", -1130],
  ])("hostile 87: refuses the profile %j", (profile, code) =>
    world.bothRefuse(vwap({ volumeProfile: text(profile) }), refusal(code), refusal(code)),
  );

  it("hostile 87: 10,001 items are refused, 10,000 accepted", async () => {
    const items = (count: number): string => text(Array.from({ length: count }, () => "1").join(","));
    await world.bothRefuse(vwap({ volumeProfile: items(10_001) }), INVALID);
    expect(await world.accepts(vwap({ volumeProfile: items(10_000) }))).toMatchObject({
      intervalCount: 10_000,
    });
  });

  it("hostile 87: a count that differs from the profile's is refused, an equal one accepted", async () => {
    await world.bothRefuse(vwap({ intervalCount: "2" }), refusal(-1128));
    await world.bothRefuse(vwap({ intervalCount: "4" }), refusal(-1128));
    expect(await world.accepts(vwap({ intervalCount: "3" }))).toMatchObject({
      type: "VWAP",
      targetStrategy: 1_000_002,
      intervalCount: 3,
      volumeProfile: "1,2,3",
      volumeBenchmark: "SERVICE_EXECUTED_VOLUME",
    });
  });

  it("decision 29: without a profile and without volume in the window, -2016", () =>
    world.bothRefuse(vwap({ volumeProfile: undefined, intervalCount: "2" }), refusal(-2016)));

  it("decision 29: without a profile at most 512 minutes are accepted, in whole minutes", async () => {
    const own = (fields: JsonFields): Attack => vwap({ volumeProfile: undefined, ...fields });
    await world.bothRefuse(own({ interval: "60000", intervalCount: "513" }), INVALID);
    await world.bothRefuse(own({ interval: "61000", intervalCount: "2" }), refusal(-1120));
    await world.bothRefuse(own({ interval: "60000", intervalCount: "512" }), refusal(-2016));
  });
});

describe("participation", () => {
  it.each(["0", "10001"])("hostile 88: refuses %s basis points", (participationBips) =>
    world.bothRefuse(pov({ participationBips }), INVALID),
  );

  it.each(["1", "10000"])("hostile 88: %s basis points are accepted", async (participationBips) => {
    expect(await world.accepts(pov({ participationBips }))).toMatchObject({
      type: "POV",
      targetStrategy: 1_000_004,
      participationBips: Number(participationBips),
      volumeBenchmark: "SERVICE_EXECUTED_VOLUME",
    });
  });

  it("hostile 88: refuses none, text, and a combination with intervals", async () => {
    await world.bothRefuse(pov({ participationBips: undefined }), refusal(-1102));
    await world.refuses(pov({ participationBips: text("1000") }), INVALID);
    await world.bothRefuse(pov({ interval: "60000" }), NOT_REQUIRED);
  });
});

describe("slices and strategies", () => {
  it("hostile 89: a TWAP slice worth 14.999 is refused, one worth 15.001 is accepted", async () => {
    await world.bothRefuse(twap({ quantity: text("0.02142") }), NOTIONAL);
    expect(await world.accepts(twap({ quantity: text("0.02143") }))).toMatchObject({ origQty: "0.02143" });
  });

  it("hostile 89, complaint 7: refuses fewer units than intervals", () =>
    world.bothRefuse(twap({ quantity: text("0.000003") }), NOTIONAL));

  it("decision 23: a named schedule without a quote has no admission price", () =>
    world.bothRefuse(
      orderWith({
        type: text("TWAP"),
        quantity: text("1"),
        price: undefined,
        interval: "60000",
        intervalCount: "2",
      }),
      refusal(-1112),
    ));

  it.each(["TWAP", "VWAP", "POV"])("contract rule 6: %s by name takes no price", (type) =>
    world.bothRefuse(orderWith({ type: text(type), participationBips: undefined }), NOT_REQUIRED),
  );

  it.each(["1", "0", "181", "1000003", "9223372036854775807"])(
    "convention 2.1: refuses targetStrategy %s",
    (number) =>
      world.bothRefuse(scheduled(number, { interval: "60000", intervalCount: "2" }), refusal(-1134)),
  );

  it("convention 2.1: refuses targetStrategy without a LIMIT, and without a price", async () => {
    await world.bothRefuse(
      orderWith({ type: text("SYNTHETIC_LIMIT"), targetStrategy: "180" }),
      refusal(-1014),
    );
    await world.bothRefuse(twap({ price: undefined }), refusal(-1102));
  });
});
