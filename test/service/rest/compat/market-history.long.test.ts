import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../../src/adapters/memory/index.ts";
import { KLINE_INTERVALS, klineEndMs, klineStartMs } from "../../../../src/requests/index.ts";
import { type JsonObject, type JsonValue, readJson } from "../../../../src/wire/index.ts";
import { openWorld, requestOf, type ServiceWorld } from "../../../support/service-world.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

type Rows = readonly (readonly JsonValue[])[];

async function get(
  world: ServiceWorld,
  target: string,
): Promise<Readonly<{ status: number; body: JsonValue }>> {
  const { status, body } = await world.service.handle(requestOf("GET", `/compat/api/v3/${target}`));
  return { status, body: readJson(body) };
}

const rows = async (world: ServiceWorld, query: string): Promise<Rows> =>
  (await get(world, `klines?symbol=BTCUSD&${query}`)).body as Rows;

const list = async (world: ServiceWorld, target: string): Promise<readonly JsonObject[]> =>
  (await get(world, target)).body as readonly JsonObject[];

const codeOf = async (world: ServiceWorld, target: string): Promise<readonly unknown[]> => {
  const { status, body } = await get(world, target);
  return [status, (body as JsonObject).code];
};

let printed = 0;
function print(world: ServiceWorld, text: string, beforeMs = 0, id = `${++printed}`): void {
  const timeMs = world.clock.nowMs() - beforeMs;
  world.engine.market.print({ symbol: "BTC/USD", price: text, quantity: "2", id, timeMs });
}

/** A world whose clock is at the start of a UTC day. */
async function openDay(): Promise<ServiceWorld> {
  const world = await openWorld();
  await world.clock.advanceBy(DAY - (world.clock.nowMs() % DAY));
  return world;
}

describe("klines", () => {
  it("have the prices, the sums and the number of the trades of a minute, at twelve positions", async () => {
    const world = await openDay();
    const startMs = world.clock.nowMs();
    await world.clock.advanceBy(30_000);
    for (const [text, beforeMs] of [
      ["100.5", 20_000],
      ["101", 5_000],
      ["99", 10_000],
    ] as const)
      print(world, text, beforeMs);
    expect(await rows(world, "interval=1m&limit=1")).toEqual([
      [startMs, "100.5", "101", "99", "101", "6", startMs + MINUTE - 1, "601", 3, "0", "0", "0"],
    ]);
    expect(await list(world, "uiKlines?symbol=BTCUSD&interval=1m")).toEqual(await rows(world, "interval=1m"));
  });

  it("contain the periods without trades, at the last price before them, from the first trade on", async () => {
    const world = await openDay();
    print(world, "100");
    await world.clock.advanceBy(2 * MINUTE);
    print(world, "101");
    await world.clock.advanceBy(MINUTE);
    const shown = (await rows(world, "interval=1m")).map(([, open, , , close, volume, , , count]) => [
      open,
      close,
      volume,
      count,
    ]);
    expect(shown).toEqual([
      ["100", "100", "2", 1],
      ["100", "100", "0", 0],
      ["101", "101", "2", 1],
      ["101", "101", "0", 0],
    ]);
  });

  it.each(KLINE_INTERVALS)("%s joins the bars of its period", async (interval) => {
    const world = await openDay();
    const times: number[] = [];
    for (let hour = 0; hour < 80; hour++) {
      print(world, `${100 + (hour % 7)}`);
      times.push(world.clock.nowMs());
      await world.clock.advanceBy(interval.endsWith("m") ? 2 * MINUTE : HOUR);
    }
    const found = await rows(world, `interval=${interval}&limit=1000`);
    expect(found.length).toBeGreaterThan(0);
    for (const [startMs, open, high, low, close, , endMs, , count] of found) {
      const own = times.flatMap((timeMs, index) =>
        timeMs >= Number(startMs) && timeMs <= Number(endMs) ? [100 + (index % 7)] : [],
      );
      expect(klineStartMs(interval, Number(endMs))).toBe(startMs);
      expect(count).toBe(own.length);
      if (own.length === 0) continue;
      const prices = [own[0], Math.max(...own), Math.min(...own), own.at(-1)].map(String);
      expect([open, high, low, close]).toEqual(prices);
    }
  });

  it("begin on Mondays and on the first of a month, by UTC", () => {
    const at = Date.UTC(2024, 1, 29, 13, 5);
    expect(klineStartMs("1w", at)).toBe(Date.UTC(2024, 1, 26));
    expect(klineStartMs("1M", at)).toBe(Date.UTC(2024, 1, 1));
    expect(klineEndMs("1M", Date.UTC(2024, 1, 1))).toBe(Date.UTC(2024, 2, 1));
    expect(klineEndMs("1M", Date.UTC(2023, 11, 1))).toBe(Date.UTC(2024, 0, 1));
    expect(klineStartMs("4h", at)).toBe(Date.UTC(2024, 1, 29, 12));
  });

  it("are the oldest after a start, the newest before an end, and at most 1,000", async () => {
    const world = await openDay();
    const startMs = world.clock.nowMs();
    for (let minute = 0; minute < 10; minute++) {
      print(world, `${100 + minute}`);
      await world.clock.advanceBy(MINUTE);
    }
    const opens = async (query: string): Promise<readonly JsonValue[]> =>
      (await rows(world, `interval=1m&${query}`)).map(([, open]) => open as JsonValue);
    expect(await opens(`startTime=${startMs + MINUTE}&limit=2`)).toEqual(["101", "102"]);
    expect(await opens(`endTime=${startMs + 3 * MINUTE}&limit=2`)).toEqual(["102", "103"]);
    expect(await opens(`startTime=${startMs + 1}&endTime=${startMs + 2 * MINUTE}`)).toEqual(["101", "102"]);
    expect(await opens(`startTime=${world.clock.nowMs() + 1}`)).toEqual([]);
    await world.clock.advanceBy(DAY - 5 * MINUTE);
    expect(await opens("limit=2000")).toHaveLength(1_000);
  });

  it("that are no longer kept as a whole are left out", async () => {
    const world = await openDay();
    print(world, "100");
    await world.clock.advanceBy(DAY - MINUTE);
    expect((await rows(world, "interval=3m&startTime=0"))[0]?.[8]).toBe(1);
    await world.clock.advanceBy(MINUTE);
    print(world, "101");
    const found = await rows(world, "interval=3m&startTime=0");
    expect(found.map(([, , , , , , , , count]) => count).filter((count) => count !== 0)).toEqual([1]);
    expect(found.every(([startMs]) => Number(startMs) > world.clock.nowMs() - DAY)).toBe(true);
  });

  it.each([
    ["interval=1s", -1120],
    ["interval=7m", -1120],
    ["interval=1H", -1120],
    ["interval=", -1120],
    ["limit=5", -1102],
    ["interval=1m&limit=0", -1130],
    ["interval=1m&limit=x", -1100],
    ["interval=1m&startTime=2&endTime=1", -1023],
    ["interval=1m&timeZone=8", -1100],
    ["interval=1m&timeZone=-1:00", -1100],
  ])("of %s are refused as %i", async (query, code) => {
    const world = await openWorld();
    expect(await codeOf(world, `klines?symbol=BTCUSD&${query}`)).toEqual([400, code]);
  });

  it("of UTC are served in each form of it, and of an unknown market they are refused", async () => {
    const world = await openWorld();
    for (const zone of ["0", "00:00", "%2B00:00"])
      expect((await get(world, `klines?symbol=BTCUSD&interval=1m&timeZone=${zone}`)).status).toBe(200);
    expect(await codeOf(world, "klines?symbol=XRPUSD&interval=1m")).toEqual([400, -1121]);
    expect(await codeOf(world, "klines?interval=1m")).toEqual([400, -1102]);
  });

  it("are not available on a store that keeps no bars", async () => {
    const memory = createMemoryStore();
    const readVolume = async () => {
      const { priceBars: _bars, ...volume } = await memory.readVolume();
      return volume;
    };
    const world = await openWorld({ store: { ...memory, readVolume } });
    print(world, "100");
    expect(await codeOf(world, "klines?symbol=BTCUSD&interval=1m")).toEqual([404, -1020]);
    expect(await list(world, "trades?symbol=BTCUSD")).toHaveLength(1);
  });
});

describe("trades", () => {
  it("have a number, whatever the id of their execution is", async () => {
    const world = await openWorld();
    print(world, "100", 5, "9007199254740993");
    const trade = { id: world.clock.nowMs() * 1_000 + 1, price: "100", qty: "2", quoteQty: "200" };
    const time = world.clock.nowMs() - 5;
    expect(await list(world, "trades?symbol=BTCUSD")).toEqual([
      { ...trade, time, isBuyerMaker: false, isBestMatch: true },
    ]);
    expect(await list(world, "aggTrades?symbol=BTCUSD")).toEqual([
      { a: trade.id, p: "100", q: "2", f: trade.id, l: trade.id, T: time, m: false, M: true },
    ]);
  });

  it("page by fromId: their ids rise by one in the order of counting, whatever those of the executions are", async () => {
    const world = await openWorld();
    for (const id of ["15", "12", "text", "11"]) print(world, "100", 0, id);
    const ids = async (target: string): Promise<readonly number[]> =>
      (await list(world, target)).map((trade) => Number(trade.id ?? trade.a));
    const [first = 0, ...later] = await ids("trades?symbol=BTCUSD");
    expect(later).toEqual([first + 1, first + 2, first + 3]);
    for (const path of ["historicalTrades", "aggTrades"]) {
      const paged: number[] = [];
      for (let from = first; paged.length < 5; from = (paged.at(-1) ?? 0) + 1) {
        const page = await ids(`${path}?symbol=BTCUSD&fromId=${from}&limit=2`);
        if (page.length === 0) break;
        paged.push(...page);
      }
      expect(paged).toEqual([first, ...later]);
      expect(await ids(`${path}?symbol=BTCUSD&fromId=-1`)).toEqual([first, ...later]);
    }
    await world.clock.advanceBy(5);
    const next = await openWorld();
    await next.clock.advanceBy(5);
    print(next, "100");
    const [again] = await list(next, "trades?symbol=BTCUSD");
    expect(Number(again?.id)).toBeGreaterThan(first + 3);
  });

  it("of a period are the oldest of those after a start, or the newest before an end", async () => {
    const world = await openWorld();
    const nowMs = world.clock.nowMs();
    for (const before of [40, 30, 20, 10]) print(world, "100", before, `${before}`);
    const ids = async (query: string): Promise<readonly unknown[]> =>
      (await list(world, `aggTrades?symbol=BTCUSD&${query}`)).map(({ T }) => nowMs - Number(T));
    expect(await ids(`startTime=${nowMs - 30}&limit=2`)).toEqual([30, 20]);
    expect(await ids(`endTime=${nowMs - 20}&limit=2`)).toEqual([30, 20]);
    expect(await ids(`startTime=${nowMs - 30}&endTime=${nowMs - 20}`)).toEqual([30, 20]);
    expect(await codeOf(world, "aggTrades?symbol=BTCUSD&fromId=1&startTime=1")).toEqual([400, -1128]);
    expect(await codeOf(world, "aggTrades?symbol=BTCUSD&startTime=2&endTime=1")).toEqual([400, -1023]);
  });

  it("of a market without trades are none, and of an unknown market they are refused", async () => {
    const world = await openWorld();
    for (const path of ["trades", "historicalTrades", "aggTrades"]) {
      expect(await list(world, `${path}?symbol=BTCUSD`)).toEqual([]);
      expect(await codeOf(world, `${path}?symbol=XRPUSD`)).toEqual([400, -1121]);
      expect(await codeOf(world, path)).toEqual([400, -1102]);
    }
  });
});
