import fc from "fast-check";
import { expect, it } from "vitest";
import { Notional, type Price, price, quantity } from "../../src/decimal/index.ts";
import { BAR_PRINT_AGE_MS, type PriceBar, type PricedPrint } from "../../src/model/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { anyPrice, anyQuantity } from "./arbitraries.ts";
import { samplePrint } from "./store-samples.ts";
import type { StorePlace, StoreWorld } from "./store-world.ts";

const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 300_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const keep = (store: OrderStore, ...prints: readonly PricedPrint[]) =>
  store.append({ shards: [], marks: [], prints });

const barsIn = async (store: OrderStore): Promise<readonly PriceBar[]> =>
  (await store.readVolume()).priceBars ?? [];

/** The bar of the first minute. */
const minute = async (store: OrderStore) =>
  (await barsIn(store)).find(({ startMs }) => startMs === 0)?.figures;

let made = 0;
const at = (timeMs: number, text: string, more: Partial<PricedPrint> = {}): PricedPrint =>
  samplePrint({ id: `bar ${++made}`, timeMs, price: price(text), ...more });

/** The port's rules for bars with prices. */
export function priceBars(world: StoreWorld, createPlace: () => StorePlace): void {
  making(world);
  exactness(createPlace);
  forgetting(world);
}

function making(world: StoreWorld): void {
  it("decision NF: a print makes one bar of each length, with the same figures", async () => {
    await keep(world.store, at(90_000, "101", { quantity: quantity("2") }));
    const bars = await barsIn(world.store);
    expect(bars.map(({ symbol, lengthMs, startMs }) => [symbol, lengthMs, startMs])).toEqual([
      ["BTC/USD", MINUTE_MS, MINUTE_MS],
      ["BTC/USD", FIVE_MINUTES_MS, 0],
      ["BTC/USD", HOUR_MS, 0],
      ["BTC/USD", DAY_MS, 0],
    ]);
    const figures = {
      ...{ open: price("101"), high: price("101"), low: price("101"), close: price("101") },
      ...{ openedAtMs: 90_000, closedAtMs: 90_000, quantity: quantity("2"), prints: 1 },
      quoteQuantity: Notional.parse("202"),
    };
    for (const bar of bars) expect(bar.figures).toEqual(figures);
  });

  it("decision NF: the earliest print opens a bar and the latest closes it, whatever the order in which they come", async () => {
    await keep(world.store, at(20_000, "100"), at(40_000, "105"));
    await keep(world.store, at(50_000, "101"), at(10_000, "99"));
    await keep(world.store, at(30_000, "90"));
    expect(await minute(world.store)).toMatchObject({
      ...{ open: price("99"), high: price("105"), low: price("90"), close: price("101") },
      ...{ openedAtMs: 10_000, closedAtMs: 50_000, prints: 5 },
    });
  });

  it("decision NF: of prints with one time, the first counted opens and the last counted closes", async () => {
    await keep(world.store, at(5, "100"), at(5, "101"));
    await keep(world.store, at(5, "102"));
    expect(await minute(world.store)).toMatchObject({ open: price("100"), close: price("102"), prints: 3 });
  });

  it("decision NF: a print that comes again changes no bar, in another batch or in the same", async () => {
    const print = at(5, "100");
    await keep(world.store, print, { ...print, price: price("7") });
    const once = await barsIn(world.store);
    await keep(world.store, { ...print, price: price("9"), timeMs: 6 });
    expect(await barsIn(world.store)).toEqual(once);
  });

  it("decision NF: a print that is 23 hours old counts for volume and for no bar", async () => {
    await keep(world.store, at(5, "100", { seenAtMs: 5 + BAR_PRINT_AGE_MS }));
    expect(await barsIn(world.store)).toEqual([]);
    expect((await world.store.readVolume()).bars).toHaveLength(1);
    await keep(world.store, at(5, "100", { seenAtMs: 4 + BAR_PRINT_AGE_MS }));
    expect(await minute(world.store)).toMatchObject({ prints: 1 });
  });
}

type AnyPrint = Readonly<{ price: Price; timeMs: number }>;

/** Computes open and close of a minute from all its prints, in the order in which they were counted. */
function endsOf(prints: readonly AnyPrint[]): readonly (Price | undefined)[] {
  const times = prints.map(({ timeMs }) => timeMs);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  return [
    prints.find(({ timeMs }) => timeMs === first)?.price,
    prints.findLast(({ timeMs }) => timeMs === last)?.price,
  ];
}

function exactness(createPlace: () => StorePlace): void {
  it("I16: the bars of any batches are those of their prints, and the next handle continues them", async () => {
    const anyPrint = fc.record({
      price: anyPrice,
      quantity: anyQuantity,
      timeMs: fc.integer({ min: 0, max: 20 }).map((half) => half * 30_000),
    });
    const batches = fc.array(fc.array(anyPrint, { maxLength: 5 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(batches, async (given) => {
        const place = createPlace();
        const prints = given.map((batch) => batch.map((print) => samplePrint({ id: `${++made}`, ...print })));
        for (const batch of prints) {
          const store = place.open();
          await store.acquire();
          await keep(store, ...batch);
          await store.close();
        }
        const store = place.open();
        const bars = await barsIn(store);
        await store.close();
        place.remove();
        for (const { lengthMs, startMs, figures } of bars) {
          const own = prints.flat().filter(({ timeMs }) => timeMs >= startMs && timeMs < startMs + lengthMs);
          const prices = own.map((print) => BigInt(print.price));
          const sum = own.reduce((all, print) => all + BigInt(print.quantity), 0n);
          const quote = own.reduce((all, print) => all + BigInt(print.price) * BigInt(print.quantity), 0n);
          expect([figures?.open, figures?.close]).toEqual(endsOf(own));
          expect(prices.every((each) => each <= BigInt(figures?.high ?? 0))).toBe(true);
          expect(prices.every((each) => each >= BigInt(figures?.low ?? 0))).toBe(true);
          expect(prices).toContain(BigInt(figures?.high ?? 0));
          expect(prices).toContain(BigInt(figures?.low ?? 0));
          expect([figures?.quantity, figures?.quoteQuantity].map((each) => BigInt(each ?? 0))).toEqual([
            sum,
            quote,
          ]);
          expect(figures?.prints).toBe(own.length);
        }
        const counted = bars.filter(({ lengthMs }) => lengthMs === MINUTE_MS);
        expect(counted.reduce((all, bar) => all + (bar.figures?.prints ?? 0), 0)).toBe(prints.flat().length);
      }),
      { numRuns: 30 },
    );
  });
}

function forgetting(world: StoreWorld): void {
  it("decision NF: bars of each length that began before its time are deleted", async () => {
    await keep(world.store, at(5, "100"), at(2 * HOUR_MS, "101"));
    await world.store.deleteVolume({
      beforeMs: 0,
      priceBars: [
        { lengthMs: MINUTE_MS, beforeMs: 1 },
        { lengthMs: FIVE_MINUTES_MS, beforeMs: 3 * HOUR_MS },
        { lengthMs: HOUR_MS, beforeMs: 0 },
      ],
    });
    expect((await barsIn(world.store)).map(({ lengthMs, startMs }) => [lengthMs, startMs])).toEqual([
      [MINUTE_MS, 2 * HOUR_MS],
      [HOUR_MS, 0],
      [HOUR_MS, 2 * HOUR_MS],
      [DAY_MS, 0],
    ]);
  });

  it("decision HJ: however many bars they are, they are deleted a few at a time", async () => {
    const prints = Array.from({ length: 8_000 }, (_, n) =>
      at(n * MINUTE_MS, "100", { seenAtMs: n * MINUTE_MS }),
    );
    await keep(world.store, ...prints);
    let heard = 0;
    const cutoff = {
      beforeMs: 0,
      priceBars: [{ lengthMs: MINUTE_MS, beforeMs: 8_000 * MINUTE_MS } as const],
    };
    await world.store.deleteVolume(cutoff, () => void heard++);
    expect((await barsIn(world.store)).some(({ lengthMs }) => lengthMs === MINUTE_MS)).toBe(false);
    expect(heard).toBeGreaterThan(0);
  });
}
