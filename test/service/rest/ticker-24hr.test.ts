import { describe, expect, it } from "vitest";
import { createMemoryDisk, createMemoryStore } from "../../../src/adapters/memory/index.ts";
import type { Instrument } from "../../../src/model/index.ts";
import type { VolumeHistory } from "../../../src/ports/index.ts";
import type { JsonObject } from "../../../src/wire/index.ts";
import { call, openWorld, type Reply, type ServiceWorld, START_MS } from "../../support/service-world.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const BTC = { symbol: "BTC/USD" };

const day = (world: ServiceWorld, query: Readonly<Record<string, string>> = BTC): Promise<Reply> =>
  call(world, "GET", "/api/ticker/24hr", { query });

const marketOf = (base: string, id: number): Instrument => ({
  ...{ id, symbol: `${base}/USD`, aliases: [], baseAsset: base, quoteAsset: "USD", name: base },
  ...{ kind: "liquidity", status: "TRADING" },
});

let prints = 0;

const print = (
  world: ServiceWorld,
  quantity: string,
  timeMs: number,
  symbol = "BTC/USD",
  price = "7000",
): void => world.feed.print({ symbol, price, quantity, id: `p-${++prints}`, timeMs });

describe("the ticker of a day", () => {
  it("is the ticker with the figures of the day's trades, its begin and its end", async () => {
    const world = await openWorld();
    world.feed.quote({ ...BTC, bid: "6999", ask: "7001", bidQuantity: "1.5", timeMs: START_MS - 7 });
    print(world, "0.25", START_MS - 100, "BTC/USD", "6998");
    print(world, "0.000001", START_MS);
    const ticker = (await call(world, "GET", "/api/ticker", { query: BTC })).body;
    expect((await day(world)).body).toEqual({
      ...ticker,
      price: "7000",
      lastPrice: "7000",
      bid: "6999",
      ask: "7001",
      bidPrice: "6999",
      bidQty: "1.5",
      askPrice: "7001",
      askQty: "999999999999.999999",
      lastUpdateId: "1",
      openPrice: "6998",
      highPrice: "7000",
      lowPrice: "6998",
      priceChange: "2",
      priceChangePercent: "0.028",
      weightedAvgPrice: "6998.000008",
      quoteVolume: "1749.507",
      count: 2,
      volume: "0.250001",
      openTime: START_MS + MINUTE_MS - DAY_MS,
      closeTime: START_MS,
    });
    expect(ticker.closeTime).toBe(START_MS - 7);
  });

  it("one turn computes the days of at most 16 markets", async () => {
    const listed = Array.from({ length: 37 }, (_none, place) => marketOf(`X${place}`, 10 + place));
    let requested = 0;
    const minutes: VolumeHistory["minutes"] = () => {
      requested++;
      return [];
    };
    const world = await openWorld({ instruments: listed, volumeHistory: { minutes } });
    for (const { symbol } of world.instruments.all()) world.feed.quote({ symbol, bid: "100", ask: "101" });
    const turns: (() => void)[] = [];
    Object.assign(world.clock, { soon: (run: () => void) => turns.push(run) });
    const answer = day(world, {});
    const begun: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      for (let step = 0; step < 1_000; step++) await Promise.resolve();
      begun.push(requested);
      for (const run of turns.splice(0)) run();
    }
    expect(begun).toEqual([16, 32, 40, 40]);
    expect((await answer).body).toHaveLength(40);
  });

  it("the days of all markets take no longer than a slow host takes for one", async () => {
    const listed = Array.from({ length: 37 }, (_none, place) => marketOf(`X${place}`, 10 + place));
    const minutes: VolumeHistory["minutes"] = () =>
      new Promise(
        (resolve) => void world.clock.schedule(world.clock.monotonicMs() + 4_000, () => resolve([])),
      );
    const world: ServiceWorld = await openWorld({ instruments: listed, volumeHistory: { minutes } });
    for (const { symbol } of world.instruments.all()) world.feed.quote({ symbol, bid: "100", ask: "101" });
    let answered: Reply | undefined;
    void day(world, {}).then((reply) => {
      answered = reply;
    });
    await world.clock.advanceBy(4_000);
    expect(answered?.body).toHaveLength(40);
  });

  it.each([
    ["3", "2.99999999", "0"],
    ["3", "2.9999", "-0.003"],
    ["3", "3.0001", "0.003"],
    ["3", "1.5", "-50"],
  ])("a change from %s to %s is %s percent, rounded towards zero", async (open, close, percent) => {
    const world = await openWorld();
    print(world, "1", START_MS - 1, "BTC/USD", open);
    print(world, "1", START_MS, "BTC/USD", close);
    expect((await day(world)).body.priceChangePercent).toBe(percent);
  });

  it("after a restart the last price is that of the last print, as the other prices are", async () => {
    const disk = createMemoryDisk();
    const before = await openWorld({ store: createMemoryStore({ disk }) });
    print(before, "1", START_MS - 2 * MINUTE_MS, "BTC/USD", "7000");
    print(before, "1", START_MS - 1, "BTC/USD", "7010");
    print(before, "1", START_MS - MINUTE_MS, "BTC/USD", "7020");
    await before.engine.idle();
    const world = await openWorld({ store: createMemoryStore({ disk }) });
    world.feed.quote({ ...BTC, bid: "1", ask: "3" });
    expect((await day(world)).body).toMatchObject({
      ...{ price: "7010", lastPrice: "7010", highPrice: "7020", openPrice: "7000", priceChange: "10" },
    });
    print(world, "1", START_MS - 2, "BTC/USD", "6000");
    expect((await day(world)).body).toMatchObject({ lastPrice: "7010" });
    print(world, "1", START_MS, "BTC/USD", "6001");
    expect((await day(world)).body).toMatchObject({ lastPrice: "6001" });
  });

  it("covers 1,440 whole minutes, including the running one; one minute earlier is excluded", async () => {
    const world = await openWorld();
    print(world, "1", START_MS - MINUTE_MS);
    print(world, "2", START_MS);
    const lastMs = START_MS - MINUTE_MS + DAY_MS - 1;
    await world.clock.advanceTo(lastMs);
    expect((await day(world)).body).toMatchObject({
      ...{ volume: "3", openTime: START_MS - MINUTE_MS, closeTime: lastMs },
    });
    await world.clock.advanceBy(1);
    expect((await day(world)).body).toMatchObject({ volume: "2", openTime: START_MS });
    await world.clock.advanceBy(MINUTE_MS);
    expect((await day(world)).body).toMatchObject({ volume: "0", openTime: START_MS + MINUTE_MS });
  });

  it("a market with quotes only has volume 0, one with trades only has no bid and ask", async () => {
    const world = await openWorld();
    world.feed.quote({ ...BTC, bid: "1", ask: "2" });
    print(world, "4", START_MS, "ETH/USD");
    expect((await day(world)).body).toMatchObject({ volume: "0", bid: "1" });
    const traded = (await day(world, { symbol: "ETHUSD" })).body;
    expect(Object.keys(traded).filter((name) => /^(bid|ask)/.test(name))).toEqual([]);
    expect(traded).toMatchObject({ symbol: "ETH/USD", volume: "4" });
  });

  it("without a symbol: all known markets; weight 80 instead of 2", async () => {
    const world = await openWorld();
    const all = async (): Promise<unknown> =>
      ((await day(world, {})).body as unknown as readonly JsonObject[]).map(({ symbol }) => symbol);
    expect(await all()).toEqual([]);
    world.feed.quote({ ...BTC, bid: "1", ask: "2" });
    print(world, "4", START_MS, "ETH/USD");
    expect(await all()).toEqual(["BTC/USD", "ETH/USD"]);
    expect((await day(world)).headers["X-MBX-USED-WEIGHT"]).toBe("162");
  });

  it.each([
    [{ symbol: "" }, -1105],
    [{ symbol: "DOGE/USD" }, -1121],
    [BTC, -1112],
  ])("invalid input is 400 with an error text, as at the ticker: %j", async (query, code) => {
    const { status, body } = await day(await openWorld(), query);
    expect([status, body.code, typeof body.error]).toEqual([400, code, "string"]);
  });

  it("the host's own history counts if there is one; its failure is -1001, never 0", async () => {
    let fails = false;
    const requested: unknown[] = [];
    const volumeHistory: VolumeHistory = {
      minutes: async (range) => {
        requested.push(range);
        if (fails) throw new Error("no history");
        return [];
      },
    };
    const world = await openWorld({ volumeHistory });
    print(world, "1", START_MS);
    const { volume, openPrice, count } = (await day(world)).body;
    expect([volume, openPrice, count]).toEqual(["0", undefined, undefined]);
    const toMs = START_MS + MINUTE_MS;
    expect(requested).toEqual([{ ...BTC, fromMs: toMs - DAY_MS, toMs }]);
    fails = true;
    const failed = await day(world);
    expect([failed.status, failed.body.code]).toEqual([503, -1001]);
  });
});
