import { afterAll, describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../src/adapters/memory/index.ts";
import type { NativeExecution } from "../../../src/model/index.ts";
import type { AccountEvent, AccountEvents, PositionAtRisk } from "../../../src/ports/index.ts";
import { CLIENT_STREAM_SUFFIXES, COMPAT_METHODS, METHODS } from "../../../src/requests/index.ts";
import type { RequestParameters } from "../../../src/signing/index.ts";
import { type DescribedChannel, DescribedService } from "../../support/described.ts";
import {
  type NativeWorld,
  openNativeWorld,
  RESTING,
  reportedExecution,
  reportedOrder,
} from "../../support/native-world.ts";
import { fillOf, reported } from "../../support/scripted-venue.ts";
import { FAR_LIMIT, KEYS, LISTS, START_MS } from "../../support/service-world.ts";
import { TestClient } from "../../support/socket-world.ts";

const described = new DescribedService();

const TARGETS: Readonly<Record<DescribedChannel, string>> = {
  private: "/ws/listenKey",
  compat: "/compat/ws-api/v3",
  liquidity: "/ws/liquidity",
  client: "/ws/0",
  combined: "/stream",
};

/** A connection whose messages are all checked; `ask` sends a request under the id of its operation. */
class DescribedClient {
  readonly client: TestClient;
  readonly #channel: DescribedChannel;
  #read = 0;

  constructor(world: NativeWorld, channel: DescribedChannel) {
    this.#channel = channel;
    this.client = new TestClient(world, { target: TARGETS[channel] });
  }

  async ask(
    method: string,
    params: RequestParameters = {},
    key: typeof KEYS.owner | null = KEYS.owner,
  ): Promise<unknown> {
    const { result } = await this.client.ask(method, params, { key });
    this.check(operationOf(method, this.#channel));
    return result;
  }

  async control(method: string, params?: unknown): Promise<void> {
    await this.client.sendsRaw(JSON.stringify({ id: 1, method, params }));
    this.check(`${this.#channel === "liquidity" ? "market" : this.#channel}${pascal(method)}`);
  }

  /** Checks the messages since the last call; a message with an id answers `operation`. */
  check(operation?: string): void {
    for (const text of this.client.texts.slice(this.#read)) {
      const message = JSON.parse(text);
      described.message(this.#channel, message, "id" in message ? operation : undefined);
    }
    this.#read = this.client.texts.length;
  }
}

const pascal = (name: string): string =>
  name
    .toLowerCase()
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

/** The operation that answers a method, by any of its names. */
function operationOf(name: string, channelId: DescribedChannel): string {
  const { messages } = described.asyncApi.components;
  const found = Object.entries<{ messages?: { $ref: string }[]; channel: { $ref: string } }>(
    described.asyncApi.operations,
  ).find(([, { messages: requests, channel }]) => {
    const request = requests?.[0]?.$ref.split("/").at(-1) ?? "";
    const { enum: names = [] } = messages[request].payload.properties?.method ?? {};
    return channel.$ref === `#/channels/${channelId}` && names.includes(name);
  });
  if (found === undefined) throw new Error(`no operation for ${name}`);
  return found[0];
}

async function open(options: Parameters<typeof openNativeWorld>[0] = {}): Promise<NativeWorld> {
  return await openNativeWorld({ service: { replayGuard: false }, ...options });
}

const quote = (
  world: NativeWorld,
  bid: string,
  ask: string,
  sizes: Readonly<Record<string, unknown>> = {},
): unknown => world.feed.quote({ symbol: "BTC/USD", bid, ask, ...sizes });

type Described = Readonly<{
  address: string;
  parameters?: Readonly<Record<string, Readonly<{ examples: readonly string[] }>>>;
  bindings: Readonly<{
    ws: Readonly<{
      query?: Readonly<{
        properties: Readonly<Record<string, Readonly<{ const?: string; examples?: readonly string[] }>>>;
      }>;
    }>;
  }>;
}>;

const BALANCES = { balances: () => [{ asset: "USD", free: "1", locked: "0" }] };

const SUBSCRIBE = "userDataStream.subscribe.signature";
const answered = new Set<string>();

afterAll(() => {
  expect(described.findings).toEqual([]);
});

describe("the WebSocket interfaces match their description", () => {
  it("every request method, under every name", async () => {
    const world = await open({
      service: {
        replayGuard: false,
        sockets: { requestToken: () => 1 },
        balances: BALANCES,
      },
    });
    const socket = new DescribedClient(world, "private");
    quote(world, "6999", "7001");
    const requests: readonly (readonly [string, RequestParameters])[] = [
      ["order.place", { ...FAR_LIMIT, newClientOrderId: "a" }],
      ["order.place", { ...RESTING, newClientOrderId: "n" }],
      ["order.status", { symbol: "BTC/USD", clOrdId: "a" }],
      ["getOrderStatus", { symbol: "BTC/USD", clOrdId: "n" }],
      ["orderStatus", { symbol: "BTC/USD", clOrdId: "a" }],
      ["order.amend", { symbol: "BTC/USD", clOrdId: "a", quantity: "0.02" }],
      [
        "order.cancelReplace",
        {
          ...{ ...FAR_LIMIT, newClientOrderId: "a2", cancelReplaceMode: "STOP_ON_FAILURE" },
          cancelOrigClientOrderId: "a",
        },
      ],
      ["order.cancel", { symbol: "BTC/USD", clOrdId: "a2" }],
      ["allOrders", { symbol: "BTC/USD" }],
      ["getOrderHistory", { symbol: "BTC/USD" }],
      ["openOrders.status", { apiManaged: true }],
      ["orderList.place.oco", { listClientOrderId: "l1", ...LISTS.oco.fields }],
      ["orderList.place.oto", { listClientOrderId: "l2", ...LISTS.oto.fields }],
      ["orderList.place.otoco", { listClientOrderId: "l3", ...LISTS.otoco.fields }],
      ["orderList.place.bracket", { listClientOrderId: "l4", ...LISTS.bracket.fields }],
      ["orderList.place.oca", { listClientOrderId: "l5", ...LISTS.oca.fields }],
      ["orderList.status", { listClientOrderId: "l1" }],
      ["openOrderLists.status", {}],
      ["orderList.cancel", { listClientOrderId: "l1" }],
      ["openOrders.cancelAll", { apiManaged: true }],
      ["allOrderLists", {}],
      ["ping", {}],
      ["time", {}],
      ["exchangeInfo", {}],
      ["depth", { symbol: "BTC/USD" }],
      ["ticker.24hr", {}],
      ["ticker.price", { symbol: "BTC/USD" }],
      ["ticker.book", {}],
      ["avgPrice", { symbol: "BTC/USD" }],
      ["account.status", {}],
      [SUBSCRIBE, {}],
      ["SUBSCRIBE", { requestToken: "t", returnRateLimits: false }],
      ["session.subscriptions", {}],
      ["userDataStream.unsubscribe", {}],
    ];
    for (const [method, params] of requests) {
      if ((await socket.ask(method, params)) !== undefined) answered.add(method);
    }
    const names = METHODS.flatMap(({ name, aliases }) => [name, ...aliases]);
    // An account has one subscription here; the refusal of SUBSCRIBE shows below that it is described.
    expect(names.filter((name) => !answered.has(name))).toEqual(["SUBSCRIBE"]);
    expect(described.findings).toEqual([]);
  });

  it("existing clients: every method and every event", async () => {
    const world = await open({
      service: { replayGuard: false, balances: BALANCES },
    });
    const socket = new DescribedClient(world, "compat");
    const symbol = "BTCUSD";
    const oto = { ...LISTS.oto.fields, symbol };
    const requests: readonly (readonly [string, RequestParameters])[] = [
      [SUBSCRIBE, {}],
      ...["ping", "time", "exchangeInfo", "session.subscriptions", "account.status"].map(
        (name) => [name, {}] as const,
      ),
      ...["depth", "ticker.24hr", "ticker.price", "ticker.book", "avgPrice"].map(
        (name) => [name, { symbol }] as const,
      ),
      ...["klines", "uiKlines"].map((name) => [name, { symbol, interval: "1m" }] as const),
      ...["trades.recent", "trades.historical", "trades.aggregate"].map(
        (name) => [name, { symbol }] as const,
      ),
      ["order.test", { ...FAR_LIMIT, symbol }],
      ["order.place", { ...FAR_LIMIT, symbol, newClientOrderId: "a" }],
      ["order.place", { ...RESTING, symbol, newClientOrderId: "n" }],
      ["order.place", { symbol, side: "BUY", type: "MARKET", quantity: "0.01" }],
      ["order.status", { symbol, origClientOrderId: "a" }],
      ["order.amend.keepPriority", { symbol, origClientOrderId: "a", newQty: "0.02" }],
      [
        "order.cancelReplace",
        {
          ...{ ...FAR_LIMIT, symbol, newClientOrderId: "b" },
          ...{ cancelReplaceMode: "STOP_ON_FAILURE", cancelOrigClientOrderId: "a" },
        },
      ],
      ["order.cancel", { symbol, origClientOrderId: "b" }],
      ["openOrders.status", { symbol }],
      ["allOrders", { symbol }],
      ["myTrades", { symbol }],
      ["orderList.place", { ...LISTS.legacyOco.fields, symbol }],
      ["orderList.place.oco", { ...LISTS.oco.fields, symbol }],
      ["orderList.place.oto", { ...oto, listClientOrderId: "l" }],
      ["orderList.place.otoco", { ...LISTS.otoco.fields, symbol }],
      ["orderList.status", { origClientOrderId: "l" }],
      ["openOrderLists.status", {}],
      ["orderList.cancel", { symbol, listClientOrderId: "l" }],
      ["allOrderLists", {}],
      ["openOrders.cancelAll", { symbol }],
      ["userDataStream.unsubscribe", {}],
    ];
    world.engine.market.quote({ symbol: "BTC/USD", bid: "6999", ask: "7001" });
    const print = { price: "7000", quantity: "2", id: "seen", timeMs: START_MS };
    world.engine.market.print({ symbol: "BTC/USD", ...print });
    const done: string[] = [];
    for (const [method, params] of requests) {
      if ((await socket.ask(method, params)) !== undefined) done.push(method);
      await world.paper.idle();
      await world.engine.idle();
    }
    socket.check();
    expect(COMPAT_METHODS.map(({ name }) => name).filter((name) => !done.includes(name))).toEqual([]);
    expect(new Set(socket.client.events.map(({ e }) => e))).toEqual(
      new Set(["executionReport", "listStatus", "eventStreamTerminated"]),
    );
    expect(described.findings).toEqual([]);
  });

  it("a subscription by token, refusals, and the rate limit's retry time", async () => {
    const world = await open({
      limits: { weightPerMinute: 20 },
      service: { replayGuard: false, sockets: { requestToken: () => 1 } },
    });
    const socket = new DescribedClient(world, "private");
    await socket.ask("SUBSCRIBE", { requestToken: "t" });
    await socket.ask("order.place", {});
    await socket.ask("order.place", FAR_LIMIT, KEYS.nobody);
    await socket.client.sendsRaw("no JSON");
    socket.check("orderPlace");
    for (let count = 0; count < 12; count++) await socket.ask("session.subscriptions", {}, null);
    expect(described.seen).toContain("Refusal.error.data");
    expect(described.findings).toEqual([]);
  });

  it("events of managed orders and lists", async () => {
    const world = await open();
    const socket = new DescribedClient(world, "private");
    const bot = new DescribedClient(world, "compat");
    await socket.ask(SUBSCRIBE);
    await bot.ask(SUBSCRIBE);
    quote(world, "6999", "7001");
    const order = { symbol: "BTC/USD", side: "SELL", quantity: "0.01" } as const;
    await socket.ask("order.place", {
      ...order,
      type: "TRAILING_STOP",
      trailingDelta: 100,
      stopPrice: "7500",
    });
    await socket.ask("order.place", {
      ...order,
      type: "TRAILING_STOP",
      price2: "5",
      expireTime: START_MS + 60_000,
    });
    for (const form of ["oco", "otoco", "oca"] as const) {
      await socket.ask(`orderList.place.${form}`, { listClientOrderId: form, ...LISTS[form].fields });
    }
    world.venue.onSubmit = ({ childId }) =>
      reported(childId, "closed", [fillOf({ quantity: "0.01", price: "6400", id: "17" })]);
    quote(world, "6399", "6401");
    await world.engine.idle();
    await world.clock.advanceBy(61_000);
    await world.engine.idle();
    const child = world.venue.submitted[0];
    if (child === undefined) throw new Error("no child went out");
    world.venue.say(
      reported(child.childId, "closed", [fillOf({ quantity: "0.002", price: "6400", id: "late" })]),
    );
    await world.engine.idle();
    await socket.ask("openOrders.cancelAll", { apiManaged: true });
    await socket.ask("order.place", { ...order, type: "STOP_MARKET", stopPrice: "6300" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
    for (let second = 0; second < 12; second++) {
      await world.clock.advanceBy(1_000);
      quote(world, "6199", "6201");
      await world.engine.idle();
    }
    await socket.ask("openOrders.cancelAll", { apiManaged: true });
    await world.engine.idle();
    socket.check();
    bot.check();
    expect(described.findings).toEqual([]);
  });

  it("events of amends, with every term before them", async () => {
    const world = await open();
    const socket = new DescribedClient(world, "private");
    await socket.ask(SUBSCRIBE);
    quote(world, "6999", "7001");
    const [sell, gtd] = [{ side: "SELL", quantity: "0.1" }, { expireTime: START_MS + 60_000 }];
    const trail = { ...sell, type: "TRAILING_STOP_LIMIT" };
    for (const [fields, changes] of [
      [
        { ...sell, ...gtd, type: "TRAILING_STOP", price2: "5" },
        { price2: "6", expireTime: START_MS + 61_000 },
      ],
      [
        { ...trail, trailingDelta: 100, limitOffset: "1" },
        { trailingDelta: 200, quantity: "0.2", amendId: "a" },
      ],
      [
        { ...trail, trailingAmount: "90", limitOffset: "1" },
        { trailingAmount: "91", limitOffset: "2" },
      ],
      [
        { ...sell, type: "STOP_LOSS_LIMIT", stopPrice: "6000", price: "5900" },
        { stopPrice: "6001", price: "5901" },
      ],
      [{ ...sell, type: "ICEBERG", price: "9000", icebergQty: "0.02" }, { icebergQty: "0.03" }],
    ] as const) {
      const order = { symbol: "BTC/USD", ...fields };
      const { orderId } = (await socket.ask("order.place", order)) as { orderId: number };
      await socket.ask("order.amend", { symbol: "BTC/USD", orderId, ...changes });
    }
    await world.engine.idle();
    socket.check();
    expect(described.findings).toEqual([]);
  });

  it("events of native orders, of balances and of risk", async () => {
    const notifyAccount: ((event: AccountEvent) => void)[] = [];
    const notifyNative: ((execution: NativeExecution) => void)[] = [];
    const balances = [{ asset: "USD", wallet: "10", cross: "4", change: "-10.5" }];
    const positions = [{ symbol: "BTC/USD", amount: "-1.5" }];
    const update = { reason: "ORDER", timeMs: START_MS, balances, positions } as const;
    const accountEvents: AccountEvents = {
      afterFill: () => update,
      subscribe: (listener) => {
        notifyAccount.push(listener);
        return () => undefined;
      },
    };
    const world = await openNativeWorld(
      { service: { replayGuard: false, sockets: { accountEvents } } },
      (native) => ({
        subscribe: (listener) => {
          notifyNative.push(listener);
          return native.subscribe(listener);
        },
      }),
    );
    const socket = new DescribedClient(world, "private");
    await socket.ask(SUBSCRIBE);
    const order = { symbol: "BTC/USD", side: "BUY", type: "LIMIT", quantity: "1" } as const;
    await socket.ask("order.place", { symbol: "BTC/USD", side: "BUY", type: "MARKET", quantity: "0.5" });
    await socket.ask("order.place", { ...order, price: "6000", timeInForce: "IOC" });
    await socket.ask("order.place", { ...order, price: "6000", quantity: "999999" });
    const atRisk: PositionAtRisk = {
      symbol: "BTC/USD",
      side: "LONG",
      amount: "1",
      marginType: "CROSSED",
      markPrice: "5",
      unrealizedProfit: "-2",
      maintenanceMargin: "1",
    };
    for (const report of notifyAccount)
      report({ accountId: 1, call: { crossWallet: "3", positions: [atRisk] } });
    const rejected = reportedOrder({ status: "REJECTED", rejectReason: "OTHER" });
    for (const report of notifyNative) report({ ...reportedExecution(rejected), execType: "REJECTED" });
    await socket.ask("session.subscriptions");
    await world.engine.idle();
    await socket.ask("userDataStream.unsubscribe");
    world.service.sockets.shutdown();
    socket.check();
    expect(described.findings).toEqual([]);
  });

  it("public streams and their control frames", async () => {
    const world = await open();
    const socket = new DescribedClient(world, "liquidity");
    const streams = ["bookTicker", "depth", "depth20", "trade"].map((kind) => `btcusd@${kind}`);
    await socket.control("SUBSCRIBE", streams);
    await socket.control("LIST_SUBSCRIPTIONS");
    quote(world, "6999", "7001", {
      bids: [
        ["6999", "1"],
        ["6998", "2"],
      ],
      asks: [["7001", "1"]],
    });
    quote(world, "6998", "7001", { bids: [["6998", "2"]], asks: [["7001", "0"]] });
    world.feed.print({ symbol: "BTC/USD", price: "7000", quantity: "2", id: "p", timeMs: START_MS });
    await world.engine.idle();
    await socket.control("UNSUBSCRIBE", streams);
    await socket.control("SUBSCRIBE", ["nothing"]);
    await socket.control("SUBSCRIBE", 5);
    await socket.client.sendsRaw("no JSON");
    socket.check("marketSubscribe");
    world.service.sockets.shutdown();
    socket.check();
    expect(described.findings).toEqual([]);
  });

  it.each(["client", "combined"] as const)(
    "%s streams for existing clients, and their control frames",
    async (channel) => {
      const world = await open();
      const socket = new DescribedClient(world, channel);
      const streams = CLIENT_STREAM_SUFFIXES.map((suffix) => `btcusd@${suffix}`);
      await socket.control("SUBSCRIBE", streams);
      await socket.control("LIST_SUBSCRIPTIONS");
      quote(world, "6999", "7001", { bids: [["6999", "1"]], asks: [["7001", "1"]] });
      await world.clock.advanceBy(1_000);
      quote(world, "6998", "7001", { bids: [["6998", "2"]], asks: [["7001", "0"]] });
      const seen = { symbol: "BTC/USD", quantity: "2", timeMs: START_MS };
      world.feed.print({ ...seen, price: "7000", id: "9007199254740993" });
      world.feed.print({ ...seen, price: "6990.5", id: "p" });
      await world.clock.advanceBy(1_000);
      await world.engine.idle();
      await socket.control("UNSUBSCRIBE", streams);
      await socket.control("SUBSCRIBE", ["btcusd@depth7"]);
      await socket.control("SUBSCRIBE", 5);
      world.service.sockets.shutdown();
      socket.check();
      expect(described.findings).toEqual([]);
    },
  );

  it("events of existing clients without prices of the day", async () => {
    const memory = createMemoryStore();
    const readVolume: typeof memory.readVolume = async () => {
      const { priceBars: _bars, ...volume } = await memory.readVolume();
      return volume;
    };
    const world = await open({ store: { ...memory, readVolume } });
    const socket = new DescribedClient(world, "client");
    await socket.control("SUBSCRIBE", ["btcusd@ticker", "btcusd@miniTicker"]);
    world.feed.print({ symbol: "BTC/USD", price: "7000", quantity: "2", id: "p", timeMs: START_MS });
    await world.clock.advanceBy(1_000);
    expect(socket.client.messages.map(({ e, o }) => [e, o])).toContainEqual(["24hrTicker", undefined]);
    socket.check();
    expect(described.findings).toEqual([]);
  });

  it.each(["liquidity", "client", "combined"] as const)(
    "a control frame of %s beyond the rate limit",
    async (channel) => {
      const socket = new DescribedClient(await open({ limits: { weightPerMinute: 1 } }), channel);
      await socket.control("LIST_SUBSCRIPTIONS");
      await socket.control("LIST_SUBSCRIPTIONS");
      expect(socket.client.messages.at(-1)).toMatchObject({ code: -1003 });
      expect(described.findings).toEqual([]);
    },
  );

  it("every described address opens, with its examples and query parameters", async () => {
    const world = await open();
    for (const { address, parameters = {}, bindings } of Object.values<Described>(
      described.asyncApi.channels,
    )) {
      const streams = parameters.streams?.examples ?? [""];
      const values = Object.entries(bindings.ws.query?.properties ?? {}).map(
        ([name, { const: fixed, examples: [example] = [true] }]) => `${name}=${fixed ?? example}`,
      );
      for (const example of streams) {
        const target = `${address.replace("{streams}", example)}?${values.join("&")}`;
        const request = { method: "GET", target, rawHeaders: [], body: new Uint8Array() };
        const refusal = await world.service.sockets.admit({ ...request, remoteAddress: "127.0.0.1" });
        expect(refusal, target).toBeUndefined();
      }
    }
  });

  it("every described member of a message was observed: none is invented", () => {
    expect(described.unseenMessages()).toEqual([]);
  });
});
