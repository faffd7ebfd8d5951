import { describe, expect, it } from "vitest";
import { price } from "../../src/decimal/index.ts";
import type { Quote } from "../../src/model/index.ts";
import { type Progress, TriggerBook } from "../../src/triggers/index.ts";

const symbol = "BTC/USD";
const quoteAt = (bid: string): Quote => {
  const [at, ask] = [price(bid), price("9000000000")];
  return { symbol, bid: at, ask, bids: [], asks: [], timeMs: 1, sequence: 1 };
};

/** Runs a quote to its end, sixteen orders per slice. */
function slicesOf(book: TriggerBook, quote: Quote): readonly Progress[] {
  const slices: Progress[] = [];
  if (book.begin(quote))
    do slices.push(book.resume(16));
    while (book.isBusy);
  return slices;
}

describe("a quote acts in slices", () => {
  it("references that one extreme moves are merged in slices, and follow it from then on", () => {
    const book = new TriggerBook(symbol);
    const distance = { kind: "amount", amount: price("50") } as const;
    for (let index = 0; index < 1_000; index++) {
      book.add({
        orderId: -1 - index,
        acceptedAtMs: index,
        acceptance: index,
        watch: { kind: "trail", side: "bid", distance },
      });
      // Each begins lower than the previous one.
      book.observe(quoteAt((2_000 - index / 100).toFixed(2)));
    }
    const slices = slicesOf(book, quoteAt("2001"));
    expect(slices.length).toBeGreaterThan(50);
    expect(Math.max(...slices.map(({ steps }) => steps))).toBeLessThanOrEqual(16);
    expect(new Set([book.reference(-1), book.reference(-500), book.reference(-1_000)])).toEqual(
      new Set([price("2001")]),
    );
    expect(slicesOf(book, quoteAt("1951.01")).flatMap(({ fired }) => fired)).toEqual([]);
    const ids = slicesOf(book, quoteAt("1951")).flatMap(({ fired }) => fired.map(({ orderId }) => orderId));
    expect(ids).toEqual(Array.from({ length: 1_000 }, (_, index) => -1 - index));
  });

  it("an order that is removed during the merge leaves nothing behind", () => {
    const book = new TriggerBook(symbol);
    const distance = { kind: "amount", amount: price("50") } as const;
    for (let index = 0; index < 200; index++) {
      book.add({
        orderId: -1 - index,
        acceptedAtMs: index,
        acceptance: index,
        watch: { kind: "trail", side: "bid", distance },
      });
      book.observe(quoteAt((2_000 - index / 100).toFixed(2)));
    }
    expect(book.begin(quoteAt("2001"))).toBe(true);
    for (let taken = 0; book.isBusy; taken++) {
      book.resume(1);
      book.remove(-200 + taken);
      book.remove(-1 - taken);
    }
    const left = book.size;
    expect(left).toBeGreaterThan(0);
    expect(book.reference(-100)).toBe(price("2001"));
    expect(slicesOf(book, quoteAt("1")).flatMap(({ fired }) => fired)).toHaveLength(left);
    expect(slicesOf(book, quoteAt("3000"))).toEqual([]);
  });
});
