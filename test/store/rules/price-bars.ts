import { holds, same } from "../../../src/conformance/checks.ts";
import { Notional, type Price, price, quantity } from "../../../src/decimal/index.ts";
import { BAR_PRINT_AGE_MS, type PriceBar, type PricedPrint } from "../../../src/model/index.ts";
import type { OrderStore } from "../../../src/ports/index.ts";
import { batchesOf, countedOf, keepPrints, MINUTE_MS } from "./prints.ts";
import { samplePrint } from "./samples.ts";
import type { StoreRule, StoreRules } from "./world.ts";

const FIVE_MINUTES_MS = 300_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const REMEDY =
  "Make bars with `barsOf` of the prints that were not stored before, and join each with the stored one by `joinFigures`.";

const barsIn = async (store: OrderStore): Promise<readonly PriceBar[]> =>
  (await store.readVolume()).priceBars ?? [];

/** The bar of the first minute. */
const minute = async (store: OrderStore): Promise<PriceBar["figures"] | undefined> =>
  (await barsIn(store)).find(({ startMs }) => startMs === 0)?.figures;

/** A print with its time and price as id. */
const at = (timeMs: number, text: string, more: Partial<PricedPrint> = {}): PricedPrint =>
  samplePrint({ id: `${timeMs} ${text}`, timeMs, price: price(text), ...more });

const everyLength: StoreRule = {
  name: "decision NF: a print makes one bar of each length, with the same figures",
  remedy: REMEDY,
  where: { priceBars: true },
  async check({ store }) {
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
};

const anyOrder: StoreRule = {
  name: "decision NF: the earliest print opens a bar and the latest closes it, whatever the order in which they come",
  remedy: REMEDY,
  where: { priceBars: true },
  async check({ store }) {
    await keepPrints(store, [at(20_000, "100"), at(40_000, "105")]);
    await keepPrints(store, [at(50_000, "101"), at(10_000, "99")]);
    await keepPrints(store, [at(30_000, "90")]);
    same("the bar of five prints", await minute(store), {
      ...{ open: price("99"), high: price("105"), low: price("90"), close: price("101") },
      ...{ openedAtMs: 10_000, closedAtMs: 50_000, prints: 5 },
      ...{ quantity: quantity("2.5"), quoteQuantity: Notional.parse("247.5") },
    });
  },
};

const oneTime: StoreRule = {
  name: "decision NF: of prints with one time, the first counted opens and the last counted closes",
  remedy: REMEDY,
  where: { priceBars: true },
  async check({ store }) {
    await keepPrints(store, [at(5, "100"), at(5, "101")]);
    await keepPrints(store, [at(5, "102")]);
    const figures = await minute(store);
    const ends = [figures?.open, figures?.close, figures?.prints];
    same("open, close and number of prints", ends, [price("100"), price("102"), 3]);
  },
};

const again: StoreRule = {
  name: "decision NF: a print that comes again changes no bar, in another batch or in the same",
  remedy: "Make bars only of prints whose symbol and id were not stored before.",
  where: { priceBars: true },
  async check({ store }) {
    const print = at(5, "100");
    await keepPrints(store, [print, { ...print, price: price("7") }]);
    const once = await barsIn(store);
    same("low of a print that came twice in one batch", (await minute(store))?.low, price("100"));
    await keepPrints(store, [{ ...print, price: price("9"), timeMs: 6 }]);
    same("priceBars after the print came again", await barsIn(store), once);
  },
};

const tooOld: StoreRule = {
  name: "decision NF: a print that is 23 hours old counts for volume and for no bar",
  remedy: "Use `barsOf`, which leaves such prints out.",
  where: { priceBars: true },
  async check({ store }) {
    await keepPrints(store, [samplePrint({ id: "old", timeMs: 5, seenAtMs: 5 + BAR_PRINT_AGE_MS })]);
    same("priceBars after a print that is 23 hours old", await barsIn(store), []);
    same("bars of volume after it", (await store.readVolume()).bars.length, 1);
    await keepPrints(store, [samplePrint({ id: "new", timeMs: 5, seenAtMs: 4 + BAR_PRINT_AGE_MS })]);
    same("prints of the bar after a younger one", (await minute(store))?.prints, 1);
  },
};

const anyBatches: StoreRule = {
  name: "I16: the bars of any batches are those of their prints, and the next handle continues them",
  remedy: REMEDY,
  where: { priceBars: true },
  async check({ elsewhere }) {
    for (let series = 0; series < 12; series++) {
      const store = await elsewhere();
      await store.acquire();
      const batches = batchesOf(series);
      for (const prints of batches) await keepPrints(store, prints);
      compareBars(`series ${series}`, await barsIn(store), countedOf(batches));
    }
  },
};

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

const oldBars: StoreRule = {
  name: "decision NF: bars of each length that began before its time are deleted",
  remedy: "Delete by length and start. A length that is not named keeps its bars.",
  where: { priceBars: true },
  async check({ store }) {
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
};

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

const manyBars: StoreRule = {
  name: "however many bars they are, all are deleted",
  remedy: "Delete in short transactions, until no old bar is left.",
  where: { priceBars: true },
  async check({ store }) {
    same("bars of a minute after deleteVolume of 8000", (await deleteMany(store)).left, 0);
  },
};

const inParts: StoreRule = {
  name: "decision HJ: many bars are deleted a few at a time",
  remedy: "Delete some thousand bars, call `deleting`, return to the event loop, and continue.",
  where: { priceBars: true, progress: true },
  async check({ store }) {
    const { received } = await deleteMany(store);
    holds("deleteVolume of 8000 bars", received > 0, "calls of `deleting`", received);
  },
};

const noBars: StoreRule = {
  name: "a store without price bars returns none at all",
  remedy:
    "Declare `priceBars: true`, or leave `priceBars` out: an empty array says that there were no trades.",
  where: { priceBars: false },
  async check({ store }) {
    await keepPrints(store, [at(5, "100")]);
    same("priceBars", (await store.readVolume()).priceBars, undefined);
    await store.deleteVolume({ beforeMs: 0, priceBars: [{ lengthMs: MINUTE_MS, beforeMs: 1 }] });
    same("bars of volume after deleteVolume of price bars", (await store.readVolume()).bars.length, 1);
  },
};

/** Rules of bars with prices. */
export const priceBars: StoreRules = {
  name: "price bars",
  rules: [everyLength, anyOrder, oneTime, again, tooOld, anyBatches, oldBars, manyBars, inParts, noBars],
};
