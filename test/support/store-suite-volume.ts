import fc from "fast-check";
import { expect, it } from "vitest";
import { add, price, type Quantity, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { PricedPrint } from "../../src/model/index.ts";
import type { OrderStore, VolumeState } from "../../src/ports/index.ts";
import { anyQuantity } from "./arbitraries.ts";
import { endedOrder, part, sampleMark, samplePrint, sampleRecord } from "./store-samples.ts";
import type { StorePlace, StoreWorld } from "./store-world.ts";

const MINUTE_MS = 60_000;
const LARGEST = quantity("999999999999.999999");

const keep = (store: OrderStore, ...prints: readonly PricedPrint[]) =>
  store.append({ shards: [], marks: [], prints });

/** Returns what a store keeps of executed volume besides price bars. */
async function volumeIn(store: OrderStore): Promise<Omit<VolumeState, "priceBars">> {
  const { priceBars: _priceBars, ...volume } = await store.readVolume();
  return volume;
}

/** The port's rules for executed volume. */
export function executedVolume(world: StoreWorld, createPlace: () => StorePlace): void {
  counting(world);
  exactness(world, createPlace);
  owning(world);
  forgetting(world);
}

function counting(world: StoreWorld): void {
  it("without prints there is no volume", async () => {
    expect(await world.store.readVolume()).toEqual({ totals: [], bars: [], priceBars: [], prints: [] });
    await keep(world.store);
    expect(await world.store.readVolume()).toEqual({ totals: [], bars: [], priceBars: [], prints: [] });
  });

  it("decision 29: every print counts for the bar of its minute, a fresh one for the total too", async () => {
    const late = samplePrint({ id: "late", timeMs: 5, seenAtMs: 90_000, fresh: false });
    await keep(world.store, samplePrint(), late);
    await keep(world.store, samplePrint({ id: "p2", quantity: quantity("0.25") }));
    expect(await volumeIn(world.store)).toEqual({
      totals: [{ symbol: "BTC/USD", total: quantity("0.75") }],
      bars: [{ symbol: "BTC/USD", minuteMs: 0, quantity: quantity("1.25") }],
      prints: [
        { symbol: "BTC/USD", id: "p1", seenAtMs: 30_100 },
        { symbol: "BTC/USD", id: "p2", seenAtMs: 30_100 },
        { symbol: "BTC/USD", id: "late", seenAtMs: 90_000 },
      ],
    });
  });

  it("a symbol without a fresh print has bars and no total", async () => {
    await keep(world.store, samplePrint({ fresh: false }));
    const { totals, bars } = await world.store.readVolume();
    expect(totals).toEqual([]);
    expect(bars).toHaveLength(1);
  });

  it("a minute begins with its first millisecond and ends before the next", async () => {
    const times = [0, MINUTE_MS - 1, MINUTE_MS, 2 * MINUTE_MS - 1, 2 * MINUTE_MS];
    await keep(world.store, ...times.map((timeMs) => samplePrint({ id: `at ${timeMs}`, timeMs })));
    const { bars } = await world.store.readVolume();
    expect(bars.map((bar) => [bar.minuteMs, bar.quantity])).toEqual([
      [0, quantity("1")],
      [MINUTE_MS, quantity("1")],
      [2 * MINUTE_MS, quantity("0.5")],
    ]);
  });

  it("bars are returned by symbol and minute, totals by symbol, whatever the order of the prints", async () => {
    const at = (symbol: string, minute: number) =>
      samplePrint({ symbol, id: `${minute}`, timeMs: minute * MINUTE_MS });
    await keep(world.store, at("ETH/USD", 3), at("BTC/USD", 10));
    await keep(world.store, at("ETH/USD", 1), at("BTC/USD", 9));
    const { totals, bars } = await world.store.readVolume();
    expect(totals.map(({ symbol }) => symbol)).toEqual(["BTC/USD", "ETH/USD"]);
    expect(bars.map(({ symbol, minuteMs }) => [symbol, minuteMs / MINUTE_MS])).toEqual([
      ["BTC/USD", 9],
      ["BTC/USD", 10],
      ["ETH/USD", 1],
      ["ETH/USD", 3],
    ]);
  });

  it("decision 30: a print whose symbol and id are stored adds nothing, in another batch or in the same", async () => {
    const again = samplePrint({ quantity: quantity("7"), timeMs: 5 * MINUTE_MS, seenAtMs: 1, fresh: true });
    await keep(world.store, samplePrint());
    const once = await world.store.readVolume();
    await keep(world.store, again);
    await keep(world.store, again, samplePrint());
    expect(await world.store.readVolume()).toEqual(once);
    await keep(world.store, samplePrint({ id: "p2" }), samplePrint({ id: "p2" }));
    expect((await world.store.readVolume()).totals).toEqual([{ symbol: "BTC/USD", total: quantity("1") }]);
  });

  it("a retry with one more print adds that one, and one id names a print of each symbol", async () => {
    await keep(world.store, samplePrint());
    await keep(world.store, samplePrint(), samplePrint({ id: "p2" }), samplePrint({ symbol: "ETH/USD" }));
    expect((await world.store.readVolume()).totals).toEqual([
      { symbol: "BTC/USD", total: quantity("1") },
      { symbol: "ETH/USD", total: quantity("0.5") },
    ]);
  });
}

function exactness(world: StoreWorld, createPlace: () => StorePlace): void {
  it("I16: sums beyond the safe integers, and beyond 64 bits, keep their last digit", async () => {
    const prints = Array.from({ length: 10 }, (_, n) => samplePrint({ id: `p${n}`, quantity: LARGEST }));
    await keep(world.store, ...prints.slice(0, 5));
    await keep(world.store, ...prints.slice(5), samplePrint({ id: "unit", quantity: quantity("0.000001") }));
    const sum = 10n * (10n ** 18n - 1n) + 1n;
    const { totals, bars } = await world.store.readVolume();
    expect(totals).toEqual([{ symbol: "BTC/USD", total: sum }]);
    expect(bars).toEqual([{ symbol: "BTC/USD", minuteMs: 0, quantity: sum }]);
  });

  it("I16: a sum is a number up to the largest safe integer and a bigint above it", async () => {
    const almost = (BigInt(Number.MAX_SAFE_INTEGER) - 1n) as unknown as Quantity;
    const unit = quantity("0.000001");
    const total = async () => (await world.store.readVolume()).totals[0]?.total;
    await keep(
      world.store,
      samplePrint({ id: "1", quantity: almost }),
      samplePrint({ id: "2", quantity: unit }),
    );
    expect(await total()).toBe(Number.MAX_SAFE_INTEGER);
    await keep(world.store, samplePrint({ id: "3", quantity: unit }));
    expect(await total()).toBe(BigInt(Number.MAX_SAFE_INTEGER) + 1n);
  });

  it("I16: the volume of any batches is that of their prints, each id counted once", async () => {
    const anyPrint = fc.record({
      symbol: fc.constantFrom("BTC/USD", "ETH/USD"),
      id: fc.constantFrom("a", "b", "c d", "d e", "ä", "p'1"),
      price: fc.constant(price("100")),
      quantity: anyQuantity,
      timeMs: fc.integer({ min: 0, max: 4 * MINUTE_MS }),
      seenAtMs: fc.nat(),
      fresh: fc.boolean(),
    });
    const batches = fc.array(fc.array(anyPrint, { maxLength: 6 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(batches, async (given) => {
        const place = createPlace();
        const store = place.open();
        await store.acquire();
        for (const prints of given) await keep(store, ...prints);
        const { totals, bars, prints } = await store.readVolume();
        await store.close();
        place.remove();
        const counted = [
          ...new Map(
            given
              .flat()
              .reverse()
              .map((print) => [keyOf(print), print]),
          ).values(),
        ];
        expect(new Set(prints.map(keyOf))).toEqual(new Set(counted.map(keyOf)));
        const fresh = counted.filter((print) => print.fresh);
        expect(new Map(totals.map((each) => [each.symbol, each.total]))).toEqual(
          sumsBy(fresh, ({ symbol }) => symbol),
        );
        expect(new Map(bars.map((bar) => [`${bar.symbol} ${bar.minuteMs}`, bar.quantity]))).toEqual(
          sumsBy(counted, ({ symbol, timeMs }) => `${symbol} ${timeMs - (timeMs % MINUTE_MS)}`),
        );
      }),
      { numRuns: 40 },
    );
  });
}

const keyOf = ({ symbol, id }: Readonly<{ symbol: string; id: string }>): string => `${symbol} ${id}`;

function sumsBy(
  prints: readonly PricedPrint[],
  key: (print: PricedPrint) => string,
): ReadonlyMap<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const print of prints)
    sums.set(key(print), add(sums.get(key(print)) ?? ZERO_QUANTITY, print.quantity));
  return sums;
}

function owning(world: StoreWorld): void {
  it("prints, marks and records of one batch are written together", async () => {
    const shards = [part(0, 1, { records: [sampleRecord(0, 1)] })];
    const batch = { shards, marks: [sampleMark()], prints: [samplePrint()] };
    expect(await world.store.append(batch)).toEqual(["durable"]);
    expect(await world.store.readMarks()).toEqual([sampleMark()]);
    expect((await world.store.readVolume()).totals).toHaveLength(1);
  });

  it("I60: an earlier owner of the market journal adds no volume", async () => {
    const later = world.place.open();
    await later.acquire();
    await expect(keep(world.store, samplePrint())).rejects.toThrow("I60");
    const shards = [part(0, 1, { records: [sampleRecord(0, 1)] })];
    expect(await world.store.append({ shards, marks: [], prints: [samplePrint()] })).toEqual(["fenced"]);
    expect(await later.readVolume()).toEqual({ totals: [], bars: [], priceBars: [], prints: [] });
    await keep(later, samplePrint());
    expect((await world.store.readVolume()).prints).toHaveLength(1);
    await later.close();
  });

  it("I60: a handle that never took the store over adds none and drops none", async () => {
    await keep(world.store, samplePrint());
    const stranger = world.place.open();
    await expect(keep(stranger, samplePrint({ id: "p2" }))).rejects.toThrow("I60");
    await expect(stranger.deleteVolume({ beforeMs: 1e9 })).rejects.toThrow("I60");
    expect((await stranger.readVolume()).prints).toHaveLength(1);
    await stranger.close();
  });

  it("I03: a refused batch counts none of its prints", async () => {
    const ended = [-256, -512].map((orderId) => endedOrder({ orderId, clientOrderId: "a" }));
    const batch = { shards: [part(0, 1, { ended })], marks: [], prints: [samplePrint()] };
    await expect(world.store.append(batch)).rejects.toThrow("I03");
    expect(await world.store.readVolume()).toEqual({ totals: [], bars: [], priceBars: [], prints: [] });
  });

  it("I01: the volume exists for the next handle, which continues it", async () => {
    await keep(world.store, samplePrint());
    await world.store.close();
    world.store = world.place.open();
    await world.store.acquire();
    await keep(world.store, samplePrint(), samplePrint({ id: "p2" }));
    expect((await world.store.readVolume()).totals).toEqual([{ symbol: "BTC/USD", total: quantity("1") }]);
  });
}

function forgetting(world: StoreWorld): void {
  it("bars of minutes that began, and ids first seen, before the time are dropped; totals stay", async () => {
    const at = (minute: number, seenAtMs: number) =>
      samplePrint({ id: `m${minute}`, timeMs: minute * MINUTE_MS + 59_999, seenAtMs });
    await keep(world.store, at(1, 299_999), at(4, 300_000), at(5, 300_001), at(0, 900_000));
    await world.store.deleteVolume({ beforeMs: 5 * MINUTE_MS });
    expect(await volumeIn(world.store)).toEqual({
      totals: [{ symbol: "BTC/USD", total: quantity("2") }],
      bars: [{ symbol: "BTC/USD", minuteMs: 5 * MINUTE_MS, quantity: quantity("0.5") }],
      prints: [
        { symbol: "BTC/USD", id: "m4", seenAtMs: 300_000 },
        { symbol: "BTC/USD", id: "m5", seenAtMs: 300_001 },
        { symbol: "BTC/USD", id: "m0", seenAtMs: 900_000 },
      ],
    });
  });

  it("decision HJ: however many they are, they are deleted a few at a time, and appends continue", async () => {
    const prints = Array.from({ length: 9_000 }, (_, n) => samplePrint({ id: `p${n}`, timeMs: n }));
    await keep(world.store, ...prints, samplePrint({ id: "new", seenAtMs: 90_000, timeMs: 90_000 }));
    const done: string[] = [];
    let heard = 0;
    const deleting = world.store
      .deleteVolume({ beforeMs: 60_000 }, () => void heard++)
      .then(() => done.push("deleted"));
    await keep(world.store, samplePrint({ id: "newer", seenAtMs: 90_001, timeMs: 90_001 }));
    done.push("appended");
    await deleting;
    expect([done, heard > 0]).toEqual([["appended", "deleted"], true]);
    const { totals, bars, prints: left } = await world.store.readVolume();
    expect(left.map(({ id }) => id)).toEqual(["new", "newer"]);
    expect(totals).toEqual([{ symbol: "BTC/USD", total: quantity("4501") }]);
    expect(bars.map(({ minuteMs }) => minuteMs)).toEqual([MINUTE_MS]);
  });

  it("an id that was dropped counts again", async () => {
    await keep(world.store, samplePrint());
    await world.store.deleteVolume({ beforeMs: 30_101 });
    await keep(world.store, samplePrint());
    const { totals, bars } = await world.store.readVolume();
    expect(totals).toEqual([{ symbol: "BTC/USD", total: quantity("1") }]);
    expect(bars).toEqual([{ symbol: "BTC/USD", minuteMs: 0, quantity: quantity("0.5") }]);
  });
}
