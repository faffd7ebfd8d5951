import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Side } from "../../src/model/index.ts";
import { readListPlacement } from "../../src/requests/index.ts";
import { prefixed } from "./arbitraries.ts";
import { context, type Fields, json, listEverywhere, listRefused, refusal } from "./support.ts";

type Leg = Fields;

const limit = (price: string): Leg => ({ type: "LIMIT", price });
const maker = (price: string): Leg => ({ type: "LIMIT_MAKER", price });
const takeProfit = (stopPrice: string): Leg => ({ type: "TAKE_PROFIT", stopPrice });
const takeProfitLimit = (stopPrice: string): Leg => ({ type: "TAKE_PROFIT_LIMIT", stopPrice, price: "5" });
const stop = (stopPrice: string): Leg => ({ type: "STOP", stopPrice });
const stopLimit = (stopPrice: string): Leg => ({ type: "STOP_LIMIT", stopPrice, price: "5" });
const trail: Leg = { type: "TRAILING_STOP", trailingDelta: 100 };
const trailLimit: Leg = { type: "TRAILING_STOP_LIMIT", price2: "1", limitOffset: "0" };
const trailingStop: Leg = { type: "STOP", trailingDelta: 100 };
const trailingTakeProfit: Leg = { type: "TAKE_PROFIT", trailingDelta: 100 };

const PROFITS = [limit, maker, takeProfit, takeProfitLimit];
const PROTECTIVES = [stop, stopLimit];
const TRAILS = [trail, trailLimit, trailingStop];

type Pair = Readonly<{ side: Side; above: Leg; below: Leg }>;

const asOco = ({ side, above, below }: Pair): Fields => ({
  symbol: "BTC/USD",
  side,
  quantity: "1",
  listClientOrderId: "list-1",
  ...prefixed("above", above),
  ...prefixed("below", below),
});

const asOtoco = ({ side, above, below }: Pair): Fields => ({
  symbol: "BTC/USD",
  listClientOrderId: "list-1",
  ...prefixed("working", { type: "LIMIT", side: "BUY", quantity: "1", price: "7" }),
  pendingSide: side,
  pendingQuantity: "1",
  ...prefixed("pendingAbove", above),
  ...prefixed("pendingBelow", below),
});

/** Roles and types of a pair, the same for an OCO and for the exits of an OTOCO. */
const taken = (pair: Pair): readonly string[] => {
  const roles = listEverywhere("oco", asOco(pair)).legs.map(({ role, intent }) => `${role} ${intent.type}`);
  const exits = listEverywhere("otoco", asOtoco(pair)).legs.slice(1);
  expect(exits.map(({ role, intent }) => `${role} ${intent.type}`)).toEqual(roles);
  return roles;
};

/** Expects the refusal of an OCO, and of an OTOCO with its own names; `field` is that of the OCO. */
const refused = (pair: Pair, code: number, field: string): void => {
  const pendingName = (name: string): string => `pending${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const error = listRefused("oco", asOco(pair), [code, field]);
  const otoco = listRefused("otoco", asOtoco(pair), [code, pendingName(field)]);
  expect(otoco.reason).toBe(error.reason);
  expect(otoco.remedy).toBe(
    error.remedy.replace(/'((?:above|below)\w+)'/g, (_, name) => `'${pendingName(name)}'`),
  );
};

/** A valid pair: profit above for SELL, below for BUY. */
const pairOf = (side: Side, profit: Leg, protective: Leg): Pair =>
  side === "SELL" ? { side, above: profit, below: protective } : { side, above: protective, below: profit };

const swapped = ({ side, above, below }: Pair): Pair => ({ side, above: below, below: above });

/** The errors of a leg on the wrong side, for BUY and for SELL. */
const WRONG: readonly (readonly number[])[] = [
  [-1165, -1166],
  [-1196, -1197],
  [-1198, -1199],
];

const SIDES: readonly Side[] = ["BUY", "SELL"];

describe("kinds of legs", () => {
  it.each(SIDES)("%s combines any profit leg with any protective one", (side) => {
    const [upper, lower] = ["8", "6"];
    const [profitLevel, stopLevel] = side === "SELL" ? [upper, lower] : [lower, upper];
    for (const profit of [...PROFITS.map((make) => make(profitLevel)), trailingTakeProfit]) {
      for (const protective of [...PROTECTIVES.map((make) => make(stopLevel)), ...TRAILS]) {
        const [first, second] = taken(pairOf(side, profit, protective));
        expect(first).toMatch(/^protective (STOP|TRAILING)/);
        expect(second).toMatch(/^profit (SYNTHETIC_LIMIT|LIMIT_MAKER|TAKE_PROFIT)/);
      }
    }
  });

  it.each(SIDES)("convention 6.2: a %s pair may show icebergs with IcebergQty", (side) => {
    const [profitLevel, stopLevel] = side === "SELL" ? ["8", "6"] : ["6", "8"];
    const profit = { ...limit(profitLevel), icebergQty: "0.5" };
    const protective = { ...stopLimit(stopLevel), icebergQty: "1" };
    expect(taken(pairOf(side, profit, protective))).toHaveLength(2);
  });

  it.each(SIDES)("two limits in a %s are -1168, whatever their levels", (side) => {
    for (const [above, below] of [
      [limit("8"), limit("6")],
      [limit("6"), maker("8")],
      [maker("8"), maker("8")],
      [{ ...limit("8"), timeInForce: "GTX" }, limit("6")],
    ] as const) {
      refused({ side, above, below }, -1168, "belowType");
    }
  });

  it.each(SIDES)("two of one kind in a %s are -1158", (side) => {
    for (const [above, below] of [
      [stop("8"), stop("6")],
      [stop("8"), trail],
      [trail, trailLimit],
      [stopLimit("6"), stop("8")],
      [takeProfit("8"), takeProfit("6")],
      [takeProfit("8"), limit("6")],
      [limit("8"), takeProfitLimit("6")],
    ] as const) {
      refused({ side, above, below }, -1158, "belowType");
    }
  });

  it.each([
    { type: "ICEBERG", price: "8", icebergQty: "0.5" },
    { type: "ICEBERG" },
    { type: "TWAP", interval: 1_000, intervalCount: 2 },
    { type: "TWAP" },
    { type: "VWAP", volumeProfile: "1,2" },
    { type: "POV", participationBips: 100 },
    { type: "POV", price: "8" },
  ])("hostile 90: %j cannot be a leg of a pair", (leg) => {
    for (const side of SIDES) {
      refused({ side, above: leg, below: stop("6") }, -1158, "aboveType");
      refused({ side, above: limit("8"), below: leg }, -1158, "belowType");
    }
  });

  it("contract rule 8: a schedule can neither work nor pend, nor can a LIMIT with targetStrategy in a list", () => {
    const oto = (working: Leg, pending: Leg): Fields => ({
      symbol: "BTC/USD",
      listClientOrderId: "list-1",
      ...prefixed("working", { ...working, side: "BUY", quantity: "1" }),
      ...prefixed("pending", { ...pending, side: "SELL", quantity: "1" }),
    });
    for (const leg of [
      { type: "TWAP", interval: 1_000, intervalCount: 2 },
      { type: "VWAP" },
      { type: "POV" },
    ]) {
      listRefused("oto", oto(leg, stop("6")), [-1014, "workingType"]);
      listRefused("oto", oto(limit("6"), leg), [-1014, "pendingType"]);
    }
    const capped = { ...limit("6"), targetStrategy: 180, interval: 1_000, intervalCount: 2 };
    listRefused("oto", oto(capped, stop("6")), [-1014, "workingTargetStrategy"]);
    listRefused("oco", asOco(pairOf("SELL", capped, stop("5"))), [-1014, "aboveTargetStrategy"]);
    listRefused("oto", oto({ ...limit("6"), targetStrategy: 1 }, stop("6")), [
      -1134,
      "workingTargetStrategy",
    ]);
    listRefused("oto", oto({ ...limit("6"), interval: 1_000 }, stop("6")), [-1106, "workingInterval"]);
    listRefused("otoco", { ...asOtoco(pairOf("SELL", limit("8"), stop("6"))), workingType: "POV" }, [
      -1014,
      "workingType",
    ]);
  });

  it("a native type is -1116 in a list too", () => {
    refused({ side: "SELL", above: { type: "MARKET" }, below: stop("6") }, -1116, "aboveType");
    refused({ side: "SELL", above: limit("8"), below: { type: "MARKET" } }, -1116, "belowType");
  });
});

describe("the wrong side", () => {
  it.each([
    ["BUY", -1165, "aboveType"],
    ["SELL", -1166, "belowType"],
  ] as const)("convention 2: a limit on the wrong side of a %s is %d", (side, code, field) => {
    for (const profit of [limit, maker]) {
      for (const protective of [...PROTECTIVES.map((make) => make("6")), ...TRAILS]) {
        refused(swapped(pairOf(side, profit("8"), protective)), code, field);
        refused(swapped(pairOf(side, profit("5"), protective)), code, field);
      }
    }
  });

  it.each([
    ["BUY", -1198, "aboveType"],
    ["SELL", -1199, "belowType"],
  ] as const)("convention 2: a take-profit on the wrong side of a %s is %d", (side, code, field) => {
    for (const profit of [takeProfit("8"), takeProfitLimit("5"), trailingTakeProfit]) {
      for (const protective of PROTECTIVES) {
        refused(swapped(pairOf(side, profit, protective("6"))), code, field);
      }
    }
  });

  it.each([
    ["BUY", -1196, "belowType"],
    ["SELL", -1197, "aboveType"],
  ] as const)("convention 2: a trailing stop on the wrong side of a %s is %d", (side, code, field) => {
    for (const profit of [takeProfit("8"), takeProfitLimit("5"), trailingTakeProfit]) {
      for (const protective of TRAILS) refused(swapped(pairOf(side, profit, protective)), code, field);
      const both = { ...stop("6"), trailingDelta: 5 };
      refused(swapped(pairOf(side, profit, both)), code, field);
    }
  });
});

describe("levels", () => {
  it.each([
    [limit, stop, "abovePrice", "belowStopPrice"],
    [maker, stopLimit, "abovePrice", "belowStopPrice"],
    [takeProfit, stop, "aboveStopPrice", "belowStopPrice"],
    [takeProfitLimit, stopLimit, "aboveStopPrice", "belowStopPrice"],
  ])(
    "complaint 44, hostile 90: a SELL of %o over %o names both fields unless above > below",
    (profit, protective, upper, lower) => {
      expect(taken(pairOf("SELL", profit("7.00000001"), protective("7")))).toHaveLength(2);
      for (const [above, below] of [
        ["7", "7"],
        ["7", "7.00000001"],
        ["7", "9999999999"],
      ] as const) {
        const pair = pairOf("SELL", profit(above), protective(below));
        refused(pair, -2010, upper);
        const error = listRefused("oco", asOco(pair), [-2010, upper]);
        expect(error).toMatchObject({ reason: "BAD_PRICE_RELATION", details: { upper, lower } });
        expect(error.msg).toBe("The relationship of the prices for the orders is not correct.");
        expect(error.remedy).toBe(`'${upper}' must be higher than '${lower}'.`);
      }
    },
  );

  it("complaint 44: the same for a BUY", () => {
    expect(taken(pairOf("BUY", limit("7"), stop("7.00000001")))).toHaveLength(2);
    refused(pairOf("BUY", limit("7"), stop("7")), -2010, "aboveStopPrice");
    const error = listRefused("oco", asOco(pairOf("BUY", takeProfitLimit("8"), stopLimit("7"))), [-2010]);
    expect(error.details).toMatchObject({ upper: "aboveStopPrice", lower: "belowStopPrice" });
  });

  it("the limit price of a stop-limit is not a level", () => {
    const dear = { type: "STOP_LIMIT", stopPrice: "6", price: "9" };
    expect(taken(pairOf("SELL", limit("8"), dear))).toHaveLength(2);
  });

  it("a trailing leg is compared by its stop price, else by its price, else not at all", () => {
    expect(taken(pairOf("SELL", limit("0.00000001"), trail))).toHaveLength(2);
    expect(taken(pairOf("SELL", trailingTakeProfit, stop("9999999999")))).toHaveLength(2);
    expect(taken(pairOf("SELL", trailingTakeProfit, trailingStop))).toHaveLength(2);
    expect(taken(pairOf("SELL", limit("8"), { ...trail, stopPrice: "7" }))).toHaveLength(2);
    refused(pairOf("SELL", limit("8"), { ...trail, stopPrice: "8" }), -2010, "abovePrice");
    const capped = { type: "TRAILING_STOP_LIMIT", trailingDelta: 1, price: "7" };
    expect(taken(pairOf("SELL", limit("8"), capped))).toHaveLength(2);
    refused(pairOf("SELL", limit("7"), capped), -2010, "abovePrice");
  });

  it("I32 the mirrored pair is accepted or refused alike", () => {
    const level = fc.integer({ min: 1, max: 19 });
    const make = fc.tuple(
      fc.constantFrom(
        ...PROFITS,
        ...PROTECTIVES,
        () => trail,
        () => trailingStop,
        () => trailingTakeProfit,
      ),
      level,
    );
    const outcome = (pair: Pair): string => {
      const read = () => readListPlacement("oco", json(asOco(pair)), context).list;
      try {
        return read()
          .legs.map(({ role, intent }) => `${role} ${intent.type}`)
          .join();
      } catch {
        const { code } = refusal(read);
        const wrong = WRONG.find((codes) => codes.includes(code));
        return String(wrong ?? code);
      }
    };
    fc.assert(
      fc.property(make, make, fc.constantFrom(...SIDES), ([one, high], [other, low], side) => {
        const pair = { side, above: one(String(high)), below: other(String(low)) };
        const mirror = {
          side: side === "BUY" ? ("SELL" as const) : ("BUY" as const),
          above: other(String(20 - low)),
          below: one(String(20 - high)),
        };
        expect(outcome(mirror)).toBe(outcome(pair));
      }),
      { numRuns: 300 },
    );
  });
});

describe("legs that trail by trailingDelta", () => {
  it.each([
    ["STOP", {}],
    ["STOP_LIMIT", { price: "5" }],
    ["TAKE_PROFIT", {}],
    ["TAKE_PROFIT_LIMIT", { price: "5" }],
  ])("a %s leg may trail, with or without stopPrice", (type, own) => {
    const legOf = (fields: Fields) =>
      listEverywhere("oto", {
        symbol: "BTC/USD",
        listClientOrderId: "list-1",
        ...prefixed("working", { type, side: "BUY", quantity: "1", ...own, ...fields }),
        ...prefixed("pending", { type: "STOP", side: "SELL", quantity: "1", stopPrice: "1" }),
      }).legs[0]?.intent;
    expect(legOf({ trailingDelta: 9_999 })).toMatchObject({ trailing: { kind: "bps", bps: 9_999 } });
    expect(legOf({ trailingDelta: 1 })).not.toHaveProperty("stopPrice");
    expect(legOf({ trailingDelta: 1, stopPrice: "7" })).toMatchObject({
      trailing: { kind: "bps", bps: 1 },
      stopPrice: 700_000_000,
    });
    expect(legOf({ stopPrice: "7" })).not.toHaveProperty("trailing");
  });

  it.each([0, 10_000])("hostile 84: TrailingDelta %d is out of range", (trailingDelta) => {
    refused(pairOf("SELL", limit("8"), { type: "STOP", trailingDelta }), -1130, "belowTrailingDelta");
  });
});
