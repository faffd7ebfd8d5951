import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Price, Quantity } from "../../../src/index.ts";
import { type Bar, type MarketRow, marketOfBars, mergeMarkets } from "../../../src/simulator/index.ts";

async function rowsOf(market: AsyncIterable<MarketRow>): Promise<readonly MarketRow[]> {
  const rows: MarketRow[] = [];
  for await (const row of market) rows.push(row);
  return rows;
}

const bar: Bar = {
  ...{ symbol: "BTC/USD", openMs: 0, intervalMs: 60_000 },
  ...{ open: "100", high: "110", low: "90", close: "105", volume: "1.000003" },
};

describe("marketOfBars", () => {
  it("complaint 48: goes to the adverse extreme first, and to the other one if the bar says so", async () => {
    const bids = async (path?: "low-first" | "high-first"): Promise<readonly string[]> => {
      const rows = await rowsOf(marketOfBars([bar], { spreadBps: "0", ...(path && { path: () => path }) }));
      return rows.flatMap((row) => (row.kind === "quote" ? [row.bid] : []));
    };
    expect(await bids()).toEqual(["100", "90", "110", "105"]);
    expect(await bids("high-first")).toEqual(["100", "110", "90", "105"]);
  });

  it("puts bid and ask half a spread away", async () => {
    const [row] = await rowsOf(marketOfBars([bar], { spreadBps: "10" }));
    expect(row).toMatchObject({ bid: "99.95", ask: "100.05" });
  });

  it("property: the quantities sum up to the volume, the times rise within the bar, and bid is at most ask", async () => {
    const amounts = fc.tuple(
      fc.integer({ min: 1, max: 1e9 }),
      fc.integer({ min: 0, max: 1e9 }),
      fc.integer({ min: 4, max: 86_400_000 }),
      fc.integer({ min: 0, max: 20_000 }),
    );
    await fc.assert(
      fc.asyncProperty(amounts, async ([cents, volume, intervalMs, spread]) => {
        const price = Price.format(Price.parse(String(cents)));
        const flat = { open: price, high: price, low: price, close: price };
        const given = {
          ...bar,
          ...flat,
          intervalMs,
          volume: `${Math.floor(volume / 1e6)}.${String(volume % 1e6).padStart(6, "0")}`,
        };
        const rows = await rowsOf(marketOfBars([given], { spreadBps: String(spread) }));
        const sum = rows.reduce(
          (total, row) => (row.kind === "trade" ? total + Number(Quantity.parse(row.quantity)) : total),
          0,
        );
        expect(sum).toBe(volume);
        const times = rows.map(({ timeMs }) => timeMs);
        expect(times).toEqual([...times].sort((a, b) => a - b));
        expect(times.at(-1)).toBe(intervalMs - 1);
        for (const row of rows)
          if (row.kind === "quote") expect(Price.parse(row.bid) <= Price.parse(row.ask)).toBe(true);
      }),
    );
  });
});

describe("mergeMarkets", () => {
  const quote = (timeMs: number, symbol: string): MarketRow => ({
    kind: "quote",
    timeMs,
    symbol,
    bid: "1",
    ask: "2",
  });

  it("keeps the order of times, and of the arguments at one time", async () => {
    const merged = mergeMarkets([quote(1, "A/USD"), quote(3, "A/USD")], marketOfBars([]), [
      quote(1, "B/USD"),
      quote(2, "B/USD"),
    ]);
    expect((await rowsOf(merged)).map(({ timeMs, symbol }) => `${timeMs}${symbol[0]}`)).toEqual([
      "1A",
      "1B",
      "2B",
      "3A",
    ]);
  });

  it("gives the rows of any markets, sorted by time, whatever kind of source they are", async () => {
    const anyMarket = fc.record({
      times: fc.array(fc.nat(5)).map((times) => times.sort((a, b) => a - b)),
      kind: fc.constantFrom("array", "iterable", "async", "merged"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyMarket, { maxLength: 4 }), async (markets) => {
        const made = markets.map(({ times, kind }, index) => {
          const rows = times.map((timeMs) => quote(timeMs, `${index}/USD`));
          const sources = {
            array: rows,
            iterable: { [Symbol.iterator]: () => rows[Symbol.iterator]() },
            async: (async function* () {
              yield* rows;
            })(),
            merged: mergeMarkets(rows),
          };
          return { rows, source: sources[kind] };
        });
        const sorted = made.flatMap(({ rows }) => rows).sort((a, b) => a.timeMs - b.timeMs);
        expect(await rowsOf(mergeMarkets(...made.map(({ source }) => source)))).toEqual(sorted);
      }),
    );
  });

  it("closes every market when the reader stops early", async () => {
    const closed: string[] = [];
    async function* endless(symbol: string): AsyncGenerator<MarketRow> {
      try {
        for (let timeMs = 0; ; timeMs++) yield quote(timeMs, symbol);
      } finally {
        closed.push(symbol);
      }
    }
    for await (const row of mergeMarkets(endless("A/USD"), endless("B/USD"))) if (row.timeMs > 2) break;
    expect(closed).toEqual(["A/USD", "B/USD"]);
  });
});
