import { describe, expect, it } from "vitest";
import { createMemoryDisk, createMemoryStore } from "../../../src/adapters/memory/index.ts";
import type { JsonObject } from "../../../src/wire/index.ts";
import {
  call,
  KEYS,
  LISTS,
  openWorld,
  place,
  placeList,
  type Reply,
  requestOf,
  SELL_PAIR,
  START_MS,
} from "../../support/service-world.ts";

const key = KEYS.owner;
const FORMS = ["oco", "oto", "otoco", "legacyOco"] as const;

const reportsOf = ({ body }: Reply): readonly JsonObject[] => body.orderReports as readonly JsonObject[];
const typesOf = (reply: Reply): readonly unknown[] => reportsOf(reply).map(({ type }) => type);
const clientIdsOf = (reply: Reply): readonly unknown[] =>
  reportsOf(reply).map(({ clientOrderId }) => clientOrderId);

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
    ["otoco", "OTOCO", ["SYNTHETIC_LIMIT", "STOP_MARKET", "TAKE_PROFIT_MARKET"], [false, true, true]],
  ] as const)(
    "decisions 6, 35: %s is %s, legs working, protective, then the other; pending ones are held",
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

  it.each(FORMS)("I05, decision 6: ids of a list and its legs fall in the order shown: %s", async (form) => {
    const world = await openWorld();
    const { body } = await placeList(world, form);
    const legs = (body.orders as readonly { orderId: number }[]).map(({ orderId }) => orderId);
    const ids = [body.orderListId as number, ...legs];
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("decision 6: the protective leg is first, whatever its price", async () => {
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
  it.each(FORMS)(
    "decision 3: legs without an id are named by the signature and their field: %s",
    async (form) => {
      const world = await openWorld();
      const { path, fields } = LISTS[form];
      const json = { listClientOrderId: "signed", ...fields };
      const request = requestOf("POST", path, { key, json, query: { nonce: "1" } });
      const [first, again] = [await world.service.handle(request), await world.service.handle(request)];
      expect(again.body).toBe(first.body);
      const ids = [...first.body.matchAll(/"clOrdId":"([0-9A-Za-z]{22})"/g)].map((found) => found[1]);
      expect(new Set(ids).size).toBe(form === "otoco" ? 3 : 2);
    },
  );

  it.each(FORMS)(
    "decision 1: a retry with a fresh nonce answers with the list and its own leg ids: %s",
    async (form) => {
      const world = await openWorld();
      const first = await placeList(world, form, { listClientOrderId: "retried" });
      const { records } = world.engine.metrics();
      const again = await placeList(world, form, { listClientOrderId: "retried" });
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(world.engine.metrics().records).toBe(records);
    },
  );

  it.each(FORMS)(
    "contract, List creation rule 1: the same id with another intent is -2010 and changes nothing: %s",
    async (form) => {
      const world = await openWorld();
      const first = await placeList(world, form, { listClientOrderId: "taken" });
      const { records } = world.engine.metrics();
      const sizes = Object.keys(LISTS[form].fields).filter((name) => /quantity$/i.test(name));
      const prices = Object.keys(LISTS[form].fields).filter((name) => /price$/i.test(name));
      expect(sizes.length).toBeGreaterThan(0);
      for (const name of [...sizes, ...prices]) {
        const changed = name.endsWith("rice") ? `${LISTS[form].fields[name]}.5` : "0.011";
        const refused = await placeList(world, form, { listClientOrderId: "taken", [name]: changed });
        expect([name, refused.status, refused.body.code]).toEqual([name, 400, -2010]);
      }
      expect(world.engine.metrics().records).toBe(records);
      expect((await placeList(world, form, { listClientOrderId: "taken" })).body).toEqual(first.body);
    },
  );

  it("decision 1: legs' own ids count; another intent, or another id of a leg, is -2010", async () => {
    const world = await openWorld();
    const named = { listClientOrderId: "named", aboveClientOrderId: "a-1", belowClientOrderId: "b-1" };
    const first = await placeList(world, "oco", named);
    expect(clientIdsOf(first)).toEqual(["b-1", "a-1"]);
    const { records } = world.engine.metrics();
    for (const change of [{ aboveClientOrderId: "a-2" }, { abovePrice: "8001" }, { quantity: "0.02" }]) {
      const refused = await placeList(world, "oco", { ...named, ...change });
      expect([refused.status, refused.body.code]).toEqual([400, -2010]);
    }
    expect(world.engine.metrics().records).toBe(records);
    expect((await placeList(world, "oco", { ...named, quantity: "0.010" })).body).toEqual(first.body);
  });

  it("decision 1: the same id for a list of another kind is -2010", async () => {
    const world = await openWorld();
    await placeList(world, "oco", { listClientOrderId: "kind" });
    expect((await placeList(world, "oto", { listClientOrderId: "kind" })).body.code).toBe(-2010);
  });

  it("decision 1: an OCO and a legacy OCO with the same intent are one list", async () => {
    const world = await openWorld();
    const pair = await placeList(world, "oco", { listClientOrderId: "same" });
    const legacy = await placeList(world, "legacyOco", { listClientOrderId: "same" });
    expect(legacy.body).toEqual(pair.body);
  });

  it("decision 1: orders and legs share one id space; lists have a separate one", async () => {
    const world = await openWorld();
    await place(world, { newClientOrderId: "taken" });
    const refused = await placeList(world, "oco", { aboveClientOrderId: "taken" });
    expect([refused.status, refused.body.code]).toEqual([400, -2010]);
    const named = await placeList(world, "oco", { listClientOrderId: "taken", aboveClientOrderId: "leg" });
    expect(named.status).toBe(200);
    expect((await place(world, { newClientOrderId: "leg" })).body.code).toBe(-2010);
  });

  it("decision 1: a list is found again after a restart, and after it has ended", async () => {
    const disk = createMemoryDisk();
    const before = await openWorld({ store: createMemoryStore({ disk }) });
    const first = await placeList(before, "otoco", { listClientOrderId: "kept" });
    const world = await openWorld({ store: createMemoryStore({ disk }) });
    const again = await placeList(world, "otoco", { listClientOrderId: "kept" });
    expect(again.body).toEqual(first.body);
    await call(world, "DELETE", "/api/v3/orderList", {
      key,
      query: { listClientOrderId: "kept", nonce: world.nonce() },
    });
    const ended = await placeList(world, "otoco", { listClientOrderId: "kept" });
    expect(ended.body).toMatchObject({
      orderListId: first.body.orderListId,
      listOrderStatus: "ALL_DONE",
      orderReports: [{ status: "CANCELED" }, { status: "CANCELED" }, { status: "CANCELED" }],
    });
  });
});

describe("permission to place lists", () => {
  it("decision 14: refused while the flag is off, draining or without consent; nothing is stored", async () => {
    const off = await openWorld({ engine: { advancedOrders: false } });
    for (const form of FORMS) {
      const refused = await placeList(off, form);
      expect([form, refused.status, refused.body.code]).toEqual([form, 404, -1020]);
    }
    const world = await openWorld();
    expect((await placeList(world, "oco", {}, { key: KEYS.silent })).body.code).toBe(-2010);
    world.engine.drain();
    const draining = await placeList(world, "oco");
    expect([draining.status, draining.body.code]).toEqual([503, -1016]);
    expect(world.engine.metrics().records).toBe(0);
  });

  it("decision 39, I07: needs TRADE, and an account of the caller", async () => {
    const world = await openWorld();
    expect((await placeList(world, "oco", {}, { key: KEYS.reader })).status).toBe(401);
    const foreign = await placeList(world, "oco", { account: 2 });
    expect([foreign.status, foreign.body.code]).toEqual([401, -1002]);
    const own = await placeList(world, "oco", { account: 4 });
    expect(reportsOf(own).map(({ accountId }) => accountId)).toEqual([4, 4]);
  });

  it("decision 44: a POST allow list names each kind", async () => {
    const world = await openWorld({ service: { settings: { postAllowlist: ["oto"] } } });
    expect((await placeList(world, "oto")).status).toBe(200);
    for (const form of ["oco", "otoco", "legacyOco"] as const) {
      expect((await placeList(world, form)).status).toBe(404);
    }
  });

  it("decisions 43, 44: a form body, an alias of the symbol", async () => {
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
