import { describe, expect, it } from "vitest";
import { price, quantity } from "../../../../src/decimal/index.ts";
import { OrderError } from "../../../../src/errors/index.ts";
import { type NativeExecution, type NativeOrder, ORDER_TYPES } from "../../../../src/model/index.ts";
import type { NativeOrders, NativePage } from "../../../../src/ports/index.ts";
import { COMPAT_ROUTES } from "../../../../src/requests/index.ts";
import { type RequestParameters, signQuery } from "../../../../src/signing/index.ts";
import { type JsonObject, readJson } from "../../../../src/wire/index.ts";
import { reportedOrder } from "../../../support/native-world.ts";
import { type Credentials, call, requestOf } from "../../../support/service-world.ts";
import { ask, type CompatWorld, KEY, openCompatWorld, type Requested } from "./world.ts";

const PREFIX = "/compat/api/v3";
const SYMBOL = "BTCUSD";
const READER: Credentials = { apiKey: "reader", secret: "reader-secret" };

const STOP = { symbol: SYMBOL, side: "SELL", type: "STOP_LOSS", quantity: "0.001", stopPrice: "50000" };
const RESTING = {
  symbol: SYMBOL,
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "0.001",
  price: "50000",
};

describe("the compat prefix", () => {
  it("is off where the host turns it off, and the service's own routes stay", async () => {
    const world = await openCompatWorld({ service: { settings: { compatRoutes: false } } });
    for (const { method, path } of COMPAT_ROUTES) {
      const { status, body } = await call(world, method, path, { key: KEY });
      expect([status, body.code], `${method} ${path}`).toEqual([404, -1099]);
    }
    expect((await call(world, "GET", "/api/ping")).status).toBe(200);
  });

  it("is bound by the allow lists of the host", async () => {
    const settings = { getAllowlist: ["order"], postAllowlist: ["order"] };
    const world = await openCompatWorld({ service: { settings } });
    expect((await ask(world, "GET account")).status).toBe(404);
    expect((await ask(world, "POST order/test", STOP)).status).toBe(404);
    expect((await ask(world, "POST order", STOP)).status).toBe(200);
  });

  it.each(
    COMPAT_ROUTES.filter(({ access }) => access !== "PUBLIC").map(
      (route) => [`${route.method} ${route.path}`, route] as const,
    ),
  )(
    "%s needs a key, its signature, a fresh timestamp and the permission of its route",
    async (_title, { method, path, access }) => {
      const world = await openCompatWorld();
      const route = `${method} ${path.slice(PREFIX.length + 1)}`;
      const codeOf = async (...options: Parameters<typeof requestOf>): Promise<unknown> =>
        (await call(world, ...options)).body.code;
      expect(await codeOf(method, path)).toBe(-2014);
      const timestamp = world.clock.nowMs();
      expect(await codeOf(method, path, { key: { ...KEY, secret: "another" }, query: { timestamp } })).toBe(
        -1022,
      );
      expect(await codeOf(method, path, { key: KEY, query: { symbol: SYMBOL } })).toBe(-1102);
      expect(await codeOf(method, path, { key: KEY, query: { timestamp: timestamp - 5_001 } })).toBe(-1021);
      if (access === "TRADE") expect((await ask(world, route, {}, READER)).body.code).toBe(-2015);
      else expect((await ask(world, route, {}, READER)).body.code).not.toBe(-2015);
    },
  );

  it("a signed list of open orders does not cancel them when a stranger sends it as DELETE", async () => {
    const world = await openCompatWorld();
    await ask(world, "POST order", STOP);
    const parameters = { symbol: SYMBOL, timestamp: world.clock.nowMs() };
    const target = `${PREFIX}/openOrders?${signQuery({ secret: KEY.secret, parameters })}`;
    const request = { ...requestOf("GET", target), rawHeaders: ["X-MBX-APIKEY", KEY.apiKey] };
    expect((await world.service.handle(request)).status).toBe(200);
    const replayed = await world.service.handle({ ...request, method: "DELETE", remoteAddress: "10.1.2.3" });
    expect((readJson(replayed.body) as JsonObject).code).toBe(-1022);
  });

  it("answers business errors with status 400, whatever the host has set: these clients look at nothing else", async () => {
    const world = await openCompatWorld({ service: { settings: { businessErrorsAs200: true } } });
    const refused = { ...STOP, quantity: "0.0001" };
    expect((await ask(world, "POST order", refused)).status).toBe(400);
    const { status } = await call(world, "POST", "/api/order", {
      key: KEY,
      json: { ...refused, symbol: "BTC/USD" },
    });
    expect(status).toBe(200);
  });
});

describe("weights", () => {
  it.each(COMPAT_ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s adds its weight to the used weight of the address",
    async (_title, { method, path, weight }) => {
      const world = await openCompatWorld();
      const { headers } = await call(world, method, path, { query: { symbol: SYMBOL } });
      const sent = new Map([["symbol", { text: SYMBOL, kind: "text" as const }]]);
      const due = typeof weight === "number" ? weight : weight(sent);
      expect(headers["X-MBX-USED-WEIGHT"]).toBe(String(due));
    },
  );
});

describe("types", () => {
  it.each([
    [RESTING, "LIMIT", "LIMIT"],
    [STOP, "STOP_LOSS", "STOP_MARKET"],
    [{ ...STOP, type: "STOP_LOSS_LIMIT", price: "49900" }, "STOP_LOSS_LIMIT", "STOP_LOSS_LIMIT"],
    [{ ...STOP, type: "TAKE_PROFIT", stopPrice: "70000" }, "TAKE_PROFIT", "TAKE_PROFIT_MARKET"],
    [
      { ...STOP, type: "TAKE_PROFIT_LIMIT", stopPrice: "70000", price: "69900" },
      "TAKE_PROFIT_LIMIT",
      "TAKE_PROFIT_LIMIT",
    ],
    [{ ...RESTING, type: "LIMIT_MAKER" }, "LIMIT_MAKER", "LIMIT_MAKER"],
    [{ ...RESTING, icebergQty: "0.0005" }, "LIMIT", "SYNTHETIC_LIMIT"],
    [{ ...STOP, stopPrice: undefined, trailingDelta: 100 }, "STOP_LOSS", "TRAILING_STOP_MARKET"],
    [
      { ...STOP, type: "TAKE_PROFIT", stopPrice: "70000", trailingDelta: 100 },
      "TAKE_PROFIT",
      "TRAILING_STOP_MARKET",
    ],
    [
      { ...STOP, type: "STOP_LOSS_LIMIT", stopPrice: undefined, trailingDelta: 100, price: "49000" },
      "STOP_LOSS_LIMIT",
      "TRAILING_STOP_LIMIT",
    ],
  ] as const)("%j is answered as %s and managed as %s", async (order, reported, own) => {
    const world = await openCompatWorld();
    const { body } = await ask(world, "POST order", { ...order, newClientOrderId: "a" });
    expect(body.type).toBe(reported);
    expect((await ask(world, "GET order", { symbol: SYMBOL, origClientOrderId: "a" })).body.type).toBe(
      reported,
    );
    const query = { symbol: "BTC/USD", origClientOrderId: "a", timestamp: world.clock.nowMs() };
    expect((await call(world, "GET", "/api/v2/order", { key: KEY, query })).body.type).toBe(own);
  });

  it("a stop-loss that trails from a gate on is refused: the gate of a trailing stop is the opposite one", async () => {
    const world = await openCompatWorld();
    const { status, body } = await ask(world, "POST order", { ...STOP, trailingDelta: 100 });
    expect([status, body.code]).toEqual([400, -1128]);
    expect(body.error).toContain("Omit stopPrice");
  });

  it.each(["[", "BTCUSD", "[1]", "{}"])("symbols=%s is refused with the form of a list", async (symbols) => {
    const world = await openCompatWorld();
    for (const path of ["exchangeInfo", "ticker/price"]) {
      const { status, body } = await call(world, "GET", `${PREFIX}/${path}`, { query: { symbols } });
      expect([status, body.code], path).toEqual([400, -1130]);
      expect(body.error).toContain('such as ["BTCUSD","ETHUSD"]');
    }
  });

  it("exchangeInfo names each type once, in the convention's words", async () => {
    const world = await openCompatWorld();
    const { body } = await ask(world, "GET exchangeInfo");
    const [market] = body.symbols as readonly JsonObject[];
    expect(market?.orderTypes).toEqual([
      ...[
        "LIMIT",
        "MARKET",
        "STOP_LOSS",
        "STOP_LOSS_LIMIT",
        "TAKE_PROFIT",
        "TAKE_PROFIT_LIMIT",
        "LIMIT_MAKER",
      ],
    ]);
    expect(ORDER_TYPES).toHaveLength(12);
  });
});

describe("orders", () => {
  it("open orders are the managed and the native ones of the market, and cancel-all cancels them", async () => {
    const world = await openCompatWorld();
    const names = ["managed", "native"];
    await ask(world, "POST order", { ...STOP, newClientOrderId: "managed" });
    await ask(world, "POST order", { ...RESTING, newClientOrderId: "native" });
    await ask(world, "POST order", { ...STOP, symbol: "ETHUSD", quantity: "1", newClientOrderId: "other" });
    const open = await ask(world, "GET openOrders", { symbol: SYMBOL });
    expect(open.body.map(({ clientOrderId }) => clientOrderId).sort()).toEqual(names);
    expect((await ask(world, "GET openOrders")).body).toHaveLength(3);
    const canceled = await ask(world, "DELETE openOrders", { symbol: SYMBOL });
    expect(canceled.body.map(({ clientOrderId, status }) => [clientOrderId, status]).sort()).toEqual(
      names.map((name) => [name, "CANCELED"]),
    );
    expect((await ask(world, "DELETE openOrders", { symbol: SYMBOL })).body.code).toBe(-2011);
    expect((await ask(world, "GET openOrders")).body.map(({ clientOrderId }) => clientOrderId)).toEqual([
      "other",
    ]);
  });

  it("the cancel of a market reports a list once, with all its legs", async () => {
    const world = await openCompatWorld();
    await ask(world, "POST orderList/oco", {
      ...{ symbol: SYMBOL, side: "SELL", quantity: "0.001", aboveType: "LIMIT_MAKER", abovePrice: "70000" },
      ...{ belowType: "STOP_LOSS", belowStopPrice: "50000" },
    });
    const { body } = await ask(world, "DELETE openOrders", { symbol: SYMBOL });
    expect(body).toHaveLength(1);
    const reports = body[0]?.orderReports as readonly JsonObject[];
    expect(reports.map(({ symbol, type, status }) => [symbol, type, status])).toEqual([
      [SYMBOL, "STOP_LOSS", "CANCELED"],
      [SYMBOL, "LIMIT_MAKER", "CANCELED"],
    ]);
  });

  it("a cancel is answered also if the host cannot tell the executions of the order", async () => {
    let fails = false;
    const world = await openCompatWorld({}, (native) => ({
      executions: (query) => (fails ? Promise.reject(new Error("down")) : native.executions(query)),
    }));
    await ask(world, "POST order", { ...RESTING, newClientOrderId: "one" });
    await ask(world, "POST order", { ...RESTING, newClientOrderId: "two" });
    fails = true;
    const one = await ask(world, "DELETE order", { symbol: SYMBOL, origClientOrderId: "one" });
    expect([one.status, one.body.status]).toEqual([200, "CANCELED"]);
    const rest = await ask(world, "DELETE openOrders", { symbol: SYMBOL });
    expect([rest.status, rest.body.map(({ status }) => status)]).toEqual([200, ["CANCELED"]]);
    // A read is never answered with less than the host would have told (I71).
    const read = await ask(world, "GET order", { symbol: SYMBOL, origClientOrderId: "one" });
    expect([read.status, read.body.code]).toEqual([503, -1001]);
  });

  it("an order that was placed and cannot be shown, because the catalogue fails then, is -1006", async () => {
    let placed = false;
    const world = await openCompatWorld({}, (native) => ({
      place: async (placement) => {
        const answer = await native.place(placement);
        placed = true;
        return answer;
      },
    }));
    const find = world.instruments.find.bind(world.instruments);
    const failing: typeof find = (symbol) => {
      if (placed) throw new Error("down");
      return find(symbol);
    };
    Object.assign(world.instruments, { find: failing });
    const { status, body } = await ask(world, "POST order", RESTING);
    expect([placed, status, body.code]).toEqual([true, 500, -1006]);
  });

  it("a cancel of a market that fails after an order was canceled is -1006, once every cancel is over", async () => {
    const cancel = (): Promise<never> => Promise.reject(new OrderError("DISCONNECTED"));
    const world = await openCompatWorld({}, () => ({ cancel }));
    await ask(world, "POST order", { ...RESTING, newClientOrderId: "native" });
    const alone = await ask(world, "DELETE openOrders", { symbol: SYMBOL });
    await ask(world, "POST order", { ...STOP, newClientOrderId: "managed" });
    const both = await ask(world, "DELETE openOrders", { symbol: SYMBOL });
    expect([alone, both].map(({ status, body }) => [status, body.code])).toEqual([
      [503, -1001],
      [500, -1006],
    ]);
    expect((await ask(world, "GET openOrders")).body.map(({ clientOrderId }) => clientOrderId)).toEqual([
      "native",
    ]);
  });

  it("a host that cannot list open native orders is told so, and no order is left out silently", async () => {
    const world = await openCompatWorld({}, () => ({ open: undefined }) as never);
    for (const route of ["GET openOrders", "DELETE openOrders"]) {
      const { status, body } = await ask(world, route, { symbol: SYMBOL });
      expect([status, body.code], route).toEqual([404, -1020]);
    }
  });

  it("a fill of a child has the id of its order and names no list, and the child itself is not listed", async () => {
    const world = await openCompatWorld();
    const placed = await ask(world, "POST order", { ...STOP, newClientOrderId: "parent" });
    const { lastChildClientOrderId } = placed.body;
    expect(lastChildClientOrderId).toBeUndefined();
    const orderId = Number(placed.body.orderId);
    const child = `aqc-${(-orderId).toString(36)}-${world.clock.nowMs().toString(36)}-1`;
    const filled = await openCompatWorld({}, (native) => ({
      executions: async (query) =>
        (await native.executions(query)).map((execution) => ({
          ...execution,
          order: { ...execution.order, clientOrderId: child },
        })),
      page: async (page) => (await native.page(page)).map((order) => ({ ...order, clientOrderId: child })),
    }));
    await ask(filled, "POST order", { symbol: SYMBOL, side: "BUY", type: "MARKET", quantity: "0.001" });
    const trades = await ask(filled, "GET myTrades", { symbol: SYMBOL, orderId });
    expect(
      trades.body.map((trade) => [trade.orderId, trade.qty, trade.price, trade.quoteQty, trade.isMaker]),
    ).toEqual([[orderId, "0.001", "60001", "60.001", false]]);
    // The managed order may be a leg of a list, which the host does not know.
    expect(trades.body[0]).not.toHaveProperty("orderListId");
    expect((await ask(filled, "GET allOrders", { symbol: SYMBOL })).body).toEqual([]);
  });

  describe("among many children of managed orders", () => {
    /** A world in which market orders with a client id of this beginning are children. */
    const openAmongChildren = (more: (page: NativePage) => readonly NativeOrder[] = () => []) =>
      openCompatWorld({}, (native) => ({
        page: async (page) => [
          ...(await native.page(page)).map((order) => {
            const { clientOrderId } = order;
            return clientOrderId.startsWith("child-")
              ? { ...order, clientOrderId: `aqc-${clientOrderId}` }
              : order;
          }),
          ...more(page),
        ],
      }));

    async function placeAmongChildren(world: CompatWorld): Promise<void> {
      await ask(world, "POST order", { ...RESTING, newClientOrderId: "first" });
      for (const newClientOrderId of ["child-1", "child-2", "child-3"]) {
        await ask(world, "POST order", {
          ...{ symbol: SYMBOL, side: "BUY", type: "MARKET", quantity: "0.001", newClientOrderId },
        });
      }
      await ask(world, "POST order", { ...RESTING, newClientOrderId: "last" });
    }

    const namesOf = ({ body }: Requested) => body.map(({ clientOrderId }) => clientOrderId);

    it.each([{}, { orderId: 0 }, { orderId: -256 }])("the newest orders are found with %j", async (page) => {
      const world = await openAmongChildren();
      await placeAmongChildren(world);
      const orders = await ask(world, "GET allOrders", { symbol: SYMBOL, limit: 2, ...page });
      expect(namesOf(orders)).toEqual(["first", "last"]);
    });

    it("a scan goes on behind them, and an empty answer is its end", async () => {
      const world = await openAmongChildren();
      await placeAmongChildren(world);
      const names: unknown[] = [];
      for (let orderId = 1n; ; ) {
        const page = await ask(world, "GET allOrders", { symbol: SYMBOL, limit: 1, orderId });
        if (page.body.length === 0) break;
        names.push(...namesOf(page));
        orderId = BigInt(String(page.body.at(-1)?.orderId)) + 1n;
      }
      expect(names).toEqual(["first", "last"]);
    });

    it("a scan of 10,000 children is told where to go on, and never empty", async () => {
      const child = (orderId: bigint): NativeOrder =>
        reportedOrder({ orderId, clientOrderId: `aqc-${orderId}` });
      const world = await openAmongChildren(({ fromOrderId = 1n, limit }) =>
        Array.from({ length: limit }, (_, index) => child(fromOrderId + BigInt(index))),
      );
      const { status, body } = await ask(world, "GET allOrders", { symbol: SYMBOL, orderId: 1 });
      expect([status, body.code]).toEqual([400, -1130]);
      expect(body.error).toContain("Continue with orderId=10001.");
    });
  });

  describe("cummulativeQuoteQty of a native order", () => {
    const market = { symbol: SYMBOL, side: "BUY", type: "MARKET", quantity: "0.003", newClientOrderId: "m" };
    const key = { symbol: SYMBOL, origClientOrderId: "m" };

    /** A host that reports no sum, and whose executions are changed. */
    const withoutSums =
      (change: (execution: NativeExecution) => NativeExecution = (same) => same) =>
      (native: NativeOrders): Partial<NativeOrders> => ({
        find: async (requested) => unsummed(await native.find(requested)),
        executions: async (query) => (await native.executions(query)).map(change),
      });
    const unsummed = (order: NativeOrder | undefined): NativeOrder | undefined => {
      if (order === undefined) return undefined;
      const { executedNotional: _sum, ...rest } = order;
      return rest;
    };

    it("is the sum that the host reports, without a look at the executions", async () => {
      const world = await openCompatWorld({}, () => ({ executions: () => [] }));
      expect((await ask(world, "POST order", market)).body.cummulativeQuoteQty).toBe("180.003");
      expect((await ask(world, "GET order", key)).body.cummulativeQuoteQty).toBe("180.003");
      expect((await ask(world, "GET allOrders", { symbol: SYMBOL })).body[0]?.cummulativeQuoteQty).toBe(
        "180.003",
      );
    });

    it("is the exact sum of all fills where the host reports none", async () => {
      const world = await openCompatWorld({}, withoutSums());
      await ask(world, "POST order", market);
      expect((await ask(world, "GET order", key)).body.cummulativeQuoteQty).toBe("180.003");
    });

    it("is absent if the host reports none and has forgotten a fill", async () => {
      const forgetful = await openCompatWorld(
        {},
        withoutSums((execution) => ({
          ...execution,
          ...(execution.lastQuantity !== undefined && {
            lastQuantity: quantity("0.001"),
            lastPrice: price("60001"),
          }),
        })),
      );
      await ask(forgetful, "POST order", market);
      expect((await ask(forgetful, "GET order", key)).body).not.toHaveProperty("cummulativeQuoteQty");
    });

    it("contract: the native snapshot of the service's own routes has none", async () => {
      const world = await openCompatWorld();
      await ask(world, "POST order", market);
      const query = { symbol: "BTC/USD", origClientOrderId: "m", timestamp: world.clock.nowMs() };
      const { body } = await call(world, "GET", "/api/v2/order", { key: KEY, query });
      expect(body).not.toHaveProperty("cummulativeQuoteQty");
    });
  });
});

describe("POST order/test", () => {
  const REFUSED: readonly RequestParameters[] = [
    { ...STOP, quantity: "0.0001" },
    { ...STOP, side: "HOLD" },
    { ...STOP, symbol: "NOPEUSD" },
    { ...STOP, stopPrice: undefined },
    { ...RESTING, type: "LIMIT_MAKER", price: "60001" },
    { ...RESTING, price: undefined },
    { ...STOP, newClientOrderId: "taken", stopPrice: "50001" },
  ];

  it.each(REFUSED.map((order) => [order] as const))("refuses %j as a placement does", async (order) => {
    const world = await openCompatWorld();
    await ask(world, "POST order", { ...STOP, newClientOrderId: "taken" });
    const tested = await ask(world, "POST order/test", order);
    const placed = await ask(world, "POST order", order);
    expect(placed.status).not.toBe(200);
    expect(tested).toEqual(placed);
  });

  it("answers {} to an order that would be accepted, and places and counts nothing", async () => {
    const world = await openCompatWorld();
    for (const order of [STOP, RESTING]) {
      expect(await ask(world, "POST order/test", order)).toEqual({ status: 200, body: {} });
    }
    expect((await ask(world, "GET openOrders")).body).toEqual([]);
    const { rawHeaders: _headers, ...request } = requestOf("POST", `${PREFIX}/order/test`);
    expect(request.method).toBe("POST");
    expect(world.engine.metrics().records).toBe(0);
  });
});

describe("balances", () => {
  it("are those of the host, with what open orders reserve", async () => {
    const world = await openCompatWorld();
    await ask(world, "POST order", RESTING);
    const { body } = await ask(world, "GET account");
    expect((body.balances as readonly JsonObject[]).find(({ asset }) => asset === "USD")).toEqual({
      ...{ asset: "USD", free: "999950", locked: "50" },
    });
    expect(body.canTrade).toBe(true);
    expect((await ask(world, "GET account", {}, READER)).body.canTrade).toBe(false);
  });

  it("a host without them is refused clearly", async () => {
    const world = await openCompatWorld({ service: { balances: undefined } as never });
    const { status, body } = await ask(world, "GET account");
    expect([status, body.code]).toEqual([404, -1020]);
  });

  it("an answer that is no balance is a failure of the service", async () => {
    const balances = { balances: () => [{ asset: "USD", free: "a lot", locked: "0" }] };
    const world = await openCompatWorld({ service: { balances } });
    const { status, body } = await ask(world, "GET account");
    expect([status, body.code]).toEqual([503, -1001]);
  });
});
