import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/wire/index.ts";
import {
  KEYS,
  LISTS,
  openWorld,
  placeList,
  type Reply,
  requestOf,
  SELL_PAIR,
  START_MS,
} from "../../support/service-world.ts";

const key = KEYS.owner;
const FORMS = ["oco", "oto", "otoco", "legacyOco", "bracket", "oca"] as const;

const reportsOf = ({ body }: Reply): readonly JsonObject[] => body.orderReports as readonly JsonObject[];
const typesOf = (reply: Reply): readonly unknown[] => reportsOf(reply).map(({ type }) => type);

describe("the reply of a list placement", () => {
  it("contract, Linked order list reply: every member, in one order", async () => {
    const world = await openWorld();
    const placed = await placeList(world, "oco", {
      listClientOrderId: "pair-1",
      aboveClientOrderId: "profit-1",
      belowClientOrderId: "stop-1",
    });
    expect(placed.status).toBe(200);
    expect(Object.keys(placed.body)).toEqual([
      "orderListId",
      "contingencyType",
      "listStatusType",
      "listOrderStatus",
      "listClientOrderId",
      "transactionTime",
      "symbol",
      "orders",
      "orderReports",
    ]);
    expect(placed.body).toMatchObject({
      contingencyType: "OCO",
      listStatusType: "EXEC_STARTED",
      listOrderStatus: "EXECUTING",
      listClientOrderId: "pair-1",
      transactionTime: START_MS,
      symbol: "BTC/USD",
      orders: [
        { symbol: "BTC/USD", clientOrderId: "stop-1" },
        { symbol: "BTC/USD", clientOrderId: "profit-1" },
      ],
    });
    const listId = placed.body.orderListId as number;
    expect(listId).toBeLessThan(0);
    expect(reportsOf(placed)).toMatchObject([
      { type: "STOP_MARKET", stopPrice: "6000", side: "SELL", origQty: "0.01", orderListId: listId },
      { type: "SYNTHETIC_LIMIT", price: "8000", side: "SELL", origQty: "0.01", orderListId: listId },
    ]);
  });

  it.each([
    ["oco", "OCO", ["STOP_MARKET", "SYNTHETIC_LIMIT"], [false, false]],
    ["legacyOco", "OCO", ["STOP_MARKET", "SYNTHETIC_LIMIT"], [false, false]],
    ["oto", "OTO", ["SYNTHETIC_LIMIT", "STOP_MARKET"], [false, true]],
    ["bracket", "OTOCO", ["SYNTHETIC_LIMIT", "STOP_MARKET", "SYNTHETIC_LIMIT"], [false, true, true]],
    ["oca", "OCO", ["SYNTHETIC_LIMIT", "STOP_MARKET"], [false, false]],
    ["otoco", "OTOCO", ["SYNTHETIC_LIMIT", "STOP_MARKET", "TAKE_PROFIT_MARKET"], [false, true, true]],
  ] as const)(
    "%s is %s, legs working, protective, then the other; pending ones are held",
    async (form, contingencyType, types, held) => {
      const world = await openWorld();
      const placed = await placeList(world, form);
      expect(placed.body.contingencyType).toBe(contingencyType);
      expect(typesOf(placed)).toEqual(types);
      expect(reportsOf(placed).map((report) => report.held)).toEqual(held);
      expect(reportsOf(placed).map(({ status, apiState }) => [status, apiState])).toEqual(
        held.map((isHeld) => [isHeld ? "PENDING_NEW" : "NEW", "WAITING"]),
      );
    },
  );

  it.each(FORMS)("I05: ids of a list and its legs fall in the order shown: %s", async (form) => {
    const world = await openWorld();
    const { body } = await placeList(world, form);
    const legs = (body.orders as readonly { orderId: number }[]).map(({ orderId }) => orderId);
    const ids = [body.orderListId as number, ...legs];
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([
    ["bracket", "BRACKET", { moveStopAfter: 1, moveStopTo: "ENTRY" }],
    ["oca", "OCA", { mode: "CANCEL" }],
  ] as const)(
    "I03: %s says its kind; the same is the same list, other terms are another",
    async (form, kind, other) => {
      const world = await openWorld();
      const mine = { listClientOrderId: "mine" };
      const placed = await placeList(world, form, mine);
      expect(placed.body.listKind).toBe(kind);
      expect((await placeList(world, form, mine)).body).toEqual(placed.body);
      const refused = await placeList(world, form, { ...mine, ...other });
      expect(refused.body).toMatchObject({ code: -2010 });
    },
  );

  it("the protective leg is first, whatever its price", async () => {
    const world = await openWorld();
    const buying = await placeList(world, "oco", {
      side: "BUY",
      aboveType: "STOP_LOSS",
      abovePrice: undefined,
      aboveStopPrice: "8000",
      belowType: "LIMIT_MAKER",
      belowStopPrice: undefined,
      belowPrice: "6000",
    });
    expect(typesOf(buying)).toEqual(["STOP_MARKET", "LIMIT_MAKER"]);
  });
});

describe("identity of a placed list", () => {
  it.each(FORMS)("legs without an id are named by the signature and their field: %s", async (form) => {
    const world = await openWorld();
    const { path, fields } = LISTS[form];
    const json = { listClientOrderId: "signed", ...fields };
    const request = requestOf("POST", path, { key, json, query: { nonce: "1" } });
    const [first, again] = [await world.service.handle(request), await world.service.handle(request)];
    expect(again.body).toBe(first.body);
    const ids = [...first.body.matchAll(/"clOrdId":"([0-9A-Za-z]{22})"/g)].map((found) => found[1]);
    expect(new Set(ids).size).toBe(form === "otoco" || form === "bracket" ? 3 : 2);
  });

  it.each(FORMS)("a retry with a fresh nonce answers with the list and its own leg ids: %s", async (form) => {
    const world = await openWorld();
    const first = await placeList(world, form, { listClientOrderId: "retried" });
    const { records } = world.engine.metrics();
    const again = await placeList(world, form, { listClientOrderId: "retried" });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(world.engine.metrics().records).toBe(records);
  });

  it("an OCO and a legacy OCO with the same intent are one list", async () => {
    const world = await openWorld();
    const pair = await placeList(world, "oco", { listClientOrderId: "same" });
    const legacy = await placeList(world, "legacyOco", { listClientOrderId: "same" });
    expect(legacy.body).toEqual(pair.body);
  });
});

describe("permission to place lists", () => {
  it("a form body, an alias of the symbol", async () => {
    const world = await openWorld();
    const form = Object.entries({ listClientOrderId: "form", ...SELL_PAIR, symbol: "BTCUSD" });
    const body = form.map(([name, value]) => `${name}=${value}`).join("&");
    const signed = requestOf("POST", "/api/v3/orderList/oco", { key, body, query: { nonce: "1" } });
    const rawHeaders = signed.rawHeaders.map((header) =>
      header === "application/json" ? "application/x-www-form-urlencoded" : header,
    );
    const answer = await world.service.handle({ ...signed, rawHeaders });
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('"symbol":"BTC/USD"')]);
  });
});
