import { describe, expect, it, vi } from "vitest";
import { price } from "../../src/decimal/index.ts";
import type { Quote } from "../../src/model/index.ts";
import { TriggerBook, type Watcher } from "../../src/triggers/index.ts";

const symbol = "BTC/USD";
const quoteAt = (bid: string): Quote => {
  const [at, ask] = [price(bid), price("9000000000")];
  return { symbol, bid: at, ask, bids: [], asks: [], timeMs: 1, sequence: 1 };
};

describe("a quote acts in slices", () => {
  it("no slice compares more than some hundred orders, including the sort of triggered ones", () => {
    const book = new TriggerBook(symbol);
    // All of one price and one time: every comparison reaches two ids, and compares their distances from zero.
    const compare = vi.spyOn(Math, "abs");
    const watcher = (index: number): Watcher => ({
      orderId: index % 2 === 0 ? -1 - index : index - 40_000,
      acceptedAtMs: 1,
      acceptance: 1,
      watch:
        index % 3 === 0
          ? { kind: "every", side: "bid" }
          : { kind: "level", side: "bid", condition: { direction: "atOrBelow", level: price("100") } },
    });
    for (let index = 0; index < 20_000; index++) book.add(watcher(index));
    const most = { compared: 0 };
    expect(book.begin(quoteAt("99"))).toBe(true);
    const fired: number[] = [];
    while (book.isBusy) {
      compare.mockClear();
      for (const { orderId } of book.resume(16).fired) fired.push(orderId);
      most.compared = Math.max(most.compared, compare.mock.calls.length);
    }
    compare.mockRestore();
    expect(fired).toHaveLength(20_000);
    expect(most.compared).toBeGreaterThan(16);
    // Sixteen pops of two comparisons per level, two ids each.
    expect(most.compared).toBeLessThanOrEqual(16 * 2 * 2 * 16);
  });
});
