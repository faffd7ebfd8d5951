import { readFileSync } from "node:fs";
import { Decimal } from "decimal.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, formatPrice, normalise, type Price, price, subtract } from "../../src/decimal/index.ts";
import type { MarketSide, Quote, Side, TrailingDistance } from "../../src/model/index.ts";
import { currentGroup, entryOf, isTrailing, type TrailingEntry } from "../../src/triggers/entry.ts";
import {
  displayedLevel,
  dynamicLimit,
  executableSide,
  type Fired,
  gateDirection,
  TriggerBook,
  trailingLevel,
  type Watcher,
} from "../../src/triggers/index.ts";
import { TrailingGroups } from "../../src/triggers/trailing-groups.ts";

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
  it("is the exact level, up for BUY and down for SELL, at 8 decimals", () => {
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

  it("a price meets it if and only if it meets the level without rounding", () => {
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

  it("on the ask can be above the range of prices, where no price meets it, and is not displayed", () => {
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

  it("is displayed down for SELL, up for BUY", () => {
    const at = { reference: price("0.00010001"), distance: { kind: "bps", bps: 1 } } as const;
    expect(displayedLevel({ ...at, side: "ask" })).toBe(price("0.00010003"));
    expect(displayedLevel({ ...at, side: "bid" })).toBe(price("0.00009999"));
  });
});

describe("dynamic limit", () => {
  it("exact level plus offset rounded down for BUY, minus offset rounded up for SELL, in the range", () => {
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

  it("an offset of zero is the level itself if that is a whole step", () => {
    const at = {
      reference: price("42000"),
      distance: { kind: "bps", bps: 500 },
      limitOffset: steps(0n),
    } as const;
    expect(formatPrice(dynamicLimit({ ...at, side: "ask" }))).toBe("44100");
    expect(formatPrice(dynamicLimit({ ...at, side: "bid" }))).toBe("39900");
  });

  it("the rounding never makes a limit worse than requested", () => {
    const at = {
      reference: price("0.00010001"),
      distance: { kind: "bps", bps: 1 },
      limitOffset: steps(0n),
    } as const;
    expect(dynamicLimit({ ...at, side: "ask" })).toBe(price("0.00010002"));
    expect(dynamicLimit({ ...at, side: "bid" })).toBe(price("0.0001"));
  });
});

const entry = (orderId: number, distance: string, side: MarketSide = "bid"): TrailingEntry => {
  const amount = { kind: "amount", amount: price(distance) } as const;
  const made = entryOf({
    orderId,
    acceptedAtMs: -orderId,
    acceptance: 1,
    watch: { kind: "trail", side, distance: amount },
  });
  if (!isTrailing(made)) throw new Error("the entry does not trail");
  return made;
};

const referenceOf = (of: TrailingEntry): unknown => currentGroup(of)?.reference;

/** Ids of the entries that a price meets, in the order in which they leave. */
function taken(groups: TrailingGroups, at: string): readonly number[] {
  const ids: number[] = [];
  for (let hit = groups.takeMet(price(at)); hit !== undefined; hit = groups.takeMet(price(at)))
    ids.push(hit.order.orderId);
  return ids;
}

/** Groups with references of 100, 90 and 80, each with one entry of distance 50. */
function three(): Readonly<{ groups: TrailingGroups; entries: readonly TrailingEntry[] }> {
  const groups = new TrailingGroups("bid");
  const entries = [entry(-1, "50"), entry(-2, "50"), entry(-3, "50")];
  entries.forEach((each, index) => {
    groups.join(each, price(String(100 - 10 * index)));
  });
  return { groups, entries };
}

describe("I31: the references of trailing orders", () => {
  it("a move without merges before it moves all that the price passes, and no other", () => {
    const { groups, entries } = three();
    expect(groups.move(price("95"))).toBe(true);
    expect(entries.map(referenceOf)).toEqual([price("100"), price("95"), price("95")]);
    expect(groups.move(price("95"))).toBe(false);
    expect(groups.move(price("110"))).toBe(true);
    expect(entries.map(referenceOf)).toEqual([price("110"), price("110"), price("110")]);
    expect(taken(groups, "60")).toEqual([-1, -2, -3]);
  });

  it("an order that joins its group later and is nearer fires at its own level", () => {
    for (const side of ["bid", "ask"] as const) {
      const groups = new TrailingGroups(side);
      groups.join(entry(-1, "50", side), price("100"));
      const at = (distance: number): string => String(side === "bid" ? 100 - distance : 100 + distance);
      expect(groups.hasMet(price(at(5)))).toBe(false);
      groups.join(entry(-2, "5", side), price("100"));
      expect(groups.hasMet(price(at(5)))).toBe(true);
      groups.join(entry(-3, "20", side), price("100"));
      expect([at(4), at(5), at(19), at(20), at(50)].map((value) => taken(groups, value))).toEqual([
        [],
        [-2],
        [],
        [-3],
        [-1],
      ]);
    }
  });

  it("of groups with different references the one whose level is met first is asked first", () => {
    for (const side of ["bid", "ask"] as const) {
      const groups = new TrailingGroups(side);
      groups.join(entry(-1, "50", side), price("100"));
      // Its reference is worse for the order, so that its level is nearer or further by the distance alone.
      groups.join(entry(-2, "1", side), price(side === "bid" ? "99" : "101"));
      groups.join(entry(-3, "90", side), price(side === "bid" ? "98" : "102"));
      expect(taken(groups, side === "bid" ? "98" : "102")).toEqual([-2]);
    }
  });

  it("an order that leaves in the middle of a merge takes none of the others with it", () => {
    const { groups, entries } = three();
    const [first, second, third] = entries as [TrailingEntry, TrailingEntry, TrailingEntry];
    expect(groups.mergeTwo(price("85"))).toBe(false);
    groups.remove(third);
    expect(groups.move(price("85"))).toBe(false);
    expect([first, second].map(referenceOf)).toEqual([price("100"), price("90")]);
    expect(groups.move(price("120"))).toBe(true);
    expect([first, second].map(referenceOf)).toEqual([price("120"), price("120")]);
    expect(taken(groups, "70")).toEqual([-1, -2]);
  });

  it("orders restored after a quote have their own reference, not one that has moved on", () => {
    const groups = new TrailingGroups("bid");
    const [before, after] = [entry(-1, "50"), entry(-2, "50")];
    groups.restore(before, price("100"));
    groups.move(price("110"));
    groups.restore(after, price("100"));
    expect([before, after].map(referenceOf)).toEqual([price("110"), price("100")]);
    expect(taken(groups, "60")).toEqual([-1]);
    expect(taken(groups, "50")).toEqual([-2]);
  });

  it("restored in any order, the group whose reference a new extreme reaches first moves first", () => {
    for (const side of ["bid", "ask"] as const) {
      const groups = new TrailingGroups(side);
      const [far, near] = [entry(-1, "50", side), entry(-2, "50", side)];
      groups.restore(near, price("100"));
      groups.restore(far, price(side === "bid" ? "120" : "80"));
      expect(groups.move(price(side === "bid" ? "110" : "90"))).toBe(true);
      expect([near, far].map(referenceOf)).toEqual(
        side === "bid" ? [price("110"), price("120")] : [price("90"), price("80")],
      );
    }
  });
});

type Scenario = Readonly<{
  id: string;
  type: "STOP_LOSS_LIMIT" | "TAKE_PROFIT_LIMIT";
  side: Side;
  stopPrice: number | null;
  trailingDelta: number;
  path: readonly number[];
  activatedAt: number;
  extremeAtTrigger: number;
  triggerAt: number;
}>;

const file = new URL("../vectors/trailing.json", import.meta.url);
const { scenarios } = JSON.parse(readFileSync(file, "utf8")) as { scenarios: readonly Scenario[] };
const usd = (value: number): Price => price(String(value));

/** Way-points joined by straight moves of one dollar. */
function* prices(path: readonly number[]): Generator<number> {
  let at = path[0] ?? 0;
  yield at;
  for (const point of path.slice(1)) {
    while (at !== point) {
      at += Math.sign(point - at);
      yield at;
    }
  }
}

function watcherOf(scenario: Scenario, gate = gateDirection(scenario)): Watcher {
  return {
    orderId: -1,
    acceptedAtMs: 0,
    acceptance: 1,
    watch: {
      kind: "trail",
      side: executableSide(scenario.side),
      distance: { kind: "bps", bps: scenario.trailingDelta },
      ...(scenario.stopPrice !== null && { gate: { direction: gate, level: usd(scenario.stopPrice) } }),
    },
  };
}

type Run = Readonly<{ activatedAt?: number; firedAt?: number; fired?: Fired }>;

/** Plays the path once; the other side of the market stays a dollar away. */
function walk(scenario: Scenario, watcher: Watcher): Run {
  const book = new TriggerBook("BTC/USD");
  book.add(watcher);
  let run: Run = {};
  for (const at of prices(scenario.path)) {
    const [bid, ask] = scenario.side === "BUY" ? [at - 1, at] : [at, at + 1];
    const quote: Quote = {
      symbol: "BTC/USD",
      bid: usd(bid),
      ask: usd(ask),
      bids: [],
      asks: [],
      timeMs: 0,
      sequence: 0,
    };
    const { fired, activated } = book.observe(quote);
    if (activated.length > 0) run = { ...run, activatedAt: at };
    if (fired[0] !== undefined) run = { ...run, firedAt: at, fired: fired[0] };
  }
  return run;
}

describe("trailing scenarios of the public convention", () => {
  it("are three", () => expect(scenarios.map(({ id }) => id)).toEqual(["A", "C", "E"]));

  it.each(scenarios)("scenario $id: $type $side", (scenario) => {
    const run = walk(scenario, watcherOf(scenario));
    expect(run).toEqual({
      activatedAt: scenario.activatedAt,
      firedAt: scenario.triggerAt,
      fired: {
        orderId: -1,
        observed: usd(scenario.triggerAt),
        level: usd(scenario.triggerAt),
        reference: usd(scenario.extremeAtTrigger),
      },
    });
  });

  it("the gate of TRAILING_STOP_* makes scenario A trigger at 38850", () => {
    const [a] = scenarios;
    if (a === undefined) throw new Error("scenario A is missing");
    const gate = gateDirection({ type: "TRAILING_STOP_LIMIT", side: a.side });
    const run = walk(a, watcherOf(a, gate));
    expect([run.activatedAt, run.firedAt]).toEqual([40000, 38850]);
    expect(run.fired?.reference).toBe(normalise(BigInt(usd(37000))));
  });
});
