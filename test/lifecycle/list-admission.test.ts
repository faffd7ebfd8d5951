import { describe, expect, it } from "vitest";
import { notional, price, type Quantity, quantity } from "../../src/decimal/index.ts";
import type { OrderError } from "../../src/errors/index.ts";
import { type Admission, admitList, type ListAdmissionContext, levelOf } from "../../src/lifecycle/index.ts";
import type { Contingency, LegRole, ListIntent, ParentIntent } from "../../src/model/index.ts";
import { intentOf, NOW, quoteAt } from "./support.ts";

type Leg = readonly [role: LegRole, change: Partial<ParentIntent>];

const STOP: Leg = ["protective", { side: "SELL", type: "STOP_MARKET", stopPrice: price("90") }];
const LIMIT: Leg = ["profit", { side: "SELL", price: price("110") }];
const ENTRY: Leg = ["working", { price: price("100") }];
const EXIT: Leg = ["pending", { side: "SELL", price: price("110") }];
const BPS = { kind: "bps", bps: 100 } as const;
const TRAIL: Leg = ["protective", { side: "SELL", type: "TRAILING_STOP_MARKET", trailing: BPS }];

const TRAILING_STOP: Leg = ["protective", { side: "SELL", type: "STOP_MARKET", trailing: BPS }];

const listOf = (contingency: Contingency, legs: readonly Leg[]): ListIntent => ({
  listClientOrderId: "l1",
  contingency,
  legs: legs.map(([role, change], index) => ({
    role,
    intent: intentOf({ clientOrderId: `c${index}`, ...change }),
    generatedClientId: false,
  })),
});

/** The code that refuses a list, or the results about its legs. */
function admitted(
  contingency: Contingency,
  legs: readonly Leg[],
  context: Partial<ListAdmissionContext> = {},
): number | readonly Admission[] {
  try {
    return admitList(listOf(contingency, legs), { nowMs: NOW, minimum: notional("15"), ...context });
  } catch (error) {
    return (error as OrderError).code;
  }
}

const changed = ([role, change]: Leg, more: Partial<ParentIntent>): Leg => [role, { ...change, ...more }];
const as = (role: LegRole, [, change]: Leg): Leg => [role, change];

describe("contract, List creation rules: the legs of each form", () => {
  it.each([
    ["OCO", [STOP, LIMIT], [undefined, undefined]],
    ["OTO", [ENTRY, EXIT], [undefined, true]],
    ["OTOCO", [ENTRY, STOP, LIMIT], [undefined, true, true]],
  ] as const)("%s: pending legs are held", (contingency, legs, held) => {
    const found = admitted(contingency, legs);
    expect(Array.isArray(found) && found.map((one: Admission) => one.held)).toEqual(held);
  });

  it.each([
    ["one leg too few", "OTOCO", [ENTRY, STOP]],
    ["one leg too many", "OTO", [ENTRY, EXIT, EXIT]],
    ["no leg", "OCO", []],
    ["legs of another form", "OCO", [ENTRY, EXIT]],
    ["legs in another order", "OCO", [LIMIT, STOP]],
    ["two markets", "OTO", [ENTRY, changed(EXIT, { symbol: "ETH/USD" })]],
    ["a pair of two sides", "OCO", [changed(STOP, { side: "BUY" }), LIMIT]],
    ["a pair of two quantities", "OCO", [STOP, changed(LIMIT, { quantity: quantity("2") })]],
    ["two stops", "OCO", [STOP, as("profit", changed(STOP, { stopPrice: price("110") }))]],
    ["two limits", "OCO", [as("protective", LIMIT), LIMIT]],
    ["two trails", "OCO", [TRAIL, as("profit", TRAIL)]],
    [
      "a take-profit that protects",
      "OCO",
      [changed(STOP, { type: "TAKE_PROFIT_MARKET", stopPrice: price("90") }), LIMIT],
    ],
    ["levels that are equal", "OCO", [STOP, changed(LIMIT, { price: price("90") })]],
    ["levels that are crossed", "OCO", [STOP, changed(LIMIT, { price: price("89.99999999") })]],
    ["levels of a BUY in reverse", "OCO", [changed(STOP, { side: "BUY" }), changed(LIMIT, { side: "BUY" })]],
  ] as const)("-1128: %s", (_what, contingency, legs) => {
    expect(admitted(contingency, legs)).toBe(-1128);
  });

  it.each([
    ["levels one step apart", [STOP, changed(LIMIT, { price: price("90.00000001") })]],
    [
      "the levels of a BUY",
      [
        changed(STOP, { side: "BUY", stopPrice: price("110") }),
        changed(LIMIT, { side: "BUY", price: price("90") }),
      ],
    ],
    ["a pure trail, which is not compared", [TRAIL, changed(LIMIT, { price: price("1000") })]],
    ["a trail with its gate", [changed(TRAIL, { stopPrice: price("109") }), LIMIT]],
    [
      "a take-profit by its stop price, not by its limit",
      [STOP, changed(LIMIT, { type: "TAKE_PROFIT_LIMIT", stopPrice: price("91"), price: price("80") })],
    ],
    ["a post-only leg", [STOP, changed(LIMIT, { type: "LIMIT_MAKER" })]],
    ["a stop that trails without a stop price", [TRAILING_STOP, LIMIT]],
  ] as const)("%s are admitted", (_what, legs) => {
    expect(admitted("OCO", legs, { quote: quoteAt("100", "101") })).toHaveLength(2);
  });

  it.each([
    ["OCO", [STOP, LIMIT]],
    ["OTO", [ENTRY, EXIT]],
    ["OTOCO", [ENTRY, STOP, LIMIT]],
  ] as const)("contract rule 8: a leg of an %s has no schedule and no share", (contingency, legs) => {
    const schedule = { intervalMs: 60_000, intervalCount: 2, intervalDelayMs: 0 };
    for (const own of [{ schedule }, { participationBips: 100 }]) {
      for (const index of legs.keys()) {
        const one = legs.map((leg, at) => (at === index ? changed(leg, own) : leg));
        expect(admitted(contingency, one)).toBe(-1014);
      }
    }
  });
});

describe("admission of the legs", () => {
  const held = { reduceOnly: true } as const;

  it("exposure is required of legs that are active at once, not of held ones", () => {
    const reducing = [changed(STOP, held), changed(LIMIT, held)];
    expect(admitted("OCO", reducing)).toBe(-2022);
    expect(admitted("OCO", reducing, { position: quantity("0.000001") })).toMatchObject([
      { exposure: quantity("0.000001") },
      { exposure: quantity("0.000001") },
    ]);
    expect(admitted("OTOCO", [ENTRY, ...reducing])).toHaveLength(3);
    expect(admitted("OTO", [changed(ENTRY, held), EXIT])).toBe(-2022);
  });

  it("the minimum applies to every leg, including held ones; reduce-only is exempt", () => {
    const small = { quantity: quantity("0.149999") };
    expect(admitted("OTO", [ENTRY, changed(EXIT, { quantity: quantity("0.1") })])).toBe(-1013);
    expect(admitted("OTO", [changed(ENTRY, small), EXIT])).toBe(-1013);
    expect(admitted("OTO", [ENTRY, changed(EXIT, { ...small, ...held })])).toHaveLength(2);
  });

  it("a held leg without a price is admitted at the current quote", () => {
    const trail = as("pending", TRAIL);
    expect(admitted("OTO", [ENTRY, trail])).toBe(-1112);
    expect(admitted("OTO", [ENTRY, trail], { quote: quoteAt("99", "100") })).toMatchObject([
      { admissionPrice: price("100") },
      { admissionPrice: price("99") },
    ]);
  });

  it("an active post-only leg must not cross; a held one meets its first quote later", () => {
    const maker = { type: "LIMIT_MAKER" } as const;
    const context = { quote: quoteAt("110", "111") };
    expect(admitted("OCO", [STOP, changed(LIMIT, maker)], context)).toBe(-2010);
    expect(admitted("OCO", [STOP, changed(LIMIT, maker)], { quote: quoteAt("109", "111") })).toMatchObject([
      {},
      { posted: true },
    ]);
    const found = admitted("OTO", [ENTRY, changed(EXIT, maker)], context);
    expect(Array.isArray(found) && found[1]).not.toHaveProperty("posted");
    expect(found).toMatchObject([{}, { held: true }]);
  });

  it("an expiry that has passed refuses the list", () => {
    expect(admitted("OTO", [ENTRY, changed(EXIT, { timeInForce: "GTD", expireTimeMs: NOW })])).toBe(-1130);
  });

  it("a leg may be an iceberg, with at most the number of parts that a setting allows", () => {
    const iced = changed(LIMIT, { icebergQuantity: quantity("0.25") });
    expect(admitted("OCO", [STOP, iced])).toHaveLength(2);
    expect(admitted("OCO", [STOP, iced], { maxIcebergParts: 4 })).toHaveLength(2);
    expect(admitted("OCO", [STOP, iced], { maxIcebergParts: 3 })).toBe(-1013);
    const much = { icebergQuantity: quantity("2") };
    expect(admitted("OCO", [STOP, changed(LIMIT, much)])).toBe(-1013);
  });

  it("only a leg may trail without a stop price", () => {
    expect(admitted("OCO", [TRAILING_STOP, LIMIT], { quote: quoteAt("100", "101") })).toHaveLength(2);
    const bare: Leg = ["protective", { side: "SELL", type: "STOP_MARKET" }];
    expect(admitted("OCO", [bare, LIMIT])).toBe(-1102);
  });
});

describe("the place of the market", () => {
  const context = (bid: string, mustStraddle: boolean): Partial<ListAdmissionContext> => ({
    quote: quoteAt(bid, "200"),
    mustStraddle,
  });

  it.each([
    ["between", "100", 2],
    ["at the lower level", "90", -2010],
    ["at the upper level", "110", -2010],
    ["below both", "80", -2010],
    ["above both", "120", -2010],
  ])("%s: a setting can require that it is between the legs", (_what, bid, expected) => {
    const answer = (found: number | readonly Admission[]): number =>
      typeof found === "number" ? found : found.length;
    expect(answer(admitted("OCO", [STOP, LIMIT], context(bid, true)))).toBe(expected);
    expect(answer(admitted("OCO", [STOP, LIMIT], context(bid, false)))).toBe(2);
    expect(answer(admitted("OTOCO", [ENTRY, STOP, LIMIT], context(bid, true)))).toBe(3);
  });

  it("without a quote that requirement cannot be met; a leg without a level is not compared", () => {
    expect(admitted("OCO", [STOP, LIMIT], { mustStraddle: true })).toBe(-1112);
    expect(admitted("OCO", [TRAIL, LIMIT], context("120", true))).toHaveLength(2);
  });

  it("a BUY compares with the ask", () => {
    const buy = [
      changed(STOP, { side: "BUY", stopPrice: price("110") }),
      changed(LIMIT, { side: "BUY", price: price("90") }),
    ];
    expect(admitted("OCO", buy, { quote: quoteAt("89", "109.99"), mustStraddle: true })).toHaveLength(2);
    expect(admitted("OCO", buy, { quote: quoteAt("100", "110"), mustStraddle: true })).toBe(-2010);
  });

  it("the level of a leg is its stop price, else its price", () => {
    const two = { stopPrice: price("95"), price: price("94") };
    expect(levelOf(intentOf({ type: "STOP_LOSS_LIMIT", ...two }))).toBe(price("95"));
    expect(levelOf(intentOf({ price: price("94") }))).toBe(price("94"));
    expect(levelOf(intentOf({ type: "TRAILING_STOP_MARKET", trailing: BPS }))).toBeUndefined();
  });
});

describe("numbers beyond doubles", () => {
  it("two levels that a double cannot distinguish are distinct", () => {
    const high: Quantity = quantity("0.000001");
    const leg = { quantity: high, price: price("9999999999.99999999") };
    const stop = changed(STOP, { quantity: high, stopPrice: price("9999999999.99999998") });
    expect(admitted("OCO", [stop, changed(LIMIT, leg)])).toHaveLength(2);
    expect(admitted("OCO", [changed(stop, { stopPrice: leg.price }), changed(LIMIT, leg)])).toBe(-1128);
  });
});

describe("the refusal of a list", () => {
  const refused = (contingency: Contingency, legs: readonly Leg[], more: object = {}): OrderError => {
    try {
      admitList(listOf(contingency, legs), { nowMs: NOW, minimum: notional("15"), ...more });
    } catch (error) {
      return error as OrderError;
    }
    throw new Error("was not refused");
  };

  it.each([
    ["OCO", [LIMIT, STOP], "protective, profit"],
    ["OTO", [ENTRY, STOP], "working, pending"],
    ["OTOCO", [ENTRY, EXIT, LIMIT], "working, protective, profit"],
  ] as const)("names the legs of an %s", (contingency, legs, form) => {
    expect(refused(contingency, legs).details).toEqual({
      fields: "'legs'",
      advice: `Build the list with listIntent. The legs of ${contingency} are: ${form}.`,
    });
  });

  it("an OTO has one working leg", () => {
    expect(refused("OTO", [ENTRY, as("working", EXIT)]).reason).toBe("BAD_COMBINATION");
  });

  it("the legs of a pair have one side", () => {
    const buying = changed(LIMIT, { side: "BUY" });
    expect(refused("OCO", [STOP, buying]).reason).toBe("BAD_COMBINATION");
  });

  it("the stop of a BUY may trail without a stop price, too", () => {
    const pair = [
      changed(TRAILING_STOP, { side: "BUY" }),
      changed(LIMIT, { side: "BUY", price: price("90") }),
    ];
    expect(admitted("OCO", pair, { quote: quoteAt("100", "101") })).toHaveLength(2);
  });

  it("contract rule 8: names the type that has a schedule", () => {
    const share = changed(EXIT, { participationBips: 100 });
    expect(refused("OTO", [ENTRY, share]).field).toBe("type");
  });

  it("contract, Create OCO: says how the legs of a pair must be placed", () => {
    const more = { mustStraddle: true, quote: quoteAt("80", "81") };
    expect(refused("OCO", [STOP, LIMIT], more).details).toEqual({
      advice: "The upper leg must be above the market, and the lower leg below it.",
    });
  });
});
