import { Decimal } from "decimal.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, formatPrice, normalise, type Price, price, subtract } from "../../src/decimal/index.ts";
import type { MarketSide, TrailingDistance } from "../../src/model/index.ts";
import { displayedLevel, dynamicLimit, trailingLevel } from "../../src/triggers/index.ts";

const Oracle = Decimal.clone({ precision: 100, toExpNeg: -100, toExpPos: 100 });
const steps = (value: bigint): Price => normalise(value) as Price;
const decimal = (value: Price): Decimal => new Oracle(String(value));

/** References around everything that changes the arithmetic: small, typical, 2^53, up to 10^18. */
const reference: fc.Arbitrary<Price> = fc
  .oneof(
    fc.bigInt({ min: 1n, max: 100_000n }),
    fc.bigInt({ min: 10n ** 11n, max: 10n ** 14n }),
    fc.bigInt({ min: 2n ** 52n - 1000n, max: 2n ** 53n + 1000n }),
    fc.bigInt({ min: 10n ** 17n, max: 10n ** 18n - 1n }),
  )
  .map(steps);
const side: fc.Arbitrary<MarketSide> = fc.constantFrom("ask", "bid");
const amount = fc.bigInt({ min: 1n, max: 10n ** 18n - 1n }).map(steps);
const bps = fc.integer({ min: 1, max: 9999 }).map((value): TrailingDistance => ({ kind: "bps", bps: value }));
const percent = fc
  .oneof(
    fc.bigInt({ min: 1n, max: 10n ** 10n - 1n }),
    fc.constantFrom(1n, 99_999n, 100_000n, 100_001n, 10n ** 10n - 1n),
  )
  .map((value): TrailingDistance => ({ kind: "percent", percent: steps(value) }));
const distance: fc.Arbitrary<TrailingDistance> = fc.oneof(
  bps,
  percent,
  amount.map((value): TrailingDistance => ({ kind: "amount", amount: value })),
);

type Point = Readonly<{ side: MarketSide; reference: Price; distance: TrailingDistance }>;
const point: fc.Arbitrary<Point> = fc.record({ side, reference, distance });

/** The level without any rounding. */
function exactLevel({ side, reference, distance }: Point): Decimal {
  const from = decimal(reference);
  if (distance.kind === "amount") {
    return side === "ask" ? from.plus(decimal(distance.amount)) : from.minus(decimal(distance.amount));
  }
  const rate =
    distance.kind === "bps" ? new Oracle(distance.bps).div(1e4) : decimal(distance.percent).div(1e10);
  return from.times(side === "ask" ? rate.plus(1) : new Oracle(1).minus(rate));
}

describe("trailing level", () => {
  it("decision 8: is the exact level, up for BUY and down for SELL, at 8 decimals", () => {
    fc.assert(
      fc.property(point, (at) => {
        const exact = exactLevel(at);
        const expected = at.side === "ask" ? exact.ceil() : exact.floor();
        expect(String(trailingLevel(at))).toBe(expected.toFixed(0));
      }),
      { numRuns: 5000 },
    );
  });

  it("every basis point agrees with decimal.js, at a reference within and beyond the safe integers", () => {
    for (const from of ["42317.12345679", "90071992.54740991", "9999999999.99999999", "0.00000001"].map(
      price,
    )) {
      for (let value = 1; value <= 9999; value += 1) {
        const at: Point = { side: "bid", reference: from, distance: { kind: "bps", bps: value } };
        if (String(trailingLevel(at)) !== exactLevel(at).floor().toFixed(0))
          expect.fail(`${from} at ${value} bps`);
      }
    }
  });

  it("decision 8: a price meets it if and only if it meets the level without rounding", () => {
    const near = fc.bigInt({ min: -2n, max: 2n });
    fc.assert(
      fc.property(point, near, (at, offset) => {
        const level = trailingLevel(at);
        const observed = add(level, steps(offset));
        const exact = exactLevel(at);
        const meets = at.side === "ask" ? observed >= level : observed <= level;
        const meetsExactly = at.side === "ask" ? decimal(observed).gte(exact) : decimal(observed).lte(exact);
        expect(meets).toBe(meetsExactly);
      }),
      { numRuns: 2000 },
    );
  });

  it("I32 is as far above the reference on the ask as below it on the bid", () => {
    fc.assert(
      fc.property(reference, distance, (from, each) => {
        const ask = trailingLevel({ side: "ask", reference: from, distance: each });
        const bid = trailingLevel({ side: "bid", reference: from, distance: each });
        expect(subtract(ask, from)).toBe(subtract(from, bid));
      }),
    );
  });

  it("500 bps, 5 percent and 2100 USD of 42000 are one level", () => {
    const distances: readonly TrailingDistance[] = [
      { kind: "bps", bps: 500 },
      { kind: "percent", percent: price("5") },
      { kind: "amount", amount: price("2100") },
    ];
    for (const each of distances) {
      expect(formatPrice(trailingLevel({ side: "ask", reference: price("42000"), distance: each }))).toBe(
        "44100",
      );
    }
  });

  it("reads percent to its eighth decimal", () => {
    const distance: TrailingDistance = { kind: "percent", percent: price("0.00000001") };
    const level = trailingLevel({ side: "ask", reference: price("1000000000"), distance });
    expect(formatPrice(level)).toBe("1000000000.1");
  });

  it("is exact at the largest products, also for rates beyond the contract's limit", () => {
    const percents = [
      9_999_999_999n,
      9_999_899_999n,
      99_999n,
      10n ** 10n,
      10n ** 10n + 1n,
      10n ** 15n - 1n,
      10n ** 17n,
    ];
    for (const from of ["90071992.54740991", "90071992.54699999", "90071992.54740992"].map(price)) {
      for (const percent of percents.map(steps)) {
        const at: Point = { side: "ask", reference: from, distance: { kind: "percent", percent } };
        expect(String(trailingLevel(at))).toBe(exactLevel(at).ceil().toFixed(0));
      }
    }
  });

  it("on the bid can be at or below zero, where no price meets it, and is not displayed", () => {
    const wide: Point = {
      side: "bid",
      reference: price("4"),
      distance: { kind: "amount", amount: price("4") },
    };
    expect(trailingLevel(wide)).toBe(0);
    expect(displayedLevel(wide)).toBeUndefined();
    const step: Point = { side: "bid", reference: price("0.00000001"), distance: { kind: "bps", bps: 1 } };
    expect(trailingLevel(step)).toBe(0);
    expect(displayedLevel(step)).toBeUndefined();
  });

  it("decision BU: on the ask can be above the range of prices, where no price meets it, and is not displayed", () => {
    const wide: Point = {
      side: "ask",
      reference: price("9999999999"),
      distance: { kind: "amount", amount: price("1") },
    };
    expect(displayedLevel(wide)).toBeUndefined();
    expect(displayedLevel({ ...wide, distance: { kind: "amount", amount: price("0.5") } })).toBe(
      price("9999999999.5"),
    );
  });

  it("decision 8: is displayed down for SELL, up for BUY", () => {
    const at = { reference: price("0.00010001"), distance: { kind: "bps", bps: 1 } } as const;
    expect(displayedLevel({ ...at, side: "ask" })).toBe(price("0.00010003"));
    expect(displayedLevel({ ...at, side: "bid" })).toBe(price("0.00009999"));
  });
});

describe("dynamic limit", () => {
  it("decision 19, BU: exact level plus offset rounded down for BUY, minus offset rounded up for SELL, in the range", () => {
    const highest = new Oracle(10).pow(18).minus(1);
    const offset = fc
      .oneof(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }))
      .map(steps);
    fc.assert(
      fc.property(point, offset, (at, limitOffset) => {
        const exact = exactLevel(at);
        const limit = decimal(dynamicLimit({ ...at, limitOffset }));
        const cap = Oracle.min(exact.plus(decimal(limitOffset)).floor(), highest);
        if (at.side === "ask") expect(limit.eq(cap)).toBe(true);
        else expect(limit.eq(Oracle.max(exact.minus(decimal(limitOffset)).ceil(), 1))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it("decision 19: an offset of zero is the level itself if that is a whole step", () => {
    const at = {
      reference: price("42000"),
      distance: { kind: "bps", bps: 500 },
      limitOffset: steps(0n),
    } as const;
    expect(formatPrice(dynamicLimit({ ...at, side: "ask" }))).toBe("44100");
    expect(formatPrice(dynamicLimit({ ...at, side: "bid" }))).toBe("39900");
  });

  it("decision 19: the rounding never makes a limit worse than requested", () => {
    const at = {
      reference: price("0.00010001"),
      distance: { kind: "bps", bps: 1 },
      limitOffset: steps(0n),
    } as const;
    expect(dynamicLimit({ ...at, side: "ask" })).toBe(price("0.00010002"));
    expect(dynamicLimit({ ...at, side: "bid" })).toBe(price("0.0001"));
  });
});
