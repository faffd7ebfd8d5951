import type { Notional, Quantity } from "../../../src/decimal/index.ts";
import type { PriceBar, PricedPrint } from "../../../src/model/index.ts";
import type { OrderStore, VolumeState } from "../../../src/ports/index.ts";
import { type PlantedStore, planted, type StoreFault } from "./faulty-place.ts";

/** Changes the prints of every batch. */
const withPrints =
  (change: (prints: readonly PricedPrint[]) => readonly PricedPrint[]): StoreFault =>
  () =>
  (store) => ({
    append: ({ prints = [], ...batch }) => store.append({ ...batch, prints: change(prints) }),
  });

/** Changes every answer of `readVolume`. */
const withVolume =
  (change: (volume: VolumeState) => VolumeState): StoreFault =>
  () =>
  (store) => ({ readVolume: async (reading) => change(await store.readVolume(reading)) });

/** Changes every total and every bar. */
const withAmounts = (change: (amount: Quantity) => unknown): StoreFault =>
  withVolume(({ totals, bars, ...volume }) => ({
    ...volume,
    totals: totals.map((total) => ({ ...total, total: change(total.total) as Quantity })),
    bars: bars.map((bar) => ({ ...bar, quantity: change(bar.quantity) as Quantity })),
  }));

/** Changes every price bar. */
const withBars = (change: (bars: readonly PriceBar[]) => readonly PriceBar[]): StoreFault =>
  withVolume(({ priceBars = [], ...volume }) => ({ ...volume, priceBars: change(priceBars) }));

const withFigures = (change: (figures: PriceBar["figures"]) => PriceBar["figures"]): StoreFault =>
  withBars((bars) => bars.map((bar) => ({ ...bar, figures: change(bar.figures) })));

/** Gives a print that is twice in a batch another id. */
function doublesNew(prints: readonly PricedPrint[]): readonly PricedPrint[] {
  return prints.map((print, place) => {
    const isSecond = prints
      .slice(0, place)
      .some(({ id, symbol }) => id === print.id && symbol === print.symbol);
    return isSecond ? { ...print, id: `${print.id} again` } : print;
  });
}

const seenIds = async (store: OrderStore): Promise<ReadonlySet<string>> =>
  new Set((await store.readVolume()).prints.map(({ id }) => id));

const countingFaults = [
  planted(
    "an empty store has a total of zero",
    ["without prints there is no volume"],
    withVolume((volume) =>
      volume.totals.length > 0
        ? volume
        : { ...volume, totals: [{ symbol: "BTC/USD", total: 0 as unknown as Quantity }] },
    ),
  ),
  planted(
    "every print counts for the total",
    ["every print counts for the bar of its minute", "a symbol without a fresh print"],
    withPrints((prints) => prints.map((print) => ({ ...print, fresh: true }))),
  ),
  planted(
    "a minute ends with the first millisecond of the next",
    ["a minute begins with its first millisecond"],
    withPrints((prints) => prints.map((print) => ({ ...print, timeMs: print.timeMs + 1 }))),
  ),
  planted(
    "bars come in the order of their prints",
    ["bars are returned by symbol and minute"],
    withVolume(({ bars, ...volume }) => ({ ...volume, bars: [...bars].reverse() })),
  ),
  planted(
    "a print that is twice in a batch counts twice",
    ["a print whose symbol and id are stored adds nothing", "a print that comes again changes no bar"],
    withPrints(doublesNew),
  ),
  planted("a batch with a stored print is skipped", ["a retry with one more print"], () => (store) => ({
    async append({ prints = [], ...batch }) {
      const seen = await seenIds(store);
      return await store.append({ ...batch, prints: prints.some(({ id }) => seen.has(id)) ? [] : prints });
    },
  })),
  planted("the id alone names a print", ["a retry with one more print"], () => (store) => ({
    async append({ prints = [], ...batch }) {
      const seen = await seenIds(store);
      return await store.append({ ...batch, prints: prints.filter(({ id }) => !seen.has(id)) });
    },
  })),
];

const amountFaults = [
  planted(
    "sums are doubles",
    [
      "keep their last digit",
      "a sum is a number up to the largest safe integer",
      "the volume of any batches is that of their prints",
    ],
    withAmounts(Number),
  ),
  planted("sums are texts", ["every print counts for the bar of its minute"], withAmounts(String)),
  planted(
    "sums are always bigints",
    ["a sum is a number up to the largest safe integer"],
    withAmounts(BigInt),
  ),
  planted(
    "sums have 64 bits",
    ["keep their last digit"],
    withAmounts((sum) => BigInt.asIntN(64, BigInt(sum))),
  ),
  planted(
    "ids of prints are trimmed",
    ["texts of a host come back as they are"],
    withPrints((prints) => prints.map((print) => ({ ...print, id: print.id.trim() }))),
  ),
  planted(
    "texts are normalised",
    ["texts of a host come back as they are"],
    withPrints((prints) => prints.map((print) => ({ ...print, id: print.id.normalize("NFC") }))),
  ),
];

/** Renames the ids of prints by handle, so that no handle knows those of another. */
const forgetsIds: StoreFault = () => (store, handle) => ({
  append: ({ prints = [], ...batch }) =>
    store.append({ ...batch, prints: prints.map((print) => ({ ...print, id: `${handle} ${print.id}` })) }),
});

const owningFaults = [
  planted(
    "prints are written with the next append",
    ["prints, marks and records of one batch"],
    () => (store) => {
      let late: readonly PricedPrint[] = [];
      return {
        append({ prints = [], ...batch }) {
          const due = late;
          late = prints;
          return store.append({ ...batch, prints: due });
        },
      };
    },
  ),
  planted(
    "prints are written before the batch is checked",
    ["a refused batch counts none of its prints"],
    () => (store) => ({
      async append({ prints = [], ...batch }) {
        if (prints.length > 0) await store.append({ shards: [], prints });
        return await store.append(batch);
      },
    }),
  ),
  planted(
    "bars of volume are kept in the process",
    ["the volume exists for the next handle"],
    () => (store, handle) => ({
      async readVolume(reading) {
        const volume = await store.readVolume(reading);
        return handle === 0 ? volume : { ...volume, bars: [] };
      },
    }),
  ),
  planted(
    "ids of prints are known to their handle only",
    ["the volume exists for the next handle"],
    forgetsIds,
  ),
];

const deletionFaults = [
  planted(
    "the time of a deletion of volume is included",
    ["bars of minutes that began, and ids first seen"],
    () => (store) => ({
      deleteVolume: ({ beforeMs, ...cutoff }, deleting) =>
        store.deleteVolume({ ...cutoff, beforeMs: beforeMs + 1 }, deleting),
    }),
  ),
  planted("a deletion stops when it is long", ["however many they are, all are deleted"], () => (store) => ({
    async deleteVolume(cutoff) {
      const { prints } = await store.readVolume();
      if (prints.length < 1_000) await store.deleteVolume(cutoff);
    },
  })),
  planted(
    "deletions report no progress",
    ["many are deleted a few at a time", "many bars are deleted a few at a time"],
    () => (store) => ({ deleteVolume: (cutoff) => store.deleteVolume(cutoff) }),
  ),
  planted("the ids of deleted prints stay known", ["an id that was dropped counts again"], () => {
    const known = new Set<string>();
    return (store) => ({
      append: ({ prints = [], ...batch }) =>
        store.append({ ...batch, prints: prints.filter(({ id }) => !known.has(id) && known.add(id)) }),
    });
  }),
];

const barFaults = [
  planted(
    "there are no bars of a day",
    ["a print makes one bar of each length"],
    withBars((bars) => bars.filter(({ lengthMs }) => lengthMs < 86_400_000)),
  ),
  planted(
    "the order of arrival makes open and close",
    ["the earliest print opens a bar and the latest closes it"],
    withPrints((prints) =>
      prints.map((print) => ({ ...print, timeMs: print.timeMs - (print.timeMs % 60_000) })),
    ),
  ),
  planted(
    "the last of several prints with one time opens",
    ["of prints with one time, the first counted opens"],
    withFigures((figures) => ({ ...figures, open: figures.close })),
  ),
  planted(
    "old prints make bars",
    ["a print that is 23 hours old counts for volume"],
    withPrints((prints) => prints.map((print) => ({ ...print, seenAtMs: print.timeMs }))),
  ),
  planted(
    "sums of bars are doubles",
    ["the bars of any batches are those of their prints"],
    withFigures((figures) => ({
      ...figures,
      quoteQuantity: BigInt(Number(figures.quoteQuantity)) as unknown as Notional,
    })),
  ),
  planted(
    "bars of every length are deleted",
    ["bars of each length that began before its time"],
    () => (store) => ({
      deleteVolume({ priceBars = [], ...cutoff }, deleting) {
        const beforeMs = Math.max(...priceBars.map((bars) => bars.beforeMs));
        const lengths = [60_000, 300_000, 3_600_000, 86_400_000] as const;
        return store.deleteVolume(
          { ...cutoff, priceBars: lengths.map((lengthMs) => ({ lengthMs, beforeMs })) },
          deleting,
        );
      },
    }),
  ),
  planted("bars with prices are never deleted", ["however many bars they are"], () => (store) => ({
    deleteVolume: ({ beforeMs }) => store.deleteVolume({ beforeMs }),
  })),
  planted("bars are there and declared as absent", ["a store without price bars"], () => () => ({}), {
    priceBars: false,
  }),
];

/** Faults of executed volume and of bars with prices. */
export const volumeFaults: readonly PlantedStore[] = [
  ...countingFaults,
  ...amountFaults,
  ...owningFaults,
  ...deletionFaults,
  ...barFaults,
];
