import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import { testVolumeHistory, type VolumeHistoryPlace } from "../../src/conformance/index.ts";
import { formatPrice, price, quantity } from "../../src/decimal/index.ts";
import { PrintHistory } from "../../src/engine/market/print-history.ts";
import { VolumeTape } from "../../src/engine/market/volume-tape.ts";
import {
  BAR_LENGTHS_MS,
  BARS_RETAINED,
  barsOf,
  type PriceBar,
  type PricedPrint,
} from "../../src/model/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { temporaryPlace } from "../adapters/sqlite/temporary-place.ts";
import { createWorld, START_MS } from "../support/world.ts";

const BTC = "BTC/USD";
const MINUTE = 60_000;
const HOUR = 3_600_000;
const ALL = { symbol: BTC, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

const print = (id: string, timeMs: number, more: Partial<PricedPrint> = {}): PricedPrint => ({
  ...{ symbol: BTC, id, price: price("100"), quantity: quantity("1") },
  ...{ timeMs, seenAtMs: timeMs, fresh: true },
  ...more,
});

/** Counts a print that is stored at once. */
function add(history: PrintHistory, one: PricedPrint): void {
  history.counted(one);
  history.settled(one);
}

const startsOf = (bars: readonly PriceBar[] | undefined): readonly number[] =>
  (bars ?? []).map(({ startMs }) => startMs);

describe("price bars in memory", () => {
  it("are those that a store makes of the same prints, of each length", () => {
    const times = [0, 30_000, 59_999, 60_000, 299_999, 300_000, HOUR, HOUR - 1, 5];
    const prints = times.map((timeMs, index) =>
      print(`${index}`, timeMs, { price: price(`${100 + index}`) }),
    );
    const history = new PrintHistory([]);
    for (const each of prints) add(history, each);
    const stored = [...barsOf(prints)].sort((a, b) => a.lengthMs - b.lengthMs || a.startMs - b.startMs);
    expect(BAR_LENGTHS_MS.flatMap((lengthMs) => history.bars({ ...ALL, lengthMs }) ?? [])).toEqual(stored);
  });

  it("are the newest 1,440 of each length, and one more; a print for an older one is not counted", () => {
    const history = new PrintHistory([]);
    for (let minute = 0; minute <= BARS_RETAINED + 1; minute++)
      add(history, print(`${minute}`, minute * MINUTE));
    add(history, print("late", 0, { seenAtMs: HOUR }));
    const starts = startsOf(history.bars({ ...ALL, lengthMs: MINUTE }));
    expect([starts.length, starts[0], starts.at(-1)]).toEqual([
      BARS_RETAINED + 1,
      MINUTE,
      (BARS_RETAINED + 1) * MINUTE,
    ]);
    expect(startsOf(history.bars({ ...ALL, lengthMs: HOUR }))).toHaveLength(25);
  });

  it("with a limit are the newest of the range, oldest first, whatever the order of the prints", () => {
    const history = new PrintHistory([]);
    for (const minute of [5, 1, 9, 3, 7]) add(history, print(`${minute}`, minute * MINUTE));
    const newest = (toMs: number, limit: number): readonly number[] =>
      startsOf(history.bars({ ...ALL, lengthMs: MINUTE, toMs, limit })).map((startMs) => startMs / MINUTE);
    expect(newest(Number.MAX_SAFE_INTEGER, 9)).toEqual([1, 3, 5, 7, 9]);
    expect(newest(9 * MINUTE, 2)).toEqual([5, 7]);
    expect(newest(9 * MINUTE + 1, 1)).toEqual([9]);
    expect(newest(MINUTE, 1)).toEqual([]);
    expect(startsOf(history.bars({ ...ALL, lengthMs: MINUTE, fromMs: 9 * MINUTE, toMs: MINUTE }))).toEqual(
      [],
    );
  });

  it("show the latest print; none if the prices of the newest bars are unknown or there are no bars", () => {
    const history = new PrintHistory([]);
    expect(history.latest(BTC)).toBeUndefined();
    add(history, print("a", 2 * HOUR, { price: price("101") }));
    add(history, print("b", HOUR, { price: price("99") }));
    expect(history.latest(BTC)).toEqual({ price: price("101"), timeMs: 2 * HOUR });
    history.evict([{ lengthMs: MINUTE, beforeMs: 3 * HOUR }]);
    expect(history.latest(BTC)).toEqual({ price: price("101"), timeMs: 2 * HOUR });
    const stored = BAR_LENGTHS_MS.flatMap((lengthMs) => history.bars({ ...ALL, lengthMs }) ?? []);
    expect(new PrintHistory(stored).latest(BTC)).toEqual({ price: price("101"), timeMs: 2 * HOUR });
  });

  it("do not exist on a store that keeps none, and of an unknown market there are none", () => {
    const without = new PrintHistory(undefined);
    add(without, print("a", 5));
    expect(without.bars({ ...ALL, lengthMs: MINUTE })).toBeUndefined();
    expect(without.recent(BTC)).toHaveLength(1);
    expect(without.latest(BTC)).toEqual({ price: price("100"), timeMs: 5 });
    expect(new PrintHistory([]).bars({ ...ALL, symbol: "XRP/USD", lengthMs: MINUTE })).toEqual([]);
  });

  it("are forgotten before the time of their length", () => {
    const history = new PrintHistory([]);
    add(history, print("a", 5));
    history.evict([{ lengthMs: MINUTE, beforeMs: 1 }]);
    expect(history.bars({ ...ALL, lengthMs: MINUTE })).toEqual([]);
    expect(history.bars({ ...ALL, lengthMs: HOUR })).toHaveLength(1);
  });
});

describe("the newest prints", () => {
  it("are the newest 1,000 of each market, in the order in which they were counted", () => {
    const history = new PrintHistory([]);
    add(history, print("other", 0, { symbol: "ETH/USD" }));
    for (let n = 0; n < 1_005; n++) add(history, print(`${n}`, 5_000 - n));
    const ids = history.recent(BTC).map(({ id }) => id);
    expect([ids.length, ids[0], ids[994], ids.at(-1)]).toEqual([1_000, "5", "999", "1004"]);
    expect(history.recent("ETH/USD").map(({ id }) => id)).toEqual(["other"]);
    expect(history.recent("XRP/USD")).toEqual([]);
  });
});

describe("I01: the bars of an engine", () => {
  const stores: readonly (readonly [string, (path: string) => OrderStore])[] = [
    ["in memory", () => createMemoryStore()],
    ["in a file", (path) => openSqliteStore({ exclusive: false, path })],
  ];
  it.each(stores)("are in the store as they are in memory, each print once (%s)", async (_name, store) => {
    const place = temporaryPlace();
    const stored = store(place.path);
    const world = await createWorld({ store: () => stored });
    const answer = { symbol: BTC, quantity: "1" };
    const send = (id: string, text: string, timeMs: number): void =>
      world.engine.market.print({ ...answer, id, price: text, timeMs });
    send("1", "100", START_MS);
    send("2", "103", START_MS - 1);
    send("2", "500", START_MS);
    send("3", "0", START_MS);
    send("4", "99", START_MS - 2 * MINUTE);
    await world.engine.idle();
    const { priceBars = [] } = await stored.readVolume();
    const inMemory = BAR_LENGTHS_MS.flatMap((lengthMs) => world.engine.priceBars({ ...ALL, lengthMs }) ?? []);
    expect(inMemory).toEqual(priceBars);
    const day = priceBars.filter(({ lengthMs }) => lengthMs === 24 * HOUR);
    expect(day.reduce((all, bar) => all + bar.figures.prints, 0)).toBe(3);
    expect(world.engine.recentPrints(BTC).map((each) => formatPrice(each.price))).toEqual([
      "100",
      "103",
      "99",
    ]);
    await world.engine.close();
    place.remove();
  });
});

const NOW_MS = 1_760_000_012_345;

/** The tape that the engine uses if the host has no volumes of its own. */
function createPlace(): VolumeHistoryPlace {
  const tape = new VolumeTape({
    state: { totals: [], bars: [], prints: [] },
    ...{ maxAgeMs: 5_000, maxAheadMs: 1_000, maxWaiting: 10_000 },
  });
  return {
    volumeHistory: tape,
    nowMs: () => NOW_MS,
    record(trades) {
      for (const trade of trades) tape.take({ ...trade, price: "100" }, { wallMs: NOW_MS, nowMs: NOW_MS });
    },
    idle: async () => undefined,
    remove: () => undefined,
  };
}

testVolumeHistory({ describe, it }, { name: "volume tape", supports: { remote: false }, createPlace });
