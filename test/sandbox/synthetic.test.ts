import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { Price, parsePrice, parseQuantity } from "../../src/decimal/index.ts";
import type { QuoteInput } from "../../src/ports/index.ts";
import { createRandomWalk, MANUAL_MARKET, SyntheticMarket, walkStart } from "../../src/sandbox/market.ts";
import { createRecorder, type Recorder } from "./recorder.ts";

async function reported(seed: number, forMs: number, startMs = 1_000): Promise<Recorder> {
  const clock = createManualClock({ startMs });
  const sink = createRecorder(clock.nowMs);
  new SyntheticMarket({ clock, seed }).start(sink);
  await clock.advanceTo(startMs + forMs);
  return sink;
}

const problems = ({ bid, ask, bids = [], asks = [] }: QuoteInput): readonly string[] => {
  const prices = (levels: typeof bids): (number | bigint)[] => levels.map(([text]) => parsePrice(text) ?? 0);
  const falls = prices(bids).every((at, depth, all) => depth === 0 || at < (all[depth - 1] ?? 0));
  const rises = prices(asks).every((at, depth, all) => depth === 0 || at > (all[depth - 1] ?? 0));
  const sized = [...bids, ...asks].every(
    ([, size]) => size !== undefined && parseQuantity(size) !== undefined,
  );
  return [
    (prices(bids)[0] ?? 0) < (prices(asks)[0] ?? 0) ? "" : "crossed",
    falls && rises && prices(bids).every((at) => at > 0) ? "" : "levels out of order",
    sized ? "" : "an invalid size",
    bids[0]?.[0] === bid && asks[0]?.[0] === ask ? "" : "best price is not the first level",
  ].filter((problem) => problem !== "");
};

describe("the synthetic market", () => {
  it("the same seed gives the same quotes, another seed gives others", async () => {
    const [first, second, other] = [
      await reported(7, 60_000),
      await reported(7, 60_000),
      await reported(8, 60_000),
    ];
    expect(second.quotes).toEqual(first.quotes);
    expect(second.prints).toEqual(first.prints);
    expect(other.quotes).not.toEqual(first.quotes);
  });

  it("is pinned: seed 1 begins like this on every machine", async () => {
    const { quotes } = await reported(1, 0);
    expect(quotes.map(({ symbol, bid, ask }) => `${symbol} ${bid} ${ask}`)).toMatchInlineSnapshot(`
      [
        "BTC/USD 59999.53 60002.03",
        "ETH/USD 2999.55 2999.6",
        "SOL/USD 149.97 149.98",
      ]
    `);
  });

  it("of 70 instruments, each has a price at the start and moves within three steps", async () => {
    const starts = Array.from({ length: 70 }, (_, index) => ({
      symbol: `A${index}/USD`,
      steps: 10_000,
      decimals: 2,
    }));
    const clock = createManualClock({ startMs: 1_000 });
    const sink = createRecorder(clock.nowMs);
    new SyntheticMarket({ clock, seed: 1, starts }).start(sink);
    await clock.advanceTo(2_500);
    const times = (symbol: string): readonly unknown[] =>
      sink.quotes.filter((quote) => quote.symbol === symbol).map(({ timeMs }) => timeMs);
    expect([times("A0/USD"), times("A69/USD")]).toEqual([
      [1_000, 1_250, 2_000],
      [1_000, 1_750, 2_500],
    ]);
  });

  it("a low price has steps below a cent, so that it moves by little", async () => {
    const start = (text: string): unknown => {
      const { steps, decimals } = walkStart("X/USD", Price.parse(text));
      return [steps, decimals];
    };
    expect(["60000", "150", "99.99", "0.5", "0.00001234", "999999999"].map(start)).toEqual([
      ...[
        [6_000_000, 2],
        [15_000, 2],
        [99_990, 3],
        [50_000, 5],
        [1_234, 8],
        [99_999_999_900, 2],
      ],
    ]);
    const walk = createRandomWalk(walkStart("X/USD", Price.parse("0.00001234")), 1);
    for (let step = 0; step < 1_000; step++) expect(problems(walk(step).quote)).toEqual([]);
  });

  it("moves every 250 ms over three instruments from the start on", async () => {
    const { quotes } = await reported(1, 1_000);
    expect(quotes.map(({ timeMs }) => timeMs)).toEqual(
      [1_000, 1_250, 1_500, 1_750, 2_000].flatMap((at) => [at, at, at]),
    );
    expect(new Set(quotes.map(({ symbol }) => symbol))).toEqual(new Set(["BTC/USD", "ETH/USD", "SOL/USD"]));
  });

  it("every quote can count: positive, not crossed, levels in order, sizes exact", async () => {
    const { quotes, prints } = await reported(3, 300_000);
    expect(quotes.length).toBe(3 * 1_201);
    expect(quotes.flatMap(problems)).toEqual([]);
    expect(
      prints.every(
        (print) => parsePrice(print.price) !== undefined && parseQuantity(print.quantity) !== undefined,
      ),
    ).toBe(true);
    const ids = prints.map((print) => `${print.symbol} ${print.id}`);
    expect([ids.length > 500, new Set(ids).size]).toEqual([true, ids.length]);
  });

  it("a walk stays between half and double its start, even for small prices", () => {
    const walk = createRandomWalk({ symbol: "X/USD", steps: 5, decimals: 2 }, 1);
    const bids = Array.from({ length: 2_000 }, (_, step) => walk(step).quote.bid);
    const around = bids.map((bid) => parsePrice(bid) ?? 0);
    expect([around.every((at) => at >= 3_000_000 && at <= 10_000_000), new Set(bids).size > 3]).toEqual([
      true,
      true,
    ]);
  });

  it("can be paused and stopped", async () => {
    const clock = createManualClock({ startMs: 0 });
    const sink = createRecorder();
    const market = new SyntheticMarket({ clock, seed: 1 });
    market.start(sink);
    market.run(false);
    await clock.advanceTo(10_000);
    expect([sink.quotes.length, market.running, market.nextTimeMs()]).toEqual([3, false, undefined]);
    market.run(true);
    market.run(true);
    expect([sink.quotes.length, market.running, market.nextTimeMs()]).toEqual([6, true, 10_250]);
    market.stop();
    await clock.advanceTo(20_000);
    expect(sink.quotes).toHaveLength(6);
  });
});

it("the manual market sends nothing by itself", () => {
  const market = MANUAL_MARKET;
  const sink = createRecorder();
  market.start(sink);
  market.run(true);
  market.stop();
  expect([market.running, market.nextTimeMs(), sink.lines]).toEqual([false, undefined, []]);
});
