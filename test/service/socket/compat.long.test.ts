import { describe, expect, it } from "vitest";
import { createMemoryAccounts } from "../../../src/adapters/memory/index.ts";
import { COMPAT_METHODS, COMPAT_ROUTES } from "../../../src/requests/index.ts";
import type { RequestParameters } from "../../../src/signing/index.ts";
import { type JsonObject, writeJson } from "../../../src/wire/index.ts";
import { fillOf } from "../../support/scripted-venue.ts";
import { call, requestOf, withdraw } from "../../support/service-world.ts";
import { refusalOf, TestClient } from "../../support/socket-world.ts";
import { type CompatWorld, KEY, openCompatWorld } from "../rest/compat/world.ts";

const PATH = "/compat/ws-api/v3";
const SUBSCRIBE = "userDataStream.subscribe.signature";
const SYMBOL = "BTCUSD";
const READER = { apiKey: "reader", secret: "reader-secret" };

const STOP = { symbol: SYMBOL, side: "SELL", type: "STOP_LOSS", quantity: "0.001", stopPrice: "50000" };
const RESTING = { symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "GTC" };

/** A connection as a client of the convention makes it, to a service as the sandbox has it. */
class Bot extends TestClient {
  override ask: TestClient["ask"] = (method, params = {}, options = {}) =>
    super.ask(method, params, { key: KEY, ...options });
}

async function openBot(...options: Parameters<typeof openCompatWorld>): Promise<Opened> {
  const world = await openCompatWorld(...options);
  return { world, bot: new Bot(world, { target: PATH }) };
}

type Opened = Readonly<{ world: CompatWorld; bot: Bot }>;

const PLENTY = { weightPerMinute: 1_000_000, ordersPer10s: 1_000 };

const weightIn = ({ rateLimits }: JsonObject): number =>
  (rateLimits as readonly { rateLimitType: string; count: number }[]).find(
    ({ rateLimitType }) => rateLimitType === "REQUEST_WEIGHT",
  )?.count ?? 0;

describe("the WebSocket of the compat prefix", () => {
  it("has a method for every route of the prefix, each name once", () => {
    const routes = COMPAT_METHODS.flatMap((method) => ("route" in method ? [method.route] : []));
    expect(routes).toEqual(COMPAT_ROUTES);
    const names = COMPAT_METHODS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toContain("SUBSCRIBE");
  });

  it("what the own path has refused is not placed or canceled by a copy that is sent to this one", async () => {
    const { world, bot } = await openBot();
    const own = new TestClient(world);
    const order = { ...RESTING, price: "50000", quantity: "0.001" };
    expect((await bot.ask("order.place", order)).status).toBe(200);
    const copied = async (method: string, params: RequestParameters): Promise<unknown> => {
      const message = { method, params: own.params(params, KEY) as JsonObject };
      const refused = await own.sendsRaw(writeJson({ id: "first", ...message }));
      return [refused, await bot.sendsRaw(writeJson({ id: "copy", ...message }))].map(refusalOf);
    };
    // All orders of the account in one case, those of the market in the other.
    expect(await copied("openOrders.cancelAll", { symbol: "BTC/USD" })).toEqual([
      [400, expect.any(Number)],
      [400, -1022],
    ]);
    const trailing = { symbol: "BTC/USD", side: "SELL", type: "STOP_LOSS", quantity: "0.001" };
    expect(await copied("order.place", { ...trailing, trailingDelta: 100 })).toEqual([
      [400, expect.any(Number)],
      [400, -1022],
    ]);
    const query = { ...trailing, trailingDelta: 100, timestamp: world.clock.nowMs() - 1 };
    const [refused, copy] = [
      await call(world, "POST", "/api/order", { key: KEY, query }),
      await call(world, "POST", "/compat/api/v3/order", { key: KEY, query }),
    ];
    expect([refused.status, copy.body.code]).toEqual([400, -1022]);
    expect((await bot.ask("openOrders.status", { symbol: SYMBOL })).result).toHaveLength(1);
  });

  it("is off where the host turns the prefix off", async () => {
    const world = await openCompatWorld({
      service: { settings: { compatRoutes: false } },
    });
    const admit = (path: string) => world.service.sockets.admit(requestOf("GET", path));
    expect((await admit(PATH))?.status).toBe(404);
    expect(await admit("/ws-api/v3")).toBeUndefined();
  });

  it.each(COMPAT_METHODS.map((method) => [method.name, method] as const))(
    "%s answers as its route does, with its weight and its errors",
    async (name, method) => {
      if (!("route" in method)) return;
      const [{ bot, world }, rest] = [
        await openBot({ limits: PLENTY }),
        await openCompatWorld({ limits: PLENTY }),
      ];
      const { route, access } = method;
      for (const fields of [{ symbol: SYMBOL }, { symbol: "NOPE" }, {}] as RequestParameters[]) {
        const timestamp = rest.clock.nowMs();
        const signed = access === "PUBLIC" ? {} : { key: KEY };
        const own = access === "PUBLIC" ? fields : { ...fields, timestamp, recvWindow: 5_000 };
        const answer = await call(rest, route.method, route.path, { ...signed, query: own });
        const before = weightIn(await bot.ask("session.subscriptions"));
        const reply = await bot.ask(name, { ...fields, recvWindow: 5_000 });
        expect(world.clock.nowMs()).toBe(timestamp);
        const due = typeof route.weight === "number" ? route.weight : route.weight(sentOf(fields));
        expect(weightIn(reply) - before).toBe(due);
        expect(reply.status).toBe(answer.status);
        const { error } = reply;
        if (error === undefined) expect(reply.result).toEqual(answer.body);
        else expect(error).toMatchObject({ code: answer.body.code, msg: answer.body.msg });
      }
    },
  );

  const sentOf = (fields: RequestParameters) =>
    new Map(
      Object.entries(fields).map(([name, value]) => [name, { text: String(value), kind: "text" as const }]),
    );

  it.each(
    COMPAT_METHODS.filter(({ access }) => access !== "PUBLIC").map(({ name, access }) => [name, access]),
  )("%s needs its signature and the permission %s", async (name, access) => {
    const { bot } = await openBot();
    expect(refusalOf(await bot.ask(name, {}, { key: null }))).toEqual([401, -2014]);
    const wrong = await bot.ask(name, {}, { key: { ...KEY, secret: "another" } });
    expect(refusalOf(wrong)).toEqual([400, -1022]);
    const [status, code] = refusalOf(await bot.ask(name, {}, { key: READER }));
    if (access === "TRADE") expect([status, code]).toEqual([401, -2015]);
    else expect(code).not.toBe(-2015);
  });

  it("takes numbers as clients of the convention send them, and keeps their text", async () => {
    const { bot } = await openBot();
    const order = { ...STOP, quantity: undefined, stopPrice: undefined, newClientOrderId: "numbers" };
    const signed = bot.params({ ...order, quantity: "0.001", stopPrice: "50000" }, KEY);
    const text = writeJson({ id: 1, method: "order.place", params: signed as JsonObject })
      .replace('"0.001"', "0.001")
      .replace('"50000"', "50000");
    expect(await bot.sendsRaw(text)).toMatchObject({
      status: 200,
      result: { symbol: SYMBOL, type: "STOP_LOSS", origQty: "0.001", stopPrice: "50000" },
    });
    const exponent = text.replace("0.001", "1e-3");
    expect(refusalOf(await bot.sendsRaw(exponent))).toEqual([400, -1100]);
  });

  it("the service's own path still demands decimals as strings", async () => {
    const world = await openCompatWorld();
    const client = new TestClient(world, { target: "/ws-api/v3" });
    const signed = client.params({ ...STOP, symbol: "BTC/USD", quantity: "0.001" }, KEY);
    const text = writeJson({ id: 1, method: "order.place", params: signed as JsonObject });
    expect(refusalOf(await client.sendsRaw(text.replace('"0.001"', "0.001")))).toEqual([400, -1100]);
  });

  it("answers business errors with their status, whatever the host has set", async () => {
    const { bot } = await openBot({
      service: { settings: { businessErrorsAs200: true } },
    });
    expect(refusalOf(await bot.ask("order.status", { symbol: SYMBOL, orderId: -1 }))).toEqual([400, -2013]);
  });

  it("a method whose route the allow list excludes is unknown", async () => {
    const { bot } = await openBot({
      service: { settings: { getAllowlist: ["time"] } },
    });
    expect((await bot.ask("time")).status).toBe(200);
    expect(refusalOf(await bot.ask("account.status"))).toEqual([400, -1020]);
  });
});

/** Everything that is due is processed, and its events are delivered. */
async function settled({ world, bot }: Opened): Promise<readonly JsonObject[]> {
  await world.paper.idle();
  await world.engine.idle();
  await bot.ask("session.subscriptions", {}, { key: null });
  await world.engine.idle();
  return bot.events;
}

describe("executionReport", () => {
  it("a managed order: accepted, canceled", async () => {
    const opened = await openBot();
    const { world, bot } = opened;
    expect((await bot.ask(SUBSCRIBE)).result).toMatchObject({ subscriptionId: 0, sequence: 0 });
    const { result } = await bot.ask("order.place", { ...STOP, newClientOrderId: "a" });
    await bot.ask("order.cancel", { symbol: SYMBOL, origClientOrderId: "a", newClientOrderId: "c-1" });
    const now = world.clock.nowMs();
    const both = {
      ...{ e: "executionReport", E: now, s: SYMBOL, c: "a", S: "SELL", o: "STOP_LOSS", f: "GTC" },
      ...{ q: "0.001", p: "0", P: "50000", F: "0", g: -1, r: "NONE", i: (result as JsonObject).orderId },
      ...{ l: "0", z: "0", L: "0", n: "0", N: null, T: now, t: -1, w: false, m: false, M: false, O: now },
      ...{ Z: "0", Y: "0", Q: "0", V: "NONE", I: expect.any(Number), accountId: 1, held: false },
    };
    const events = await settled(opened);
    expect(events).toEqual([
      { ...both, x: "NEW", X: "NEW", C: "", sequence: 1, apiState: "WAITING", cancelPending: false },
      {
        ...{ ...both, x: "CANCELED", X: "CANCELED", C: "a", sequence: 2, apiState: "CANCELED" },
        ...{ cancelPending: false, reason: "USER_CANCELED" },
      },
    ]);
    expect(events[0]?.I).not.toBe(events[1]?.I);
  });

  it("a fill of a child: the sums are those of the order, the trade id that of myTrades", async () => {
    const opened = await openBot();
    const { world, bot } = opened;
    await bot.ask(SUBSCRIBE);
    const maker = {
      ...RESTING,
      type: "LIMIT_MAKER",
      timeInForce: undefined,
      quantity: "0.003",
      price: "59000",
    };
    await bot.ask("order.place", { ...maker, newClientOrderId: "m" });
    world.venue.onSubmit = ({ childId }) => ({
      ...{ childId, state: "closed" as const },
      fills: [fill("77", "0.001", "58990"), fill("78", "0.002", "58980")],
    });
    world.engine.market.quote({ symbol: "BTC/USD", bid: "58980", ask: "58990" });
    const events = await settled(opened);
    expect(events.map(({ x, X, l, L, z, Z, Y, t, w, C }) => [x, X, l, L, z, Z, Y, t, w, C])).toEqual([
      ["NEW", "NEW", "0", "0", "0", "0", "0", -1, true, ""],
      ["TRADE", "PARTIALLY_FILLED", "0.001", "58990", "0.001", "58.99", "58.99", 77, true, ""],
      ["TRADE", "FILLED", "0.002", "58980", "0.003", "176.95", "117.96", 78, false, ""],
    ]);
    for (const trade of events.slice(1)) {
      expect(trade).not.toHaveProperty("n");
      expect(trade.I).toBe(trade.t);
    }
    const order = (await bot.ask("order.status", { symbol: SYMBOL, origClientOrderId: "m" })).result;
    expect(order).toMatchObject({ cummulativeQuoteQty: "176.95", status: "FILLED" });
  });

  it("a native order: the trade id is that of myTrades, and what the host does not say is left out", async () => {
    const opened = await openBot();
    const { bot } = opened;
    await bot.ask(SUBSCRIBE);
    const market = { symbol: SYMBOL, side: "BUY", type: "MARKET", quantity: "0.001", newClientOrderId: "n" };
    await bot.ask("order.place", market);
    const events = await settled(opened);
    const trades = (await bot.ask("myTrades", { symbol: SYMBOL })).result as readonly JsonObject[];
    expect(events.map(({ x, X, c, o }) => [x, X, c, o])).toEqual([
      ["NEW", "NEW", "n", "MARKET"],
      ["TRADE", "FILLED", "n", "MARKET"],
    ]);
    expect(events[1]).toMatchObject({
      ...{ t: trades[0]?.id, i: trades[0]?.orderId, l: "0.001", L: "60001", Y: "60.001", Z: "60.001" },
    });
    for (const unknown of ["n", "N", "m", "O", "W"]) expect(events[1]).not.toHaveProperty(unknown);
  });

  it("a list: one report for each leg, held ones as PENDING_NEW, then listStatus with the client's symbol", async () => {
    const opened = await openBot();
    const { bot } = opened;
    await bot.ask(SUBSCRIBE);
    const placed = await bot.ask("orderList.place.oto", {
      ...{ symbol: SYMBOL, workingType: "LIMIT", workingSide: "BUY", workingQuantity: "0.001" },
      ...{ workingPrice: "50000", workingTimeInForce: "GTC", pendingType: "STOP_LOSS", pendingSide: "SELL" },
      ...{ pendingQuantity: "0.001", pendingStopPrice: "49000" },
    });
    expect(placed.status).toBe(200);
    const { orderListId } = placed.result as JsonObject;
    const events = await settled(opened);
    expect(events.map(({ e, s, g, o, X, w, l, L }) => [e, s, g, o ?? l, X ?? L, w])).toEqual([
      ["executionReport", SYMBOL, orderListId, "LIMIT", "NEW", true],
      ["executionReport", SYMBOL, orderListId, "STOP_LOSS", "PENDING_NEW", false],
      ["listStatus", SYMBOL, orderListId, "EXEC_STARTED", "EXECUTING", undefined],
    ]);
    expect(events[2]?.O).toMatchObject([{ s: SYMBOL }, { s: SYMBOL }]);
  });

  it("names a market as the prefix does, also after the host has withdrawn its instrument and has listed it again", async () => {
    const opened = await openBot();
    const { bot, world } = opened;
    const listed = { ...world.instruments };
    await bot.ask(SUBSCRIBE);
    const names: unknown[] = [];
    for (const newClientOrderId of ["a", "b"]) {
      await bot.ask("order.place", { ...STOP, newClientOrderId });
      withdraw(world);
      const [{ symbol }] = (await bot.ask("openOrders.status")).result as [JsonObject];
      await bot.ask("order.cancel", { symbol: symbol as string, origClientOrderId: newClientOrderId });
      names.push(symbol);
      Object.assign(world.instruments, listed);
    }
    expect(names).toEqual(["BTC/USD", "BTC/USD"]);
    const events = await settled(opened);
    expect(events.map(({ x, s }) => [x, s])).toEqual([
      ["NEW", SYMBOL],
      ["CANCELED", "BTC/USD"],
      ["NEW", SYMBOL],
      ["CANCELED", "BTC/USD"],
    ]);
  });

  it("an event is told while the catalogue of the host fails, under the last name of its market", async () => {
    const opened = await openBot();
    const { bot, world } = opened;
    await bot.ask(SUBSCRIBE);
    await bot.ask("order.place", { ...STOP, newClientOrderId: "a" });
    const failing = () => {
      throw new Error("the host fails");
    };
    Object.assign(world.instruments, { find: failing, resolve: failing });
    await world.engine.cancelAll(1);
    expect((await settled(opened)).map(({ x, s }) => [x, s])).toEqual([
      ["NEW", SYMBOL],
      ["CANCELED", SYMBOL],
    ]);
  });

  it("the service's own stream keeps its form, and the two are numbered apart", async () => {
    const opened = await openBot();
    const { world, bot } = opened;
    const own = new Bot(world, { target: "/ws-api/v3" });
    await bot.ask(SUBSCRIBE);
    await own.ask(SUBSCRIBE);
    await bot.ask("order.place", { ...STOP, newClientOrderId: "a" });
    await settled(opened);
    expect(bot.events.map(({ e, sequence }) => [e, sequence])).toEqual([["executionReport", 1]]);
    expect(own.events.map(({ e, sequence }) => [e, sequence])).toEqual([["ORDER_TRADE_UPDATE", 1]]);
    expect(own.events[0]).toMatchObject({ o: { s: "BTC/USD" } });
  });

  it("a key that loses READ gets no further report", async () => {
    const account = { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false };
    const keyWith = (...permissions: ("READ" | "TRADE")[]) => ({
      account,
      keys: [{ ...KEY, userId: 1, accountId: 1, permissions, ipAllowlist: [] }],
    });
    const accounts = createMemoryAccounts([keyWith("READ", "TRADE")]);
    const opened = await openBot({ service: { accounts } });
    const { bot } = opened;
    await bot.ask(SUBSCRIBE);
    accounts.put(keyWith("TRADE"));
    await bot.ask("order.place", STOP);
    expect((await settled(opened)).map(({ e }) => e)).toEqual(["eventStreamTerminated"]);
  });
});

const fill = (executionId: string, quantity: string, price: string) =>
  fillOf({ id: executionId, quantity, price });
