import { describe, expect, it } from "vitest";
import type { ManagedOrderReply } from "../../../src/client/index.ts";
import {
  type ChartInput,
  chartOf,
  MARGIN,
  niceStep,
  spanOf,
} from "../../../src/sandbox/console/chart-geometry.ts";
import { type Level, levelsOf } from "../../../src/sandbox/console/levels.ts";
import { KEPT_MS, PriceTrack, type Tick } from "../../../src/sandbox/console/price-track.ts";

const NOW = 1_000_000;
const tick = (timeMs: number, bid: number): Tick => ({ timeMs, bid, ask: bid + 1 });
const level = (price: number): Level => ({
  orderId: "-1",
  price,
  label: "Sell stop",
  side: "SELL",
  isSoft: false,
});

const chart = (members: Partial<ChartInput>): ReturnType<typeof chartOf> =>
  chartOf({
    ...{ ticks: [], past: [], levels: [], marks: [], width: 678, height: 322, nowMs: NOW, spanMs: 60_000 },
    ...members,
  });

function trackOf(ticks: readonly Tick[]): PriceTrack {
  const track = new PriceTrack();
  for (const each of ticks) track.add(each);
  return track;
}

const order = (members: Partial<ManagedOrderReply>): ManagedOrderReply =>
  ({
    ...{ symbol: "BTC/USD", orderId: "-1", side: "SELL", status: "NEW", held: false, transactTime: NOW },
    ...members,
  }) as ManagedOrderReply;

describe("the chart", () => {
  it("without a quote has no line, no price and no number that is none", () => {
    const empty = chart({});
    expect([empty.bid, empty.ask, empty.prices, empty.last]).toEqual(["", "", [], undefined]);
    expect(JSON.stringify(empty)).not.toMatch(/null|NaN/);
  });

  it("goes from the oldest time shown on the left to now on the right", () => {
    const { bid, plot, last } = chart({ ticks: [tick(NOW - 60_000, 100), tick(NOW - 30_000, 110)] });
    const points = bid
      .replace("M", "")
      .split("L")
      .map((point) => point.split(",").map(Number));
    const middle = plot.width / 2;
    expect(points.map(([x]) => x)).toEqual([0, middle, middle, plot.width, plot.width]);
    // A price holds until the next one.
    expect([points[1]?.[1], points[3]?.[1]]).toEqual([points[0]?.[1], points[2]?.[1]]);
    expect(last?.x).toBe(plot.width);
  });

  it("a higher price is further up, and everything lies inside", () => {
    const { last, levels, plot } = chart({
      ticks: [tick(NOW - 9, 100)],
      levels: [level(101.5), level(99.5)],
    });
    const [up, down] = levels;
    expect((up?.y ?? 0) < (last?.y ?? 0) && (down?.y ?? 0) > (up?.y ?? 0)).toBe(true);
    for (const { y } of levels) expect(y >= MARGIN.top && y <= plot.height).toBe(true);
  });

  it("a level far from the market is at the edge, and does not flatten the line", () => {
    const ticks = [tick(NOW - 50_000, 60_000), tick(NOW, 60_020)];
    const { levels, labels, prices } = chart({ ticks, levels: [level(90_000), level(60_010), level(10)] });
    expect(labels.map(({ edge }) => edge)).toEqual([-1, 0, 1]);
    expect(levels.map(({ price }) => price)).toEqual([60_010]);
    expect(prices.length).toBeGreaterThanOrEqual(3);
  });

  it("decision SP: levels of one price have one label, with their number", () => {
    const { labels } = chart({ ticks: [tick(NOW, 100)], levels: [level(100), level(100), level(100.02)] });
    expect(labels.map(({ text, tag }) => [text, tag])).toEqual([
      ["Sell stop", "100.02"],
      ["Sell stop ×2", "100.00"],
    ]);
  });

  it("decision SP: labels cover neither each other nor the last price, however many levels there are", () => {
    const ticks = [tick(NOW - 9, 60_000), tick(NOW, 60_020)];
    for (const count of [2, 20, 200]) {
      const steps = Array.from({ length: count }, (_, index) => 59_900 + (index * 240) / count);
      const { labels, last, plot } = chart({ ticks, levels: steps.map(level) });
      const ys = [...labels.map(({ y }) => y), last?.y ?? Number.NaN].toSorted((a, b) => a - b);
      const gaps = ys.slice(1).map((y, index) => y - (ys[index] ?? 0));
      expect(gaps.every((gap) => gap >= 17.99)).toBe(true);
      expect(ys.every((y) => y >= MARGIN.top && y <= plot.height)).toBe(true);
      const counted = labels.map(({ text }) => Number(/^[0-9]+|[0-9]+$/.exec(text)?.[0] ?? 1));
      expect(counted.reduce((sum, each) => sum + each, 0)).toBe(count);
    }
  });

  it("decision SP: levels without room for labels of their own share one, with their lowest and highest price", () => {
    const prices = Array.from({ length: 100 }, (_, index) => 70_000 + index);
    const { labels, levels } = chart({ ticks: [tick(NOW, 60_000)], levels: prices.map(level) });
    const [text = ""] = labels.map((label) => label.text).filter((each) => each.includes(" to "));
    expect(text).toMatch(/^[0-9]+ sell levels: 70,[0-9]{3}.00 to 70,[0-9]{3}.00$/);
    expect(levels).toEqual([]);
  });

  it("decision SP: what was traded before the first quote is shown up to it", () => {
    const past = [-70, -40, -20, -5].map((seconds) => ({ timeMs: NOW + seconds * 1_000, price: 90 }));
    const { past: path, prices } = chart({ ticks: [tick(NOW - 10_000, 100)], past });
    const xs =
      path
        .match(/-?[0-9.]+(?=,)/g)
        ?.map(Number)
        .toSorted((a, b) => a - b) ?? [];
    expect([xs[0], xs.at(-1)]).toEqual([-99.3, 496.7]);
    expect(prices.length).toBeGreaterThan(3);
  });

  it("where nothing was heard, the lines have a gap", () => {
    const track = trackOf([tick(NOW - 50_000, 100)]);
    track.end(NOW - 40_000);
    track.end(NOW - 35_000);
    track.add(tick(NOW - 20_000, 110));
    const { bid, ask, spread, last, plot } = chart({ ticks: track.since(0) });
    const xs = [...bid.matchAll(/([ML])([0-9.]+),/g)].map(([, step, x]) => `${step}${x}`);
    const at = (ms: number): string => (plot.width * (1 - ms / 60_000)).toFixed(1);
    expect(xs).toEqual([
      `M${at(50_000)}`,
      ...Array(2).fill(`L${at(40_000)}`),
      `M${at(20_000)}`,
      ...Array(2).fill(`L${at(0)}`),
    ]);
    expect([ask, spread].map((path) => path.split("M").length)).toEqual([3, 3]);
    expect(last?.text).toBe("110.50");
    track.end(NOW - 10_000);
    const ended = chart({ ticks: track.since(0) });
    expect(ended.bid).not.toContain(`L${at(0)}`);
    // An end before the time shown begins no line in it.
    expect(chart({ ticks: track.since(0), nowMs: NOW + 55_000 }).bid).toBe("");
  });

  it("marks before the time shown are left out", () => {
    const mark = { price: 100, side: "BUY", text: "Bought" } as const;
    const marks = [
      { ...mark, timeMs: NOW - 60_001 },
      { ...mark, timeMs: NOW - 1 },
    ];
    expect(chart({ ticks: [tick(NOW, 100)], marks }).marks).toHaveLength(1);
  });

  it("several ticks of one pixel become three at most", () => {
    const ticks = Array.from({ length: 6_000 }, (_, index) =>
      tick(NOW - 60_000 + index * 10, 100 + (index % 7)),
    );
    expect(chart({ ticks }).bid.split("L").length).toBeLessThanOrEqual(3 * 2 * 600);
  });

  it("decision SP: a spike of one quote is shown, however many quotes share its pixel", () => {
    const ticks = Array.from({ length: 6_000 }, (_, index) =>
      tick(NOW - 60_000 + index * 10, index === 3_001 ? 90 : index === 3_003 ? 120 : 100),
    );
    const { bid, ask } = chart({ ticks });
    const levels = (path: string): number => new Set(path.match(/[0-9.]+(?=L|$)/g)).size;
    expect([levels(bid), levels(ask)]).toEqual([3, 3]);
  });

  it("steps of an axis are 1, 2 or 5 times a power of ten", () => {
    expect([0.03, 1, 3, 6, 120].map(niceStep).map((step) => Number(step.toPrecision(3)))).toEqual([
      0.05, 1, 5, 10, 200,
    ]);
  });

  it("begins with a short time, and grows to the chosen one", () => {
    expect([
      spanOf(60_000, NOW),
      spanOf(60_000, NOW, NOW - 30_000),
      spanOf(60_000, NOW, NOW - 90_000),
    ]).toEqual([20_000, 30_000, 60_000]);
  });
});

describe("the track of a market", () => {
  it("leaves out a tick that is older than the newest, and begins a line at the edge", () => {
    const track = trackOf([tick(10, 1), tick(30, 3), tick(20, 2), tick(40, 4)]);
    expect(track.since(30).map(({ timeMs }) => timeMs)).toEqual([10, 30, 40]);
    expect(track.since(50).map(({ timeMs }) => timeMs)).toEqual([40]);
  });

  it("forgets what is too old, however fast the market is", () => {
    const track = trackOf(Array.from({ length: 50_000 }, (_, index) => tick(index * 100, index)));
    const first = track.first?.timeMs ?? 0;
    expect(track.last?.timeMs).toBe(4_999_900);
    expect(4_999_900 - first).toBeLessThanOrEqual(KEPT_MS);
  });
});

describe("the levels of open orders", () => {
  it("are those of the market that is shown, and only while an order is open", () => {
    const orders = [
      order({ type: "STOP_LOSS_LIMIT", stopPrice: "95", price: "94" }),
      order({ type: "STOP_MARKET", stopPrice: "95", status: "FILLED" }),
      order({ type: "STOP_MARKET", stopPrice: "95", symbol: "ETH/USD" }),
      order({ type: "SYNTHETIC_LIMIT", price: "97", side: "BUY", held: true }),
      order({ type: "POV" }),
    ];
    const lines = levelsOf(orders, "BTC/USD");
    expect(lines.map(({ price, label, isSoft }) => [price, label, isSoft])).toEqual([
      [95, "Sell stop-limit", false],
      [94, "Sell stop-limit, limit", false],
      [97, "Buy persistent limit", true],
    ]);
  });

  const linesOf = (members: Partial<ManagedOrderReply>): unknown =>
    levelsOf([order({ trailingAmount: "5", ...members })], "BTC/USD").map(({ price, label, isSoft }) => [
      ...[price, label, isSoft],
    ]);

  it("decision SP: a trailing level is the one that the service tells, dashed until it is met", () => {
    const trailing = { type: "TRAILING_STOP_MARKET", triggerLevel: "95" } as const;
    expect(linesOf({ type: "TRAILING_STOP_MARKET" })).toEqual([]);
    expect(linesOf(trailing)).toEqual([[95, "Sell trailing stop 5.00 USD", true]]);
    expect(linesOf({ ...trailing, side: "BUY" })).toEqual([[95, "Buy trailing stop 5.00 USD", true]]);
    expect(linesOf({ ...trailing, triggerTime: NOW })).toEqual([[95, "Sell trailing stop 5.00 USD", false]]);
  });

  it("decision SP: of a trailing stop-limit that has triggered, only its limit is left, which stands still", () => {
    const trailing = { type: "TRAILING_STOP_LIMIT", triggerLevel: "195" } as const;
    const dynamic = { ...trailing, limitOffset: "1", dynamicLimit: "194" } as const;
    expect(linesOf({ ...trailing, price: "201", triggerTime: NOW })).toEqual([
      [201, "Sell trailing stop-limit, limit", false],
    ]);
    expect(linesOf(dynamic)).toEqual([
      [195, "Sell trailing stop-limit 5.00 USD", true],
      [194, "Sell trailing stop-limit, limit", true],
    ]);
    expect(linesOf({ ...dynamic, triggerTime: NOW })).toEqual([
      [194, "Sell trailing stop-limit, limit", false],
    ]);
  });

  it("a trailing level begins at its gate, which is shown until then", () => {
    const gated = { type: "TRAILING_STOP_MARKET", stopPrice: "130" } as const;
    expect(linesOf(gated)).toEqual([[130, "Sell trailing stop gate", false]]);
    expect(linesOf({ ...gated, triggerLevel: "135" })).toEqual([[135, "Sell trailing stop 5.00 USD", true]]);
  });
});
