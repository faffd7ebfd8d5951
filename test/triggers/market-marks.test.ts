import { describe, expect, it } from "vitest";
import { formatPrice, price } from "../../src/decimal/index.ts";
import type { Activation, MarketMark, Quote } from "../../src/model/index.ts";
import { MarkHistory, TriggerBook, type Watcher } from "../../src/triggers/index.ts";

const symbol = "BTC/USD";

/** A quote with this bid; its time is the bid too. */
function bid(value: number): Quote {
  return {
    symbol,
    bid: price(String(value)),
    ask: price("9000"),
    bids: [],
    asks: [],
    timeMs: value,
    sequence: 1,
  };
}

function trailing(orderId: number, activation?: Activation): Watcher {
  const distance = { kind: "amount", amount: price("500") } as const;
  return {
    orderId,
    acceptedAtMs: 0,
    acceptance: 1,
    watch: { kind: "trail", side: "bid", distance, ...(activation && { activation }) },
  };
}

const brief = (marks: readonly MarketMark[]): string[] =>
  marks.map(({ position, price: value }) => `${position}: ${formatPrice(value)}`);

function observe(book: TriggerBook, bids: readonly number[]): readonly (Activation | undefined)[] {
  return bids.map((value) => book.observe(bid(value)).activated[0]?.activation);
}

describe("marks of the market journal", () => {
  it("are not made while no reference depends on the market", () => {
    const book = new TriggerBook(symbol);
    observe(book, [100, 120, 90]);
    expect(book.takeMarks()).toEqual([]);
  });

  it("begin an activation, and follow the extreme only", () => {
    const book = new TriggerBook(symbol);
    book.add(trailing(-256));
    expect(observe(book, [100])).toEqual([{ position: 1, seed: price("100") }]);
    expect(book.takeMarks()).toEqual([
      { shard: 0, symbol, side: "bid", position: 1, price: price("100"), timeMs: 100 },
    ]);
    observe(book, [90]);
    expect(book.takeMarks()).toEqual([]);
    observe(book, [101]);
    expect(brief(book.takeMarks())).toEqual(["2: 101"]);
  });

  it("a reference that moves many times between two takes leaves one mark", () => {
    const book = new TriggerBook(symbol);
    book.add(trailing(-256));
    observe(book, [100, 101, 102, 103]);
    expect(brief(book.takeMarks())).toEqual(["4: 103"]);
    observe(book, [104, 105]);
    expect(brief(book.takeMarks())).toEqual(["6: 105"]);
  });

  it("I31: the mark of an activation is left out only if a later one is at least as extreme", () => {
    const book = new TriggerBook(symbol);
    book.add(trailing(-256));
    observe(book, [100, 101]);
    book.add(trailing(-512));
    expect(observe(book, [102, 103, 104])[0]).toEqual({ position: 3, seed: price("102") });
    observe(book, [103]);
    expect(brief(book.takeMarks())).toEqual(["5: 104"]);
  });

  it("activations on one quote share a position, and share the newest mark of exactly that price", () => {
    const book = new TriggerBook(symbol);
    book.add(trailing(-256));
    book.add(trailing(-512));
    const { activated } = book.observe(bid(100));
    expect(activated.map(({ activation }) => activation.position)).toEqual([1, 1]);
    book.takeMarks();
    book.add(trailing(-768));
    expect(observe(book, [100])).toEqual([{ position: 1, seed: price("100") }]);
    expect(book.takeMarks()).toEqual([]);
  });

  it("a lower activation makes a separate mark and does not change the older reference", () => {
    const book = new TriggerBook(symbol);
    book.add(trailing(-256));
    observe(book, [100]);
    book.add(trailing(-512));
    observe(book, [90, 95]);
    expect(brief(book.takeMarks())).toEqual(["1: 100", "3: 95"]);
    expect([book.reference(-256), book.reference(-512)]).toEqual([price("100"), price("95")]);
  });

  it("are made for each shard with active orders, and for no other", () => {
    const book = new TriggerBook(symbol);
    book.add(trailing(-257));
    book.add(trailing(-258));
    observe(book, [100]);
    book.add({ ...trailing(-259), watch: { kind: "every", side: "ask" } });
    expect(book.takeMarks().map(({ shard, position }) => [shard, position])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    book.remove(-258);
    observe(book, [110]);
    expect(book.takeMarks().map(({ shard, position }) => [shard, position])).toEqual([[1, 2]]);
  });

  it("a shard that was left out while it had no order gets the later marks when one returns", () => {
    const book = new TriggerBook(symbol);
    book.add(trailing(-257));
    book.add(trailing(-258));
    const { activated } = book.observe(bid(100));
    book.takeMarks();
    book.remove(-258);
    observe(book, [110]);
    book.takeMarks();
    book.add(trailing(-258, activated[1]?.activation));
    expect(book.reference(-258)).toBe(price("110"));
    expect(book.takeMarks().map(({ shard, price: at }) => [shard, formatPrice(at)])).toEqual([[2, "110"]]);
  });

  it("an activation of one shard makes no mark for another", () => {
    const book = new TriggerBook(symbol);
    book.add(trailing(-257));
    observe(book, [100]);
    book.takeMarks();
    book.add(trailing(-258));
    observe(book, [90]);
    expect(book.takeMarks().map(({ shard, position }) => [shard, position])).toEqual([[2, 2]]);
  });

  it("I31: of moved references only those wait on which no record rests", () => {
    const book = new TriggerBook(symbol);
    for (const orderId of [-257, -258, -259]) book.add(trailing(orderId));
    observe(book, [1_000]);
    expect(book.takeDueMarks().map(({ shard }) => shard)).toEqual([1, 2, 3]);
    observe(book, [1_100]);
    expect([book.takeDueMarks(), book.hasMarks, book.marksDue]).toEqual([[], true, 3]);
    book.remove(-259);
    book.add(trailing(-513));
    expect(book.takeDueMarks().map(({ shard, price: at }) => [shard, formatPrice(at)])).toEqual([
      [3, "1100"],
    ]);
    observe(book, [1_050]);
    expect(brief(book.takeDueMarks())).toEqual(["2: 1100", "3: 1050"]);
    expect(book.takeMarks().map(({ shard, price: at }) => [shard, formatPrice(at)])).toEqual([
      [2, "1100"],
      [2, "1050"],
    ]);
    book.observe(bid(500));
    expect(book.size).toBe(0);
  });

  it("stop when the orders that depended on them are gone", () => {
    const book = new TriggerBook(symbol);
    book.add(trailing(-256));
    observe(book, [100]);
    book.takeMarks();
    book.remove(-256);
    observe(book, [110, 120]);
    expect(book.takeMarks()).toEqual([]);
  });

  it("both sides have separate positions", () => {
    const book = new TriggerBook(symbol);
    book.add(trailing(-256));
    book.add({ ...trailing(-512), watch: { kind: "trail", side: "ask", distance: { kind: "bps", bps: 5 } } });
    book.observe(bid(100));
    expect(book.takeMarks().map(({ side, position }) => [side, position])).toEqual([
      ["ask", 1],
      ["bid", 1],
    ]);
  });
});

describe("restart", () => {
  const historyOf = (marks: readonly MarketMark[]): MarkHistory => {
    const history = new MarkHistory();
    for (const mark of marks) history.add(mark);
    return history;
  };

  it("references come from the marks, in any order in which the orders return", () => {
    const book = new TriggerBook(symbol);
    const activations = new Map<number, Activation>();
    for (const [orderId, value] of [
      [-256, 100],
      [-512, 80],
      [-768, 60],
      [-1024, 60],
    ] as const) {
      book.add(trailing(orderId));
      for (const { activation } of book.observe(bid(value)).activated) activations.set(orderId, activation);
    }
    observe(book, [70]);
    const history = historyOf(book.takeMarks());
    for (const order of [
      [-256, -512, -768, -1024],
      [-1024, -768, -512, -256],
      [-512, -1024, -256, -768],
    ]) {
      const restored = new TriggerBook(symbol, history);
      for (const orderId of order) restored.add(trailing(orderId, activations.get(orderId)));
      expect(order.map((orderId) => restored.reference(orderId))).toEqual(
        order.map((orderId) => book.reference(orderId)),
      );
    }
  });

  it("the stored trigger is compared before the reference moves", () => {
    const history = historyOf([
      { shard: 0, symbol, side: "bid", position: 4, price: price("1000"), timeMs: 1 },
    ]);
    const book = new TriggerBook(symbol, history);
    book.add(trailing(-256, { position: 4, seed: price("1000") }));
    expect(book.observe(bid(400)).fired).toEqual([
      { orderId: -256, observed: price("400"), level: price("500"), reference: price("1000") },
    ]);
  });

  it("a gate that opened before stays open", () => {
    const history = historyOf([
      { shard: 0, symbol, side: "bid", position: 1, price: price("700"), timeMs: 1 },
    ]);
    const book = new TriggerBook(symbol, history);
    const watch = trailing(-256, { position: 1, seed: price("700") }).watch;
    book.add({
      orderId: -256,
      acceptedAtMs: 0,
      acceptance: 1,
      watch: { ...watch, gate: { direction: "atOrAbove", level: price("800") } } as Watcher["watch"],
    });
    expect(book.reference(-256)).toBe(price("700"));
  });

  it("positions continue above the highest known one, also without active orders", () => {
    const history = historyOf([
      { shard: 0, symbol, side: "bid", position: 41, price: price("100"), timeMs: 1 },
    ]);
    const book = new TriggerBook(symbol, history);
    book.add(trailing(-256));
    expect(observe(book, [99])).toEqual([{ position: 42, seed: price("99") }]);
    expect(brief(book.takeMarks())).toEqual(["42: 99"]);
  });

  it("an order that returns makes no mark: all that it needs are durable", () => {
    const history = historyOf([
      { shard: 0, symbol, side: "bid", position: 1, price: price("100"), timeMs: 1 },
    ]);
    const book = new TriggerBook(symbol, history);
    book.add(trailing(-256, { position: 1, seed: price("100") }));
    expect([book.hasMarks, book.marksDue, book.takeMarks()]).toEqual([false, 0, []]);
  });

  it("marks before a position that no order needs are forgotten, on that side only", () => {
    const book = new TriggerBook(symbol);
    const returned = (orderId: number, position: number, value: string): void => {
      book.remove(orderId);
      book.add(trailing(orderId, { position, seed: price(value) }));
    };
    book.add(trailing(-256));
    observe(book, [100]);
    book.add(trailing(-512));
    observe(book, [90]);
    book.pruneMarks({ side: "ask", beforePosition: 2 });
    returned(-256, 1, "100");
    expect(book.reference(-256)).toBe(price("100"));
    book.pruneMarks({ side: "bid", beforePosition: 2 });
    returned(-512, 2, "90");
    expect(book.reference(-512)).toBe(price("90"));
    expect(() => returned(-256, 1, "100")).toThrow(/I31/);
  });

  it("an order removed and added again finds its reference in marks that are not durable yet", () => {
    const history = new MarkHistory();
    const book = new TriggerBook(symbol, history);
    book.add(trailing(-256));
    const [activation] = observe(book, [100, 110]);
    book.takeMarks();
    observe(book, [120]);
    book.remove(-256);
    book.add(trailing(-256, activation));
    expect(book.reference(-256)).toBe(price("120"));
  });

  it("I31 an activation without any mark is a broken invariant, not a new start", () => {
    const history = historyOf([
      { shard: 0, symbol, side: "bid", position: 3, price: price("90"), timeMs: 1 },
    ]);
    const book = new TriggerBook(symbol, history);
    expect(() => book.add(trailing(-256, { position: 4, seed: price("90") }))).toThrow(/I31/);
    expect(() => book.add(trailing(-256, { position: 3, seed: price("95") }))).toThrow(/I31/);
    expect(book.size).toBe(0);
  });
});
