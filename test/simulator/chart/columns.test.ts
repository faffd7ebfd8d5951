import { expect, it } from "vitest";
import { Columns } from "../../../src/simulator/chart.ts";
import { drawing } from "../report/walks.ts";

type Range = Readonly<{ firstMs: number; low: number; high: number; last: number; count: number }>;

const join = (a: Range, b: Range): Range => ({
  firstMs: a.firstMs,
  low: Math.min(a.low, b.low),
  high: Math.max(a.high, b.high),
  last: b.last,
  count: a.count + b.count,
});

it.each([1, 2, 3, 4, 5])(
  "columns are bounded, and each has exactly the extremes and the last of its values (seed %i)",
  (seed) => {
    const draw = drawing(seed);
    const most = draw(2, 40);
    const startMs = 1_000;
    const columns = new Columns<Range>(startMs, most, join);
    const values: [timeMs: number, value: number][] = [];
    let timeMs = startMs;
    for (let n = 0; n < 3_000; n++) {
      timeMs += draw(0, seed * 10) * draw(0, 2);
      const value = draw(-1_000, 1_000);
      values.push([timeMs, value]);
      columns.add(timeMs, { firstMs: timeMs, low: value, high: value, last: value, count: 1 });
    }
    const all = columns.all();
    expect(all.length).toBeLessThanOrEqual(most);
    expect(all.length).toBeGreaterThan(0);
    for (const column of all) {
      const from = column.firstMs - ((column.firstMs - startMs) % columns.lengthMs);
      const inside = values
        .filter(([at]) => at >= from && at < from + columns.lengthMs)
        .map(([, each]) => each);
      expect(column).toEqual({
        firstMs: values.find(([at]) => at >= from)?.[0],
        low: Math.min(...inside),
        high: Math.max(...inside),
        last: inside.at(-1),
        count: inside.length,
      });
    }
    expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
  },
);

it("a series with gaps keeps the number of its columns", () => {
  const columns = new Columns<number>(0, 2);
  for (const timeMs of [0, 1, 1_000_000_000_000]) columns.add(timeMs, timeMs);
  expect(columns.all()).toEqual([1, 1_000_000_000_000]);
  expect(columns.lengthMs).toBe(2);
});
