import { describe, expect, it } from "vitest";
import type { NativeOrder } from "../../../src/model/index.ts";
import { ROUTES } from "../../../src/requests/index.ts";
import { ask, openNativeWorld, read, reportedExecution, reportedOrder } from "../../support/native-world.ts";
import { call, openWorld, place, type Reply, type ServiceWorld } from "../../support/service-world.ts";

type Row = Readonly<Record<string, unknown>>;

const publicly = (
  world: ServiceWorld,
  name: string,
  query: Readonly<Record<string, string | number>> = {},
): Promise<Reply> => call(world, "GET", `/api/${name}`, { query });

describe("contract, What the service does: symbols come from the catalog", () => {
  it("each symbol shown as TRADING is accepted by every route, and any other by none", async () => {
    const world = await openWorld();
    const { body } = await publicly(world, "exchangeInfo");
    const shown = body.symbols as readonly Row[];
    const pairs = (await publicly(world, "getInstrumentPairs")).body.instrumentPairs as readonly Row[];
    expect(pairs.map(({ symbol }) => symbol)).toEqual(shown.map(({ symbol }) => symbol));
    const traded = shown.filter(({ status }) => status === "TRADING").map(({ symbol }) => String(symbol));
    expect(traded.length).toBeGreaterThanOrEqual(2);
    for (const symbol of traded) {
      world.feed.quote({ symbol, bid: "7999", ask: "8000" });
      for (const route of ["ticker", "depth"])
        expect((await publicly(world, route, { symbol })).body.symbol).toBe(symbol);
      expect((await place(world, { symbol })).body).toMatchObject({ symbol, status: "NEW" });
    }
    for (const route of ["ticker", "depth"])
      expect((await publicly(world, route, { symbol: "DOGE/USD" })).body.code).toBe(-1121);
    expect((await place(world, { symbol: "DOGE/USD" })).body.code).toBe(-1121);
    const closed = shown.filter(({ status }) => status !== "TRADING").map(({ symbol }) => String(symbol));
    expect(closed.length).toBeGreaterThan(0);
    for (const symbol of closed) expect((await place(world, { symbol })).body.code).toBe(-1121);
  });
});

describe("contract, Endpoints: public routes need no authentication, all others do", () => {
  it.each(ROUTES.map(({ method, path, access }) => [method, path, access] as const))(
    "%s %s (%s) without key and signature",
    async (method, path, access) => {
      const world = await openNativeWorld();
      const { status, body } = await call(world, method, path, { query: { symbol: "BTC/USD" } });
      if (access !== "PUBLIC") expect([status, body.code]).toEqual([401, -2014]);
      else expect([200, -1112]).toContain(status === 200 ? status : body.code);
    },
  );
});

describe("contract, Limits: getInstrumentPairs and depth respect their limits on the wire", () => {
  const instruments = Array.from({ length: 5_001 }, (_, n) => {
    const asset = `A${n}`;
    const common = { aliases: [], quoteAsset: "USD", kind: "liquidity", status: "TRADING" } as const;
    return { id: n + 1, symbol: `${asset}/USD`, baseAsset: asset, name: asset, ...common };
  });

  it("pairs: 100 by default, at most 5,000", async () => {
    const world = await openWorld({ instruments });
    const count = async (query: Readonly<Record<string, number>>): Promise<number> =>
      ((await publicly(world, "getInstrumentPairs", query)).body.instrumentPairs as readonly Row[]).length;
    expect([await count({}), await count({ limit: 1 }), await count({ limit: 5_000 })]).toEqual([
      100, 1, 5_000,
    ]);
  });

  it("depth: 100 levels a side by default, at most 5,000", async () => {
    const world = await openWorld();
    const side = (from: number, step: number): readonly (readonly [string, string])[] =>
      Array.from({ length: 5_001 }, (_, n) => [String(from + n * step), "1"] as const);
    const [bids, asks] = [side(20_000, -1), side(20_001, 1)];
    world.feed.quote({ symbol: "BTC/USD", bid: "20000", ask: "20001", bids, asks });
    const levels = async (query: Readonly<Record<string, number>>): Promise<readonly number[]> => {
      const { body } = await publicly(world, "depth", { symbol: "BTC/USD", ...query });
      return [body.bids, body.asks].map((each) => (each as readonly unknown[]).length);
    };
    expect(await levels({})).toEqual([100, 100]);
    expect(await levels({ limit: 7 })).toEqual([7, 7]);
    expect(await levels({ limit: 5_001 })).toEqual([5_000, 5_000]);
  });
});

describe("contract, What the service does: native history is bounded", () => {
  const all: readonly NativeOrder[] = Array.from({ length: 1_200 }, (_, n) =>
    reportedOrder({ orderId: BigInt(n + 1), clientOrderId: `c${n + 1}` }),
  );
  const history = (): ReturnType<typeof openNativeWorld> =>
    openNativeWorld({}, () => ({
      page: ({ fromOrderId, limit }) =>
        fromOrderId === undefined
          ? all.slice(-limit)
          : all.filter(({ orderId }) => orderId >= fromOrderId).slice(0, limit),
      executions: ({ limit }) =>
        all.slice(-limit).map((order) => ({ ...reportedExecution(order), executionId: `x${order.orderId}` })),
    }));

  it("allOrders: the newest 500, at most 1,000; one more is refused", async () => {
    const world = await history();
    const rows = async (query: Readonly<Record<string, number>>): Promise<readonly Row[]> =>
      (await read(world, "/api/v2/allOrders", query)).body as unknown as readonly Row[];
    const [newest, most] = [await rows({}), await rows({ limit: 1_000 })];
    expect([newest.length, newest[0]?.orderId, newest.at(-1)?.orderId]).toEqual([500, 701, 1_200]);
    expect([most.length, most[0]?.orderId]).toEqual([1_000, 201]);
    expect((await read(world, "/api/v2/allOrders", { limit: 1_001 })).body.code).toBe(-1102);
  });

  it("getOrderHistory: the latest 1,000, oldest first", async () => {
    const { body } = await ask(await history(), "/api/v2/getOrderHistory");
    const orders = body.orders as readonly Row[];
    expect([orders.length, orders[0]?.orderId, orders.at(-1)?.orderId]).toEqual([1_000, 201, 1_200]);
  });
});
