import { refused, same } from "../../../src/conformance/checks.ts";
import { type Quantity, quantity } from "../../../src/decimal/index.ts";
import type { PricedPrint } from "../../../src/model/index.ts";
import type { OrderStore, VolumeState } from "../../../src/ports/index.ts";
import { batchesOf, countedOf, keepPrints, MINUTE_MS, sumsOf } from "./prints.ts";
import { endedOrder, part, sampleMark, samplePrint, sampleRecord } from "./samples.ts";
import { rulesFor, type StoreRules } from "./world.ts";

const LARGEST = quantity("999999999999.999999");
const NOTHING = { totals: [], bars: [], prints: [] };

/** Returns what a store keeps of executed volume besides price bars and places. */
async function volumeIn(store: OrderStore): Promise<Omit<VolumeState, "priceBars" | "upTo">> {
  const { priceBars: _priceBars, upTo: _upTo, ...volume } = await store.readVolume();
  return volume;
}

const totalsIn = async (store: OrderStore): Promise<unknown> => (await store.readVolume()).totals;

/** The totals of one market. */
const btc = (total: string | bigint | number): unknown => [
  { symbol: "BTC/USD", total: typeof total === "string" ? quantity(total) : total },
];

async function compareVolume(
  series: string,
  store: OrderStore,
  counted: readonly PricedPrint[],
): Promise<void> {
  const { totals, bars, prints } = await store.readVolume();
  const nameOf = ({ symbol, id }: Readonly<{ symbol: string; id: string }>) => `${symbol} ${id}`;
  same(`${series}: ids of prints`, prints.map(nameOf).sort(), counted.map(nameOf).sort());
  const fresh = counted.filter((print) => print.fresh);
  const ofSymbol = ({ symbol }: Readonly<{ symbol: string }>) => symbol;
  const answered = sumsOf(totals, ofSymbol, ({ total }) => total);
  same(
    `${series}: totals`,
    answered,
    sumsOf(fresh, ofSymbol, (print) => print.quantity),
  );
  const barOf = ({ symbol, timeMs }: PricedPrint) => `${symbol} ${timeMs - (timeMs % MINUTE_MS)}`;
  const inBars = sumsOf(
    bars,
    (bar) => `${bar.symbol} ${bar.minuteMs}`,
    (bar) => bar.quantity,
  );
  same(
    `${series}: bars`,
    inBars,
    sumsOf(counted, barOf, (print) => print.quantity),
  );
}

/** Rules of executed volume. */
export const executedVolume: StoreRules = rulesFor()({
  async "without prints there is no volume"({ store }) {
    same("readVolume() of an empty store", await volumeIn(store), NOTHING);
    await keepPrints(store, []);
    same("readVolume() after an append without prints", await volumeIn(store), NOTHING);
  },

  async "every print counts for the bar of its minute, a fresh one for the total too"({ store }) {
    const late = samplePrint({ id: "late", timeMs: 5, seenAtMs: 90_000, fresh: false });
    await keepPrints(store, [samplePrint(), late]);
    await keepPrints(store, [samplePrint({ id: "p2", quantity: quantity("0.25") })]);
    same("readVolume()", await volumeIn(store), {
      totals: btc("0.75"),
      bars: [{ symbol: "BTC/USD", minuteMs: 0, quantity: quantity("1.25") }],
      prints: [
        { symbol: "BTC/USD", id: "p1", seenAtMs: 30_100 },
        { symbol: "BTC/USD", id: "p2", seenAtMs: 30_100 },
        { symbol: "BTC/USD", id: "late", seenAtMs: 90_000 },
      ],
    });
  },

  async "a symbol without a fresh print has bars and no total"({ store }) {
    await keepPrints(store, [samplePrint({ fresh: false })]);
    const bars = [{ symbol: "BTC/USD", minuteMs: 0, quantity: quantity("0.5") }];
    const prints = [{ symbol: "BTC/USD", id: "p1", seenAtMs: 30_100 }];
    same("readVolume() after a print that is not fresh", await volumeIn(store), { totals: [], bars, prints });
  },

  async "a minute begins with its first millisecond and ends before the next"({ store }) {
    const times = [0, MINUTE_MS - 1, MINUTE_MS, 2 * MINUTE_MS - 1, 2 * MINUTE_MS];
    await keepPrints(
      store,
      times.map((timeMs) => samplePrint({ id: `at ${timeMs}`, timeMs })),
    );
    const { bars } = await store.readVolume();
    const symbol = "BTC/USD";
    same(`bars of prints at ${times.join(", ")} ms`, bars, [
      { symbol, minuteMs: 0, quantity: quantity("1") },
      { symbol, minuteMs: MINUTE_MS, quantity: quantity("1") },
      { symbol, minuteMs: 2 * MINUTE_MS, quantity: quantity("0.5") },
    ]);
  },

  async "bars are returned by symbol and minute, totals by symbol, whatever the order of the prints"({
    store,
  }) {
    const at = (symbol: string, minute: number) =>
      samplePrint({ symbol, id: `${minute}`, timeMs: minute * MINUTE_MS });
    await keepPrints(store, [at("ETH/USD", 3), at("BTC/USD", 10)]);
    await keepPrints(store, [at("ETH/USD", 1), at("BTC/USD", 9)]);
    const { totals, bars } = await store.readVolume();
    const symbols = totals.map(({ symbol }) => symbol);
    same("symbols of totals", symbols, ["BTC/USD", "ETH/USD"]);
    const places = bars.map(({ symbol, minuteMs }) => `${symbol} ${minuteMs / MINUTE_MS}`);
    same("symbols and minutes of bars", places, ["BTC/USD 9", "BTC/USD 10", "ETH/USD 1", "ETH/USD 3"]);
  },

  async "a print whose symbol and id are stored adds nothing, in another batch or in the same"({ store }) {
    const again = samplePrint({ quantity: quantity("7"), timeMs: 5 * MINUTE_MS, seenAtMs: 1, fresh: true });
    await keepPrints(store, [samplePrint()]);
    const first = await store.readVolume();
    await keepPrints(store, [again]);
    await keepPrints(store, [again, samplePrint()]);
    same("readVolume() after the same print again", await store.readVolume(), first);
    await keepPrints(store, [samplePrint({ id: "p2" }), samplePrint({ id: "p2" })]);
    same("totals after a print twice in one batch", await totalsIn(store), btc("1"));
  },

  async "a retry with one more print adds that one, and one id names a print of each symbol"({ store }) {
    await keepPrints(store, [samplePrint()]);
    await keepPrints(store, [samplePrint(), samplePrint({ id: "p2" }), samplePrint({ symbol: "ETH/USD" })]);
    same("totals", await totalsIn(store), [
      { symbol: "BTC/USD", total: quantity("1") },
      { symbol: "ETH/USD", total: quantity("0.5") },
    ]);
  },

  async "I16: sums beyond the safe integers, and beyond 64 bits, keep their last digit"({ store }) {
    const prints = Array.from({ length: 10 }, (_, n) => samplePrint({ id: `p${n}`, quantity: LARGEST }));
    const unit = samplePrint({ id: "unit", quantity: quantity("0.000001") });
    await keepPrints(store, prints.slice(0, 5));
    await keepPrints(store, [...prints.slice(5), unit]);
    const sum = 10n * (10n ** 18n - 1n) + 1n;
    const { totals, bars } = await store.readVolume();
    same("totals of ten largest quantities and 0.000001", totals, btc(sum));
    same("bars of them", bars, [{ symbol: "BTC/USD", minuteMs: 0, quantity: sum }]);
  },

  async "I16: a sum is a number up to the largest safe integer and a bigint above it"({ store }) {
    const almost = (BigInt(Number.MAX_SAFE_INTEGER) - 1n) as Quantity;
    const unit = quantity("0.000001");
    const first = samplePrint({ id: "1", quantity: almost });
    await keepPrints(store, [first, samplePrint({ id: "2", quantity: unit })]);
    same("totals of 2^53 - 1 units", await totalsIn(store), btc(Number.MAX_SAFE_INTEGER));
    await keepPrints(store, [samplePrint({ id: "3", quantity: unit })]);
    same("totals of 2^53 units", await totalsIn(store), btc(BigInt(Number.MAX_SAFE_INTEGER) + 1n));
  },

  async "I16: the volume of any batches is that of their prints, each id counted once"({ elsewhere }) {
    for (let series = 0; series < 15; series++) {
      const store = await elsewhere();
      await store.acquire();
      const batches = batchesOf(series);
      for (const prints of batches) await keepPrints(store, prints);
      await compareVolume(`series ${series}`, store, countedOf(batches));
    }
  },

  async "prints, marks and records of one batch are written together"({ store }) {
    const shards = [part(0, 1, { records: [sampleRecord(0, 1)], marks: [sampleMark()] })];
    const batch = { shards, prints: [samplePrint()] };
    same("append of a record, a mark and a print", await store.append(batch), ["durable"]);
    same("readMarks()", await store.readMarks(), [sampleMark()]);
    same("totals", await totalsIn(store), btc("0.5"));
  },

  async "I60: an earlier owner of the market journal adds no volume"({ store, open }) {
    const later = await open();
    await later.acquire();
    await refused("append of prints alone by an earlier owner", () => keepPrints(store, [samplePrint()]));
    const shards = [part(0, 1, { records: [sampleRecord(0, 1)] })];
    const outcomes = await store.append({ shards, prints: [samplePrint()] });
    same("append of records and prints by an earlier owner", outcomes, ["fenced"]);
    same("readVolume()", await volumeIn(later), NOTHING);
    await keepPrints(later, [samplePrint()]);
    same("totals as the earlier owner reads them", await totalsIn(store), btc("0.5"));
  },

  async "I60: a handle that never took the store over adds none and drops none"({ store, open }) {
    await keepPrints(store, [samplePrint()]);
    const handle = await open();
    await refused("append of prints without acquire", () => keepPrints(handle, [samplePrint({ id: "p2" })]));
    await refused("deleteVolume without acquire", () => handle.deleteVolume({ beforeMs: 1e9 }));
    const { prints } = await handle.readVolume();
    same("prints", prints, [{ symbol: "BTC/USD", id: "p1", seenAtMs: 30_100 }]);
  },

  async "I03: a refused batch counts none of its prints"({ store }) {
    const ended = [-256, -512].map((orderId) => endedOrder({ orderId, clientOrderId: "a" }));
    const batch = { shards: [part(0, 1, { ended })], prints: [samplePrint()] };
    await refused("append of two parents with one client id, and a print", () => store.append(batch));
    same("readVolume()", await volumeIn(store), NOTHING);
  },

  async "I01: the volume exists for the next handle, which continues it"({ store, open, close }) {
    await keepPrints(store, [
      samplePrint(),
      samplePrint({ symbol: "ETH/USD", timeMs: 90_000, fresh: false }),
    ]);
    const before = await store.readVolume();
    await close(store);
    const next = await open();
    same("readVolume() of the next handle", await next.readVolume(), before);
    await next.acquire();
    await keepPrints(next, [samplePrint(), samplePrint({ id: "p2" })]);
    same("totals of the next handle after a retry and one more print", await totalsIn(next), btc("1"));
  },
});
