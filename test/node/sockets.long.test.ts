import { afterEach, describe, expect, it } from "vitest";
import {
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryRateLimiter,
  createMemoryStore,
} from "../../src/adapters/memory/index.ts";
import { createNodeServer, createSystemClock } from "../../src/adapters/node/index.ts";
import { type Engine, openEngine, type Placement } from "../../src/engine/index.ts";
import { METHODS } from "../../src/requests/index.ts";
import { createService, type ServiceOptions, type SocketService } from "../../src/service/index.ts";
import type { JsonObject } from "../../src/wire/index.ts";
import { withFronts } from "../support/front-threads.ts";
import { createScriptedVenue, fillOf, reported, type ScriptedVenue } from "../support/scripted-venue.ts";
import { SocketClient } from "../support/socket-client.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const key = { apiKey: "key-1", secret: "secret-1" };
const SUBSCRIBE = "userDataStream.subscribe.signature";

const LIMIT = {
  symbol: "BTC/USD",
  side: "BUY",
  type: "SYNTHETIC_LIMIT",
  quantity: "0.01",
  price: "7000",
} as const;

type Running = Readonly<{
  engine: Engine;
  venue: ScriptedVenue;
  url: string;
  /** Close codes and reasons of the service. */
  closings: string[];
}>;

/** A whole service on a port, on real time. */
async function run(sockets: ServiceOptions["sockets"] = {}): Promise<Running> {
  const clock = createSystemClock();
  const instruments = createMemoryInstruments([
    {
      id: 1,
      symbol: "BTC/USD",
      aliases: ["BTCUSD"],
      baseAsset: "BTC",
      quoteAsset: "USD",
      name: "BTC",
      kind: "liquidity",
      status: "TRADING",
    },
  ]);
  const account = { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false };
  const accounts = createMemoryAccounts([
    { account, keys: [{ ...key, userId: 1, accountId: 1, permissions: ["READ", "TRADE"], ipAllowlist: [] }] },
  ]);
  let tokens = 0;
  const entropy = { token: (length: number) => String(++tokens).padStart(length, "0") };
  const venue = createScriptedVenue();
  const engine = await openEngine({
    ...{ instruments, accounts, venue, clock, entropy },
    exposure: createMemoryExposure(),
    store: createMemoryStore(),
    settings: { advancedOrders: true, retryMinMs: 1, retryMaxMs: 1 },
  });
  const service = createService({
    ...{ engine, accounts, instruments, clock, entropy, sockets },
    rateLimiter: createMemoryRateLimiter({ clock, enforce: false }),
  });
  const closings: string[] = [];
  const watched: SocketService = {
    ...{ admit: (request) => service.sockets.admit(request), shutdown: () => service.sockets.shutdown() },
    connect: (peer) =>
      service.sockets.connect({
        ...peer,
        close: (code, reason) => {
          closings.push(`${code} ${reason}`);
          peer.close(code, reason);
        },
      }),
  };
  const server = createNodeServer({ service, sockets: watched, ...withFronts() });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  open.push(async () => {
    await server.close({ graceMs: 500 });
    await engine.close();
  });
  return { engine, venue, url: `ws://127.0.0.1:${port}`, closings };
}

async function connect(url: string): Promise<SocketClient> {
  const client = await SocketClient.connect(url);
  open.push(() => client.close());
  return client;
}

const place = (engine: Engine, n: number): Promise<Placement> =>
  engine.place({ accountId: 1, order: { ...LIMIT, newClientOrderId: `o-${n}` } });

describe("over a real connection", () => {
  it("orders, their events and public streams", async () => {
    const { engine, venue, url } = await run();
    expect((await fetch(`${url.replace("ws:", "http:")}/api/status`)).status).toBe(200);
    const [trader, watcher] = [await connect(`${url}/ws/listenKey`), await connect(`${url}/ws/liquidity`)];
    expect((await trader.signed(key, SUBSCRIBE)).status).toBe(200);
    watcher.socket.send('{"method":"SUBSCRIBE","params":["btcusd@bookTicker"],"id":1}');
    await watcher.until(() => watcher.messages.length === 1);
    const placed = await trader.signed(key, "order.place", { ...LIMIT, newClientOrderId: "a" });
    expect(placed).toMatchObject({ status: 200, result: { clientOrderId: "a", status: "NEW" } });
    venue.onSubmit = ({ childId }) =>
      reported(childId, "closed", [fillOf({ quantity: "0.01", price: "6900" })]);
    engine.market.quote({ symbol: "BTC/USD", bid: "6890", ask: "6900" });
    await trader.until(() => trader.events.length === 2);
    await watcher.until(() => watcher.messages.length === 2);
    expect(trader.events.map(({ o }) => (o as JsonObject).X)).toEqual(["NEW", "FILLED"]);
    expect(watcher.messages[1]).toMatchObject({ e: "bookTicker", a: "6900" });
  });

  it("contract, WebSocket request methods: every request is answered at /ws/listenKey; /ws-api/v3 is the same", async () => {
    const { url } = await run();
    for (const path of ["/ws/other", "/ws", "/ws/listenKey/x", "/listenKey", "/api/order"])
      await expect(connect(`${url}${path}`)).rejects.toThrow("404");
    for (const path of ["/ws/listenKey", "/ws-api/v3"]) {
      const client = await connect(`${url}${path}`);
      for (const { name, access } of METHODS) {
        // This host has neither native orders nor balances: these methods would be -1020 too.
        if (access === "PUBLIC" || name === "allOrders" || name === "account.status") continue;
        const { status, error } = await client.signed(key, name, { symbol: "BTC/USD" });
        expect([name, status === 200 || (error as JsonObject).code !== -1020]).toEqual([name, true]);
      }
      expect((await client.signed(key, "openOrders.status", { apiManaged: true })).status).toBe(200);
    }
    const watcher = await connect(`${url}/ws/liquidity`);
    watcher.socket.send('{"method":"openOrders.status","params":{"apiManaged":true},"id":1}');
    await watcher.until(() => watcher.messages.length === 1);
    expect(watcher.messages[0]).toMatchObject({ code: 2, id: 1 });
  });

  it("shutdown is announced before the connection ends", async () => {
    const { url } = await run();
    const [trader, watcher] = [await connect(`${url}/ws/listenKey`), await connect(`${url}/ws/liquidity`)];
    await open.splice(0, 1)[0]?.();
    expect([await trader.closed, await watcher.closed]).toEqual([
      [1001, "the service stops"],
      [1001, "the service stops"],
    ]);
    expect(trader.messages).toMatchObject([{ event: { e: "serverShutdown" } }]);
    expect(watcher.messages).toMatchObject([{ e: "serverShutdown" }]);
    expect(await SocketClient.connect(url).catch((error: Error) => error.message)).toContain("ECONNREFUSED");
  });
});

/** A client's view of its orders by status and quantity, kept up to date by events and pages. */
class Picture {
  readonly orders: Map<unknown, string> = new Map();
  /** The number of the last applied event. */
  sequence = 0;
  taken = 0;

  /** Applies an event; throws if one before it is missing. */
  take({ e, o, sequence }: JsonObject): void {
    if (sequence !== this.sequence + 1) throw new Error(`event ${sequence} after ${this.sequence}`);
    this.sequence = sequence;
    this.taken++;
    const { i, X, z } = o as JsonObject;
    if (e === "ORDER_TRADE_UPDATE") this.orders.set(i, `${X} ${z}`);
  }

  /** Applies everything that a client can query. */
  async read(client: SocketClient): Promise<void> {
    for (let afterOrderId = 0, more = true; more; more = afterOrderId !== 0) {
      const params = { apiManaged: true, includeHistory: true, limit: 1_000, afterOrderId };
      const page = (await client.signed(key, "openOrders.status", params)).result as JsonObject;
      for (const { orderId, status, executedQty } of page.orders as readonly JsonObject[])
        this.orders.set(orderId, `${status} ${executedQty}`);
      afterOrderId = Number(page.nextOrderId);
    }
  }
}

const subscribe = async (
  client: SocketClient,
): Promise<Readonly<{ sequence: number; streamId: unknown }>> => {
  const { sequence, streamId } = (await client.signed(key, SUBSCRIBE)).result as JsonObject;
  return { sequence: Number(sequence), streamId };
};

describe("issue: results", () => {
  it("10,000 events with a reconnect in the middle: after a query the client's view equals the server's", async () => {
    const { engine, venue, url } = await run();
    venue.onSubmit = ({ childId, quantity }) =>
      reported(childId, "closed", [
        fillOf({ quantity: quantity > 9_000 ? "0.004" : quantity, price: "6999" }),
      ]);
    let orders = 0;
    /** Orders are placed, canceled, filled in part and completely, without waiting for the stream. */
    const trade = async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const placed = await Promise.all(Array.from({ length: 50 }, () => place(engine, orders++)));
        engine.market.quote({ symbol: "BTC/USD", bid: "6990", ask: round % 3 === 0 ? "6999" : "7001" });
        for (const [index, { order }] of placed.entries()) {
          if (index % 5 > 0) continue;
          await engine.cancel({ accountId: 1, orderId: order.orderId }).catch(() => undefined);
        }
      }
      await engine.idle();
    };
    const picture = new Picture();

    const before = await connect(`${url}/ws/listenKey`);
    const first = await subscribe(before);
    await Promise.all([trade(60), before.until(() => before.events.length > 3_000)]);
    before.close();
    await before.closed;
    for (const event of before.events) picture.take(event);

    await trade(10);
    const after = await connect(`${url}/ws/listenKey`);
    const second = await subscribe(after);
    expect(second.streamId).toBe(first.streamId);
    expect(second.sequence).toBeGreaterThan(picture.sequence);
    picture.sequence = second.sequence;
    // Reads during the stream: an event that repeats the state of an order comes after the page.
    await Promise.all([trade(60), picture.read(after)]);

    const now = await subscribe(await connect(`${url}/ws/listenKey`));
    await after.until(() => after.events.at(-1)?.sequence === now.sequence);
    for (const event of after.events) picture.take(event);
    const server = new Picture();
    await server.read(after);
    expect(now.sequence).toBeGreaterThan(10_000);
    expect(server.orders.size).toBe(orders);
    expect(new Set([...server.orders.values()].map((line) => line.split(" ")[0])).size).toBeGreaterThan(2);
    expect(picture.orders).toEqual(server.orders);
  });
});
