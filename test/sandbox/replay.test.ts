import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { createCatalogue } from "../../src/sandbox/catalogue.ts";
import { openManualClock } from "../../src/sandbox/manual-clock.ts";
import { ReplayMarket, type ReplayRow, readReplay } from "../../src/sandbox/replay-market.ts";
import { csvFile } from "./csv-file.ts";
import { DAY_MS, MINUTE_MS, QUOTE_HEADER, recordedDay, TRADE_HEADER } from "./recorded-day.ts";
import { createRecorder } from "./recorder.ts";

const quote = (timeMs: number, bid: string, symbol = "BTC/USD"): ReplayRow => ({
  kind: "quote",
  timeMs,
  line: timeMs,
  quote: { symbol, bid, ask: "1000" },
});
const trade = (timeMs: number, at: string): ReplayRow => ({
  kind: "trade",
  timeMs,
  line: timeMs,
  trade: { symbol: "BTC/USD", price: at, quantity: "1" },
});

const ROWS = [
  quote(1_000, "1"),
  trade(1_000, "2"),
  quote(1_600, "3"),
  quote(1_600, "4", "ETH/USD"),
  trade(2_000, "5"),
  quote(5_000, "6"),
];

describe("a recorded replay (manual clock)", () => {
  it("the first row comes at the start, the others when the clock passes their time, with their own time", async () => {
    const clock = createManualClock({ startMs: 1_000 });
    const sink = createRecorder(clock.nowMs);
    const market = new ReplayMarket({ rows: ROWS, clock, pace: "recorded" });
    market.start(sink);
    expect(sink.lines).toEqual(["1000: BTC/USD 1 of 1000", "1000: trade 2 of 1000"]);
    expect([market.running, market.nextTimeMs()]).toEqual([true, 1_600]);
    await clock.advanceTo(1_599);
    expect(sink.lines).toHaveLength(2);
    await clock.advanceTo(10_000);
    expect(sink.lines.slice(2)).toEqual([
      "1600: BTC/USD 3 of 1600",
      "1600: ETH/USD 4 of 1600",
      "2000: trade 5 of 2000",
      "5000: BTC/USD 6 of 5000",
    ]);
    expect(market.nextTimeMs()).toBeUndefined();
  });

  it("other work of a row's time comes before it and completes, even if it was planned later", async () => {
    const clock = await openManualClock({ store: createMemoryStore().keyValue, startMs: 1_000 });
    const sink = createRecorder(() => clock.nowMs());
    const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
    new ReplayMarket({ rows: ROWS, clock, pace: "recorded" }).start(sink);
    for (const name of ["lookup", "expiry"]) {
      clock.schedule(1_600, () => {
        sink.lines.push(`${name} begins`);
        void turn().then(() => sink.lines.push(`${name} is answered`));
      });
    }
    await clock.advanceTo(1_600, async () => {
      for (let turns = 0; turns < 3; turns++) await turn();
    });
    expect(sink.lines.slice(2)).toEqual([
      "lookup begins",
      "lookup is answered",
      "expiry begins",
      "expiry is answered",
      "1600: BTC/USD 3 of 1600",
      "1600: ETH/USD 4 of 1600",
    ]);
  });

  it("of rows before the clock's time at the start, only the newest of each symbol and kind is fed", async () => {
    const clock = createManualClock({ startMs: 2_500 });
    const sink = createRecorder(clock.nowMs);
    new ReplayMarket({ rows: ROWS, clock, pace: "recorded" }).start(sink);
    expect(sink.lines).toEqual([
      "2500: BTC/USD 3 of 1600",
      "2500: ETH/USD 4 of 1600",
      "2500: trade 5 of 2000",
    ]);
    await clock.advanceTo(5_000);
    expect(sink.lines).toHaveLength(4);
  });

  it("all rows of exactly the start time are fed", () => {
    const clock = createManualClock({ startMs: 1_000 });
    const sink = createRecorder(clock.nowMs);
    const rows = [quote(900, "0.1"), trade(1_000, "1"), trade(1_000, "2")];
    new ReplayMarket({ rows, clock, pace: "recorded" }).start(sink);
    expect(sink.lines).toEqual([
      "1000: BTC/USD 0.1 of 900",
      "1000: trade 1 of 1000",
      "1000: trade 2 of 1000",
    ]);
  });

  it("a clock before the first row waits for it", async () => {
    const clock = createManualClock({ startMs: 500 });
    const sink = createRecorder(clock.nowMs);
    new ReplayMarket({ rows: ROWS, clock, pace: "recorded" }).start(sink);
    expect(sink.lines).toEqual([]);
    await clock.advanceTo(1_000);
    expect(sink.lines).toHaveLength(2);
  });

  it("a pause leaves out rows, and ends with the newest", async () => {
    const clock = createManualClock({ startMs: 1_000 });
    const sink = createRecorder(clock.nowMs);
    const market = new ReplayMarket({ rows: ROWS, clock, pace: "recorded" });
    market.start(sink);
    market.run(false);
    await clock.advanceTo(3_000);
    expect([sink.lines.length, market.running, market.nextTimeMs()]).toEqual([2, false, undefined]);
    market.run(true);
    expect(sink.lines.slice(2)).toEqual([
      "3000: BTC/USD 3 of 1600",
      "3000: ETH/USD 4 of 1600",
      "3000: trade 5 of 2000",
    ]);
    market.stop();
    await clock.advanceTo(9_000);
    expect(sink.lines).toHaveLength(5);
  });

  it("feeds a whole day: every row once, in order, at its time", async () => {
    const day = recordedDay();
    const rows = await readReplay({
      quotesPath: await csvFile("quotes.csv", [QUOTE_HEADER, ...day.quotes]),
      tradesPath: await csvFile("trades.csv", [TRADE_HEADER, ...day.trades]),
      instruments: createCatalogue(),
    });
    const clock = createManualClock({ startMs: DAY_MS });
    const sink = createRecorder(clock.nowMs);
    new ReplayMarket({ rows, clock, pace: "recorded" }).start(sink);
    await clock.advanceTo(DAY_MS + 1_440 * MINUTE_MS, async () => undefined);
    const reported = sink.quotes.map(
      (q) => `${q.timeMs},${q.symbol},${q.bid},${q.bidQuantity},${q.ask},${q.askQuantity}`,
    );
    expect(reported).toEqual(day.quotes);
    expect(sink.prints.map((p) => `${p.timeMs},${p.symbol},${p.price},${p.quantity}`)).toEqual(day.trades);
    expect(new Set(sink.prints.map((print) => print.id)).size).toBe(day.trades.length);
    expect(sink.lines.every((line) => line.split(":")[0] === line.split(" of ")[1])).toBe(true);
  });
});

describe("a retold replay (real clock)", () => {
  it("feeds the first row now, the rest while it runs, at its speed, each with the time of feeding", async () => {
    const clock = createManualClock({ startMs: 90_000 });
    const sink = createRecorder(clock.nowMs);
    const market = new ReplayMarket({ rows: ROWS, clock, pace: 2 });
    market.start(sink);
    expect(sink.lines).toEqual(["90000: BTC/USD 1 of 90000", "90000: trade 2 of 90000"]);
    await clock.advanceTo(100_000);
    expect([sink.lines.length, market.running]).toEqual([2, false]);
    market.run(true);
    market.run(true);
    expect([market.running, market.nextTimeMs()]).toEqual([true, 100_300]);
    await clock.advanceTo(100_400);
    market.run(false);
    await clock.advanceTo(200_000);
    expect(sink.lines.slice(2)).toEqual(["100300: BTC/USD 3 of 100300", "100300: ETH/USD 4 of 100300"]);
    market.run(true);
    await clock.advanceTo(210_000);
    expect(sink.lines.slice(4)).toEqual(["200200: trade 5 of 200200", "201700: BTC/USD 6 of 201700"]);
  });

  it("can run slower than the original", () => {
    const clock = createManualClock({ startMs: 0 });
    const market = new ReplayMarket({ rows: ROWS, clock, pace: 0.5 });
    market.start(createRecorder());
    market.run(true);
    expect(market.nextTimeMs()).toBe(1_200);
  });
});
