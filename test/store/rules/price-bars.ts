import { holds, same } from "../../../src/conformance/checks.ts";
import { Notional, type Price, price, quantity } from "../../../src/decimal/index.ts";
import { BAR_PRINT_AGE_MS, type PriceBar, type PricedPrint } from "../../../src/model/index.ts";
import type { OrderStore } from "../../../src/ports/index.ts";
import { batchesOf, countedOf, keepPrints, MINUTE_MS } from "./prints.ts";
import { samplePrint } from "./samples.ts";
import { rulesFor, type StoreRules } from "./world.ts";

const FIVE_MINUTES_MS = 300_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const barsIn = async (store: OrderStore): Promise<readonly PriceBar[]> =>
  (await store.readVolume()).priceBars ?? [];

/** The bar of the first minute. */
const minute = async (store: OrderStore): Promise<PriceBar["figures"] | undefined> =>
  (await barsIn(store)).find(({ startMs }) => startMs === 0)?.figures;

/** A print with its time and price as id. */
const at = (timeMs: number, text: string, more: Partial<PricedPrint> = {}): PricedPrint =>
  samplePrint({ id: `${timeMs} ${text}`, timeMs, price: price(text), ...more });

/** Compares the open and the close of a bar with those of its prints, in the order in which they were counted. */
function endsOf(prints: readonly PricedPrint[]): readonly (Price | undefined)[] {
  const times = prints.map(({ timeMs }) => timeMs).sort((a, b) => a - b);
  const [first, last] = [times[0], times.at(-1)];
  return [
    prints.find(({ timeMs }) => timeMs === first)?.price,
    prints.findLast(({ timeMs }) => timeMs === last)?.price,
  ];
}

function compareBars(series: string, bars: readonly PriceBar[], counted: readonly PricedPrint[]): void {
  for (const { symbol, lengthMs, startMs, figures } of bars) {
    const own = counted.filter(
      (print) => print.symbol === symbol && print.timeMs >= startMs && print.timeMs < startMs + lengthMs,
    );
    const prices = own.map((print) => BigInt(print.price)).sort((a, b) => (a < b ? -1 : 1));
    const sum = own.reduce((all, print) => all + BigInt(print.quantity), 0n);
    const quote = own.reduce((all, print) => all + BigInt(print.price) * BigInt(print.quantity), 0n);
    const bar = `${series}: bar of ${symbol}, ${lengthMs} ms from ${startMs}`;
    same(`${bar}: open and close`, [figures.open, figures.close], endsOf(own));
    same(`${bar}: low and high`, [BigInt(figures.low), BigInt(figures.high)], [prices[0], prices.at(-1)]);
    const sums = [BigInt(figures.quantity), BigInt(figures.quoteQuantity)];
    same(`${bar}: quantity and quote quantity`, sums, [sum, quote]);
    same(`${bar}: prints`, figures.prints, own.length);
  }
  const minutes = bars.filter(({ lengthMs }) => lengthMs === MINUTE_MS);
  const prints = minutes.reduce((all, { figures }) => all + figures.prints, 0);
  same(`${series}: prints of all bars of a minute`, prints, counted.length);
}

/** Deletes 8,000 bars of a minute. Returns what is left of them, and the number of reports. */
async function deleteMany(store: OrderStore): Promise<Readonly<{ left: number; received: number }>> {
  const prints = Array.from({ length: 8_000 }, (_, n) =>
    at(n * MINUTE_MS, "100", { seenAtMs: n * MINUTE_MS }),
  );
  await keepPrints(store, prints);
  let received = 0;
  const minutes = { lengthMs: MINUTE_MS, beforeMs: 8_000 * MINUTE_MS } as const;
  await store.deleteVolume({ beforeMs: 0, priceBars: [minutes] }, () => void received++);
  const left = (await barsIn(store)).filter(({ lengthMs }) => lengthMs === MINUTE_MS).length;
  return { left, received };
}

/** Rules of bars with prices. */
export const priceBars: StoreRules = {
  ...rulesFor({ priceBars: true })({
    async "a print makes one bar of each length, with the same figures"({ store }) {
      await keepPrints(store, [at(90_000, "101", { quantity: quantity("2") })]);
      const figures = {
        ...{ open: price("101"), high: price("101"), low: price("101"), close: price("101") },
        ...{ openedAtMs: 90_000, closedAtMs: 90_000, quantity: quantity("2"), prints: 1 },
        quoteQuantity: Notional.parse("202"),
      };
      const bar = (lengthMs: number, startMs: number) => ({ symbol: "BTC/USD", lengthMs, startMs, figures });
      same("priceBars of one print", await barsIn(store), [
        ...[bar(MINUTE_MS, MINUTE_MS), bar(FIVE_MINUTES_MS, 0), bar(HOUR_MS, 0), bar(DAY_MS, 0)],
      ]);
    },

    async "the earliest print opens a bar and the latest closes it, whatever the order in which they come"({
      store,
    }) {
      await keepPrints(store, [at(20_000, "100"), at(40_000, "105")]);
      await keepPrints(store, [at(50_000, "101"), at(10_000, "99")]);
      await keepPrints(store, [at(30_000, "90")]);
      same("the bar of five prints", await minute(store), {
        ...{ open: price("99"), high: price("105"), low: price("90"), close: price("101") },
        ...{ openedAtMs: 10_000, closedAtMs: 50_000, prints: 5 },
        ...{ quantity: quantity("2.5"), quoteQuantity: Notional.parse("247.5") },
      });
    },

    async "of prints with one time, the first counted opens and the last counted closes"({ store }) {
      await keepPrints(store, [at(5, "100"), at(5, "101")]);
      await keepPrints(store, [at(5, "102")]);
      const figures = await minute(store);
      const ends = [figures?.open, figures?.close, figures?.prints];
      same("open, close and number of prints", ends, [price("100"), price("102"), 3]);
    },

    async "a print that comes again changes no bar, in another batch or in the same"({ store }) {
      const print = at(5, "100");
      await keepPrints(store, [print, { ...print, price: price("7") }]);
      const once = await barsIn(store);
      same("low of a print that came twice in one batch", (await minute(store))?.low, price("100"));
      await keepPrints(store, [{ ...print, price: price("9"), timeMs: 6 }]);
      same("priceBars after the print came again", await barsIn(store), once);
    },

    async "a print that is 23 hours old counts for volume and for no bar"({ store }) {
      await keepPrints(store, [samplePrint({ id: "old", timeMs: 5, seenAtMs: 5 + BAR_PRINT_AGE_MS })]);
      same("priceBars after a print that is 23 hours old", await barsIn(store), []);
      same("bars of volume after it", (await store.readVolume()).bars.length, 1);
      await keepPrints(store, [samplePrint({ id: "new", timeMs: 5, seenAtMs: 4 + BAR_PRINT_AGE_MS })]);
      same("prints of the bar after a younger one", (await minute(store))?.prints, 1);
    },

    async "I16: the bars of any batches are those of their prints, and the next handle continues them"({
      elsewhere,
    }) {
      for (let series = 0; series < 12; series++) {
        const store = await elsewhere();
        await store.acquire();
        const batches = batchesOf(series);
        for (const prints of batches) await keepPrints(store, prints);
        compareBars(`series ${series}`, await barsIn(store), countedOf(batches));
      }
    },

    async "bars of each length that began before its time are deleted"({ store }) {
      await keepPrints(store, [at(5, "100"), at(2 * HOUR_MS, "101")]);
      await store.deleteVolume({
        beforeMs: 0,
        priceBars: [
          { lengthMs: MINUTE_MS, beforeMs: 1 },
          { lengthMs: FIVE_MINUTES_MS, beforeMs: 3 * HOUR_MS },
          { lengthMs: HOUR_MS, beforeMs: 0 },
        ],
      });
      const left = (await barsIn(store)).map(({ lengthMs, startMs }) => `${lengthMs} from ${startMs}`);
      const minutes = `${MINUTE_MS} from ${2 * HOUR_MS}`;
      const hours = [`${HOUR_MS} from 0`, `${HOUR_MS} from ${2 * HOUR_MS}`];
      same("lengths and starts of priceBars", left, [minutes, ...hours, `${DAY_MS} from 0`]);
    },

    async "however many bars they are, all are deleted"({ store }) {
      same("bars of a minute after deleteVolume of 8000", (await deleteMany(store)).left, 0);
    },
  }),
  ...rulesFor({ priceBars: true, progress: true })({
    async "many bars are deleted a few at a time"({ store }) {
      const { received } = await deleteMany(store);
      holds("deleteVolume of 8000 bars", received > 0, "calls of `deleting`", received);
    },
  }),
  ...rulesFor({ priceBars: false })({
    async "a store without price bars returns none at all"({ store }) {
      await keepPrints(store, [at(5, "100")]);
      same("priceBars", (await store.readVolume()).priceBars, undefined);
      await store.deleteVolume({ beforeMs: 0, priceBars: [{ lengthMs: MINUTE_MS, beforeMs: 1 }] });
      same("bars of volume after deleteVolume of price bars", (await store.readVolume()).bars.length, 1);
    },
  }),
};
