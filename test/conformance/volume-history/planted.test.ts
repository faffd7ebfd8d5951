import { testVolumeHistory, type VolumeHistorySubject } from "../../../src/conformance/index.ts";
import { volumeHistoryRules } from "../../../src/conformance/volume-history.ts";
import { add, type Quantity, quantity, ZERO_QUANTITY } from "../../../src/decimal/index.ts";
import type { VolumeBar } from "../../../src/model/index.ts";
import type { VolumeHistory } from "../../../src/ports/index.ts";
import { type PlantedFault, testPlantedFaults } from "../../support/planted-faults.ts";

const MINUTE_MS = 60_000;
const NOW_MS = 1_760_000_012_345;

type Range = Parameters<VolumeHistory["minutes"]>[0];
type Trade = Readonly<{ symbol: string; quantity: string; id: string; timeMs: number }>;

/** A record of trades, and how a history reads it. Each function may be a mistake. */
type Reading = Readonly<{
  keyOf: (trade: Trade) => string;
  minuteOf: (timeMs: number) => number;
  sum: (a: Quantity, b: Quantity) => Quantity;
  isIn: (range: Range, minuteMs: number) => boolean;
  isOf: (range: Range, trade: Trade) => boolean;
  answer: (bars: readonly VolumeBar[], range: Range) => unknown;
  failed: () => unknown;
}>;

const sound: Reading = {
  keyOf: ({ symbol, id }) => `${symbol} ${id}`,
  minuteOf: (timeMs) => timeMs - (timeMs % MINUTE_MS),
  sum: add,
  isIn: ({ fromMs, toMs }, minuteMs) => minuteMs >= fromMs && minuteMs < toMs,
  isOf: ({ symbol }, trade) => trade.symbol === symbol,
  answer: (bars) => bars,
  failed: () => {
    throw new Error("connection refused");
  },
};

function read(trades: Iterable<Trade>, range: Range, reading: Reading): unknown {
  const bars = new Map<number, Quantity>();
  for (const trade of trades) {
    const minuteMs = reading.minuteOf(trade.timeMs);
    if (!reading.isOf(range, trade) || !reading.isIn(range, minuteMs)) continue;
    bars.set(minuteMs, reading.sum(bars.get(minuteMs) ?? ZERO_QUANTITY, quantity(trade.quantity)));
  }
  const sorted = [...bars].toSorted(([a], [b]) => a - b);
  const { symbol } = range;
  return reading.answer(
    sorted.map(([minuteMs, size]) => ({ symbol, minuteMs, quantity: size })),
    range,
  );
}

function subjectOf(name: string, change: Partial<Reading>, remote = true): VolumeHistorySubject {
  const reading = { ...sound, ...change };
  return {
    name,
    supports: { remote },
    createPlace() {
      const trades = new Map<string, Trade>();
      let isOut = false;
      const answer = (range: Range) => (isOut ? reading.failed() : read(trades.values(), range, reading));
      return {
        volumeHistory: {
          minutes: (range) =>
            (remote ? new Promise((resolve) => resolve(answer(range))) : answer(range)) as never,
        },
        nowMs: () => NOW_MS,
        record: (all) => {
          for (const trade of all) trades.set(reading.keyOf(trade), trade);
        },
        idle: () => new Promise((resolve) => void setImmediate(resolve)),
        remove: () => undefined,
        setOutage: (out) => {
          isOut = out;
        },
      };
    },
  };
}

const planted = (
  rule: string,
  fault: string,
  change: Partial<Reading>,
): PlantedFault<VolumeHistorySubject> => ({
  fault,
  breaks: [rule],
  subject: subjectOf(fault, change),
});

const asText = (bars: readonly VolumeBar[]): unknown =>
  bars.map((bar) => ({ ...bar, quantity: String(bar.quantity) }));
const asDecimals = (bars: readonly VolumeBar[]): unknown =>
  bars.map((bar) => ({ ...bar, quantity: Number(bar.quantity) / 1e6 }));
let count = 0;
const stored = new Map<string, unknown>();

const faults: readonly PlantedFault<VolumeHistorySubject>[] = [
  planted("I16: a bar", "sums of floating-point numbers", {
    sum: (a, b) => (Number(a) + Number(b)) as unknown as Quantity,
  }),
  planted("I16: a bar", "quantities as text", { answer: asText }),
  planted("I16: a bar", "quantities as decimals", { answer: asDecimals }),
  planted("a minute begins", "the nearest minute", {
    minuteOf: (timeMs) => Math.round(timeMs / MINUTE_MS) * MINUTE_MS,
  }),
  planted("a minute begins", "empty minutes as bars of 0", {
    answer: (bars, { symbol, fromMs, toMs }) =>
      Array.from({ length: (toMs - fromMs) / MINUTE_MS }, (_, n) => {
        const minuteMs = fromMs + n * MINUTE_MS;
        return bars.find((bar) => bar.minuteMs === minuteMs) ?? { symbol, minuteMs, quantity: 0 };
      }),
  }),
  planted("a minute begins", "seconds", {
    answer: (bars) => bars.map((bar) => ({ ...bar, minuteMs: bar.minuteMs / 1_000 })),
  }),
  planted("the bars are those of minutes", "the end is included", {
    isIn: ({ fromMs, toMs }, minuteMs) => minuteMs >= fromMs && minuteMs <= toMs,
  }),
  planted("the bars are those of minutes", "the begin is excluded", {
    isIn: ({ fromMs, toMs }, minuteMs) => minuteMs > fromMs && minuteMs < toMs,
  }),
  planted("the bars are those of minutes", "newest first", { answer: (bars) => bars.toReversed() }),
  planted("the bars are those of the requested market", "all markets", { isOf: () => true }),
  planted("without trades there are no bars", "undefined", {
    answer: (bars) => (bars.length === 0 ? undefined : bars),
  }),
  planted("a trade that is recorded twice", "no unique key", { keyOf: () => String(++count) }),
  planted("a trade that is recorded twice", "ids of all markets", { keyOf: ({ id }) => id }),
  planted("the 512 minutes", "a first page of 500", { answer: (bars) => bars.slice(0, 500) }),
  planted("no bar is of a minute", "filled up with the last volume", {
    answer: (bars, { fromMs, toMs }) =>
      bars.length === 0
        ? bars
        : Array.from({ length: (toMs - fromMs) / MINUTE_MS }, (_, n) => ({
            ...bars.at(-1),
            minuteMs: fromMs + n * MINUTE_MS,
          })),
  }),
  planted("a trade counts from the next answer", "answers are kept", {
    answer(bars, range) {
      const key = JSON.stringify(range);
      if (!stored.has(key)) stored.set(key, bars);
      return stored.get(key);
    },
  }),
  planted("while the record cannot be reached", "an empty answer", { failed: () => [] }),
  {
    fault: "a promise in spite of remote: false",
    breaks: ["declared not to be remote"],
    subject: { ...subjectOf("a promise", {}), supports: { remote: false } },
  },
];

testPlantedFaults("volume history", {
  declare: testVolumeHistory,
  groups: volumeHistoryRules,
  sound: [subjectOf("remote", {}), subjectOf("local", {}, false)],
  faults,
});
