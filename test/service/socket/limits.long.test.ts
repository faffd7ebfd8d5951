import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryInstruments } from "../../../src/adapters/memory/index.ts";
import type { RateLimiter } from "../../../src/ports/index.ts";
import { createService, type ServiceOptions, type SocketPeer } from "../../../src/service/index.ts";
import { type JsonObject, readJson, type WireRequest, writeJson } from "../../../src/wire/index.ts";
import {
  FAR_LIMIT,
  KEYS,
  openWorld,
  place,
  type ServiceWorld,
  START_MS,
} from "../../support/service-world.ts";
import { openSocketWorld, refusalOf, TestClient } from "../../support/socket-world.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;

const POLICY = 1008;
const OPEN = { apiManaged: true };

/** Counts nothing and refuses nothing. */
const UNLIMITED: RateLimiter = {
  limits: undefined,
  weigh: () => ({ used: 1 }),
  takeOrders: () => ({ counts: { per10s: 1, perDay: 1 }, takenAtMs: 0 }),
  returnOrders: () => ({ per10s: 0, perDay: 0 }),
};

/** Lets pings stand for frames of any kind. */
const MANY_PINGS = { service: { sockets: { settings: { maxPingsPerMinute: 1_000_000 } } } };

/** A clock of real time that stands still. */
const STILL = createManualClock({ startMs: 0 });

const upgrade = (target: string, rest: Partial<WireRequest> = {}): WireRequest => ({
  method: "GET",
  target,
  rawHeaders: [],
  body: new Uint8Array(),
  remoteAddress: "127.0.0.1",
  ...rest,
});

const admitted = async (world: ServiceWorld, request: WireRequest): Promise<readonly [number, unknown]> => {
  const refused = await world.service.sockets.admit(request);
  if (refused === undefined) return [101, undefined];
  return [refused.status, (readJson(refused.body) as JsonObject).code];
};

describe("opening a connection", () => {
  it.each([
    "/ws/listenKey",
    "/ws-api/v3",
    "/ws/liquidity",
    "/ws/listenKey?returnRateLimits=false",
    "/ws-api/v3?returnRateLimits=true",
  ])("%s is a path", async (target) => {
    expect(await admitted(await openWorld(), upgrade(target))).toEqual([101, undefined]);
  });

  it.each([
    ["/", 404, -1099],
    ["/ws", 404, -1099],
    ["/ws/", 404, -1099],
    ["/ws/listenKey/", 404, -1099],
    ["/WS/listenKey", 404, -1099],
    ["/ws/listenkey", 404, -1099],
    ["//ws/listenKey", 404, -1099],
    ["/ws/../ws/listenKey", 404, -1099],
    ["/ws/%6cistenKey", 404, -1099],
    ["http://127.0.0.1/ws/listenKey", 404, -1099],
    ["/ws/listenKey#x", 404, -1099],
    ["/api/order", 404, -1099],
    ["/ws/listenKey?x=1", 400, -1106],
    ["/ws/listenKey?returnRateLimits=no", 400, -1130],
    ["/ws/listenKey?returnRateLimits=true&returnRateLimits=true", 400, -1101],
    ["/ws/listenKey?%zz", 400, -1100],
    ["/ws/liquidity?returnRateLimits=false", 400, -1106],
  ])("hostile 43, 44: %s is refused with %i %i", async (target, status, code) => {
    const world = await openWorld();
    expect(await admitted(world, upgrade(target))).toEqual([status, code]);
    expect(() => new TestClient(world, { target })).toThrow();
  });

  it("other methods do not open a connection", async () => {
    const world = await openWorld();
    expect(await admitted(world, upgrade("/ws/listenKey", { method: "POST" }))).toEqual([404, -1099]);
  });

  it("convention 4.1: weighs 2, a refused path 1; the reply shows the used weight", async () => {
    const world = await openWorld({ limits: { weightPerMinute: 3 } });
    const request = upgrade("/ws/listenKey");
    const used = async (): Promise<string | undefined> =>
      (await world.service.sockets.admit(upgrade("/ws")))?.headers["X-MBX-USED-WEIGHT"];
    expect([await used(), await admitted(world, request), await admitted(world, request)]).toEqual([
      "1",
      [101, undefined],
      [429, -1003],
    ]);
    const refused = await world.service.sockets.admit(request);
    expect(refused?.headers["Retry-After"]).toBe("60");
    expect(await admitted(world, upgrade("/ws/listenKey", { remoteAddress: "192.0.2.1" }))).toEqual([
      101,
      undefined,
    ]);
  });

  it("convention 4.2: 300 in five minutes per address; then 429 until the window ends", async () => {
    const world = await openWorld({ limits: {} });
    const request = upgrade("/ws/liquidity");
    for (let count = 0; count < 300; count++) await world.service.sockets.admit(request);
    const refused = await world.service.sockets.admit(request);
    expect([refused?.status, refused?.headers["Retry-After"]]).toEqual([429, "300"]);
    expect(readJson(refused?.body ?? "")).toMatchObject({
      code: -1003,
      msg: expect.stringContaining("300 connections"),
    });
    expect(await admitted(world, upgrade("/ws/liquidity", { remoteAddress: "192.0.2.1" }))).toEqual([
      101,
      undefined,
    ]);
    await world.clock.advanceTo(START_MS + 300_000);
    expect(await admitted(world, request)).toEqual([101, undefined]);
  });

  it("a limiter without connection limits accepts all, one that fails is -1001", async () => {
    const open = await openWorld({ service: { rateLimiter: UNLIMITED } });
    for (let count = 0; count < 400; count++)
      expect(await admitted(open, upgrade("/ws/liquidity"))).toEqual([101, undefined]);
    const fail = (): never => {
      throw new Error("no connection to the limiter");
    };
    const broken = await openWorld({ service: { rateLimiter: { ...UNLIMITED, connect: fail } } });
    expect(await admitted(broken, upgrade("/ws/liquidity"))).toEqual([503, -1001]);
  });

  it("settings out of range are refused when the service is created", async () => {
    const world = await openWorld();
    const sockets = { settings: { maxStreams: 0 } };
    expect(() => serviceOf(world, { rateLimiter: UNLIMITED, sockets })).toThrow(
      "createService.sockets.settings.maxStreams must be a whole number of at least 1, got 0",
    );
  });
});

describe("incoming messages", () => {
  it("a message over 65,536 bytes ends with 1009, one of exactly that many is answered", async () => {
    const { world, client } = await openSocketWorld();
    const padded = (length: number): string => {
      const head = '{"id":1,"method":"session.subscriptions","x":"';
      return `${head}${"x".repeat(length - head.length - 2)}"}`;
    };
    expect((await client.sendsRaw(padded(65_536))).status).toBe(200);
    client.session.receive(padded(65_537));
    expect(client.closed?.code).toBe(1009);
    const wide = new TestClient(world);
    wide.session.receive(padded(40_000).replaceAll("x".repeat(10), "é".repeat(10)));
    expect(wide.closed?.code).toBe(1009);
  });

  it("hostile 94: a binary message ends with 1003", async () => {
    const { client } = await openSocketWorld();
    client.session.receiveBinary();
    expect(client.closed).toEqual({ code: 1003, reason: "messages are JSON text" });
  });

  it("1,000 frames per second are accepted, one more ends with 1008; pings and pongs count", async () => {
    const { world, client } = await openSocketWorld(MANY_PINGS);
    for (let count = 0; count < 500; count++) client.session.pinged();
    for (let count = 0; count < 499; count++) client.session.ponged();
    expect((await client.ask("session.subscriptions")).status).toBe(200);
    expect(client.closed).toBeUndefined();
    client.session.pinged();
    expect(client.closed).toEqual({ code: POLICY, reason: "more than 1000 frames a second" });
    const calm = new TestClient(world);
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 1_000; count++) calm.session.pinged();
      await world.clock.advanceBy(SECOND_MS);
    }
    expect(calm.closed).toBeUndefined();
  });

  it.each([
    ["pings", (client: TestClient) => client.session.pinged()],
    ["pongs that answer no ping", (client: TestClient) => client.session.ponged()],
  ])("120 %s a minute are taken, one more ends with 1008", async (_what, send) => {
    const { world, client } = await openSocketWorld({ service: { sockets: { realClock: STILL } } });
    for (let count = 0; count < 120; count++) send(client);
    await world.clock.advanceBy(10_000);
    expect(client.closed).toBeUndefined();
    send(client);
    expect(client.closed).toEqual({ code: POLICY, reason: "more than 120 pings a minute" });
  });

  it("pongs for the service's own pings do not count, however fast its clock is moved", async () => {
    const { world, client } = await openSocketWorld({ service: { sockets: { realClock: STILL } } });
    for (let count = 0; count < 500; count++) {
      await world.clock.advanceBy(20_000);
      while (client.pings > 0 && client.pings-- > 0) client.session.ponged();
    }
    expect(client.closed).toBeUndefined();
  });

  it("frames are counted in real time if the service's clock stands still", async () => {
    const realClock = createManualClock({ startMs: 0 });
    const { client } = await openSocketWorld({
      service: { sockets: { realClock, ...MANY_PINGS.service.sockets } },
    });
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 1_000; count++) client.session.pinged();
      await realClock.advanceBy(SECOND_MS);
    }
    expect(client.closed).toBeUndefined();
  });

  it("1,000 requests may be unanswered, one more ends with 1008; received requests are executed", async () => {
    let answer: (used: Readonly<{ used: number }>) => void = () => undefined;
    const waiting = new Promise<Readonly<{ used: number }>>((resolve) => {
      answer = resolve;
    });
    const world = await openWorld();
    const service = serviceOf(world, { rateLimiter: { ...UNLIMITED, weigh: () => waiting } });
    const client = new TestClient({ ...world, service });
    const send = (): void => client.session.receive('{"id":1,"method":"session.subscriptions"}');
    for (let count = 0; count < 1_000; count++) {
      if (count === 900) await world.clock.advanceBy(SECOND_MS);
      send();
    }
    expect(client.closed).toBeUndefined();
    send();
    expect(client.closed).toEqual({ code: POLICY, reason: "more than 1000 requests without an answer" });
    answer({ used: 1 });
    await world.engine.idle();
    expect(client.texts).toEqual([]);
  });

  it("an answered request makes room", async () => {
    const { client } = await openSocketWorld({ service: { sockets: { settings: { maxUnanswered: 1 } } } });
    for (let count = 0; count < 5; count++)
      expect((await client.ask("session.subscriptions")).status).toBe(200);
    client.session.receive('{"id":1,"method":"session.subscriptions"}');
    client.session.receive('{"id":2,"method":"session.subscriptions"}');
    expect(client.closed?.code).toBe(POLICY);
  });

  it("hostile 94: ten invalid messages per minute are allowed, one more ends with 1008", async () => {
    const { world, client } = await openSocketWorld();
    for (let count = 0; count < 10; count++) await client.sendsRaw("no JSON");
    await client.ask("order.amend");
    await client.ask("order.status", {});
    expect(client.closed).toBeUndefined();
    await world.clock.advanceBy(60 * SECOND_MS);
    for (let count = 0; count < 10; count++) await client.sendsRaw('{"id":{}}');
    expect(client.closed).toBeUndefined();
    expect(await client.sendsRaw("[]")).toMatchObject({ id: null, error: { code: -1135 } });
    expect(client.closed).toEqual({ code: POLICY, reason: "too many messages that are no requests" });
  });

  it("after the end nothing is accepted and nothing is sent", async () => {
    const { world, client } = await openSocketWorld();
    client.session.receiveBinary();
    const params = client.params(FAR_LIMIT, KEYS.owner) as JsonObject;
    client.session.receive(writeJson({ id: 1, method: "order.place", params }));
    client.session.pinged();
    client.session.ponged();
    client.session.closed();
    await world.clock.advanceBy(DAY_MS);
    expect([client.texts, client.pings, world.engine.metrics().records]).toEqual([[], 0, 0]);
  });
});

/** Another service over a world's engine. */
function serviceOf(
  { engine, accounts, clock }: ServiceWorld,
  parts: Pick<ServiceOptions, "rateLimiter" | "sockets">,
): ServiceWorld["service"] {
  return createService({
    ...{ engine, accounts, clock, ...parts },
    instruments: createMemoryInstruments([]),
    entropy: { token: (length) => "t".repeat(length) },
  });
}

describe("limits of the address and the account", () => {
  it("too much weight is 429 with the retry time in epoch ms", async () => {
    const { world, client } = await openSocketWorld({ limits: { weightPerMinute: 6 } });
    await world.clock.advanceTo(START_MS + 15_500);
    expect((await client.ask("openOrders.status", OPEN)).status).toBe(200);
    const refused = await client.ask("openOrders.status", OPEN);
    expect(refused).toMatchObject({
      status: 429,
      error: {
        code: -1003,
        data: { serverTime: START_MS + 15_500, retryAfter: START_MS + 15_500 + 45_000 },
      },
    });
    expect(client.closed).toBeUndefined();
    await world.clock.advanceTo(START_MS + 60_000);
    expect((await client.ask("openOrders.status", OPEN)).status).toBe(200);
  });

  it("a message costs its weight whatever its result: an unknown one costs 1", async () => {
    const { client } = await openSocketWorld({ limits: {} });
    const used = ({ rateLimits }: JsonObject): unknown =>
      (rateLimits as readonly JsonObject[]).find(({ rateLimitType }) => rateLimitType === "REQUEST_WEIGHT")
        ?.count;
    expect(used(await client.ask("allOrderLists", {}, { key: null }))).toBe(20);
    expect(used(await client.ask("order.amend", {}))).toBe(21);
    expect(used(await client.ask("order.cancel", { symbol: "?" }))).toBe(22);
    expect(used(await client.ask("userDataStream.subscribe.signature"))).toBe(24);
  });

  it("convention 4.1: a client that continues is banned, and disconnected", async () => {
    const { world, client } = await openSocketWorld({ limits: { weightPerMinute: 1 } });
    for (let count = 0; count < 10; count++) {
      expect(client.closed).toBeUndefined();
      await client.ask("openOrders.status", OPEN);
    }
    const last = await client.ask("openOrders.status", OPEN).catch(() => client.replies.at(-1));
    expect([last?.status, client.closed]).toEqual([429, { code: POLICY, reason: "banned" }]);
    expect(await admitted(world, upgrade("/ws/listenKey"))).toEqual([429, -1003]);
    expect((await place(world)).status).toBe(429);
  });

  it("one order too many is 429 -1015; REST and WebSocket count together", async () => {
    const { world, client } = await openSocketWorld({ limits: { ordersPer10s: 2 } });
    await world.clock.advanceTo(START_MS + 3_000);
    await place(world);
    expect((await client.ask("order.place", FAR_LIMIT)).status).toBe(200);
    expect(await client.ask("order.place", FAR_LIMIT)).toMatchObject({
      status: 429,
      error: { code: -1015, data: { serverTime: START_MS + 3_000, retryAfter: START_MS + 10_000 } },
    });
    expect((await client.ask("openOrders.cancelAll", OPEN)).status).toBe(200);
  });

  it("a limiter that fails is -1001, and the weight is unknown", async () => {
    const fail = (): never => {
      throw new Error("no connection to the limiter");
    };
    const limits = { weightPerMinute: 1, ordersPer10s: 1, ordersPerDay: 1 };
    const rateLimiter = { limits, weigh: fail, takeOrders: fail, returnOrders: fail };
    const { client } = await openSocketWorld({ service: { rateLimiter } });
    expect(await client.ask("session.subscriptions")).toMatchObject({
      status: 503,
      error: { code: -1001 },
      rateLimits: [],
    });
  });
});

describe("ping, pong and age", () => {
  it("convention 1.2 gg: a ping every 20 s; a peer that answers stays", async () => {
    const { world, client } = await openSocketWorld();
    for (let count = 1; count <= 30; count++) {
      await world.clock.advanceBy(20 * SECOND_MS);
      expect(client.pings).toBe(count);
      client.session.ponged();
    }
    expect(client.closed).toBeUndefined();
  });

  it("60 s without a pong end with 1008, not earlier", async () => {
    const { world, client } = await openSocketWorld();
    await world.clock.advanceBy(79_999);
    expect([client.pings, client.closed]).toEqual([3, undefined]);
    await world.clock.advanceBy(1);
    expect(client.closed).toEqual({ code: POLICY, reason: "no pong" });
    await world.clock.advanceBy(HOUR_MS);
    expect(client.pings).toBe(3);
  });

  it("a late pong counts for the earlier pings", async () => {
    const { world, client } = await openSocketWorld();
    await world.clock.advanceBy(79_000);
    client.session.ponged();
    await world.clock.advanceBy(60_000);
    expect(client.closed).toBeUndefined();
    await world.clock.advanceBy(21_000);
    expect(client.closed?.reason).toBe("no pong");
  });

  it("messages do not count as pongs", async () => {
    const { world, client } = await openSocketWorld();
    for (let count = 0; count < 4; count++) {
      await client.ask("session.subscriptions");
      await world.clock.advanceBy(20 * SECOND_MS);
    }
    expect(client.closed?.reason).toBe("no pong");
  });

  it("if the clock jumps, a peer still gets a real second to answer", async () => {
    const realClock = createManualClock({ startMs: 0 });
    const { world, client } = await openSocketWorld({ service: { sockets: { realClock } } });
    await world.clock.advanceBy(HOUR_MS);
    expect(client.closed).toBeUndefined();
    client.session.ponged();
    await realClock.advanceBy(SECOND_MS);
    expect(client.closed).toBeUndefined();
    const { pings } = client;
    await world.clock.advanceBy(20 * SECOND_MS);
    expect(client.pings).toBe(pings + 1);
    await world.clock.advanceBy(HOUR_MS);
    await realClock.advanceBy(999);
    expect(client.closed).toBeUndefined();
    await realClock.advanceBy(1);
    expect(client.closed?.reason).toBe("no pong");
  });

  it("a connection lives 24 hours", async () => {
    const { world, client } = await openSocketWorld();
    for (let passed = 0; passed < DAY_MS - 20_000; passed += 20_000) {
      await world.clock.advanceBy(20_000);
      client.session.ponged();
    }
    await world.clock.advanceBy(19_999);
    expect(client.closed).toBeUndefined();
    await world.clock.advanceBy(1);
    expect(client.closed).toEqual({ code: 1001, reason: "the connection has reached its age" });
  });

  it("the public connection has the same limits", async () => {
    const { world, client } = await openSocketWorld({}, { target: "/ws/liquidity" });
    await world.clock.advanceBy(80 * SECOND_MS);
    expect([client.pings, client.closed?.reason]).toEqual([3, "no pong"]);
  });
});

describe("slow readers", () => {
  const small = {
    service: { sockets: { settings: { maxWaitingEventBytes: 5_000, maxWaitingReplyBytes: 5_000 } } },
  };

  it("I64: a connection with too many unread events is closed; the others are not delayed", async () => {
    const { world, client: slow } = await openSocketWorld(small);
    const quick = new TestClient(world);
    for (const one of [slow, quick]) await one.ask("userDataStream.subscribe.signature");
    slow.buffered = "everything";
    let placed = 0;
    while (slow.closed === undefined) {
      await place(world);
      await world.engine.idle();
      placed++;
      if (placed > 100) throw new Error("never closed");
    }
    expect(slow.closed).toEqual({ code: POLICY, reason: "slow reader" });
    expect(slow.texts.reduce((sum, text) => sum + text.length, 0)).toBeLessThan(7_000);
    await quick.until(() => quick.events.length === placed);
    expect(quick.events.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: placed }, (_, at) => at + 1),
    );
    await place(world);
    await quick.until(() => quick.events.length === placed + 1);
  });

  it("a client that reads in time is never closed, however much it receives", async () => {
    const { world, client } = await openSocketWorld(small);
    await client.ask("userDataStream.subscribe.signature");
    for (let count = 0; count < 50; count++) {
      client.buffered = count % 7 === 6 ? 0 : 4_000;
      await place(world);
    }
    await client.until(() => client.events.length === 50);
    expect(client.closed).toBeUndefined();
  });

  it("a long answer that is still being read does not count against a reader of events", async () => {
    const { world, client } = await openSocketWorld(small);
    for (let count = 0; count < 24; count++) await place(world);
    await client.ask("userDataStream.subscribe.signature");
    const page = await client.ask("openOrders.status", OPEN);
    expect(writeJson(page).length).toBeGreaterThan(10_000);
    client.buffered = "everything";
    for (let count = 0; count < 5; count++) await place(world);
    await client.until(() => client.events.length === 5);
    expect(client.closed).toBeUndefined();
  });

  it("a client that does not read its answers is closed", async () => {
    const { client } = await openSocketWorld(small);
    client.buffered = "everything";
    const requesting = async (): Promise<void> => {
      for (let count = 0; count < 200; count++) await client.ask("openOrders.status", OPEN);
    };
    await expect(requesting()).rejects.toThrow("slow reader");
  });

  it("I64: a public stream, which needs no key, is closed after 1 MiB", async () => {
    const { world, client } = await openSocketWorld({}, { target: "/ws/liquidity" });
    client.session.receive('{"method":"SUBSCRIBE","params":["btcusd@bookTicker"],"id":1}');
    await client.until(() => client.texts.length > 0);
    client.buffered = 2 * 1_048_576;
    for (let count = 0; client.closed === undefined && count < 20_000; count++) {
      world.feed.quote({ symbol: "BTC/USD", bid: "100", ask: "101" });
      // More than a turn sends would wait, and would be too many first.
      if (count % 32 === 0) await world.engine.idle();
    }
    expect(client.closed).toEqual({ code: POLICY, reason: "slow reader" });
    const sent = client.texts.reduce((sum, text) => sum + text.length, 0);
    expect([sent > 1_000_000, sent < 1_049_000]).toEqual([true, true]);
  });

  it("and so is a client that does not read its answers there", async () => {
    const { client } = await openSocketWorld(
      { service: { sockets: { settings: { maxWaitingMarketBytes: 5_000 } } } },
      { target: "/ws/liquidity" },
    );
    client.buffered = "everything";
    const params = ["bookTicker", "depth", "depth20", "trade"].map((kind) => `btcusd@${kind}`);
    client.session.receive(writeJson({ method: "SUBSCRIBE", params, id: 1 }));
    for (let count = 0; count < 100; count++) {
      client.session.receive('{"method":"LIST_SUBSCRIPTIONS","id":2}');
    }
    await client.until(() => client.closed !== undefined);
    expect(client.closed).toEqual({ code: POLICY, reason: "slow reader" });
  });
});

describe("shutdown", () => {
  it("convention 4.2: every connection is told, and ends when its requests are answered; no new ones open", async () => {
    const { world, client: idle } = await openSocketWorld();
    const [busy, market] = [new TestClient(world), new TestClient(world, { target: "/ws/liquidity" })];
    const answering = busy.ask("order.place", FAR_LIMIT);
    world.service.sockets.shutdown();
    expect(idle.messages).toEqual([{ event: { e: "serverShutdown", E: START_MS } }]);
    expect(market.messages).toEqual([{ e: "serverShutdown", E: START_MS }]);
    expect([idle.closed, market.closed]).toEqual([
      { code: 1001, reason: "the service stops" },
      { code: 1001, reason: "the service stops" },
    ]);
    expect(busy.closed).toBeUndefined();
    expect((await answering).status).toBe(200);
    await busy.until(() => busy.closed !== undefined);
    expect(busy.closed).toEqual({ code: 1001, reason: "the service stops" });
    expect(await admitted(world, upgrade("/ws/listenKey"))).toEqual([503, -1016]);
    expect(new TestClient(world).closed?.code).toBe(1001);
  });

  it("a connection that has ended is not told", async () => {
    const { world, client } = await openSocketWorld();
    client.session.closed();
    world.service.sockets.shutdown();
    expect([client.texts, client.closed]).toEqual([[], undefined]);
  });
});

describe("a service without connections", () => {
  it("listens to nothing: it subscribes to neither orders nor quotes", async () => {
    const world = await openWorld();
    const listened: string[] = [];
    const { on } = world.engine.events;
    Object.assign(world.engine.events, {
      on: (event: string, ...rest: never[]) => {
        listened.push(event);
        return (on as (...all: unknown[]) => unknown).call(world.engine.events, event, ...rest);
      },
    });
    await place(world);
    expect(listened).toEqual([]);
    const client = new TestClient(world);
    expect(listened).toEqual(["shards", "order", "list"]);
    const market = new TestClient(world, { target: "/ws/liquidity" });
    market.session.receive('{"method":"SUBSCRIBE","params":["btcusd@trade"],"id":1}');
    await market.until(() => market.texts.length > 0);
    expect(listened).toEqual(["shards", "order", "list", "quote", "print"]);
    client.session.closed();
  });

  it("a peer made by hand needs only its request and four functions", async () => {
    const world = await openWorld();
    const sent: string[] = [];
    const peer: SocketPeer = {
      target: "/ws/listenKey",
      rawHeaders: [],
      remoteAddress: "127.0.0.1",
      send: (text) => void sent.push(text),
      ping: () => undefined,
      close: () => undefined,
      bufferedBytes: () => 0,
    };
    world.service.sockets.connect(peer).receive('{"id":1,"method":"session.subscriptions"}');
    await world.engine.idle();
    expect(sent).toEqual(['{"id":1,"status":200,"result":[],"rateLimits":[]}']);
  });

  it("refusals of a message have the status numbers of REST", async () => {
    const { client } = await openSocketWorld();
    expect(refusalOf(await client.ask("openOrders.status", {}))).toEqual([400, -1102]);
  });
});
