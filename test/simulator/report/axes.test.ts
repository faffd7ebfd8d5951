import { describe, expect, it } from "vitest";
import type { Notional } from "../../../src/index.ts";
import { falls } from "../../../src/simulator/report/equity.ts";
import { roomySpan, timeTicks, valueTicks } from "../../../src/simulator/report/figure.ts";
import {
  grouped,
  instantText,
  percentText,
  quotient,
  readDecimal,
  rounded,
  tickText,
  usd,
} from "../../../src/simulator/report/numbers.ts";

describe("numbers of a report", () => {
  it("have commas between thousands, a minus sign, and all digits", () => {
    expect(["0", "999", "1000", "-1234567.891", "0.00000001"].map(grouped)).toEqual([
      ...["0", "999", "1,000", "\u22121,234,567.891", "0.00000001"],
    ]);
    expect(["0", "0.5", "-0.06950522", "1", "0.12345678"].map(percentText)).toEqual([
      ...["0 %", "50 %", "\u22126.950522 %", "100 %", "12.345678 %"],
    ]);
  });

  it("are rounded half away from zero", () => {
    const cents = (value: number | bigint): string => rounded(value, { scale: 3, places: 2 });
    expect([1_005, 1_004, -1_005, -4, 10n ** 20n].map(cents)).toEqual([
      ...["1.01", "1.00", "\u22121.01", "0.00", "100,000,000,000,000,000.00"],
    ]);
    expect(usd(-123_450_000_000_000 as unknown as Notional)).toBe("\u22121.23");
    expect([quotient(1n, 8n, 2), quotient(-1n, 8n, 2), quotient(1n, -3n, 0)]).toEqual([13, -13, 0]);
    expect([readDecimal("-12.3456789", 4), readDecimal("7", 2)]).toEqual([-123_456, 700]);
  });

  it("a fall is measured from the highest value until then", () => {
    expect(falls([100, 80, 120, 90, 130])).toEqual([0, 20_000_000, 0, 25_000_000, 0]);
    expect(falls([0, -5])).toEqual([0, 0]);
  });
});

describe("axes of a report", () => {
  it("ticks are round and inside the span", () => {
    expect(valueTicks({ from: -3, to: 23 }, 5)).toEqual({ step: 10, values: [0, 10, 20] });
    expect(valueTicks({ from: 10n ** 18n, to: 10n ** 18n + 4n }, 4)).toEqual({
      ...{ step: 2, values: [10n ** 18n, 10n ** 18n + 2n, 10n ** 18n + 4n] },
    });
    const hour = 3_600_000;
    expect(timeTicks({ from: 1, to: 24 * hour }, 9)).toEqual({
      ...{ step: 3 * hour, values: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => 3 * n * hour) },
    });
    for (const span of [1, 7, 999, 60_001, 86_400_000, 3e10, 1e15])
      for (const most of [4, 9]) {
        const { values } = timeTicks({ from: 1_760_000_000_123, to: 1_760_000_000_123 + span }, most);
        expect(values.length).toBeLessThanOrEqual(most + 1);
      }
  });

  it("a span of one value has room, and one with a floor of zero begins there", () => {
    expect(roomySpan([5_000])).toEqual({ from: 4_994, to: 5_006 });
    expect(roomySpan([])).toEqual({ from: -1, to: 1 });
    expect(roomySpan([100], 0)).toEqual({ from: 0, to: 106 });
  });

  it("times are UTC, as fine as the ticks are", () => {
    const timeMs = Date.UTC(2026, 1, 3, 4, 5, 6, 78);
    const day = Date.UTC(2026, 1, 3);
    expect(instantText(timeMs)).toBe("2026-02-03 04:05:06.078");
    expect(instantText(Number.MAX_SAFE_INTEGER)).toBe("9007199254740991 ms");
    const ticks: readonly [number, number][] = [
      ...([
        [timeMs, 10],
        [timeMs, 1_000],
        [timeMs, 60_000],
        [day, 3_600_000],
        [day, 86_400_000],
      ] as [number, number][]),
    ];
    expect(ticks.map(([at, step]) => tickText(at, step))).toEqual([
      ...["06.078", "04:05:06", "04:05", "02-03", "2026-02-03"],
    ]);
  });
});
