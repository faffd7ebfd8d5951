import { describe, expect, it } from "vitest";
import type { AccountEvent, AccountEvents, ChildReport } from "../../../src/ports/index.ts";
import { tradeIdOf } from "../../../src/service/views/native-order.ts";
import { type JsonObject, writeJson } from "../../../src/wire/index.ts";
import { createGate } from "../../support/gate.ts";
import { fillOf, reported } from "../../support/scripted-venue.ts";
import {
  call,
  ENTRY_AND_PAIR,
  ENTRY_AND_STOP,
  FAR_LIMIT,
  KEYS,
  openWorld,
  place,
  placeList,
  SELL_PAIR,
  type ServiceWorld,
  START_MS,
} from "../../support/service-world.ts";
import {
  type Message,
  openSocketWorld,
  refusalOf,
  type SocketWorld,
  TestClient,
} from "../../support/socket-world.ts";

const SUBSCRIBE = "userDataStream.subscribe.signature";
const UNSUBSCRIBE = "userDataStream.unsubscribe";
const key = KEYS.owner;

/** An event, in a line. */
function lineOf({ e, o, l, L, a }: Message): string {
  if (e === "listStatus") return `listStatus ${l} ${L}`;
  if (e === "ACCOUNT_UPDATE") return `ACCOUNT_UPDATE ${(a as JsonObject).m}`;
  if (e !== "ORDER_TRADE_UPDATE") return String(e);
  const { c, x, X, l: last, z, reason, alerts } = o as JsonObject;
  const trade = x === "TRADE" ? ` ${last} of ${z}` : "";
  return [`${c} ${x} ${X}${trade}`, reason, alerts].filter((part) => part !== undefined).join(" ");
}

const linesOf = (client: TestClient): readonly string[] => client.events.map(lineOf);

/** A world with a subscribed client; its lines begin after the events of `before`. */
async function subscribed(options: Parameters<typeof openSocketWorld>[0] = {}): Promise<SocketWorld> {
  const opened = await openSocketWorld(options);
  await opened.client.ask(SUBSCRIBE);
  return opened;
}

/** Processes everything that is due. */
async function settle(world: ServiceWorld, client: TestClient): Promise<void> {
  await world.engine.idle();
  await client.ask("session.subscriptions", {}, { key: null });
}

const quote = (world: ServiceWorld, bid: string, ask: string): unknown =>
  world.feed.quote({ symbol: "BTC/USD", bid, ask });

/** The venue fills children in these parts, at their price or at 100. */
function fillsIn(
  world: ServiceWorld,
  parts: readonly string[],
  state: ChildReport["state"] = "closed",
): void {
  world.venue.onSubmit = ({ childId }) =>
    reported(
      childId,
      state,
      parts.map((quantity) => fillOf({ quantity, price: "6000", id: `${childId}/${quantity}` })),
    );
}

describe("subscribing", () => {
  it("is answered with its id and the last number of the account's events; every later event follows", async () => {
    const { world, client } = await openSocketWorld();
    await place(world);
    expect((await client.ask(SUBSCRIBE)).result).toEqual({
      subscriptionId: 0,
      accountId: 1,
      sequence: 1,
      streamId: expect.stringMatching(/^[0-9]{22}$/),
    });
    await place(world, { newClientOrderId: "after" });
    await settle(world, client);
    expect(client.messages.filter((message) => "event" in message)).toEqual([
      { subscriptionId: 0, event: expect.objectContaining({ e: "ORDER_TRADE_UPDATE", sequence: 2 }) },
    ]);
  });

  it("convention 4.5: one per account and connection, -2035; other connections and accounts have separate ones", async () => {
    const { world, client } = await subscribed();
    expect(refusalOf(await client.ask(SUBSCRIBE))).toEqual([400, -2035]);
    expect((await client.ask(SUBSCRIBE, { account: 3 })).result).toMatchObject({
      subscriptionId: 1,
      accountId: 3,
    });
    const other = new TestClient(world);
    expect((await other.ask(SUBSCRIBE)).result).toMatchObject({ subscriptionId: 0 });
    expect((await client.ask("session.subscriptions")).result).toEqual([
      { subscriptionId: 0, accountId: 1 },
      { subscriptionId: 1, accountId: 3 },
    ]);
  });

  it("I07: only for the owner and delegates with READ; events of other accounts stay separate", async () => {
    const { world, client } = await openSocketWorld();
    expect(refusalOf(await client.ask(SUBSCRIBE, { account: 2 }))).toEqual([401, -1002]);
    expect((await client.ask(SUBSCRIBE, { account: 3 })).status).toBe(200);
    await place(world, { newClientOrderId: "mine" });
    await place(world, { newClientOrderId: "strangers" }, { key: KEYS.stranger });
    await settle(world, client);
    expect(client.events).toEqual([]);
  });

  it("unsubscribe ends one or all, reports them, and ends nothing else; an unknown id is -2036", async () => {
    const { world, client } = await subscribed();
    await client.ask(SUBSCRIBE, { account: 4 });
    expect(refusalOf(await client.ask(UNSUBSCRIBE, { subscriptionId: 7 }))).toEqual([400, -2036]);
    expect((await client.ask(UNSUBSCRIBE, { subscriptionId: "0" })).result).toEqual({});
    await place(world, { newClientOrderId: "of-one" });
    await place(world, { account: 4, newClientOrderId: "of-four" });
    await settle(world, client);
    expect(
      client.messages.filter((message) => "event" in message).map(({ subscriptionId }) => subscriptionId),
    ).toEqual([0, 1]);
    expect(linesOf(client)).toEqual(["eventStreamTerminated", "of-four NEW NEW"]);
    expect((await client.ask(UNSUBSCRIBE, {}, { key: null })).result).toEqual({});
    expect((await client.ask(UNSUBSCRIBE, {}, { key: null })).result).toEqual({});
    expect((await client.ask("session.subscriptions")).result).toEqual([]);
    expect((await client.ask(SUBSCRIBE)).result).toMatchObject({ subscriptionId: 2 });
  });

  it("a connection that ended gets nothing, and no event is built for it", async () => {
    const { world, client } = await subscribed();
    client.session.closed();
    await place(world);
    await world.engine.idle();
    expect(client.events).toEqual([]);
  });

  it("a connection that ends during its subscription is not subscribed", async () => {
    const { world, client } = await openSocketWorld();
    const params = client.params({}, key) as JsonObject;
    client.session.receive(writeJson({ id: 1, method: SUBSCRIBE, params }));
    client.session.closed();
    await world.engine.idle();
    await place(world);
    await world.engine.idle();
    expect(client.texts).toEqual([]);
  });
});

describe("convention 4.11: the events of each operation, in journal order", () => {
  it("a managed order: NEW", async () => {
    const { world, client } = await subscribed();
    await place(world, { newClientOrderId: "a" });
    await place(world, { newClientOrderId: "a" });
    await settle(world, client);
    expect(linesOf(client)).toEqual(["a NEW NEW"]);
  });

  it("lists: NEW for each leg as it is shown, PENDING_NEW for held ones, then the list", async () => {
    const { world, client } = await subscribed();
    await placeList(world, "oco", { ...SELL_PAIR, aboveClientOrderId: "above", belowClientOrderId: "below" });
    await placeList(world, "otoco", {
      ...ENTRY_AND_PAIR,
      workingClientOrderId: "entry",
      pendingAboveClientOrderId: "profit",
      pendingBelowClientOrderId: "stop",
    });
    await settle(world, client);
    expect(linesOf(client)).toEqual([
      "below NEW NEW",
      "above NEW NEW",
      "listStatus EXEC_STARTED EXECUTING",
      "entry NEW NEW",
      "stop NEW PENDING_NEW",
      "profit NEW PENDING_NEW",
      "listStatus EXEC_STARTED EXECUTING",
    ]);
  });

  it("fills: TRADE for each with the sum after it, the last one FILLED; complaint 37", async () => {
    const { world, client } = await subscribed();
    fillsIn(world, ["0.001", "0.002"]);
    await place(world, { newClientOrderId: "a", price: "7000" });
    quote(world, "6900", "7000");
    await settle(world, client);
    fillsIn(world, ["0.003", "0.004"]);
    await world.clock.advanceBy(200);
    quote(world, "6900", "7000");
    await settle(world, client);
    expect(linesOf(client)).toEqual([
      "a NEW NEW",
      "a TRADE PARTIALLY_FILLED 0.001 of 0.001",
      "a TRADE PARTIALLY_FILLED 0.002 of 0.003",
      "a TRADE PARTIALLY_FILLED 0.003 of 0.006",
      "a TRADE FILLED 0.004 of 0.01",
    ]);
  });

  it("a completely filled working leg: TRADE, NEW for each released leg, then the list", async () => {
    const { world, client } = await subscribed();
    await placeList(world, "oto", {
      ...ENTRY_AND_STOP,
      workingClientOrderId: "entry",
      pendingClientOrderId: "stop",
    });
    fillsIn(world, ["0.01"]);
    quote(world, "6400", "6500");
    await settle(world, client);
    expect(linesOf(client).slice(3)).toEqual([
      "entry TRADE FILLED 0.01 of 0.01",
      "stop NEW NEW",
      "listStatus EXEC_STARTED EXECUTING",
    ]);
  });

  it("I40: the winner of a pair: its sibling is CANCELED first; the list ends with the winner", async () => {
    const { world, client } = await subscribed();
    await placeList(world, "oco", { ...SELL_PAIR, aboveClientOrderId: "above", belowClientOrderId: "below" });
    fillsIn(world, ["0.01"]);
    quote(world, "6000", "6001");
    await settle(world, client);
    expect(linesOf(client).slice(3)).toEqual([
      "above CANCELED CANCELED OCO_TRIGGER",
      "below TRIGGERED NEW",
      "below TRADE FILLED 0.01 of 0.01",
      "listStatus ALL_DONE ALL_DONE",
    ]);
  });

  it("a cancel while a child is in flight sends nothing before its outcome", async () => {
    const { world, client } = await subscribed();
    const placed = await place(world, { newClientOrderId: "a" });
    let child = "";
    world.venue.onSubmit = ({ childId }) => {
      child = childId;
      return reported(childId, "open");
    };
    quote(world, "6900", "7000");
    await settle(world, client);
    const query = { symbol: "BTC/USD", orderId: placed.body.orderId as number, nonce: world.nonce() };
    const canceled = await call(world, "DELETE", "/api/order", { key, query });
    expect(canceled.body.cancelPending).toBe(true);
    await settle(world, client);
    expect(linesOf(client)).toEqual(["a NEW NEW"]);
    world.venue.say(reported(child, "closed", [fillOf({ quantity: "0.004", price: "6900" })]));
    await settle(world, client);
    expect(linesOf(client).slice(1)).toEqual([
      "a TRADE PARTIALLY_FILLED 0.004 of 0.004",
      "a CANCELED CANCELED USER_CANCELED",
    ]);
    expect(client.events[1]?.o).toMatchObject({ cancelPending: false });
  });

  it("cancels: each leg, then the list; cancel-all does the same for all", async () => {
    const { world, client } = await subscribed();
    await place(world, { newClientOrderId: "a" });
    await placeList(world, "oto", {
      ...ENTRY_AND_STOP,
      workingClientOrderId: "entry",
      pendingClientOrderId: "stop",
    });
    await client.ask("openOrders.cancelAll", { apiManaged: true });
    await settle(world, client);
    expect([...linesOf(client).slice(4)].sort()).toEqual([
      "a CANCELED CANCELED USER_CANCELED",
      "entry CANCELED CANCELED USER_CANCELED",
      "listStatus ALL_DONE ALL_DONE",
      "stop CANCELED CANCELED USER_CANCELED",
    ]);
    const lines = linesOf(client);
    expect(lines.indexOf("listStatus ALL_DONE ALL_DONE")).toBe(
      lines.findIndex((line) => line.startsWith("stop CANCELED")) + 1,
    );
  });

  it("expiry and rejection have their reasons", async () => {
    const { world, client } = await subscribed();
    const expireTime = START_MS + 5_000;
    await place(world, { newClientOrderId: "gtd", timeInForce: "GTD", expireTime });
    await place(world, {
      ...FAR_LIMIT,
      type: "LIMIT_MAKER",
      newClientOrderId: "maker",
    });
    quote(world, "6900", "6950");
    await settle(world, client);
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
    await world.clock.advanceBy(5_000);
    await settle(world, client);
    expect(linesOf(client)).toEqual([
      "gtd NEW NEW",
      "maker NEW NEW",
      expect.stringMatching(/^(maker REJECTED REJECTED WOULD_MATCH_IMMEDIATELY|gtd TRADE FILLED .*)$/),
      expect.any(String),
    ]);
  });

  it("an expiry without a fill is EXPIRED EXPIRED_GTD", async () => {
    const { world, client } = await subscribed();
    await place(world, { newClientOrderId: "gtd", timeInForce: "GTD", expireTime: START_MS + 5_000 });
    await world.clock.advanceBy(5_000);
    await settle(world, client);
    expect(linesOf(client)).toEqual(["gtd NEW NEW", "gtd EXPIRED EXPIRED EXPIRED_GTD"]);
  });

  it("a fill after the end is a TRADE with the end's status, flagged; complaint 33", async () => {
    const { world, client } = await subscribed();
    const placed = await place(world, { newClientOrderId: "a" });
    let child = "";
    world.venue.onSubmit = ({ childId }) => {
      child = childId;
      return reported(childId, "closed", [fillOf({ quantity: "0.001", price: "6900" })]);
    };
    quote(world, "6900", "7000");
    await settle(world, client);
    const query = { symbol: "BTC/USD", orderId: placed.body.orderId as number, nonce: world.nonce() };
    await call(world, "DELETE", "/api/order", { key, query });
    world.venue.say(reported(child, "closed", [fillOf({ quantity: "0.002", price: "6900", id: "late" })]));
    await settle(world, client);
    expect(linesOf(client).slice(2)).toEqual([
      "a CANCELED CANCELED USER_CANCELED",
      "a TRADE CANCELED 0.002 of 0.003 LATE_FILL",
    ]);
  });

  it("a fill that raises two alerts names both", async () => {
    const { world, client } = await subscribed();
    await place(world, { newClientOrderId: "a" });
    let child = "";
    world.venue.onSubmit = ({ childId }) => {
      child = childId;
      return reported(childId, "closed", [fillOf({ quantity: "0.001", price: "6900" })]);
    };
    quote(world, "6900", "7000");
    await settle(world, client);
    world.venue.say(reported(child, "closed", [fillOf({ quantity: "1", price: "6900", id: "late" })]));
    await settle(world, client);
    expect(linesOf(client).at(-1)).toMatch(/^a TRADE .* LATE_FILL,OVERFILL$/);
  });

  it("a working leg that ends with fills and without protection says so", async () => {
    const { world, client } = await subscribed();
    await placeList(world, "oto", {
      ...ENTRY_AND_STOP,
      listClientOrderId: "l",
      workingClientOrderId: "entry",
      pendingClientOrderId: "stop",
    });
    fillsIn(world, ["0.004"]);
    quote(world, "6400", "6500");
    await settle(world, client);
    await client.ask("orderList.cancel", { listClientOrderId: "l" });
    await settle(world, client);
    expect(linesOf(client).slice(3)).toEqual([
      "entry TRADE PARTIALLY_FILLED 0.004 of 0.004",
      "entry CANCELED CANCELED USER_CANCELED POSITION_UNPROTECTED",
      "stop CANCELED CANCELED USER_CANCELED",
      "listStatus ALL_DONE ALL_DONE",
    ]);
  });

  it("a stalled order says so and why, and that it goes on; a client of the convention gets no such event", async () => {
    const { world, client } = await subscribed();
    const bot = new TestClient(world, { target: "/compat/ws-api/v3" });
    await bot.ask(SUBSCRIBE);
    quote(world, "6999", "7000");
    world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
    await place(world, { newClientOrderId: "a" });
    const trade = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second++) {
        await world.clock.advanceBy(1_000);
        quote(world, "5999", "6000");
        await settle(world, client);
      }
    };
    await trade(12);
    expect(linesOf(client)).toEqual(["a NEW NEW", "a ALERT NEW ORDER_STALLED"]);
    expect(client.events.at(-1)).toMatchObject({ o: { stalled: "REFUSED", apiState: "WAITING" } });
    fillsIn(world, ["0.001"]);
    await trade(6);
    expect(linesOf(client)[2]).toMatch(/^a TRADE .* ORDER_RESUMED$/);
    expect(linesOf(client)[3]).toMatch(/^a TRADE [^ ]+ \S+ of \S+$/);
    expect(client.events.at(-1)?.o).not.toHaveProperty("stalled");
    await bot.ask("session.subscriptions", {}, { key: null });
    expect(bot.events.map(({ x }) => x).slice(0, 2)).toEqual(["NEW", "TRADE"]);
  });

  it("an order that triggers without a child says so, with level and time; a client of the convention gets no such event", async () => {
    const { world, client } = await subscribed();
    const bot = new TestClient(world, { target: "/compat/ws-api/v3" });
    await bot.ask(SUBSCRIBE);
    const stop = { type: "STOP_LOSS_LIMIT", stopPrice: "6500", price: "6400", quantity: "0.01" };
    await place(world, { symbol: "BTC/USD", side: "SELL", ...stop, newClientOrderId: "a" });
    await world.clock.advanceBy(1_000);
    quote(world, "6000", "7000");
    await settle(world, client);
    expect(linesOf(client)).toEqual(["a NEW NEW", "a TRIGGERED NEW"]);
    expect(client.events[0]?.o).not.toHaveProperty("triggerLevel");
    const met = { triggerLevel: "6500", triggerTime: START_MS + 1_000 };
    expect(client.events[1]?.o).toMatchObject({ ...met, apiState: "WAITING" });
    world.venue.onSubmit = ({ childId }) =>
      reported(childId, "closed", [fillOf({ quantity: "0.01", price: "6450" })]);
    quote(world, "6450", "7000");
    await settle(world, client);
    expect(client.events[2]?.o).toMatchObject({ ...met, x: "TRADE" });
    await bot.ask("session.subscriptions", {}, { key: null });
    expect(bot.events.map(({ x }) => x)).toEqual(["NEW", "TRADE"]);
    for (const event of bot.events)
      for (const name of Object.keys(met)) expect(event).not.toHaveProperty(name);
  });

  it("reads, refused orders and failed cancels send nothing", async () => {
    const { world, client } = await subscribed();
    const placed = await place(world, { newClientOrderId: "a" });
    const list = await placeList(world, "oco", { ...SELL_PAIR, listClientOrderId: "l" });
    const ended = await place(world, { newClientOrderId: "b" });
    await client.ask("order.cancel", { symbol: "BTC/USD", orderId: ended.body.orderId as number });
    await settle(world, client);
    const before = client.events.length;
    expect(before).toBe(6);
    const [symbol, orderListId] = ["BTC/USD", list.body.orderListId as number];
    for (const [method, params, status] of [
      ["openOrders.status", { apiManaged: true, includeHistory: true }, 200],
      ["order.status", { symbol, orderId: placed.body.orderId as number }, 200],
      ["orderList.status", { orderListId }, 200],
      ["openOrderLists.status", {}, 200],
      ["allOrderLists", {}, 200],
      ["order.status", { symbol, orderId: -256 }, 400],
      ["orderList.status", { orderListId: -256 }, 400],
      ["order.cancel", { symbol, orderId: -256 }, 400],
      ["order.cancel", { symbol, orderId: ended.body.orderId as number }, 400],
      ["orderList.cancel", { orderListId: -256 }, 400],
      ["openOrders.cancelAll", {}, 400],
      ["order.place", { ...FAR_LIMIT, quantity: "0.0001" }, 400],
      ["order.place", { ...FAR_LIMIT, newClientOrderId: "a", price: "6999" }, 400],
      ["order.place", { ...FAR_LIMIT, newClientOrderId: "a" }, 200],
      ["orderList.place.oco", { ...SELL_PAIR, listClientOrderId: "m", abovePrice: "6000" }, 400],
      ["orderList.place.oco", { ...SELL_PAIR, listClientOrderId: "l", quantity: "0.02" }, 400],
      ["orderList.place.oto", { ...ENTRY_AND_STOP, listClientOrderId: "m", pendingQuantity: "0.0001" }, 400],
    ] as const)
      expect([method, (await client.ask(method, params)).status]).toEqual([method, status]);
    quote(world, "6900", "7100");
    await settle(world, client);
    expect(client.events).toHaveLength(before);
  });

  it("a cancel-all that finds nothing sends nothing", async () => {
    const { world, client } = await subscribed();
    expect((await client.ask("openOrders.cancelAll", { apiManaged: true })).status).toBe(200);
    await settle(world, client);
    expect(client.events).toEqual([]);
  });
});

describe("convention 4.9: ORDER_TRADE_UPDATE, letter for letter", () => {
  it("of a fill", async () => {
    const { world, client } = await subscribed();
    const placed = await place(world, { newClientOrderId: "a" });
    world.venue.onSubmit = ({ childId }) =>
      reported(childId, "closed", [
        { ...fillOf({ quantity: "0.001", price: "6900.5", id: "9007199254740993" }), timeMs: START_MS - 5 },
        { ...fillOf({ quantity: "0.003", price: "6901", id: "pv-2" }), timeMs: START_MS - 4 },
      ]);
    await world.clock.advanceBy(7);
    quote(world, "6900", "7000");
    await settle(world, client);
    expect(client.events[1]).toEqual({
      e: "ORDER_TRADE_UPDATE",
      E: START_MS + 7,
      T: START_MS + 7,
      sequence: 2,
      o: {
        ...{
          s: "BTC/USD",
          c: "a",
          S: "BUY",
          o: "SYNTHETIC_LIMIT",
          f: "GTC",
          q: "0.01",
          p: "7000",
          ap: "6900.5",
          sp: "0",
        },
        ...{ x: "TRADE", X: "PARTIALLY_FILLED", i: placed.body.orderId, l: "0.001", z: "0.001", L: "6900.5" },
        ...{
          T: START_MS - 5,
          t: 9007199254740993n,
          b: "0",
          a: "0",
          m: false,
          R: false,
          wt: "CONTRACT_PRICE",
        },
        ...{
          ot: "SYNTHETIC_LIMIT",
          cp: false,
          pP: false,
          si: 0,
          ss: 0,
          rp: "0",
          V: "NONE",
          pm: "NONE",
          gtd: 0,
          er: "0",
        },
        ...{
          g: -1,
          accountId: 1,
          apiState: "WAITING",
          held: false,
          cancelPending: false,
          executionId: "9007199254740993",
        },
      },
    });
    expect(client.events[2]?.o).toMatchObject({
      ap: "6900.875",
      t: tradeIdOf("pv-2"),
      executionId: "pv-2",
      z: "0.004",
      L: "6901",
    });
    expect(client.events[2]?.o).not.toHaveProperty("ps");
  });

  it("convention 4.9: trailing orders contain gate and rate, expiries their time, legs their list", async () => {
    const { world, client } = await subscribed();
    const trailing = {
      ...FAR_LIMIT,
      price: undefined,
      type: "TRAILING_STOP_MARKET",
      side: "SELL",
      stopPrice: "9000",
    };
    await place(world, { ...trailing, trailingDelta: 250, timeInForce: "GTD", expireTime: START_MS + 9_000 });
    await place(world, { ...trailing, price2: "1.25" });
    await place(world, { ...trailing, trailingAmount: "50" });
    const list = await placeList(world, "oco", { ...SELL_PAIR, belowTrailingDelta: 100 });
    await settle(world, client);
    const letters = client.events.map(({ o = {} }) => o as JsonObject);
    expect(letters[0]).toMatchObject({ AP: "9000", cr: "2.5", gtd: START_MS + 9_000, f: "GTD", sp: "9000" });
    expect(letters[1]).toMatchObject({ AP: "9000", cr: "1.25" });
    expect(letters[2]).toMatchObject({ AP: "9000" });
    expect(letters[2]).not.toHaveProperty("cr");
    expect(letters[3]).toMatchObject({ g: list.body.orderListId, cr: "1" });
    expect(letters[3]).not.toHaveProperty("AP");
    expect(letters[4]).toMatchObject({ g: list.body.orderListId, o: "SYNTHETIC_LIMIT" });
    expect(letters[4]).not.toHaveProperty("cr");
  });

  it("convention 4.8: listStatus", async () => {
    const { world, client } = await subscribed();
    const { body } = await placeList(world, "oco", { ...SELL_PAIR, listClientOrderId: "l" });
    await settle(world, client);
    expect(client.events[2]).toEqual({
      ...{
        e: "listStatus",
        E: START_MS,
        s: "BTC/USD",
        g: body.orderListId,
        c: "OCO",
        l: "EXEC_STARTED",
        L: "EXECUTING",
      },
      ...{ r: "NONE", C: "l", T: START_MS, sequence: 3, accountId: 1 },
      O: (body.orders as readonly JsonObject[]).map(({ orderId, clientOrderId }) => {
        return { s: "BTC/USD", i: orderId, c: clientOrderId };
      }),
    });
  });

  it("the event has the same values as a query right after it", async () => {
    const { world, client } = await subscribed();
    fillsIn(world, ["0.004"]);
    await place(world, { newClientOrderId: "a" });
    quote(world, "6900", "7000");
    await settle(world, client);
    const { result } = await client.ask("order.status", { symbol: "BTC/USD", origClientOrderId: "a" });
    const { i, X, z, q, apiState, held, cancelPending } = (client.events.at(-1)?.o ?? {}) as JsonObject;
    expect(result).toMatchObject({
      orderId: i,
      status: X,
      executedQty: z,
      origQty: q,
      apiState,
      held,
      cancelPending,
    });
  });
});

describe("complaint 35: the sequence", () => {
  it("rises by one within an account, whatever the event and the listeners", async () => {
    const { world, client } = await subscribed();
    fillsIn(world, ["0.001", "0.002"]);
    await place(world);
    await place(world, {}, { key: KEYS.stranger });
    await placeList(world, "otoco");
    quote(world, "6400", "6450");
    await settle(world, client);
    const sequences = client.events.map(({ sequence }) => sequence);
    expect(sequences.length).toBeGreaterThan(6);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    const stranger = new TestClient(world);
    expect((await stranger.ask(SUBSCRIBE, {}, { key: KEYS.stranger })).result).toMatchObject({
      accountId: 2,
    });
  });

  it("a reconnect shows how many events were missed: the reply contains the last number before it", async () => {
    const { world, client } = await subscribed();
    await place(world);
    await settle(world, client);
    client.session.closed();
    await place(world);
    await place(world);
    const again = new TestClient(world);
    const { result } = await again.ask(SUBSCRIBE);
    expect(result).toMatchObject({
      sequence: 3,
      streamId: (client.replies[0]?.result as JsonObject | undefined)?.streamId,
    });
    await place(world);
    await settle(world, again);
    expect([client.events.at(-1)?.sequence, again.events[0]?.sequence]).toEqual([1, 4]);
  });

  it("two subscribers get one text, with the same number", async () => {
    const { world, client } = await subscribed();
    const other = new TestClient(world);
    await other.ask(SUBSCRIBE, { account: 4 });
    await other.ask(SUBSCRIBE, {}, { key: KEYS.reader });
    await place(world);
    await settle(world, client);
    await settle(world, other);
    const eventIn = (one: TestClient): string =>
      one.texts
        .find((text) => text.includes("ORDER_TRADE_UPDATE"))
        ?.replace(/^\{"subscriptionId":[0-9]+,/, "") ?? "";
    expect(eventIn(other)).toBe(eventIn(client));
  });
});

describe("loss of access to an account", () => {
  const accountOf = (accountId: number, keys: Parameters<ServiceWorld["accounts"]["put"]>[0]["keys"]) => ({
    account: { accountId, userId: accountId, enableDataSharing: true, delegates: [], restricted: false },
    keys,
  });

  it("an ended key is told that its stream ended, in place of the next event", async () => {
    const { world, client } = await subscribed();
    world.accounts.put(
      accountOf(1, [{ ...KEYS.trader, userId: 1, accountId: 1, permissions: ["TRADE"], ipAllowlist: [] }]),
    );
    await place(world, {}, { key: KEYS.trader });
    await place(world, {}, { key: KEYS.trader });
    await world.engine.idle();
    expect(linesOf(client)).toEqual(["eventStreamTerminated"]);
    expect((await client.ask("session.subscriptions", {}, { key: null })).result).toEqual([]);
    expect(client.closed).toBeUndefined();
  });

  it.each([
    ["has another secret", { ...key, secret: "another" }],
    ["has lost READ", { ...key, permissions: ["TRADE" as const] }],
    ["may no longer come from this address", { ...key, ipAllowlist: ["10.0.0.0/8"] }],
  ])("a key that %s is ended like a deleted one", async (_what, change) => {
    const { world, client } = await subscribed();
    const entry = {
      userId: 1,
      accountId: 1,
      permissions: ["READ" as const, "TRADE" as const],
      ipAllowlist: [],
    };
    const trader = { ...KEYS.trader, ...entry };
    world.accounts.put(accountOf(1, [{ ...entry, ...change }, trader]));
    await place(world, {}, { key: KEYS.trader });
    await world.engine.idle();
    expect(linesOf(client)).toEqual(["eventStreamTerminated"]);
  });

  it("a withdrawn delegation ends its stream, the owner's continues", async () => {
    const { world, client } = await openSocketWorld();
    await client.ask(SUBSCRIBE, { account: 3 });
    await client.ask(SUBSCRIBE);
    const entry = {
      userId: 3,
      accountId: 3,
      permissions: ["READ" as const, "TRADE" as const],
      ipAllowlist: [],
    };
    world.accounts.put(accountOf(3, [{ ...KEYS.silent, ...entry }]));
    await place(world, { newClientOrderId: "theirs" }, { key: KEYS.silent });
    await place(world, { newClientOrderId: "mine" });
    await world.engine.idle();
    expect([...linesOf(client)].sort()).toEqual(["eventStreamTerminated", "mine NEW NEW"]);
  });

  it("accounts that cannot be read show nothing", async () => {
    const { world, client } = await subscribed();
    await place(world, { newClientOrderId: "a" });
    await settle(world, client);
    const { key: find } = world.accounts;
    let fails = false;
    Object.assign(world.accounts, {
      key: (apiKey: string) => {
        if (fails) throw new Error("no connection");
        return find(apiKey);
      },
    });
    const [, accountId] = [fails, 1];
    fails = true;
    await world.engine.cancelAll(accountId);
    await world.engine.idle();
    expect(linesOf(client)).toEqual(["a NEW NEW", "eventStreamTerminated"]);
  });

  it("events during that question wait and keep their order; nothing overtakes the reply", async () => {
    const world = await openWorld();
    const { key: find } = world.accounts;
    const answers = createGate();
    Object.assign(world.accounts, {
      key: async (apiKey: string) => {
        await answers.pass();
        return find(apiKey);
      },
    });
    const client = new TestClient(world);
    await client.ask(SUBSCRIBE);
    answers.shut();
    const orders = ["a", "b", "c"].map((newClientOrderId) => {
      const fields = {
        symbol: "BTC/USD",
        side: "BUY",
        type: "SYNTHETIC_LIMIT",
        quantity: "0.01",
        price: "7000",
      } as const;
      return world.engine.place({ accountId: 1, order: { ...fields, newClientOrderId } });
    });
    await Promise.all(orders);
    expect([client.events, answers.held]).toEqual([[], 1]);
    answers.open();
    await world.engine.idle();
    expect(linesOf(client)).toEqual(["a NEW NEW", "b NEW NEW", "c NEW NEW"]);
  });

  it("an event is sent by an answer that was asked for after it: the key may have ended since an earlier one", async () => {
    const world = await openWorld();
    const { key: find } = world.accounts;
    const answers: (() => void)[] = [];
    let slow = false;
    Object.assign(world.accounts, {
      key: async (apiKey: string) => {
        const found = await find(apiKey);
        if (slow) await new Promise<void>((resolve) => answers.push(resolve));
        return found;
      },
    });
    const client = new TestClient(world);
    await client.ask(SUBSCRIBE);
    slow = true;
    const market = { symbol: "BTC/USD", side: "BUY" } as const;
    const order = { ...market, type: "SYNTHETIC_LIMIT", quantity: "0.01", price: "7000" } as const;
    await world.engine.place({ accountId: 1, order: { ...order, newClientOrderId: "before" } });
    await world.engine.idle();
    expect(answers).toHaveLength(1);
    world.accounts.put(accountOf(1, []));
    await world.engine.place({ accountId: 1, order: { ...order, newClientOrderId: "after" } });
    slow = false;
    answers[0]?.();
    await world.engine.idle();
    expect(linesOf(client)).toEqual(["before NEW NEW", "eventStreamTerminated"]);
  });

  it("I64: the number of events that wait for an answer is limited", async () => {
    const world = await openWorld({ service: { sockets: { settings: { maxWaitingEventBytes: 3_000 } } } });
    const { key: find } = world.accounts;
    let silent = false;
    Object.assign(world.accounts, {
      key: (apiKey: string) => (silent ? new Promise(() => undefined) : find(apiKey)),
    });
    const client = new TestClient(world);
    await client.ask(SUBSCRIBE);
    silent = true;
    for (let count = 0; count < 20 && client.closed === undefined; count++) {
      const fields = {
        symbol: "BTC/USD",
        side: "BUY",
        type: "SYNTHETIC_LIMIT",
        quantity: "0.01",
        price: "7000",
      } as const;
      await world.engine.place({ accountId: 1, order: fields });
    }
    expect(client.closed).toEqual({ code: 1008, reason: "events could not be authorised in time" });
    expect(client.events).toEqual([]);
  });
});

describe("the older push subscription with a session token", () => {
  const tokens = new Map([["tok", 1]]);
  const sockets = { requestToken: (token: string) => tokens.get(token) };

  it("contract, WebSocket 1: the host's hook names the account of the events", async () => {
    tokens.set("tok", 1);
    const { world, client } = await openSocketWorld({ service: { sockets } });
    const reply = await client.ask("SUBSCRIBE", { requestToken: "tok" }, { key: null });
    expect(reply.result).toMatchObject({ subscriptionId: 0, accountId: 1, sequence: 0 });
    await place(world, { newClientOrderId: "a" });
    await settle(world, client);
    tokens.delete("tok");
    await place(world, { newClientOrderId: "b" });
    await settle(world, client);
    expect(linesOf(client)).toEqual(["a NEW NEW", "eventStreamTerminated"]);
  });

  it("an unknown token is 401 -2015, a missing one -1102, and without a hook the method does not exist", async () => {
    const { client } = await openSocketWorld({ service: { sockets } });
    const ask = (params: Record<string, string>): Promise<Message> =>
      client.ask("SUBSCRIBE", params, { key: null });
    expect(refusalOf(await ask({ requestToken: "other" }))).toEqual([401, -2015]);
    expect(refusalOf(await ask({}))).toEqual([400, -1102]);
    const { client: without } = await openSocketWorld();
    expect(refusalOf(await without.ask("SUBSCRIBE", { requestToken: "tok" }, { key: null }))).toEqual([
      400, -1020,
    ]);
  });

  it("contract, WebSocket 1: a token is not an API key and signs nothing; an API key is not a token", async () => {
    tokens.set("tok", 1);
    const { world, client } = await openSocketWorld({ service: { sockets } });
    expect(refusalOf(await client.ask("SUBSCRIBE", { requestToken: key.apiKey }, { key: null }))).toEqual([
      401, -2015,
    ]);
    expect((await client.ask("SUBSCRIBE", { requestToken: "tok" }, { key: null })).status).toBe(200);
    const timestamp = world.clock.nowMs();
    for (const [method, fields] of [
      ["openOrders.status", { apiManaged: true }],
      ["order.place", FAR_LIMIT],
      [SUBSCRIBE, {}],
    ] as const) {
      const withToken = { ...fields, timestamp, requestToken: "tok" };
      expect(refusalOf(await client.ask(method, withToken, { key: null }))).toEqual([401, -2014]);
      const asKey = { ...fields, timestamp, apiKey: "tok", signature: "0".repeat(64) };
      expect(refusalOf(await client.ask(method, asKey, { key: null }))).toEqual([401, -2015]);
    }
    expect(world.engine.metrics().records).toBe(0);
  });

  it("a hook that fails is -1001", async () => {
    const requestToken = (): never => {
      throw new Error("no connection");
    };
    const { client } = await openSocketWorld({ service: { sockets: { requestToken } } });
    expect(refusalOf(await client.ask("SUBSCRIBE", { requestToken: "tok" }, { key: null }))).toEqual([
      503, -1001,
    ]);
  });
});

describe("accounts of the host", () => {
  /** Accounts that report a balance after each fill, and further events on request of a test. */
  function scriptedAccounts(
    afterFill: AccountEvents["afterFill"],
  ): AccountEvents & { say: (event: AccountEvent) => void } {
    const listeners: ((event: AccountEvent) => void)[] = [];
    return {
      afterFill,
      subscribe: (listener) => {
        listeners.push(listener);
        return () => undefined;
      },
      say: (event) => {
        for (const listener of listeners) listener(event);
      },
    };
  }

  it("convention 4.10, 4.11: ACCOUNT_UPDATE m=ORDER follows each TRADE, numbered with it", async () => {
    const requested: unknown[] = [];
    const accountEvents = scriptedAccounts(({ fill, ...of }) => {
      requested.push([of, fill.executionId]);
      return {
        reason: "ORDER",
        timeMs: START_MS - 1,
        balances: [{ asset: "BTC", wallet: "1.5", change: "0.001" }],
        positions: [{ symbol: "BTC/USD", amount: "1.5", entryPrice: "6000" }],
      };
    });
    const { world, client } = await subscribed({ service: { sockets: { accountEvents } } });
    world.venue.onSubmit = ({ childId }) =>
      reported(childId, "closed", [fillOf({ quantity: "0.01", price: "6000", id: "x-1" })]);
    await place(world, { newClientOrderId: "a" });
    quote(world, "6900", "7000");
    await settle(world, client);
    expect(linesOf(client)).toEqual(["a NEW NEW", "a TRADE FILLED 0.01 of 0.01", "ACCOUNT_UPDATE ORDER"]);
    expect(client.events[2]).toEqual({
      ...{ e: "ACCOUNT_UPDATE", E: START_MS, T: START_MS - 1, sequence: 3, accountId: 1 },
      a: {
        m: "ORDER",
        B: [{ a: "BTC", wb: "1.5", cw: "1.5", bc: "0.001" }],
        P: [
          {
            s: "BTC/USD",
            pa: "1.5",
            ep: "6000",
            bep: "0",
            cr: "0",
            up: "0",
            mt: "cross",
            iw: "0",
            ps: "BOTH",
          },
        ],
      },
    });
    expect(requested).toEqual([[{ accountId: 1, symbol: "BTC/USD", side: "BUY" }, "x-1"]]);
  });

  it("deposits and margin calls come from the host, in one sequence with the orders", async () => {
    const accountEvents = scriptedAccounts(() => undefined);
    const { world, client } = await subscribed({ service: { sockets: { accountEvents } } });
    const balances = [{ asset: "USD", wallet: "10", cross: "4", change: "10" }];
    accountEvents.say({
      accountId: 1,
      update: { reason: "DEPOSIT", timeMs: START_MS, balances, positions: [] },
    });
    await place(world, { newClientOrderId: "a" });
    const position = {
      ...({ symbol: "BTC/USD", side: "LONG", amount: "1", marginType: "CROSSED" } as const),
      ...{ markPrice: "5", unrealizedProfit: "-2", maintenanceMargin: "1" },
    };
    accountEvents.say({ accountId: 1, call: { crossWallet: "3", positions: [position] } });
    accountEvents.say({ accountId: 2, call: { positions: [] } });
    await settle(world, client);
    expect(client.events.map(({ e, sequence }) => [e, sequence])).toEqual([
      ["ACCOUNT_UPDATE", 1],
      ["ORDER_TRADE_UPDATE", 2],
      ["MARGIN_CALL", 3],
    ]);
    expect(client.events[0]).toMatchObject({
      a: { m: "DEPOSIT", B: [{ a: "USD", wb: "10", cw: "4", bc: "10" }] },
    });
    expect(client.events[2]).toEqual({
      ...{ e: "MARGIN_CALL", E: START_MS, sequence: 3, accountId: 1, cw: "3" },
      p: [{ s: "BTC/USD", ps: "LONG", pa: "1", mt: "CROSSED", iw: "0", mp: "5", up: "-2", mm: "1" }],
    });
  });

  it("a host that fails loses no other event", async () => {
    const accountEvents = scriptedAccounts(() => {
      throw new Error("the secret of the host");
    });
    const { world, client } = await subscribed({ service: { sockets: { accountEvents } } });
    fillsIn(world, ["0.004", "0.006"]);
    await place(world, { newClientOrderId: "a" });
    quote(world, "6900", "7000");
    await settle(world, client);
    expect(linesOf(client).slice(1)).toEqual([
      "a TRADE PARTIALLY_FILLED 0.004 of 0.004",
      "a TRADE FILLED 0.006 of 0.01",
    ]);
    expect(world.reported.filter((received) => received.includes("accountEvents.afterFill"))).toHaveLength(2);
    expect(world.reported.join()).not.toContain("secret");
  });
});
