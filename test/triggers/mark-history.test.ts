import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalise, type Price, price } from "../../src/decimal/index.ts";
import type { MarketMark, MarketSide } from "../../src/model/index.ts";
import { MarkHistory } from "../../src/triggers/index.ts";

const symbol = "BTC/USD";
const steps = (value: number): Price => normalise(BigInt(value)) as Price;

function mark(side: MarketSide, position: number, value: number): MarketMark {
  return { shard: 0, symbol, side, position, price: steps(value), timeMs: position };
}

function historyOf(marks: readonly MarketMark[]): MarkHistory {
  const history = new MarkHistory();
  for (const each of marks) history.add(each);
  return history;
}

/** The extreme of all marks from a position on, computed directly. */
function plainReference(marks: readonly MarketMark[], side: MarketSide, position: number): Price | undefined {
  const prices = marks.filter((each) => each.position >= position).map((each) => Number(each.price));
  if (prices.length === 0) return undefined;
  return steps(side === "ask" ? Math.min(...prices) : Math.max(...prices));
}

const side = fc.constantFrom<MarketSide>("ask", "bid");
const drawn = fc.array(fc.tuple(fc.integer({ min: 1, max: 25 }), fc.integer({ min: 1, max: 12 })), {
  maxLength: 40,
});

describe("mark history", () => {
  it("is empty before the first mark", () => {
    const history = new MarkHistory();
    expect(history.lastPosition({ symbol, side: "ask" })).toBeUndefined();
    expect(history.referenceFrom({ shard: 0, symbol, side: "ask", position: 1 })).toBeUndefined();
    expect(history.obsolete({ shard: 0, symbol, side: "ask", oldestPosition: undefined })).toEqual([]);
  });

  it("keeps instruments and sides separate", () => {
    const history = historyOf([
      mark("ask", 1, 10),
      mark("bid", 7, 9),
      { ...mark("ask", 3, 5), symbol: "ETH/USD" },
    ]);
    expect(history.lastPosition({ symbol, side: "ask" })).toBe(1);
    expect(history.lastPosition({ symbol, side: "bid" })).toBe(7);
    expect(history.lastPosition({ symbol: "ETH/USD", side: "bid" })).toBeUndefined();
    expect(history.referenceFrom({ shard: 0, symbol, side: "ask", position: 1 })).toBe(steps(10));
  });

  it("names each side of a market that has had a mark", () => {
    const history = historyOf([
      mark("bid", 1, 9),
      mark("bid", 2, 8),
      { ...mark("ask", 3, 5), symbol: "ETH/USD" },
    ]);
    expect(history.markets()).toEqual([
      { symbol: "ETH/USD", side: "ask" },
      { symbol, side: "bid" },
    ]);
  });

  it("the newest mark is the one with the latest time, the first of several, in whatever order they come", () => {
    const at = (timeMs: number, position: number): MarketMark => ({ ...mark("bid", position, 9), timeMs });
    const history = historyOf([at(20, 1)]);
    const newestAfter = (added: MarketMark): MarketMark | undefined => {
      history.add(added);
      return history.newest({ symbol, side: "bid" });
    };
    expect(newestAfter(at(10, 2))).toEqual(at(20, 1));
    expect(newestAfter(at(20, 3))).toEqual(at(20, 1));
    expect(newestAfter(at(30, 4))).toEqual(at(30, 4));
    expect(history.newest({ symbol, side: "ask" })).toBeUndefined();
  });

  it("forgets the marks of a shard on both sides, and uses no position again", () => {
    const of = (shard: number, each: MarketMark): MarketMark => ({ ...each, shard });
    const history = historyOf([
      ...[of(1, mark("ask", 3, 10)), of(1, mark("bid", 4, 9))],
      ...[of(2, mark("ask", 1, 11)), of(2, mark("bid", 2, 8))],
    ]);
    history.prune(1);
    for (const [side, position, left] of [
      ["ask", 3, 11],
      ["bid", 4, 8],
    ] as const) {
      expect(history.referenceFrom({ shard: 1, symbol, side, position: 0 })).toBeUndefined();
      expect(history.referenceFrom({ shard: 2, symbol, side, position: 0 })).toBe(steps(left));
      expect(history.shardsOf({ symbol, side })).toEqual([2]);
      expect(history.lastPosition({ symbol, side })).toBe(position);
    }
  });

  it("a reference is the extreme of all marks from its position on, in any order of arrival", () => {
    fc.assert(
      fc.property(side, drawn, (of, pairs) => {
        const marks = pairs.map(([position, value]) => mark(of, position, value));
        const stored = [...new Map(marks.map((each) => [each.position, each])).values()];
        const history = historyOf(marks);
        for (let position = 0; position <= 26; position++) {
          const reference = history.referenceFrom({ shard: 0, symbol, side: of, position });
          expect(reference).toBe(plainReference(stored, of, position));
        }
        const positions = stored.map((each) => each.position);
        expect(history.lastPosition({ symbol, side: of })).toBe(
          stored.length ? Math.max(...positions) : undefined,
        );
      }),
    );
  });

  it("a mark with a known position replaces it, the newest and an older one", () => {
    const history = historyOf([
      mark("ask", 1, 50),
      mark("ask", 2, 60),
      mark("ask", 2, 70),
      mark("ask", 1, 40),
    ]);
    expect(history.referenceFrom({ shard: 0, symbol, side: "ask", position: 1 })).toBe(steps(40));
    expect(history.referenceFrom({ shard: 0, symbol, side: "ask", position: 2 })).toBe(steps(70));
  });

  it("holds prices beyond the safe integers next to those within", () => {
    const beyond: MarketMark = { ...mark("bid", 1, 1), price: price("90071992.54740992") };
    const within: MarketMark = { ...mark("bid", 2, 1), price: price("90071992.54740991") };
    const history = historyOf([beyond, within]);
    expect(history.referenceFrom({ shard: 0, symbol, side: "bid", position: 1 })).toBe(beyond.price);
    expect(history.referenceFrom({ shard: 0, symbol, side: "bid", position: 2 })).toBe(within.price);
  });

  it("obsolete marks change no reference that can still be read, and are named once", () => {
    const oldest = fc.option(fc.integer({ min: 0, max: 27 }), { nil: undefined });
    fc.assert(
      fc.property(side, drawn, oldest, (of, pairs, oldestPosition) => {
        const marks = pairs.map(([position, value]) => mark(of, position, value));
        const stored = [...new Map(marks.map((each) => [each.position, each])).values()];
        const history = historyOf(marks);
        const last = history.lastPosition({ symbol, side: of });
        const gone = history.obsolete({ shard: 0, symbol, side: of, oldestPosition });
        const left = stored.filter((each) => !gone.includes(each));
        expect(history.obsolete({ shard: 0, symbol, side: of, oldestPosition })).toEqual([]);
        expect(history.lastPosition({ symbol, side: of })).toBe(last);
        expect(left.length).toBe(stored.length - gone.length);
        expect(left.some((each) => each.position === last)).toBe(stored.length > 0);
        for (let position = oldestPosition ?? last ?? 0; position <= 27; position++) {
          const expected = plainReference(stored, of, position);
          expect(history.referenceFrom({ shard: 0, symbol, side: of, position })).toBe(expected);
          expect(historyOf(left).referenceFrom({ shard: 0, symbol, side: of, position })).toBe(expected);
        }
      }),
    );
  });

  it("without active orders only the newest mark stays, so that positions never repeat", () => {
    const marks = [mark("ask", 1, 10), mark("ask", 2, 20), mark("ask", 3, 5), mark("ask", 4, 30)];
    const history = historyOf(marks);
    expect(history.obsolete({ shard: 0, symbol, side: "ask", oldestPosition: undefined })).toEqual(
      marks.slice(0, 3),
    );
    expect(history.lastPosition({ symbol, side: "ask" })).toBe(4);
  });

  it("drops marks that a later one exceeds, and those older than the oldest order", () => {
    const [outdone, older, needed, newest] = [
      mark("ask", 1, 10),
      mark("ask", 2, 4),
      mark("ask", 3, 5),
      mark("ask", 4, 9),
    ];
    const history = historyOf([outdone, older, needed, newest]);
    expect(history.obsolete({ shard: 0, symbol, side: "ask", oldestPosition: 3 })).toEqual([outdone, older]);
    expect(history.obsolete({ shard: 0, symbol, side: "ask", oldestPosition: 4 })).toEqual([needed]);
    expect(history.obsolete({ shard: 0, symbol, side: "ask", oldestPosition: 5 })).toEqual([]);
  });

  it("with a limit at most so many are obsolete at a time, and all of them in the end", () => {
    // The fourth mark outdoes those before it; an order needs those from the seventh on.
    const marks = [9, 2, 3, 1, 4, 5, 6, 7].map((value, index) => mark("ask", index + 1, value));
    const of = { shard: 0, symbol, side: "ask", oldestPosition: 7 } as const;
    for (let limit = 1; limit <= 7; limit++) {
      const history = historyOf(marks);
      const gone: MarketMark[] = [];
      for (let some = history.obsolete({ ...of, limit }); some.length > 0; ) {
        expect(some.length).toBeLessThanOrEqual(limit);
        gone.push(...some);
        some = history.obsolete({ ...of, limit });
      }
      expect(gone.map(({ position }) => position).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    }
  });
});
