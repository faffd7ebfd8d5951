import { describe, expect, it } from "vitest";
import { type Price, price } from "../../src/decimal/index.ts";
import { InvariantError } from "../../src/errors/index.ts";
import type { MarketSide, Quote, TrailingDistance } from "../../src/model/index.ts";
import {
  type Direction,
  executableSide,
  gateDirection,
  limitDirection,
  type Observation,
  stopDirection,
  TriggerBook,
  type Watch,
  type Watcher,
} from "../../src/triggers/index.ts";

const symbol = "BTC/USD";

function quote(bid: string, ask: string): Quote {
  return { symbol, bid: price(bid), ask: price(ask), bids: [], asks: [], timeMs: 1, sequence: 1 };
}

/** A quote with this ask, and the bid far away. */
const ask = (text: string): Quote => quote("0.00000001", text);
/** A quote with this bid, and the ask far away. */
const bid = (text: string): Quote => quote(text, "9000000000");

function watcher(orderId: number, watch: Watch, acceptedAtMs = -orderId): Watcher {
  return { orderId, acceptedAtMs, acceptance: 1, watch };
}

function level(side: MarketSide, direction: Direction, text: string): Watch {
  return { kind: "level", side, condition: { direction, level: price(text) } };
}

const amount = (text: string): TrailingDistance => ({ kind: "amount", amount: price(text) });
const percent = (text: string): TrailingDistance => ({ kind: "percent", percent: price(text) });
const bps = (value: number): TrailingDistance => ({ kind: "bps", bps: value });

function trail(side: MarketSide, distance: TrailingDistance): Watch {
  return { kind: "trail", side, distance };
}

function bookOf(...watchers: readonly Watcher[]): TriggerBook {
  const book = new TriggerBook(symbol);
  for (const each of watchers) book.add(each);
  return book;
}

const firedIds = ({ fired }: Observation): number[] => fired.map(({ orderId }) => orderId);
const activatedIds = ({ activated }: Observation): number[] => activated.map(({ orderId }) => orderId);

describe("complaints", () => {
  it("complaint 4: a trailing order waits until its own side is quoted, and the other side does not move it", () => {
    const book = bookOf(watcher(-1, trail("bid", amount("5"))), watcher(-2, trail("ask", amount("5"))));
    expect(book.reference(-1)).toBeUndefined();
    book.observe(quote("100", "101"));
    for (const other of ["500", "101", "9000"])
      expect(firedIds(book.observe(quote("100", other)))).not.toContain(-1);
    expect(book.reference(-1)).toBe(price("100"));
  });

  it("complaint 5: a gate is neither ignored nor replaced: SELL gate 15, bids 13, 14.9, 15.5", () => {
    const gate = {
      direction: gateDirection({ type: "TRAILING_STOP_MARKET", side: "SELL" }),
      level: price("15"),
    };
    const book = bookOf(watcher(-1, { kind: "trail", side: "bid", distance: amount("1"), gate }));
    for (const text of ["13", "14.9"]) {
      expect(book.observe(bid(text))).toEqual({ fired: [], activated: [] });
      expect(book.reference(-1)).toBeUndefined();
    }
    expect(book.observe(bid("15.5")).activated).toEqual([
      { orderId: -1, activation: { position: 1, seed: price("15.5") } },
    ]);
    expect(book.reference(-1)).toBe(price("15.5"));
  });

  it("complaint 6: after a gap a BUY trailing at 105 fires at the ask of 200, not at 105", () => {
    const book = bookOf(watcher(-1, trail("ask", amount("5"))));
    book.observe(ask("100"));
    expect(book.observe(ask("200")).fired).toEqual([
      { orderId: -1, observed: price("200"), level: price("105"), reference: price("100") },
    ]);
  });

  it("complaint 28: a zero bid fires no SELL stop at 90", () => {
    const book = bookOf(watcher(-1, level("bid", "atOrBelow", "90")));
    const zero: Quote = { ...quote("91", "92"), bid: 0 as unknown as Price };
    expect(() => book.observe(zero)).toThrow(InvariantError);
    expect(book.has(-1)).toBe(true);
    expect(firedIds(book.observe(bid("90")))).toEqual([-1]);
  });

  it("complaint 29: BUY stop 100 limit 101 triggers at 102, and its limit is met at 99", () => {
    const side = executableSide("BUY");
    const book = bookOf(watcher(-1, level(side, stopDirection("BUY"), "100")));
    expect(book.observe(ask("102")).fired).toEqual([
      { orderId: -1, observed: price("102"), level: price("100") },
    ]);
    book.add(watcher(-1, level(side, limitDirection("BUY"), "101")));
    expect(firedIds(book.observe(ask("102")))).toEqual([]);
    expect(firedIds(book.observe(ask("99")))).toEqual([-1]);
  });
});

describe("levels", () => {
  it("fire when reached, not one step earlier, on their own side only", () => {
    const book = bookOf(
      watcher(-1, level("ask", "atOrAbove", "100")),
      watcher(-2, level("ask", "atOrBelow", "90")),
      watcher(-3, level("bid", "atOrAbove", "95")),
      watcher(-4, level("bid", "atOrBelow", "80")),
    );
    expect(firedIds(book.observe(quote("94.99999999", "99.99999999")))).toEqual([]);
    expect(firedIds(book.observe(quote("94.99999999", "100")))).toEqual([-1]);
    expect(firedIds(book.observe(quote("80.00000001", "90.00000001")))).toEqual([]);
    expect(firedIds(book.observe(quote("80", "90")))).toEqual([-2, -4]);
    expect(firedIds(book.observe(quote("95", "96")))).toEqual([-3]);
    expect(book.size).toBe(0);
  });

  it("a level that the market passed already fires on the next quote", () => {
    const book = bookOf();
    book.observe(ask("120"));
    book.add(watcher(-1, level("ask", "atOrAbove", "100")));
    expect(firedIds(book.observe(ask("120")))).toEqual([-1]);
  });

  it("complaint 8: a triggered order has left the book, however many quotes follow", () => {
    const book = bookOf(watcher(-1, level("ask", "atOrAbove", "100")));
    expect(firedIds(book.observe(ask("100")))).toEqual([-1]);
    for (let i = 0; i < 1000; i++) expect(book.observe(ask("101")).fired).toHaveLength(0);
  });

  it("an order that waits for any quote fires on the next one, without a level", () => {
    const book = bookOf(watcher(-1, { kind: "every", side: "bid" }));
    expect(book.observe(quote("7", "8")).fired).toEqual([{ orderId: -1, observed: price("7") }]);
    expect(book.observe(quote("7", "8")).fired).toEqual([]);
  });
});

describe("order of triggers on one quote", () => {
  it("most crossed first, then older, then the id closer to zero; orders without a level come first of all", () => {
    const book = bookOf(
      watcher(-1, level("ask", "atOrAbove", "99"), 5),
      watcher(-2, level("ask", "atOrAbove", "95"), 9),
      watcher(-3, level("bid", "atOrBelow", "104"), 1),
      watcher(-8, level("ask", "atOrAbove", "99"), 4),
      watcher(-7, level("ask", "atOrAbove", "99"), 4),
      watcher(-9, { kind: "every", side: "bid" }, 50),
      watcher(-10, { kind: "every", side: "ask" }, 40),
    );
    expect(firedIds(book.observe(quote("100", "100")))).toEqual([-10, -9, -2, -3, -7, -8, -1]);
  });

  it("a trailing order and an equally crossed stop are ordered by age", () => {
    const book = bookOf(
      watcher(-1, level("ask", "atOrAbove", "105"), 2),
      watcher(-2, trail("ask", amount("5")), 1),
    );
    book.observe(ask("100"));
    expect(firedIds(book.observe(ask("106")))).toEqual([-2, -1]);
  });
});

describe("trailing", () => {
  it("I31 BUY follows the low down and never up; SELL follows the high up and never down", () => {
    const book = bookOf(watcher(-1, trail("ask", amount("50"))), watcher(-2, trail("bid", amount("50"))));
    const references = [
      ["100", "101"],
      ["90", "91"],
      ["110", "111"],
      ["95", "96"],
    ].map(([low = "", high = ""]) => {
      book.observe(quote(low, high));
      return [book.reference(-1), book.reference(-2)];
    });
    expect(references).toEqual([
      [price("101"), price("100")],
      [price("91"), price("100")],
      [price("91"), price("110")],
      [price("91"), price("110")],
    ]);
  });

  it("the nearest of every kind of distance fires first, each at its own level", () => {
    const distances = [bps(100), percent("2.5"), amount("1.5"), bps(150), amount("4")];
    const book = bookOf(...distances.map((distance, index) => watcher(-1 - index, trail("bid", distance))));
    book.observe(bid("100"));
    const fired = ["99", "98.5", "97.5", "96"].map((text) => firedIds(book.observe(bid(text))));
    expect(fired).toEqual([[-1], [-3, -4], [-2], [-5]]);
  });

  it("the quote that activates does not trigger, whatever the gap through the gate", () => {
    const gate = { direction: "atOrBelow", level: price("100") } as const;
    const book = bookOf(watcher(-1, { kind: "trail", side: "bid", distance: amount("0.00000001"), gate }));
    book.observe(bid("200"));
    expect(activatedIds(book.observe(bid("50")))).toEqual([-1]);
    expect(book.reference(-1)).toBe(price("50"));
    expect(firedIds(book.observe(bid("49.99999999")))).toEqual([-1]);
  });

  it("a quote is compared with the references before it", () => {
    const gate = { direction: "atOrBelow", level: price("10") } as const;
    const book = bookOf(
      watcher(-1, trail("bid", amount("1"))),
      watcher(-2, { ...trail("bid", amount("1")), gate } as Watch),
    );
    book.observe(bid("11"));
    expect(book.observe(bid("10")).fired[0]).toMatchObject({ orderId: -1, reference: price("11") });
    expect(book.reference(-2)).toBe(price("10"));
  });

  it("a SELL level at or below zero never fires", () => {
    const book = bookOf(watcher(-1, trail("bid", amount("100"))), watcher(-2, trail("bid", bps(9999))));
    book.observe(bid("0.00000099"));
    for (let i = 98; i > 0; i--) book.observe(bid(`0.${String(i).padStart(8, "0")}`));
    expect(book.size).toBe(2);
  });

  it("orders that activate on one quote are reported older first", () => {
    const book = bookOf(
      watcher(-3, trail("bid", amount("1")), 7),
      watcher(-2, trail("ask", amount("1")), 8),
      watcher(-9, trail("bid", amount("1")), 1),
    );
    expect(activatedIds(book.observe(quote("5", "6")))).toEqual([-9, -3, -2]);
  });

  it("removal from the middle of groups and of merged groups does not change the others", () => {
    const book = bookOf(watcher(-1, trail("bid", amount("50"))));
    book.observe(bid("100"));
    for (const [orderId, text] of [
      [-2, "90"],
      [-3, "80"],
      [-4, "70"],
    ] as const) {
      book.add(watcher(orderId, trail("bid", amount("50"))));
      book.observe(bid(text));
    }
    book.observe(bid("85"));
    expect(book.remove(-3)).toBe(true);
    expect([-1, -2, -3, -4].map((orderId) => book.reference(orderId))).toEqual([
      price("100"),
      price("90"),
      undefined,
      price("85"),
    ]);
    book.observe(bid("95"));
    expect(book.remove(-2)).toBe(true);
    expect(book.reference(-4)).toBe(price("95"));
    expect(firedIds(book.observe(bid("45")))).toEqual([-1, -4]);
  });
});

describe("seeding on a quote that was observed already", () => {
  const above = { direction: "atOrAbove", level: price("105") } as const;
  const gated = { kind: "trail", side: "bid", distance: amount("5"), gate: above } as const;

  it("opens gates and activates, older first, fires nothing and moves no reference", () => {
    const book = bookOf(watcher(-1, trail("bid", amount("50"))));
    book.observe(quote("100", "101"));
    book.add(watcher(-2, trail("ask", amount("5")), 3));
    book.add(watcher(-3, gated, 2));
    book.add(watcher(-4, { ...gated, gate: { ...above, level: price("111") } }, 1));
    book.add(watcher(-5, level("bid", "atOrAbove", "90")));
    const [ask, bid] = [price("111"), price("110")];
    expect(book.seed(quote("110", "111"))).toEqual([
      { orderId: -3, activation: { position: 2, seed: bid } },
      { orderId: -2, activation: { position: 1, seed: ask } },
    ]);
    expect([-1, -2, -3, -4].map((orderId) => book.reference(orderId))).toEqual([
      price("100"),
      ask,
      bid,
      undefined,
    ]);
    expect([book.size, book.has(-5)]).toEqual([5, true]);
  });

  it("a quote that met no order has to come again: those that became active have not seen it", () => {
    const book = bookOf(watcher(-1, gated));
    book.observe(bid("99"));
    expect(book.isUnmet).toBe(true);
    book.seed(bid("110"));
    expect(book.isUnmet).toBe(false);
    expect(firedIds(book.observe(bid("99")))).toEqual([-1]);
  });
});

describe("membership", () => {
  it("I24 an order is in the book once", () => {
    const book = bookOf(watcher(-1, level("ask", "atOrAbove", "100")));
    expect(() => book.add(watcher(-1, { kind: "every", side: "bid" }))).toThrow(
      new InvariantError("I24", "order -1 is in the trigger book already"),
    );
    expect(book.size).toBe(1);
  });

  it("a removed order of any kind does not fire", () => {
    const gate = { direction: "atOrAbove", level: price("5") } as const;
    const watches: readonly Watch[] = [
      { kind: "every", side: "bid" },
      level("bid", "atOrAbove", "5"),
      trail("bid", amount("1")),
      { kind: "trail", side: "bid", distance: amount("1"), gate },
    ];
    const book = bookOf(...watches.map((watch, index) => watcher(-1 - index, watch)));
    for (const orderId of [-1, -2, -3, -4])
      expect([book.remove(orderId), book.remove(orderId)]).toEqual([true, false]);
    expect(book.observe(bid("6"))).toEqual({ fired: [], activated: [] });
    expect(book.takeMarks()).toEqual([]);
    expect(book.size).toBe(0);
  });

  it("I30 a quote of another instrument, at zero or crossed is refused and changes nothing", () => {
    const book = bookOf(watcher(-1, { kind: "every", side: "ask" }));
    const bad = [
      { ...quote("1", "2"), symbol: "ETH/USD" },
      quote("2.00000001", "2"),
      { ...quote("1", "2"), ask: 0 as unknown as Price },
    ];
    const uncounted = "the trigger book of BTC/USD was given a quote that does not count";
    for (const each of bad) expect(() => book.observe(each)).toThrow(new InvariantError("I30", uncounted));
    expect(book.has(-1)).toBe(true);
  });
});
