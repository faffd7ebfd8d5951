import { describe, expect, it } from "vitest";
import { formatPrice, formatQuantity, price } from "../../src/decimal/index.ts";
import type { Moment } from "../../src/engine/core/engine-time.ts";
import { type GateMemory, QuoteGate } from "../../src/engine/market/quote-gate.ts";
import type { LevelInput, QuoteInput } from "../../src/ports/index.ts";

const NOW = 1_000_000;

/** A time of clocks that were never set. */
const clocksAt = (ms: number): Moment => ({ wallMs: ms, monotonicMs: ms });

const LIMITS = { quoteMaxAgeMs: 5_000, quoteMaxAheadMs: 1_000, quoteJumpFactor: 10 };

const at = (bid: string, ask: string, more: Partial<QuoteInput> = {}): QuoteInput => ({
  symbol: "BTC/USD",
  bid,
  ask,
  ...more,
});

/** The result of a quote in a gate that counted 100 / 101 before, at NOW. */
function verdict(input: QuoteInput, nowMs = NOW): string {
  const gate = new QuoteGate(LIMITS);
  gate.take(at("100", "101", { timeMs: NOW }), clocksAt(NOW));
  const taken = gate.take(input, clocksAt(nowMs));
  return typeof taken === "string" ? taken : "counted";
}

describe("a quote counts", () => {
  it.each([
    ["bid equal to ask", at("100", "100"), "counted"],
    ["crossed by one step", at("100.00000001", "100"), "crossed"],
    ["bid zero", at("0", "101"), "zero"],
    ["ask zero, with decimals", at("100", "0.000"), "zero"],
    ["negative", at("-100", "101"), "malformed"],
    ["exponent", at("1e2", "101"), "malformed"],
    ["nine decimals", at("100.123456789", "101"), "malformed"],
    ["beyond the range", at("100", "10000000000"), "malformed"],
    ["empty", at("", "101"), "malformed"],
    ["a side left out", at(undefined as never, "101"), "malformed"],
    ["a number", at(100 as never, "101"), "malformed"],
    ["a size that is a number", at("100", "101", { askQuantity: 5 as never }), "malformed"],
    ["one second ahead", at("100", "101", { timeMs: NOW + 1_000 }), "counted"],
    ["more than one second ahead", at("100", "101", { timeMs: NOW + 1_001 }), "future"],
    ["with the time of the last", at("100", "101", { timeMs: NOW }), "counted"],
    ["before the last", at("100", "101", { timeMs: NOW - 1 }), "out-of-order"],
    ["with an invalid time", at("100", "101", { timeMs: Number.NaN }), "malformed"],
    ["a broken time", at("100", "101", { timeMs: NOW + 0.5 }), "malformed"],
    ["ten times as high", at("1000", "1010"), "counted"],
    ["more than ten times as high", at("100", "1010.00000001"), "jump"],
    ["a tenth", at("10", "10.1"), "counted"],
    ["less than a tenth", at("9.99999999", "101"), "jump"],
  ])("%s: %o", (_what, input, expected) => {
    expect(verdict(input)).toBe(expected);
  });

  it("when it is at most five seconds old", () => {
    const input = at("100", "101", { timeMs: NOW });
    expect(verdict(input, NOW + 5_000)).toBe("counted");
    expect(verdict(input, NOW + 5_001)).toBe("stale");
  });

  it("as the first of all, whatever its price", () => {
    const gate = new QuoteGate(LIMITS);
    expect(gate.last).toBeUndefined();
    expect(gate.isFresh(clocksAt(NOW))).toBe(false);
    expect(gate.take(at("0.00000001", "9999999999.99999999"), clocksAt(NOW))).toMatchObject({
      sequence: 1,
      timeMs: NOW,
    });
  });

  it("as fresh while heartbeats arrive, which change no price and start nothing", () => {
    const gate = new QuoteGate(LIMITS);
    gate.heartbeat(clocksAt(NOW));
    expect(gate.isFresh(clocksAt(NOW))).toBe(false);
    gate.take(at("100", "101"), clocksAt(NOW));
    expect(gate.isFresh(clocksAt(NOW + 5_000))).toBe(true);
    expect(gate.isFresh(clocksAt(NOW + 5_001))).toBe(false);
    gate.heartbeat(clocksAt(NOW + 60_000));
    expect(gate.isFresh(clocksAt(NOW + 65_000))).toBe(true);
    expect(gate.last?.sequence).toBe(1);
  });

  it.each<readonly [what: string, input: QuoteInput, isConfirmed: boolean]>([
    ["held back as a jump", at("1", "1"), false],
    ["crossed", at("103", "102"), false],
    ["without an ask", at("100", "0"), false],
    ["stale, and true by its word", at("102", "103", { timeMs: NOW + 1 }), true],
    ["out of order", at("102", "103", { timeMs: NOW - 1 }), true],
    ["another of the same time", at("102", "103", { timeMs: NOW }), true],
    ["the same once more, as after a new connection", at("100", "101", { timeMs: NOW }), true],
  ])(
    "as fresh by a heartbeat unless the source's last one cannot be read, or is wild: %s",
    (_what, input, isConfirmed) => {
      const gate = new QuoteGate(LIMITS);
      gate.take(at("100", "101", { timeMs: NOW }), clocksAt(NOW));
      gate.take(input, clocksAt(NOW + 6_000));
      gate.heartbeat(clocksAt(NOW + 6_000));
      expect(gate.isFresh(clocksAt(NOW + 6_000))).toBe(isConfirmed);
      // The next quote that counts can be confirmed again.
      gate.take(at("100", "101"), clocksAt(NOW + 7_000));
      gate.heartbeat(clocksAt(NOW + 12_000));
      expect(gate.isFresh(clocksAt(NOW + 17_000))).toBe(true);
    },
  );
});

describe("a jump", () => {
  const prices = (...bids: readonly string[]): readonly string[] => {
    const gate = new QuoteGate(LIMITS);
    return bids.map((bid) => {
      const taken = gate.take(at(bid, bid), clocksAt(NOW));
      return typeof taken === "string" ? taken : formatPrice(taken.bid);
    });
  };

  it("counts with the quote that confirms it, at that quote's price", () => {
    expect(prices("100", "2000", "2100", "2000")).toEqual(["100", "jump", "2100", "2000"]);
  });

  it("is forgotten when the next quote is near the previous ones, and held back again later", () => {
    expect(prices("100", "2000", "101", "2000", "102")).toEqual(["100", "jump", "101", "jump", "102"]);
  });

  it("is forgotten when a heartbeat counts a quote near the previous ones", () => {
    const gate = new QuoteGate(LIMITS);
    gate.take(at("100", "101"), clocksAt(NOW));
    expect(gate.take(at("1", "1"), clocksAt(NOW))).toBe("jump");
    expect(gate.take(at("99", "101", { timeMs: NOW + 60_000 }), clocksAt(NOW))).toBe("future");
    expect(gate.heartbeat(clocksAt(NOW))?.bid).toBe(price("99"));
    expect(gate.take(at("1", "1"), clocksAt(NOW))).toBe("jump");
  });

  it("is not confirmed by another jump elsewhere", () => {
    expect(prices("100", "2000", "5", "40000", "4")).toEqual(["100", "jump", "jump", "jump", "jump"]);
  });

  it("of prices beyond the safe integers is measured exactly", () => {
    expect(prices("900000000", "9000000000", "899999999.99999999")).toEqual([
      "900000000",
      "9000000000",
      "jump",
    ]);
  });
});

describe("a gate that remembers", () => {
  const judged = (memory: GateMemory, input: QuoteInput, nowMs = NOW): string => {
    const gate = new QuoteGate(LIMITS);
    gate.restore(memory);
    expect([gate.last, gate.isFresh(clocksAt(nowMs))]).toEqual([undefined, false]);
    const taken = gate.take(input, clocksAt(nowMs));
    return typeof taken === "string" ? taken : "counted";
  };
  const before = { bid: price("100"), ask: price("101"), timeMs: NOW - 10 };

  it.each([
    ["a tenth", before, at("10", "10.1"), "counted"],
    ["less than a tenth", before, at("9.99999999", "101"), "jump"],
    ["the time of the memory", before, at("100", "101", { timeMs: NOW - 10 }), "counted"],
    ["older than the memory", before, at("100", "101", { timeMs: NOW - 11 }), "out-of-order"],
    ["a bid near the one known", { bid: price("100") }, at("99", "9999"), "counted"],
    ["a bid far from the one known", { bid: price("100") }, at("9", "101"), "jump"],
    ["an ask far from the one known", { ask: price("100") }, at("99", "1001"), "jump"],
    ["nothing known", {}, at("100", "101"), "unconfirmed"],
    ["zero, nothing known", {}, at("0", "101"), "zero"],
  ])("%s: %o, %o", (_what, memory, input, expected) => {
    expect(judged(memory, input)).toBe(expected);
  });

  it("ignores a remembered time in the future: the clock was set back since", () => {
    const ahead = { ...before, timeMs: NOW + 3_600_000 };
    expect(judged(ahead, at("100", "101"))).toBe("counted");
    expect(judged(ahead, at("1", "1"))).toBe("jump");
  });

  it("forgets once a quote has counted, and learns nothing after it", () => {
    const gate = new QuoteGate(LIMITS);
    gate.take(at("100", "101"), clocksAt(NOW));
    gate.restore({ bid: price("5000"), ask: price("5001"), timeMs: NOW + 5 });
    expect(gate.take(at("99", "100"), clocksAt(NOW))).toMatchObject({ sequence: 2 });
  });
});

describe("levels", () => {
  const asks = (levels: readonly LevelInput[], ask = levels[0]?.[0] ?? ""): string => {
    const taken = new QuoteGate(LIMITS).take(at("1", ask, { asks: levels }), clocksAt(NOW));
    if (typeof taken === "string") return taken;
    return taken.asks
      .map(({ price, size }) => `${formatPrice(price)}x${size === undefined ? "any" : formatQuantity(size)}`)
      .join(" ");
  };

  it("are read best first, with and without sizes", () => {
    expect(asks([["2", "1.5"], ["3"], ["4", "0"]])).toBe("2x1.5 3xany 4x0");
  });

  it("are rounded down to six decimals of size", () => {
    expect(asks([["2", "1.9999999"]])).toBe("2x1.999999");
  });

  it.each([
    [
      "out of order",
      [
        ["2", "1"],
        ["4", "1"],
        ["3", "1"],
      ],
    ],
    [
      "twice",
      [
        ["2", "1"],
        ["2", "1"],
      ],
    ],
    ["with a broken size", [["2", "-1"]]],
    ["with a size beyond the range", [["2", "1000000000000"]]],
    [
      "with a broken price further down",
      [
        ["2", "1"],
        ["x", "1"],
      ],
    ],
  ] as const)("%s are malformed", (_what, levels) => {
    expect(asks(levels)).toBe("malformed");
  });

  it("that do not begin with the best price are malformed", () => {
    expect(asks([["3", "1"]], "2")).toBe("malformed");
  });

  it("of one size represent the best price", () => {
    const taken = new QuoteGate(LIMITS).take(at("1", "2", { bidQuantity: "0.5" }), clocksAt(NOW));
    expect(taken).toMatchObject({ bids: [{ size: 500_000 }], asks: [{ price: 200_000_000 }] });
  });
});

describe("a heartbeat confirms the source's last quote as of now", () => {
  it("whether it counted or not: one whose time was wrong counts then, and stands", () => {
    for (const input of [at("102", "103", { timeMs: NOW + 1 }), at("102", "103", { timeMs: NOW + 60_000 })]) {
      const gate = new QuoteGate(LIMITS);
      gate.take(at("100", "101", { timeMs: NOW }), clocksAt(NOW));
      expect(typeof gate.take(input, clocksAt(NOW + 6_000))).toBe("string");
      const quote = gate.heartbeat(clocksAt(NOW + 6_000));
      expect(quote).toMatchObject({
        sequence: 2,
        timeMs: Math.min(input.timeMs ?? NOW + 6_000, NOW + 6_000),
      });
      expect([gate.last, gate.isFresh(clocksAt(NOW + 11_000))]).toEqual([quote, true]);
    }
  });

  it("a wild one still needs a quote near it, also if it was late", () => {
    for (const timeMs of [NOW, NOW + 6_000]) {
      const gate = new QuoteGate(LIMITS);
      gate.take(at("100", "101", { timeMs: NOW }), clocksAt(NOW));
      gate.take(at("1", "1", { timeMs }), clocksAt(NOW + 6_000));
      expect(gate.heartbeat(clocksAt(NOW + 6_000))).toBeUndefined();
    }
  });

  it("one that cannot be read stands for nothing, until the next one that counts", () => {
    const gate = new QuoteGate(LIMITS);
    gate.take(at("100", "101"), clocksAt(NOW));
    gate.take(at("103", "102"), clocksAt(NOW));
    expect(gate.heartbeat(clocksAt(NOW))).toBeUndefined();
    gate.take(at("100", "101"), clocksAt(NOW + 1));
    expect(gate.heartbeat(clocksAt(NOW + 2))).toBe(gate.last);
  });
});
