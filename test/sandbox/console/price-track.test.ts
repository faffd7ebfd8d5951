import { describe, expect, it } from "vitest";
import {
  PLACE_MS,
  PriceTrack,
  RETAINED_MS,
  type Row,
  type Tick,
} from "../../../src/sandbox/console/market-feed.ts";

const NOW = 1_000_000;
const tick = (timeMs: number, bid: number): Tick => ({ timeMs, bid, ask: bid + 1 });

function trackOf(ticks: readonly Tick[]): PriceTrack {
  const track = new PriceTrack();
  for (const each of ticks) track.add(each);
  return track;
}

const told = (rows: readonly Row[]): unknown => rows.map(({ bid, source }) => [bid, source]);

describe("the track of a market", () => {
  it("without a quote has no row", () => {
    expect(new PriceTrack().rows(0, NOW)).toEqual([]);
    expect(new PriceTrack().last).toBeUndefined();
  });

  it("has every place from its first quote on, and a price holds until the next one", () => {
    const track = trackOf([tick(NOW - 4 * PLACE_MS, 100), tick(NOW - PLACE_MS, 110)]);
    const rows = track.rows(0, NOW);
    const places = [4, 3, 2, 1, 0].map((count) => NOW - count * PLACE_MS);
    expect(rows.map(({ timeMs }) => timeMs)).toEqual(places);
    expect(rows.map(({ bid, ask }) => [bid, ask])).toEqual([
      ...Array(3).fill([100, 101]),
      ...Array(2).fill([110, 111]),
    ]);
  });

  it("leaves out a tick that is older than the newest, and begins with the price of then", () => {
    const track = trackOf([tick(10, 1), tick(3_000, 3), tick(2_000, 2), tick(4_000, 4)]);
    expect(track.rows(3_500, 4_500).map(({ bid }) => bid)).toEqual([3, 4, 4]);
    expect([track.first?.bid, track.last?.bid]).toEqual([1, 4]);
  });

  it("a spike of one quote is shown, however many quotes share its place", () => {
    const bids = [100, 90, 120, 100];
    const track = trackOf(bids.map((bid, index) => tick(NOW + index, bid)));
    const [spike, after] = track.rows(NOW, NOW + PLACE_MS);
    expect([spike?.bid, spike?.ask, after?.bid, after?.ask]).toEqual([90, 121, 100, 101]);
    // In the newest place, the newest price counts.
    expect(track.rows(NOW, NOW + 10)[0]?.bid).toBe(100);
  });

  it("what was traded before the first quote is shown up to it", () => {
    const past = [3, 1, -1].map((places) => ({ timeMs: NOW - places * PLACE_MS, price: 90 }));
    const track = trackOf([tick(NOW, 100)]);
    expect(told(track.rows(0, NOW + PLACE_MS, past))).toEqual([
      ...Array(3).fill([90, "trades"]),
      ...Array(2).fill([100, "quotes"]),
    ]);
    expect(told(new PriceTrack().rows(0, NOW, past.slice(1, 2)))).toEqual(Array(2).fill([90, "trades"]));
  });

  it("where nothing was heard, nothing is known", () => {
    const track = trackOf([tick(NOW - 5 * PLACE_MS, 100)]);
    track.end(NOW - 4 * PLACE_MS);
    track.end(NOW - 3 * PLACE_MS);
    track.add(tick(NOW - PLACE_MS, 110));
    const sources = (): readonly string[] => track.rows(0, NOW).map(({ source }) => source);
    expect(sources()).toEqual([...["quotes", "quotes"], ...["nothing", "nothing"], ...["quotes", "quotes"]]);
    track.end(NOW - PLACE_MS);
    expect(sources().at(-1)).toBe("nothing");
  });

  it("forgets what is too old, however fast the market is", () => {
    const track = trackOf(Array.from({ length: 50_000 }, (_, index) => tick(index * 100, index)));
    expect(track.last?.timeMs).toBe(4_999_900);
    expect(4_999_900 - (track.first?.timeMs ?? 0)).toBeLessThanOrEqual(RETAINED_MS);
  });
});
