import { describe, expect, it } from "vitest";
import { price } from "../../src/decimal/index.ts";
import { InvariantError } from "../../src/errors/index.ts";
import type { Quote, TriggeredType } from "../../src/model/index.ts";
import { gateDirection, TriggerBook, type Watcher } from "../../src/triggers/index.ts";

const symbol = "BTC/USD";
const quoteAt = (bid: string, sequence = 1): Quote => {
  const [at, ask] = [price(bid), price("9000000000")];
  return { symbol, bid: at, ask, bids: [], asks: [], timeMs: 1, sequence };
};
const stopAt = (orderId: number, level: string): Watcher => ({
  orderId,
  acceptedAtMs: -orderId,
  acceptance: 1,
  watch: { kind: "level", side: "bid", condition: { direction: "atOrBelow", level: price(level) } },
});
const trail = (orderId: number, more: object = {}): Watcher => ({
  orderId,
  acceptedAtMs: -orderId,
  acceptance: 1,
  watch: { kind: "trail", side: "bid", distance: { kind: "amount", amount: price("5") }, ...more },
});

/** Slices of one step until the book is idle: the fired orders of each finished quote. */
function runs(book: TriggerBook): readonly (readonly number[])[] {
  const fired: number[][] = [];
  while (book.isBusy) {
    const progress = book.resume(1);
    if (progress.isOver) fired.push(progress.fired.map(({ orderId }) => orderId));
  }
  return fired;
}

/** A book in the middle of a quote that fires order -1. */
function busy(): TriggerBook {
  const book = new TriggerBook(symbol);
  book.add(stopAt(-1, "100"));
  expect(book.begin(quoteAt("99"))).toBe(true);
  return book;
}

describe("what comes while a quote acts waits behind it, in order of arrival", () => {
  it("an order acts from the next quote on, and counts as in the book at once", () => {
    const book = busy();
    book.add(stopAt(-2, "100"));
    expect([book.waiting, book.size, book.has(-2)]).toEqual([1, 2, true]);
    expect(runs(book)).toEqual([[-1]]);
    expect([book.waiting, book.size]).toEqual([0, 1]);
    expect(book.observe(quoteAt("99")).fired.map(({ orderId }) => orderId)).toEqual([-2]);
  });

  it("an order that waits and is removed never acts", () => {
    const book = busy();
    book.add(stopAt(-2, "100"));
    expect([book.remove(-2), book.has(-2)]).toEqual([true, false]);
    expect(runs(book)).toEqual([[-1]]);
    expect(book.observe(quoteAt("99")).fired).toEqual([]);
  });

  it("a quote that met no order has to come again if an order was added since, also one that waited", () => {
    const book = new TriggerBook(symbol);
    expect(book.isUnmet).toBe(false);
    expect([book.begin(quoteAt("99")), book.isUnmet]).toEqual([false, true]);
    book.add(stopAt(-1, "99"));
    expect(book.isUnmet).toBe(false);
    expect([book.begin(quoteAt("99")), book.isUnmet]).toEqual([true, false]);
    // This quote waits and meets no order; the order behind it has seen none.
    book.begin(quoteAt("100"));
    book.add(stopAt(-2, "100"));
    expect([runs(book), book.isUnmet]).toEqual([[[-1]], false]);
    expect(book.observe(quoteAt("100")).fired.map(({ orderId }) => orderId)).toEqual([-2]);
  });

  it("quotes and orders take turns: an order does not meet a quote that came before it", () => {
    const book = busy();
    book.add(stopAt(-2, "90"));
    expect(book.begin(quoteAt("89"))).toBe(true);
    book.add(stopAt(-3, "95"));
    expect(book.begin(quoteAt("95"))).toBe(true);
    expect(book.begin(quoteAt("96"))).toBe(true);
    expect(book.waiting).toBe(5);
    expect(runs(book)).toEqual([[-1], [-2], [-3]]);
    expect(book.waiting).toBe(0);
  });

  it("a quote that waits moves references as any other", () => {
    const book = new TriggerBook(symbol);
    book.add(trail(-2));
    book.observe(quoteAt("100"));
    book.add(stopAt(-1, "101"));
    expect(book.begin(quoteAt("101"))).toBe(true);
    expect(book.begin(quoteAt("110"))).toBe(true);
    runs(book);
    expect(book.reference(-2)).toBe(price("110"));
  });
});

describe("I30, I31: misuse of a trigger book is a broken invariant", () => {
  it("a whole observation while a quote acts", () => {
    expect(() => busy().observe(quoteAt("98"))).toThrow(
      new InvariantError("I30", `an earlier quote still acts on the trigger book of ${symbol}`),
    );
  });

  it("a slice without a quote", () => {
    const broken = new InvariantError("I30", "no quote acts on the trigger book");
    expect(() => new TriggerBook(symbol).resume(1)).toThrow(broken);
  });

  it("an activation that the marks do not contain is refused at once, also while a quote acts", () => {
    const unknown = trail(-2, { activation: { position: 9, seed: price("100") } });
    expect(() => new TriggerBook(symbol).add(unknown)).toThrow(InvariantError);
    const book = busy();
    expect(() => book.add(unknown)).toThrow(InvariantError);
    expect([book.size, book.waiting]).toEqual([1, 0]);
    expect(() => book.add(trail(-3))).not.toThrow();
  });

  it("the gate of a type without a trigger", () => {
    const type = "SYNTHETIC_LIMIT" as TriggeredType;
    expect(() => gateDirection({ type, side: "BUY" })).toThrow(
      new RangeError("an order of type SYNTHETIC_LIMIT has no trigger"),
    );
  });
});

it("a fired order has its level, and a reference only if it trails", () => {
  const book = new TriggerBook(symbol);
  book.add(stopAt(-1, "100"));
  book.add(trail(-2));
  book.observe(quoteAt("110"));
  const observed = price("99");
  expect(book.observe(quoteAt("99")).fired).toStrictEqual([
    { orderId: -2, observed, level: price("105"), reference: price("110") },
    { orderId: -1, observed, level: price("100") },
  ]);
});

describe("marks are made until they are taken", () => {
  it.each([
    { side: "bid", begun: quoteAt("100"), moved: quoteAt("101") },
    { side: "ask", begun: quoteAt("100"), moved: { ...quoteAt("100"), ask: price("8999999999") } },
  ] as const)("by a reference on the $side, when it begins and when it moves", ({ side, begun, moved }) => {
    const book = new TriggerBook(symbol);
    expect(book.hasMarks).toBe(false);
    book.add({ ...trail(-1), watch: { ...trail(-1).watch, side } });
    for (const quote of [begun, moved]) {
      book.observe(quote);
      expect([book.hasMarks, book.marksDue]).toEqual([true, 1]);
      expect(book.takeMarks().map((mark) => mark.side)).toEqual([side]);
      expect([book.hasMarks, book.marksDue]).toEqual([false, 0]);
    }
  });
});

describe("a changed watch", () => {
  it("waits like an order: each quote meets the watch before it, and each change counts", () => {
    const book = busy();
    book.add(stopAt(-2, "80"));
    book.add(stopAt(-3, "80"));
    for (const orderId of [-2, -3]) book.replace(stopAt(orderId, "90"));
    expect(book.begin(quoteAt("95"))).toBe(true);
    book.replace(stopAt(-2, "94"));
    expect(book.begin(quoteAt("89"))).toBe(true);
    for (const orderId of [-2, -3]) book.replace(stopAt(orderId, "70"));
    expect(runs(book)).toEqual([[-1], [-2, -3]]);
    expect(book.size).toBe(0);
  });

  it("of an order that has fired, or was removed and added again meanwhile, is forgotten", () => {
    const book = busy();
    book.add(stopAt(-2, "80"));
    book.replace(stopAt(-1, "50"));
    book.replace(stopAt(-2, "60"));
    book.remove(-2);
    book.add(stopAt(-2, "75"));
    expect(runs(book)).toEqual([[-1]]);
    expect(book.observe(quoteAt("74")).fired.map(({ orderId }) => orderId)).toEqual([-2]);
    expect(book.size).toBe(0);
  });

  it("I31: a trail that has become active meanwhile goes on from its reference", () => {
    const gate = { direction: "atOrAbove", level: price("120") } as const;
    for (const more of [{}, { gate }]) {
      const book = new TriggerBook(symbol);
      book.add(stopAt(-1, "109"));
      expect(book.begin(quoteAt("109"))).toBe(true);
      book.add(trail(-2, more));
      for (const bid of ["121", "118"]) book.begin(quoteAt(bid));
      book.replace(trail(-2, { distance: { kind: "amount", amount: price("30") }, ...more }));
      runs(book);
      expect(book.reference(-2)).toBe(price("121"));
      expect(book.observe(quoteAt("92")).fired).toEqual([]);
      expect(book.observe(quoteAt("91")).fired).toMatchObject([{ orderId: -2, reference: price("121") }]);
    }
  });
});
