import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../../src/adapters/memory/index.ts";
import type { Clock } from "../../../src/ports/index.ts";
import { CLIENT_STREAM_SUFFIXES } from "../../../src/requests/index.ts";
import { type JsonObject, readJson, type WireRequest } from "../../../src/wire/index.ts";
import {
  call,
  openWorld,
  type ServiceWorld,
  START_MS,
  type WorldOptions,
} from "../../support/service-world.ts";
import { TestClient } from "../../support/socket-world.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** Without pings, so that clients need not answer them. */
const QUIET: WorldOptions = { service: { sockets: { settings: { pingEveryMs: 24 * HOUR } } } };

type Opened = Readonly<{ world: ServiceWorld; client: TestClient }>;

async function open(target: string, options: WorldOptions = {}): Promise<Opened> {
  const world = await openWorld(options);
  expect(await refused(world, target)).toEqual([101]);
  return { world, client: new TestClient(world, { target }) };
}

/** Resolves to the status and the code of the answer to an upgrade request, or to 101. */
async function refused(world: ServiceWorld, target: string): Promise<readonly unknown[]> {
  const request: WireRequest = {
    ...{ method: "GET", target, rawHeaders: [], body: new Uint8Array(), remoteAddress: "127.0.0.1" },
  };
  const answer = await world.service.sockets.admit(request);
  return answer === undefined ? [101] : [answer.status, (readJson(answer.body) as JsonObject).code];
}

let printed = 0;
const print = (world: ServiceWorld, price: string, id = `${++printed}`): void =>
  world.engine.market.print({ symbol: "BTC/USD", price, quantity: "2", id, timeMs: world.clock.nowMs() });

const quote = (world: ServiceWorld, bid = "100", ask = "101"): unknown =>
  world.feed.quote({
    symbol: "BTC/USD",
    bids: [
      [bid, "1"],
      ["99", "5"],
    ],
    asks: [[ask, "2"]],
    bid,
    ask,
  });

const control = (client: TestClient, method: string, params?: unknown): Promise<JsonObject> =>
  client.sendsRaw(JSON.stringify({ method, ...(params !== undefined && { params }), id: 1 }));

describe("the paths of the convention", () => {
  it.each(["", "/compat"])("%s/ws/<stream> sends the events of the stream as they are", async (prefix) => {
    const { world, client } = await open(`${prefix}/ws/btcusd@trade`);
    print(world, "100", "9007199254740993");
    expect(client.messages).toEqual([
      {
        ...{ e: "trade", E: START_MS, s: "BTCUSD", t: START_MS * 1_000 + 1, executionId: "9007199254740993" },
        ...{ p: "100", q: "2", T: START_MS, m: false, M: true },
      },
    ]);
  });

  it.each(["", "/compat"])("%s/stream sends each event with the name of its stream", async (prefix) => {
    const streams = "btcusd@aggTrade/BTCUSD@bookTicker";
    const { world, client } = await open(`${prefix}/stream?streams=${streams}&timeUnit=MILLISECOND`);
    print(world, "100", "7");
    quote(world);
    expect(client.messages).toEqual([
      {
        stream: "btcusd@aggTrade",
        data: {
          ...{ e: "aggTrade", E: START_MS, s: "BTCUSD", p: "100", q: "2" },
          ...{ a: START_MS * 1_000 + 1, f: START_MS * 1_000 + 1, l: START_MS * 1_000 + 1 },
          ...{ T: START_MS, m: false, M: true },
        },
      },
      { stream: "btcusd@bookTicker", data: { u: 1, s: "BTCUSD", b: "100", B: "1", a: "101", A: "2" } },
    ]);
    world.service.sockets.shutdown();
    expect(client.messages.at(-1)).toEqual({
      stream: "!serverShutdown",
      data: { e: "serverShutdown", E: START_MS },
    });
  });

  it("several streams in one path, an encoded @, and a number for a connection without streams", async () => {
    for (const target of ["/ws/btcusd@trade/ethusd@trade", "/ws/btcusd%40trade/ethusd%40trade"]) {
      const { client } = await open(target);
      const { result } = await control(client, "LIST_SUBSCRIPTIONS");
      expect(result).toEqual(["btcusd@trade", "ethusd@trade"]);
    }
    for (const target of ["/ws/0", "/stream", "/stream?streams="]) {
      const { client } = await open(target);
      expect(await control(client, "SUBSCRIBE", ["btcusd@depth5@100ms"])).toEqual({ result: null, id: 1 });
      expect((await control(client, "LIST_SUBSCRIPTIONS")).result).toEqual(["btcusd@depth5@100ms"]);
      expect(await control(client, "UNSUBSCRIBE", ["btcusd@depth5@100ms"])).toEqual({ result: null, id: 1 });
      expect((await control(client, "LIST_SUBSCRIPTIONS")).result).toEqual([]);
    }
  });

  it.each([
    ["/ws/btcusd@tradez", 400, -1130],
    ["/ws/xrpusd@trade", 400, -1130],
    ["/ws/btcusd@kline_1s", 400, -1130],
    ["/stream?streams=btcusd@trade/nothing", 400, -1130],
    ["/stream?streams=btcusd@trade&listenKey=x", 400, -1106],
    ["/ws/btcusd@trade?timeUnit=MICROSECOND", 400, -1130],
    ["/ws/pqia91ma19a5s61cv6a81va65sdf19v8a65a1a5s61cv6a81va65sdf19v8a65a1", 404, -1099],
    ["/ws/00000", 404, -1099],
    ["/streams", 404, -1099],
    ["/compat/ws/liquidity", 404, -1099],
  ])("%s is refused with %i %i", async (target, status, code) => {
    expect(await refused(await openWorld(), target)).toEqual([status, code]);
  });

  it("an unknown stream in a message is refused as the convention has it", async () => {
    const { client } = await open("/stream");
    expect(await control(client, "SUBSCRIBE", ["btcusd@tradez"])).toMatchObject({ code: 2, id: 1 });
    expect((await control(client, "LIST_SUBSCRIPTIONS")).result).toEqual([]);
  });

  it.each(["/ws/0", "/stream"])("%s: the path alone decides the form of the events", async (target) => {
    const { client } = await open(target);
    for (const [method, params] of [
      ["SET_PROPERTY", ["combined", true]],
      ["GET_PROPERTY", ["combined"]],
    ] as const) {
      const msg =
        "Invalid request: unknown variant, expected one of SUBSCRIBE, UNSUBSCRIBE, LIST_SUBSCRIPTIONS";
      expect(await control(client, method, params)).toEqual({ code: 2, msg, id: 1 });
    }
    expect(client.closed).toBeUndefined();
  });

  it("neither a path nor messages open more streams than a connection may have", async () => {
    const limited: WorldOptions = { service: { sockets: { settings: { maxStreams: 2 } } } };
    const world = await openWorld(limited);
    const names = ["btcusd@trade", "btcusd@depth", "btcusd@ticker"];
    expect(await refused(world, `/stream?streams=${names.join("/")}`)).toEqual([400, -1130]);
    const { client } = await open(`/ws/${names.slice(0, 2).join("/")}`, limited);
    expect(await control(client, "SUBSCRIBE", names.slice(2))).toMatchObject({ code: 2 });
  });

  it.each([
    ["/ws/0", 2],
    ["/stream", 2],
    ["/ws/btcusd@trade/btcusd@nothing", 4],
    ["/compat/stream?streams=btcusd@trade/btcusd%40depth%2Fbtcusd@ticker&timeUnit=millisecond", 5],
    ["/stream?streams=%zz/x", 4],
  ])("opening %s weighs %s", async (target, weight) => {
    const world = await openWorld();
    await refused(world, target);
    const { headers } = await call(world, "GET", "/api/ping");
    expect(headers["X-MBX-USED-WEIGHT-1M"]).toBe(`${weight + 1}`);
  });

  it("are off where the host turns the compat prefix off; /ws/liquidity stays", async () => {
    const world = await openWorld({ service: { settings: { compatRoutes: false } } });
    for (const target of ["/ws/btcusd@trade", "/stream?streams=btcusd@trade", "/compat/stream", "/ws/0"])
      expect(await refused(world, target)).toEqual([404, -1099]);
    expect(await refused(world, "/ws/liquidity")).toEqual([101]);
  });
});

describe("books", () => {
  it("a diff continues the snapshot of the compat prefix, whose id is a number", async () => {
    const { world, client } = await open("/ws/btcusd@depth@100ms");
    quote(world);
    const snapshot = (await call(world, "GET", "/compat/api/v3/depth", { query: { symbol: "BTCUSD" } })).body;
    await world.clock.advanceBy(100);
    quote(world, "100", "103");
    quote(world, "100", "102");
    await world.clock.advanceBy(100);
    expect(client.messages.at(-1)).toEqual({
      ...{ e: "depthUpdate", E: START_MS + 200, s: "BTCUSD", b: [] },
      ...{ U: Number(snapshot.lastUpdateId) + 1, u: Number(snapshot.lastUpdateId) + 2 },
      a: [
        ["102", "2"],
        ["101", "0"],
      ],
    });
  });

  it("a partial book has the members of the convention and its number of levels", async () => {
    const { world, client } = await open("/ws/btcusd@depth5/btcusd@depth20@1000ms");
    quote(world);
    await world.clock.advanceBy(1_000);
    const book = {
      lastUpdateId: 1,
      bids: [
        ["100", "1"],
        ["99", "5"],
      ],
      asks: [["101", "2"]],
    };
    expect(client.messages).toEqual([book, book]);
  });

  it.each(["depth", "depth5", "depth20"])("%s is sent as often as its speed says", async (kind) => {
    const speeds = ["", "@100ms", "@1000ms"].map((speed) => `btcusd@${kind}${speed}`);
    const { world, client } = await open(`/stream?streams=${speeds.join("/")}`);
    // A quote every 50 ms for two seconds, then none for two.
    for (let count = 0; count < 40; count++) {
      quote(world, "100", `${101 + count}`);
      await world.clock.advanceBy(50);
    }
    await world.clock.advanceBy(2_000);
    const sent = speeds.map((name) => client.messages.filter(({ stream }) => stream === name).length);
    expect(sent).toEqual([2, 20, 2]);
  });
});

describe("klines of a stream", () => {
  const kline = ({ k }: JsonObject): readonly unknown[] => {
    const { t, o, h, l, c, v, n, q, x } = k as JsonObject;
    return [Number(t) - START_MS, o, h, l, c, v, n, q, x];
  };

  it("are sent at the end of a second with prints, and once more when they end", async () => {
    const { world, client } = await open("/ws/btcusd@kline_1m", QUIET);
    await world.clock.advanceBy(500);
    print(world, "100");
    print(world, "101");
    expect(client.messages).toEqual([]);
    await world.clock.advanceBy(500);
    expect(client.messages.map(kline)).toEqual([[0, "100", "101", "100", "101", "4", 2, "402", false]]);
    await world.clock.advanceBy(MINUTE - 2_000);
    expect(client.messages).toHaveLength(1);
    await world.clock.advanceBy(1_000);
    expect(client.messages.slice(1).map(kline)).toEqual([
      [0, "100", "101", "100", "101", "4", 2, "402", true],
    ]);
    await world.clock.advanceBy(MINUTE);
    expect(client.messages.slice(2).map(kline)).toEqual([
      [MINUTE, "101", "101", "101", "101", "0", 0, "0", true],
    ]);
    expect(client.messages[0]).toMatchObject({
      ...{ e: "kline", s: "BTCUSD", E: START_MS + 1_000 },
      k: { T: START_MS + MINUTE - 1, s: "BTCUSD", i: "1m", f: -1, L: -1, V: "0", Q: "0", B: "0" },
    });
  });

  it("are those of the REST route", async () => {
    const { world, client } = await open("/ws/btcusd@kline_1h", QUIET);
    for (let minute = 0; minute < 70; minute += 7) {
      print(world, `${100 + minute}`);
      await world.clock.advanceBy(7 * MINUTE);
    }
    const closed = client.messages.filter(({ k }) => (k as JsonObject).x === true).map(kline);
    const query = { symbol: "BTCUSD", interval: "1h" };
    const { body } = await call(world, "GET", "/compat/api/v3/klines", { query });
    const [[, ...first] = []] = body as unknown as readonly (readonly unknown[])[];
    expect(closed).toEqual([[0, ...first.slice(0, 5), first[7], first[6], true]]);
  });

  it.each([
    [1, [0]],
    [30, Array.from({ length: 30 }, (_, minute) => minute)],
    [180, [0, ...Array.from({ length: 59 }, (_, minute) => 121 + minute)]],
  ])(
    "after a jump of the wall clock of %i minutes, the kline that was running and the newest 59 after it are closed, in order",
    async (minutes, closed) => {
      const { world, client } = await open("/ws/btcusd@kline_1m", QUIET);
      print(world, "100");
      await world.clock.advanceBy(1_000);
      world.clock.stepWall(minutes * MINUTE);
      print(world, "101");
      await world.clock.advanceBy(1_000);
      expect(client.messages.map(kline)).toEqual([
        [0, "100", "100", "100", "100", "2", 1, "200", false],
        [0, "100", "100", "100", "100", "2", 1, "200", true],
        ...closed.slice(1).map((minute) => [minute * MINUTE, "100", "100", "100", "100", "0", 0, "0", true]),
        [minutes * MINUTE, "101", "101", "101", "101", "2", 1, "202", false],
      ]);
    },
  );

  it("a wall clock that is set back ends none", async () => {
    const { world, client } = await open("/ws/btcusd@kline_1m", QUIET);
    print(world, "100");
    await world.clock.advanceBy(1_000);
    world.clock.stepWall(-2 * HOUR);
    await world.clock.advanceBy(2_000);
    expect(client.messages).toHaveLength(1);
  });

  it("are not sent while prices are unknown or not kept, and the connection stays", async () => {
    const memory = createMemoryStore();
    const readVolume = async () => {
      const { priceBars: _bars, ...volume } = await memory.readVolume();
      return volume;
    };
    const { world, client } = await open("/ws/btcusd@kline_1m/btcusd@ticker", {
      store: { ...memory, readVolume },
    });
    print(world, "100");
    await world.clock.advanceBy(MINUTE);
    expect(client.messages.map(({ e }) => e)).toEqual(["24hrTicker"]);
    expect(client.messages[0]).not.toHaveProperty("o");
    expect(client.closed).toBeUndefined();
  });
});

describe("tickers of a day", () => {
  it("are sent at the end of a second with a quote or a print; the small one after prints only", async () => {
    const { world, client } = await open("/stream?streams=btcusd@ticker/btcusd@miniTicker");
    quote(world);
    await world.clock.advanceBy(1_000);
    print(world, "100");
    print(world, "102");
    await world.clock.advanceBy(1_000);
    await world.clock.advanceBy(5_000);
    expect(client.messages.map(({ stream }) => stream)).toEqual([
      "btcusd@ticker",
      "btcusd@ticker",
      "btcusd@miniTicker",
    ]);
    const O = START_MS + MINUTE - 24 * HOUR;
    const best = { b: "100", B: "1", a: "101", A: "2" };
    expect(client.messages[1]?.data).toEqual({
      ...{ e: "24hrTicker", E: START_MS + 2_000, s: "BTCUSD", c: "102", Q: "2", ...best },
      ...{ p: "2", P: "2", w: "101", o: "100", h: "102", l: "100", v: "4", q: "404", n: 2 },
      ...{ O, C: START_MS + 2_000 },
    });
    expect(client.messages[2]?.data).toEqual({
      ...{ e: "24hrMiniTicker", E: START_MS + 2_000, s: "BTCUSD", c: "102" },
      ...{ o: "100", h: "102", l: "100", v: "4", q: "404" },
    });
  });
});

/** A clock that counts its timers. */
function createCountingClock(): Readonly<{
  clock: Clock;
  advanceBy: (ms: number) => Promise<void>;
  timers: () => number;
}> {
  const manual = createManualClock({ startMs: START_MS });
  const timers = new Set<symbol>();
  const schedule: Clock["schedule"] = (atMs, run) => {
    const timer = Symbol("timer");
    timers.add(timer);
    const cancel = manual.schedule(atMs, () => {
      timers.delete(timer);
      run();
    });
    return () => {
      timers.delete(timer);
      cancel();
    };
  };
  return {
    clock: { ...manual, schedule },
    advanceBy: (ms) => manual.advanceBy(ms),
    timers: () => timers.size,
  };
}

describe("what a stranger can hold", () => {
  it("every stream can be subscribed with a timer for each speed; a connection that ends leaves none", async () => {
    const { clock, timers, advanceBy } = createCountingClock();
    const { world, client } = await open("/stream", { service: { clock } });
    const names = CLIENT_STREAM_SUFFIXES.map((suffix) => `btcusd@${suffix}`);
    const before = timers();
    expect(await control(client, "SUBSCRIBE", names)).toEqual({ result: null, id: 1 });
    expect(timers()).toBe(before + 2);
    client.session.closed();
    expect(timers()).toBe(before - 1);
    print(world, "100");
    await advanceBy(2_000);
    expect(client.messages).toHaveLength(1);
  });

  it("without a stream of seconds, the timer of seconds is not set again", async () => {
    const { clock, timers, advanceBy } = createCountingClock();
    const { client } = await open("/ws/btcusd@trade/btcusd@kline_1m", { service: { clock } });
    const before = timers();
    await advanceBy(1_000);
    expect(timers()).toBe(before);
    await control(client, "UNSUBSCRIBE", ["btcusd@kline_1m"]);
    await advanceBy(1_000);
    expect(timers()).toBe(before - 1);
  });
});
