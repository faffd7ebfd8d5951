import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListIntent } from "../../src/model/index.ts";
import {
  type ListForm,
  listIntent,
  type OcoFields,
  type OtocoFields,
  type OtoFields,
  readListPlacement,
} from "../../src/requests/index.ts";
import { listFieldsOf, lists, prefixed } from "./arbitraries.ts";
import { context, type Fields, json, listEverywhere, listRefused, query, refusal } from "./support.ts";

const oco: OcoFields = {
  symbol: "BTC/USD",
  side: "SELL",
  quantity: "0.5",
  aboveType: "LIMIT",
  abovePrice: "8000",
  belowType: "STOP",
  belowStopPrice: "7000",
  listClientOrderId: "list-1",
};

const working = {
  workingType: "LIMIT",
  workingSide: "BUY",
  workingQuantity: "0.5",
  workingPrice: "7500",
} as const;

const oto: OtoFields = {
  symbol: "BTC/USD",
  listClientOrderId: "list-1",
  ...working,
  pendingType: "STOP",
  pendingSide: "SELL",
  pendingQuantity: "0.25",
  pendingStopPrice: "7000",
};

const otoco: OtocoFields = {
  symbol: "BTC/USD",
  listClientOrderId: "list-1",
  ...working,
  pendingSide: "SELL",
  pendingQuantity: "0.5",
  pendingAboveType: "TAKE_PROFIT_LIMIT",
  pendingAboveStopPrice: "8000",
  pendingAbovePrice: "7990",
  pendingBelowType: "STOP_LIMIT",
  pendingBelowStopPrice: "7000",
  pendingBelowPrice: "6900",
};

const summary = ({ contingency, legs }: ListIntent): readonly string[] => [
  contingency,
  ...legs.map(({ role, intent }) => `${role} ${intent.side} ${intent.type} ${intent.clientOrderId}`),
];

const at = 2_000_000_000_000;

/** A form with fields that make a list, and the prefixes of its legs. */
const FORMS: readonly (readonly [ListForm, Fields, readonly string[]])[] = [
  ["oco", oco, ["above", "below"]],
  ["oto", oto, ["working", "pending"]],
  ["otoco", otoco, ["working", "pendingAbove", "pendingBelow"]],
];

const LEGS = FORMS.flatMap(([form, fields, prefixes]) =>
  prefixes.map((prefix): readonly [string, ListForm, Fields] => [prefix, form, fields]),
);

describe("legs and their order", () => {
  it("an OCO shows the protective leg, then the profit", () => {
    expect(summary(listEverywhere("oco", oco))).toEqual([
      "OCO",
      "protective SELL STOP_MARKET generated-belowClientOrderId",
      "profit SELL SYNTHETIC_LIMIT generated-aboveClientOrderId",
    ]);
    const buy = { ...oco, side: "BUY", aboveType: "STOP", aboveStopPrice: "8000", abovePrice: undefined };
    const below = { belowType: "LIMIT_MAKER", belowPrice: "7000", belowStopPrice: undefined };
    expect(summary(listEverywhere("oco", { ...buy, ...below }))).toEqual([
      "OCO",
      "protective BUY STOP_MARKET generated-aboveClientOrderId",
      "profit BUY LIMIT_MAKER generated-belowClientOrderId",
    ]);
  });

  it("contract, List creation rule 3: an OTO has a working and a pending leg of any sides and sizes", () => {
    const list = listEverywhere("oto", oto);
    expect(summary(list)).toEqual([
      "OTO",
      "working BUY SYNTHETIC_LIMIT generated-workingClientOrderId",
      "pending SELL STOP_MARKET generated-pendingClientOrderId",
    ]);
    expect(list.legs.map(({ intent }) => intent.quantity)).toEqual([500_000, 250_000]);
    expect(listEverywhere("oto", { ...oto, pendingSide: "BUY" }).legs[1]?.intent.side).toBe("BUY");
  });

  it("an OTOCO shows working, protective, profit and has that contingency", () => {
    expect(summary(listEverywhere("otoco", otoco))).toEqual([
      "OTOCO",
      "working BUY SYNTHETIC_LIMIT generated-workingClientOrderId",
      "protective SELL STOP_LOSS_LIMIT generated-pendingBelowClientOrderId",
      "profit SELL TAKE_PROFIT_LIMIT generated-pendingAboveClientOrderId",
    ]);
  });

  it("every leg field reaches its leg", () => {
    const leg = { TimeInForce: "GTD", GoodTillDate: at, ReduceOnly: true, ChildTimeInForce: "FOK" };
    const trail = { Type: "TRAILING_STOP_LIMIT", Price2: "5", LimitOffset: "1", IcebergQty: "0.1" };
    const named = (fields: Fields, prefix: string) =>
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${prefix}${name}`, value]));
    const below = named({ ...leg, ...trail, ClientOrderId: "x", StopPrice: "7100" }, "below");
    expect(listEverywhere("oco", { ...oco, ...below }).legs[0]).toEqual({
      role: "protective",
      generatedClientId: false,
      intent: {
        symbol: "BTC/USD",
        side: "SELL",
        type: "TRAILING_STOP_LIMIT",
        quantity: 500_000,
        stopPrice: 710_000_000_000,
        trailing: { kind: "percent", percent: 500_000_000 },
        limitOffset: 100_000_000,
        icebergQuantity: 100_000,
        timeInForce: "GTD",
        expireTimeMs: at,
        reduceOnly: true,
        childTimeInForce: "FOK",
        clientOrderId: "x",
      },
    });
    const amount = named({ Type: "TRAILING_STOP", TrailingAmount: "3", ExpireTime: at }, "pending");
    const pending = listEverywhere("oto", { ...oto, pendingStopPrice: undefined, ...amount }).legs[1]?.intent;
    expect(pending).toMatchObject({ trailing: { kind: "amount", amount: 300_000_000 }, expireTimeMs: at });
  });

  it.each([
    ["LIMIT", "SYNTHETIC_LIMIT", { Price: "1" }],
    ["SYNTHETIC_LIMIT", "SYNTHETIC_LIMIT", { Price: "1", ApiManaged: true }],
    ["LIMIT", "LIMIT_MAKER", { Price: "1", TimeInForce: "GTX" }],
    ["LIMIT", "LIMIT_MAKER", { Price: "1", TimeInForce: "POST_ONLY" }],
    ["POST_ONLY", "LIMIT_MAKER", { Price: "1" }],
    ["ICEBERG", "ICEBERG", { Price: "1", IcebergQty: "0.1" }],
    ["LIMIT", "SYNTHETIC_LIMIT", { Price: "1", IcebergQty: "0.1" }],
    ["STOP_LOSS", "STOP_MARKET", { StopPrice: "1" }],
    ["TAKE_PROFIT_LIMIT", "TAKE_PROFIT_LIMIT", { StopPrice: "1", Price: "1" }],
    ["TRAILING_STOP", "TRAILING_STOP_MARKET", { TrailingDelta: 1 }],
  ])("%s may work and pend as %s with %j", (type, canonical, own) => {
    const bare = { symbol: "BTC/USD", listClientOrderId: "list-1" };
    for (const [prefix, other] of [
      ["working", "pending"],
      ["pending", "working"],
    ] as const) {
      const leg = Object.fromEntries(Object.entries(own).map(([name, value]) => [`${prefix}${name}`, value]));
      const size = prefixed(prefix, { type, side: "BUY", quantity: "1" });
      const sibling = prefixed(other, { type: "STOP", side: "SELL", quantity: "1", stopPrice: "1" });
      const list = listEverywhere("oto", { ...bare, ...size, ...leg, ...sibling });
      expect(list.legs.find(({ role }) => role === prefix)?.intent.type).toBe(canonical);
    }
  });
});

describe("fields of a list", () => {
  it.each(FORMS)(
    "contract, List creation rule 1: %s needs a listClientOrderId, with the rules of orders",
    (form, fields) => {
      const withId = (listClientOrderId?: string) => ({ ...fields, listClientOrderId });
      for (const id of ["a", "x".repeat(36), "A-b_c.9"]) {
        expect(listEverywhere(form, withId(id)).listClientOrderId).toBe(id);
      }
      listRefused(form, withId(), [-1102, "listClientOrderId"]);
      const empty = listRefused(form, withId(""), [-1118, "listClientOrderId"]);
      expect(empty.remedy).toContain("'listClientOrderId'");
      for (const id of ["x".repeat(37), "a b", "é"])
        listRefused(form, withId(id), [-1100, "listClientOrderId"]);
      for (const id of ["aqc-x", "AQC-x", ".", ".."])
        listRefused(form, withId(id), [-1130, "listClientOrderId"]);
    },
  );

  it.each(LEGS)(
    "the client id of %s is given by the caller or generated for its field",
    (prefix, form, fields) => {
      const name = `${prefix}ClientOrderId`;
      const idOf = (list: ListIntent) => list.legs.filter(({ generatedClientId }) => !generatedClientId);
      expect(idOf(listEverywhere(form, fields))).toEqual([]);
      const [leg] = idOf(listEverywhere(form, { ...fields, [name]: "mine" }));
      expect(leg?.intent.clientOrderId).toBe("mine");
      listRefused(form, { ...fields, [name]: "" }, [-1118, name]);
      listRefused(form, { ...fields, [name]: "x".repeat(37) }, [-1100, name]);
      listRefused(form, { ...fields, [name]: "aqc-1" }, [-1130, name]);
    },
  );

  it("in process a leg without an id is refused if there is no generator", () => {
    expect(refusal(() => listIntent("oco", oco))).toMatchObject({ code: -1102, field: "aboveClientOrderId" });
    expect(refusal(() => listIntent("otoco", otoco))).toMatchObject({ field: "workingClientOrderId" });
  });

  it.each(FORMS)("I03: two legs of one %s have two client ids", (form, fields, [first, second]) => {
    const ids = { [`${first}ClientOrderId`]: "same", [`${second}ClientOrderId`]: "same" };
    const error = listRefused(form, { ...fields, ...ids }, [-2010, `${second}ClientOrderId`]);
    expect(error.reason).toBe("DUPLICATE_ORDER");
    const other = { ...ids, [`${second}ClientOrderId`]: "Same" };
    expect(listEverywhere(form, { ...fields, ...other }).legs).toHaveLength(form === "otoco" ? 3 : 2);
  });

  it("a leg may have the id of the list, since lists have separate ids", () => {
    expect(listEverywhere("oco", { ...oco, aboveClientOrderId: "list-1" }).legs).toHaveLength(2);
  });

  it.each([
    ["oco", oco, "symbol"],
    ["oco", oco, "side"],
    ["oco", oco, "quantity"],
    ["oco", oco, "aboveType"],
    ["oco", oco, "belowType"],
    ["oco", oco, "abovePrice"],
    ["oco", oco, "belowStopPrice"],
    ["oto", oto, "workingType"],
    ["oto", oto, "workingSide"],
    ["oto", oto, "workingQuantity"],
    ["oto", oto, "workingPrice"],
    ["oto", oto, "pendingType"],
    ["oto", oto, "pendingSide"],
    ["oto", oto, "pendingQuantity"],
    ["oto", oto, "pendingStopPrice"],
    ["otoco", otoco, "pendingSide"],
    ["otoco", otoco, "pendingQuantity"],
    ["otoco", otoco, "pendingAboveType"],
    ["otoco", otoco, "pendingBelowType"],
    ["otoco", otoco, "pendingAbovePrice"],
    ["otoco", otoco, "pendingBelowStopPrice"],
  ] as const)("hostile 90: %s %j needs %s", (form, fields, field) => {
    const error = listRefused(form, { ...fields, [field]: undefined }, [-1102, field]);
    expect(error.msg).toContain(`'${field}'`);
  });

  it("hostile 90: an OTO without its pending leg, an OTOCO without one leg", () => {
    const only = { symbol: "BTC/USD", listClientOrderId: "a", ...working };
    listRefused("oto", only, [-1102, "pendingType"]);
    const { pendingBelowType: _, pendingBelowStopPrice: __, pendingBelowPrice: ___, ...rest } = otoco;
    listRefused("otoco", rest, [-1102, "pendingBelowType"]);
  });

  it.each([
    ["oco", oco, "aboveSide"],
    ["oco", oco, "belowQuantity"],
    ["oco", oco, "aboveSymbol"],
    ["oco", oco, "type"],
    ["oco", oco, "price"],
    ["oco", oco, "timeInForce"],
    ["oco", oco, "newClientOrderId"],
    ["oco", oco, "aboveNewClientOrderId"],
    ["oco", oco, "workingType"],
    ["oco", oco, "abovePegPriceType"],
    ["oco", oco, "AbovePrice"],
    ["oco", oco, "aboveprice"],
    ["oco", oco, "toString"],
    ["oto", oto, "side"],
    ["oto", oto, "quantity"],
    ["oto", oto, "aboveType"],
    ["otoco", otoco, "pendingType"],
    ["otoco", otoco, "pendingPrice"],
    ["otoco", otoco, "pendingAboveSide"],
    ["otoco", otoco, "orderListId"],
  ] as const)("hostile 67, 69: %s %j does not know %s", (form, fields, field) => {
    const error = listRefused(form, { ...fields, [field]: "1" }, [-1104, field]);
    const count = Object.keys(fields).length;
    expect(error.details).toMatchObject({ read: count, sent: count + 1 });
  });

  it.each([
    ["aboveStopPrice", "1"],
    ["aboveTrailingDelta", 1],
    ["abovePrice2", "1"],
    ["aboveLimitOffset", "1"],
    ["belowPrice", "1"],
    ["belowPrice2", "1"],
    ["belowTrailingAmount", "1"],
    ["belowLimitOffset", "1"],
    ["belowIcebergQty", "0.1"],
    ["belowQuoteOrderQty", "1"],
    ["aboveInterval", 1_000],
    ["aboveVolumeProfile", "1,2"],
    ["belowParticipationBips", 1],
  ])("a leg's type does not take %s", (field, value) => {
    listRefused("oco", { ...oco, [field]: value }, [-1106, field]);
    const pending = field.replace(/^./, (letter) => `pending${letter.toUpperCase()}`);
    const exits = prefixed("pending", { ...oco, symbol: undefined, listClientOrderId: undefined });
    const list = { symbol: "BTC/USD", listClientOrderId: "a", ...working, ...exits };
    const sent = Object.fromEntries(Object.entries(list).filter(([, each]) => each !== undefined));
    listRefused("otoco", { ...sent, [pending]: value }, [-1106, pending]);
  });

  it("parameters of the convention are accepted and not read; actor and symbol as for orders", () => {
    const ignored = { newOrderRespType: "FULL", strategyId: 7, nonce: "1", signature: "", timestamp: "2" };
    const command = readListPlacement("oco", json({ ...oco, ...ignored, account: 3, userId: 4 }), context);
    expect(command).toEqual({ list: listEverywhere("oco", oco), accountId: 3, userId: 4 });
    const alias = readListPlacement("oto", query({ ...oto, symbol: "BTCUSD" }), context);
    expect(alias.list.legs.map(({ intent }) => intent.symbol)).toEqual(["BTC/USD", "BTC/USD"]);
    for (const symbol of ["STETH/USD", "XXX/USD", "btc/usd"]) {
      const read = () => readListPlacement("otoco", json({ ...otoco, symbol }), context);
      expect(refusal(read)).toMatchObject({ code: -1121, field: "symbol" });
    }
    const stp = { ...oco, selfTradePreventionMode: "EXPIRE_TAKER" };
    expect(refusal(() => readListPlacement("oco", json(stp), context))).toMatchObject({ code: -1130 });
  });

  it("hostile 57: nested legs never reach the reader", () => {
    expect(refusal(() => json({ ...oco, legs: [] })).code).toBe(-1130);
    expect(refusal(() => json({ ...oco, above: { type: "LIMIT" } })).code).toBe(-1130);
    const nested = { ...oco, abovePrice: {} } as unknown as OcoFields;
    expect(refusal(() => listIntent("oco", nested, { clientId: (field) => field }))).toMatchObject({
      code: -1130,
      field: "abovePrice",
    });
  });
});

describe("errors name the field that was sent", () => {
  it.each([
    [{ Price: "1e3" }, -1100, "Price"],
    [{ Price: "1.000000001" }, -1111, "Price"],
    [{ Price: "10000000000" }, -1108, "Price"],
    [{ Price: "0" }, -1130, "Price"],
    [{ Side: "buy" }, -1117, "Side"],
    [{ Quantity: "0.0000001" }, -1111, "Quantity"],
    [{ Type: "MARKET" }, -1116, "Type"],
    [{ Type: "stop" }, -1116, "Type"],
    [{ Type: "" }, -1116, "Type"],
    [{ TimeInForce: "IOC" }, -1115, "TimeInForce"],
    [{ TimeInForce: "GTD" }, -1102, "ExpireTime"],
    [{ TimeInForce: "GTC", ExpireTime: at }, -1128, "TimeInForce"],
    [{ TimeInForce: "GTC", GoodTillDate: at }, -1128, "TimeInForce"],
    [{ ExpireTime: at, GoodTillDate: at + 1 }, -1128, "ExpireTime"],
    [{ ExpireTime: 0 }, -1130, "ExpireTime"],
    [{ ChildTimeInForce: "GTC" }, -1130, "ChildTimeInForce"],
    [{ ApiManaged: false }, -1130, "ApiManaged"],
    [{ IcebergQty: "0.500001" }, -1013, "IcebergQty"],
    [{ IcebergQty: "0" }, -1130, "IcebergQty"],
    [{ TargetStrategy: 180 }, -1014, "TargetStrategy"],
    [{ TargetStrategy: 7 }, -1134, "TargetStrategy"],
    [{ Type: "TRAILING_STOP_LIMIT" }, -1128, "TrailingDelta"],
    [{ Type: "TRAILING_STOP_LIMIT", TrailingDelta: 1, LimitOffset: "1" }, -1128, "Price"],
    [{ Type: "TRAILING_STOP_LIMIT", TrailingDelta: 0 }, -1130, "TrailingDelta"],
    [{ Type: "STOP_LIMIT" }, -1102, "StopPrice"],
  ])("working %j is refused with its prefix", (leg, code, field) => {
    const sent = Object.fromEntries(Object.entries(leg).map(([name, value]) => [`working${name}`, value]));
    const error = listRefused("oto", { ...oto, ...sent }, [code, `working${field}`]);
    const text = JSON.stringify(error.toBody());
    expect(text).not.toMatch(/['\s](price|stopPrice|trailingDelta|limitOffset|goodTillDate)\b/i);
  });

  it("conflicts name every field with its prefix, also in the remedy", () => {
    const trail = { ...oto, pendingType: "TRAILING_STOP", pendingStopPrice: undefined };
    const none = listRefused("oto", trail, [-1128]);
    expect(none.msg).toContain("['pendingTrailingDelta','pendingPrice2','pendingTrailingAmount']");
    expect(none.remedy).toBe(
      "Send exactly one of pendingTrailingDelta, pendingPrice2, pendingTrailingAmount.",
    );
    const expiry = listRefused("oto", { ...oto, workingTimeInForce: "GTD" }, [-1102]);
    expect(expiry.msg).toContain("'workingExpireTime' or 'workingGoodTillDate'");
    const stop = listRefused("oto", { ...oto, pendingStopPrice: undefined }, [-1102]);
    expect(stop.msg).toContain("'pendingStopPrice' or 'pendingTrailingDelta'");
  });

  it("whole numbers and booleans are refused under their prefix on the wire", () => {
    const inQuery = (fields: Fields) =>
      refusal(() => readListPlacement("oto", query({ ...oto, ...fields }), context));
    const inJson = (fields: Fields) =>
      refusal(() => readListPlacement("oto", json({ ...oto, ...fields }), context));
    for (const value of ["1e3", "-1", "0x1"]) {
      expect(inQuery({ pendingTrailingDelta: value })).toMatchObject({
        code: -1100,
        field: "pendingTrailingDelta",
      });
    }
    expect(inQuery({ pendingTrailingDelta: "" })).toMatchObject({
      code: -1105,
      field: "pendingTrailingDelta",
    });
    expect(inQuery({ workingReduceOnly: "1" })).toMatchObject({ code: -1130, field: "workingReduceOnly" });
    expect(inJson({ workingReduceOnly: "true" })).toMatchObject({ code: -1130, field: "workingReduceOnly" });
    expect(inJson({ pendingTrailingDelta: "5" })).toMatchObject({
      code: -1130,
      field: "pendingTrailingDelta",
    });
    expect(inJson({ workingPrice: 5 })).toMatchObject({ code: -1130, field: "workingPrice" });
    expect(inJson({ workingSide: true })).toMatchObject({ code: -1117, field: "workingSide" });
  });
});

describe("the expiry of a list", () => {
  const gtd = { workingTimeInForce: "GTD" };
  const expiries = (fields: Fields) =>
    listEverywhere("oto", { ...oto, ...fields }).legs.map(({ intent }) => intent.expireTimeMs);

  it("applies to every leg that is sent as GTD", () => {
    expect(expiries({ ...gtd, expireTime: at })).toEqual([at, undefined]);
    expect(expiries({ ...gtd, goodTillDate: at })).toEqual([at, undefined]);
    expect(expiries({ ...gtd, pendingTimeInForce: "GTD", expireTime: at })).toEqual([at, at]);
    expect(expiries({ ...gtd, expireTime: at, goodTillDate: at })).toEqual([at, undefined]);
    const pair = { ...otoco, pendingAboveTimeInForce: "GTD", pendingBelowTimeInForce: "GTD", expireTime: at };
    expect(listEverywhere("otoco", pair).legs.map(({ intent }) => intent.timeInForce)).toEqual([
      "GTC",
      "GTD",
      "GTD",
    ]);
  });

  it("a leg's own expiry wins, under either name, and does not count as a use", () => {
    const both = { ...gtd, pendingTimeInForce: "GTD", expireTime: at };
    expect(expiries({ ...both, pendingExpireTime: at + 1 })).toEqual([at, at + 1]);
    expect(expiries({ ...both, pendingGoodTillDate: at + 1 })).toEqual([at, at + 1]);
    listRefused("oto", { ...oto, ...gtd, workingExpireTime: at, expireTime: at }, [-1106, "expireTime"]);
  });

  it.each([
    [{ expireTime: at }, "expireTime"],
    [{ goodTillDate: at }, "goodTillDate"],
    [{ expireTime: at, workingTimeInForce: "GTC" }, "expireTime"],
    [{ expireTime: at, workingExpireTime: at }, "expireTime"],
    [{ expireTime: at, workingTimeInForce: "GTX" }, "expireTime"],
  ])("%j is used by no leg", (fields, field) => {
    for (const [form, list] of [
      ["oto", oto],
      ["otoco", otoco],
    ] as const)
      listRefused(form, { ...list, ...fields }, [-1106, field]);
  });

  it("errors of the list's expiry use its own name", () => {
    listRefused("oto", { ...oto, ...gtd, expireTime: 0 }, [-1130, "expireTime"]);
    listRefused("oto", { ...oto, ...gtd, goodTillDate: 253_402_300_799_000 }, [-1130, "goodTillDate"]);
    const differing = listRefused("oto", { ...oto, ...gtd, expireTime: at, goodTillDate: at + 1 }, [-1128]);
    expect(differing.msg).toContain("['expireTime','goodTillDate']");
  });
});

describe("any list", () => {
  const read = ({ form, fields }: Readonly<{ form: ListForm; fields: Fields }>): ListIntent | undefined => {
    try {
      return listIntent(form, fields as OcoFields & OtoFields & OtocoFields);
    } catch (error) {
      expect(error).toMatchObject({ name: "OrderError", code: expect.any(Number) });
      return undefined;
    }
  };

  it("is reproduced by its own canonical fields, and reads the same from the wire", () => {
    let taken = 0;
    fc.assert(
      fc.property(lists, (sent) => {
        const list = read(sent);
        fc.pre(list !== undefined);
        taken += 1;
        expect(read(listFieldsOf(list))).toEqual(list);
        expect(readListPlacement(sent.form, json(sent.fields), context).list).toEqual(list);
        expect(readListPlacement(sent.form, query(sent.fields), context).list).toEqual(list);
      }),
      { numRuns: 300 },
    );
    expect(taken).toBe(300);
  });

  it("with fields left out, changed or added is accepted or refused with an OrderError", () => {
    const value = fc.oneof(
      fc.constantFrom("", "1", "GTC", "GTD", "BUY", "LIMIT", "TWAP", "STOP", true, 1),
      fc.string(),
      fc.double(),
    );
    fc.assert(
      fc.property(lists, fc.nat(), fc.option(value), fc.boolean(), (sent, pick, changed, renamed) => {
        const entries = Object.entries(sent.fields);
        const at = pick % entries.length;
        const altered = entries.map(([name, old], index): [string, unknown] => {
          if (index !== at) return [name, old];
          return [renamed ? name.replace(/^[a-z]+/, "above") : name, changed ?? undefined];
        });
        read({ form: sent.form, fields: Object.fromEntries(altered) });
      }),
      { numRuns: 500 },
    );
  });
});
