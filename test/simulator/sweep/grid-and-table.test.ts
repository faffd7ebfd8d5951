import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parameterGrid, type SweepRow, sweepTable } from "../../../src/simulator/index.ts";
import { createProgressDisplay } from "../../../src/simulator/sweep/sweep.ts";

describe("parameterGrid", () => {
  it("returns all combinations once, the last parameter fastest", () => {
    expect(parameterGrid({ a: [1, 2], b: ["x", "y"], c: [true] })).toEqual([
      { a: 1, b: "x", c: true },
      { a: 1, b: "y", c: true },
      { a: 2, b: "x", c: true },
      { a: 2, b: "y", c: true },
    ]);
    expect(parameterGrid({ a: [1], b: [] })).toEqual([]);
    expect(parameterGrid({})).toEqual([{}]);
  });

  it("has as many sets as the product of the numbers of values, all different", () => {
    const values = fc.uniqueArray(fc.integer(), { maxLength: 4 });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("a", "b", "c"), values), (grid) => {
        const sets = parameterGrid(grid).map((set) => JSON.stringify(set));
        const product = Object.values(grid).reduce((count, list) => count * list.length, 1);
        expect([sets.length, new Set(sets).size]).toEqual([product, product]);
      }),
    );
  });

  it("hostile input: a grid of more than a million sets is refused before it is made", () => {
    const thousand = Array.from({ length: 1_001 }, (_, n) => n);
    expect(() => parameterGrid({ a: thousand, b: thousand })).toThrow(RangeError);
  });

  it("hostile input: a parameter without values gives no sets, at once, whatever the others have", () => {
    const many = Array.from({ length: 1_000_000 }, (_, n) => n);
    expect(parameterGrid({ a: many, b: many, c: many, d: [] })).toEqual([]);
  });
});

describe("sweepTable", () => {
  it("is flat: parameters, seed, statistics, figures and hash, or the failure", () => {
    const statistics = {
      ...{ startEquity: "1", endEquity: "2", profit: "1", totalReturn: "1", commissions: "0", turnover: "3" },
      ...{ maxDrawdown: { amount: "0", fraction: "0.1" }, sharpe: "2" },
      trades: { closed: 1, won: 1, winRate: "1", profit: "1" },
    };
    const rows = [
      {
        index: 0,
        seed: 5,
        parameters: { bps: 1, profit: "x" },
        result: { statistics, hash: "h", figures: { f: 2 } },
      },
      { index: 1, seed: 6, parameters: { bps: 2 }, failure: { kind: "thrown", name: "E", message: "m" } },
    ] as unknown as readonly SweepRow[];
    expect(sweepTable(rows)).toEqual([
      {
        ...{ bps: 1, "parameter.profit": "x", seed: 5, f: 2, hash: "h" },
        ...{
          startEquity: "1",
          endEquity: "2",
          profit: "1",
          totalReturn: "1",
          maxDrawdown: "0.1",
          sharpe: "2",
        },
        ...{ commissions: "0", turnover: "3", closedTrades: 1, winRate: "1" },
      },
      { bps: 2, seed: 6, failure: "E: m" },
    ]);
  });
});

it("a figure with the name of a parameter does not replace it in the table", () => {
  const statistics = { maxDrawdown: { fraction: "0" }, trades: { closed: 0 } };
  const result = { statistics, hash: "h", figures: { quantity: 7 } };
  const rows = [{ index: 0, seed: 1, parameters: { quantity: "0.5" }, result }] as unknown as SweepRow[];
  expect(sweepTable(rows)[0]).toMatchObject({ quantity: "0.5", "figure.quantity": 7 });
});

describe("the progress of a sweep", () => {
  const shownOn = (output: Readonly<{ isTTY?: boolean; columns?: number }>, total: number): string => {
    let written = "";
    const display = createProgressDisplay({ ...output, write: (text) => (written += text) }, total);
    for (let done = 1; done <= total; done++)
      display.show({ done, failed: done > 2 ? 1 : 0, total, remainingMs: (total - done) * 61_000 });
    display.end();
    return written;
  };

  it("is one line on a terminal, cut to its width", () => {
    const bar = shownOn({ isTTY: true, columns: 60 }, 3);
    const clear = "\r\u001b[K";
    expect(bar.split(clear).slice(1)).toEqual([
      "[------------------------------] 0 of 3 sets",
      "[##########--------------------] 1 of 3 sets (33 %), 2 min ",
      "[####################----------] 2 of 3 sets (66 %), 1 min ",
      "[##############################] 3 of 3 sets (100 %), 1 fai\n",
    ]);
  });

  it("is cut to the width before the first set ends too, and a width of 0 is unknown", () => {
    expect(shownOn({ isTTY: true, columns: 20 }, 1)).toContain(`[${"-".repeat(18)}\r`);
    expect(shownOn({ isTTY: true, columns: 0 }, 1)).toContain("1 of 1 sets (100 %)");
  });

  it("is a line for each tenth elsewhere", () => {
    const lines = shownOn({}, 200).trimEnd().split("\n");
    expect(lines.length).toBe(10);
    expect(lines[0]).toBe("sweep: 20 of 200 sets (10 %), 1 failed, 3 h 3 min left");
    expect(lines[9]).toBe("sweep: 200 of 200 sets (100 %), 1 failed");
  });
});
