import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../../src/adapters/memory/index.ts";
import type { EndedPage } from "../../../../src/ports/index.ts";
import { signQuery } from "../../../../src/signing/index.ts";
import { requestOf, withdraw } from "../../../support/service-world.ts";
import { ask, type CompatWorld, KEY, openCompatWorld } from "./world.ts";

const CANONICAL = "BTC/USD";

const STOP = { symbol: "BTCUSD", side: "SELL", type: "STOP_LOSS", quantity: "0.001", stopPrice: "50000" };
const RESTING = { symbol: "BTCUSD", side: "BUY", type: "LIMIT", quantity: "0.001", price: "50000" };

const statuses = (orders: readonly Readonly<Record<string, unknown>>[]): readonly unknown[] =>
  orders.map(({ status }) => status);

/** A world that counts the pages of ended orders that are read. */
async function openCounting(): Promise<Readonly<{ world: CompatWorld; pagesRead: () => number }>> {
  const store = createMemoryStore();
  const { pageEnded } = store;
  let pages = 0;
  const world = await openCompatWorld({
    store: Object.assign(store, {
      pageEnded: (page: EndedPage) => {
        pages++;
        return pageEnded.call(store, page);
      },
    }),
  });
  return { world, pagesRead: () => pages };
}

describe("a market whose instrument the host has withdrawn", () => {
  it("is listed and canceled as a whole under its canonical symbol, which the open orders of all markets name", async () => {
    const world = await openCompatWorld();
    await ask(world, "POST order", STOP);
    await ask(world, "POST order", { ...RESTING, timeInForce: "GTC" });
    withdraw(world);
    const all = (await ask(world, "GET openOrders")).body;
    expect(all.map(({ symbol }) => symbol)).toEqual([CANONICAL, CANONICAL]);
    expect((await ask(world, "GET openOrders", { symbol: CANONICAL })).body).toEqual(all);
    const canceled = await ask(world, "DELETE openOrders", { symbol: CANONICAL });
    expect(statuses(canceled.body)).toEqual(["CANCELED", "CANCELED"]);
    expect((await ask(world, "GET openOrders")).body).toEqual([]);
    expect((await ask(world, "DELETE openOrders", { symbol: CANONICAL })).body.code).toBe(-1121);
  });

  it("is also known by open native orders alone, and read or canceled like a listed one without the history", async () => {
    const { world, pagesRead } = await openCounting();
    await ask(world, "POST order", { ...RESTING, timeInForce: "GTC" });
    withdraw(world);
    expect(statuses((await ask(world, "GET openOrders", { symbol: CANONICAL })).body)).toEqual(["NEW"]);
    expect(statuses((await ask(world, "DELETE openOrders", { symbol: CANONICAL })).body)).toEqual([
      "CANCELED",
    ]);
    for (const route of ["GET openOrders", "DELETE openOrders"]) {
      expect((await ask(world, route, { symbol: "NO/USD" })).body.code).toBe(-1121);
    }
    expect(pagesRead()).toBe(0);
  });

  it.each([CANONICAL, "BTCUSD", "BTC-USD"])(
    "is named by %s in every request about its orders",
    async (symbol) => {
      const world = await openCompatWorld();
      await ask(world, "POST order", { ...STOP, newClientOrderId: "stop" });
      await ask(world, "POST order", { ...RESTING, timeInForce: "GTC", newClientOrderId: "rests" });
      await ask(world, "POST order", { symbol: "BTCUSD", side: "BUY", type: "MARKET", quantity: "0.001" });
      withdraw(world);
      for (const origClientOrderId of ["stop", "rests"]) {
        expect((await ask(world, "GET order", { symbol, origClientOrderId })).body.status).toBe("NEW");
      }
      const counts = ["GET openOrders", "GET allOrders", "GET myTrades"].map(
        async (route) => (await ask(world, route, { symbol })).body.length,
      );
      expect(await Promise.all(counts)).toEqual([2, 3, 1]);
      const canceled = await ask(world, "DELETE order", { symbol, origClientOrderId: "rests" });
      expect(canceled.body.status).toBe("CANCELED");
      expect(statuses((await ask(world, "DELETE openOrders", { symbol })).body)).toEqual(["CANCELED"]);
    },
  );

  it("is known to allOrders by native orders alone, and to myTrades by trades alone", async () => {
    const { world, pagesRead } = await openCounting();
    await ask(world, "POST order", { symbol: "BTCUSD", side: "BUY", type: "MARKET", quantity: "0.001" });
    withdraw(world);
    expect((await ask(world, "GET myTrades", { symbol: CANONICAL })).body).toHaveLength(1);
    expect((await ask(world, "GET myTrades", { symbol: "NO/USD" })).body.code).toBe(-1121);
    expect(pagesRead()).toBe(0);
    expect(statuses((await ask(world, "GET allOrders", { symbol: CANONICAL })).body)).toEqual(["FILLED"]);
  });

  it("keeps its orders and trades readable", async () => {
    const world = await openCompatWorld();
    await ask(world, "POST order", STOP);
    await ask(world, "POST order", { symbol: "BTCUSD", side: "BUY", type: "MARKET", quantity: "0.001" });
    withdraw(world);
    const orders = await ask(world, "GET allOrders", { symbol: CANONICAL });
    expect(statuses(orders.body)).toEqual(["FILLED", "NEW"]);
    const { orderId } = orders.body[0] as { orderId: bigint };
    expect(statuses((await ask(world, "GET allOrders", { symbol: CANONICAL, orderId })).body)).toEqual([
      "FILLED",
    ]);
    expect((await ask(world, "GET myTrades", { symbol: CANONICAL })).body).toHaveLength(1);
  });

  it("the same signed bytes are answered with their native order, under whatever name they have its market", async () => {
    const world = await openCompatWorld();
    const parameters = { ...RESTING, timeInForce: "GTC", timestamp: world.clock.nowMs() };
    const target = `/compat/api/v3/order?${signQuery({ secret: KEY.secret, parameters })}`;
    const request = { ...requestOf("POST", target), rawHeaders: ["X-MBX-APIKEY", KEY.apiKey] };
    const place = async (): Promise<unknown> => JSON.parse((await world.service.handle(request)).body);
    const first = (await place()) as object;
    withdraw(world);
    expect(await place()).toEqual({ ...first, symbol: CANONICAL });
  });

  it.each(["GET openOrders", "DELETE openOrders", "GET allOrders", "GET myTrades"])(
    "%s is -1121 for a market where the account has no order",
    async (route) => {
      const world = await openCompatWorld();
      await ask(world, "POST order", { ...STOP, symbol: "ETHUSD" });
      withdraw(world);
      for (const symbol of [CANONICAL, "BTCUSD", "NO/USD"]) {
        expect((await ask(world, route, { symbol })).body.code).toBe(-1121);
      }
    },
  );
});
