import { describe, expect, it } from "vitest";
import { price } from "../../src/decimal/index.ts";
import { InvariantError } from "../../src/errors/index.ts";
import type { Activation, MarketMark, Quote } from "../../src/model/index.ts";
import { MarkHistory, TriggerBook, type Watcher } from "../../src/triggers/index.ts";

const symbol = "BTC/USD";
const bid = (value: string): Quote => {
  const [at, ask] = [price(value), price("9000")];
  return { symbol, bid: at, ask, bids: [], asks: [], timeMs: 1, sequence: 1 };
};
const trailing = (orderId: number, activation?: Activation): Watcher => {
  const distance = { kind: "amount", amount: price("500") } as const;
  const watch = { kind: "trail", side: "bid", distance, ...(activation && { activation }) } as const;
  return { orderId, acceptedAtMs: 0, acceptance: 1, watch };
};

describe("a trailing order that became active earlier", () => {
  it("continues the marks after a restart: a move never takes the position of a durable mark", () => {
    const history = new MarkHistory();
    history.add({ shard: 0, symbol, side: "bid", position: 1, price: price("100"), timeMs: 1 });
    const book = new TriggerBook(symbol, history);
    book.add(trailing(-256, { position: 1, seed: price("100") }));
    book.observe(bid("110"));
    expect(book.takeMarks().map(({ position, price: at }) => [position, at])).toEqual([[2, price("110")]]);
  });

  it("has the extreme from its own position on, also of marks that are not taken yet", () => {
    const book = new TriggerBook(symbol);
    book.add(trailing(-256));
    book.observe(bid("120"));
    book.remove(-256);
    book.add(trailing(-512));
    const [second] = book.observe(bid("100")).activated;
    const activation = second?.activation as Activation;
    book.remove(-512);
    book.add(trailing(-512, activation));
    expect([activation.position, book.reference(-512)]).toEqual([2, price("100")]);
    book.add(trailing(-768, { position: 1, seed: price("120") }));
    expect(book.reference(-768)).toBe(price("120"));
  });

  describe("I31: of a shard that came from another process", () => {
    const [HERE, CAME] = [208, 66];
    const markOf = (position: number, value: string): MarketMark => ({
      ...{ shard: CAME, symbol, side: "bid", position },
      ...{ price: price(value), timeMs: 1 },
    });
    /** A book that has made a mark at position 1, and gets a shard for which another process has made one there. */
    const bookWith = (mark: MarketMark): Readonly<{ book: TriggerBook; history: MarkHistory }> => {
      const history = new MarkHistory();
      const book = new TriggerBook(symbol, history);
      book.add(trailing(-256 - HERE));
      book.observe(bid("106"));
      for (const made of book.takeMarks()) history.add(made);
      book.pruneShard(CAME);
      history.add(mark);
      return { book, history };
    };
    const seededAt = (book: TriggerBook, orderId: number, value: string): number | undefined => {
      book.add(trailing(orderId));
      return book.observe(bid(value)).activated[0]?.activation.position;
    };

    it("becomes active at a position of its own, at the price of a mark that was made before the shard came", () => {
      const { book, history } = bookWith(markOf(1, "110"));
      expect(seededAt(book, -512 - CAME, "106")).toBe(2);
      for (const made of book.takeMarks()) history.add(made);
      expect(history.referenceFrom({ shard: CAME, symbol, side: "bid", position: 2 })).toBe(price("106"));
    });

    it("gets a mark of its seed also if another order of the shard has brought its activation", () => {
      const { book } = bookWith(markOf(1, "110"));
      book.add(trailing(-512 - CAME, { position: 1, seed: price("110") }));
      expect(seededAt(book, -768 - CAME, "106")).toBe(2);
      expect(book.takeMarks().filter(({ shard }) => shard === CAME)).toEqual([
        expect.objectContaining({ position: 2, price: price("106") }),
      ]);
      expect([book.reference(-512 - CAME), book.reference(-768 - CAME)]).toEqual([
        price("110"),
        price("106"),
      ]);
    });

    it("has the reference that was made elsewhere, whatever was made here before it came", () => {
      const { book } = bookWith(markOf(1, "104"));
      book.add(trailing(-512 - CAME, { position: 1, seed: price("104") }));
      expect(book.reference(-512 - CAME)).toBe(price("104"));
    });

    it("shares no position of the other shard's marks, though the price here is still the same", () => {
      const { book } = bookWith(markOf(5, "110"));
      expect(seededAt(book, -512 - HERE, "106")).toBe(6);
      expect(book.takeMarks()).toEqual([
        { shard: HERE, symbol, side: "bid", position: 6, price: price("106"), timeMs: 1 },
      ]);
    });

    it.each(["bid", "ask"] as const)(
      "after a stay elsewhere has none of the marks that were made here meanwhile, on the %s",
      (side) => {
        const history = new MarkHistory();
        const book = new TriggerBook(symbol, history);
        const of = (orderId: number, activation?: Activation): Watcher => {
          const { watch, ...order } = trailing(orderId, activation);
          return { ...order, watch: { ...watch, side } };
        };
        const observe = (value: string): void => {
          book.observe({ ...bid(value), ...(side === "ask" && { bid: price("1"), ask: price(value) }) });
        };
        book.add(of(-256 - HERE));
        book.add(of(-256 - CAME));
        observe("100");
        for (const made of book.takeMarks()) history.add(made);
        observe(side === "ask" ? "90" : "110");
        book.remove(-256 - CAME);
        book.pruneShard(CAME);
        expect(book.takeMarks().map(({ shard }) => shard)).toEqual([HERE]);
        book.add(of(-256 - CAME, { position: 1, seed: price("100") }));
        expect(book.reference(-256 - CAME)).toBe(price("100"));
        expect(book.takeMarks()).toEqual([]);
      },
    );

    it("shares the newest mark if it is later than those of its shard", () => {
      const { book } = bookWith(markOf(1, "110"));
      expect(seededAt(book, -512 - HERE, "105")).toBe(2);
      expect(seededAt(book, -512 - CAME, "105")).toBe(2);
    });
  });

  it("is refused if the marks do not contain its seed", () => {
    const broken = (position: number): InvariantError =>
      new InvariantError(
        "I31",
        `no mark at or after position ${position} holds the seed of a trailing order`,
      );
    const book = new TriggerBook(symbol);
    expect(() => book.add(trailing(-256, { position: 1, seed: price("100") }))).toThrow(broken(1));
    book.add(trailing(-256));
    book.observe(bid("100"));
    expect(() => book.add(trailing(-512, { position: 1, seed: price("101") }))).toThrow(broken(1));
    expect(() => book.add(trailing(-512, { position: 2, seed: price("100") }))).toThrow(broken(2));
  });
});
