import { describe, expect, it } from "vitest";
import { formatQuantity, type Quantity, quantity } from "../../src/decimal/index.ts";
import type { VolumeBar } from "../../src/model/index.ts";
import { type ProfileTerms, profileWindow, volumeProfile } from "../../src/schedules/index.ts";

const MINUTE = 60_000;
/** 12:00:00 of some day; the newest completed minute begins one minute earlier. */
const NOON = 1_699_963_200_000;

/** A bar a number of minutes before noon; 1 is the newest completed minute, 0 the running one. */
const bar = (minutesBefore: number, volume = "1"): VolumeBar => ({
  symbol: "BTC/USD",
  minuteMs: NOON - minutesBefore * MINUTE,
  quantity: quantity(volume),
});

function weightsOf(bars: readonly VolumeBar[], terms: Partial<ProfileTerms>): string | undefined {
  const profile = volumeProfile(bars, { nowMs: NOON, intervalMs: MINUTE, ...terms });
  if (profile !== undefined) expect(profile.weights).toHaveLength(profile.count);
  return profile?.weights.map(formatQuantity).join(" ");
}

describe("the window", () => {
  it.each([
    ["on the minute", NOON, NOON],
    ["a millisecond before it", NOON - 1, NOON - MINUTE],
    ["within a minute", NOON + 59_999, NOON],
  ])("ends with the newest completed minute: %s", (_what, nowMs, toMs) => {
    expect(profileWindow(nowMs)).toEqual({ fromMs: toMs - 512 * MINUTE, toMs });
  });
});

describe("a profile of a given count", () => {
  it("has the newest intervals, oldest first", () => {
    const bars = [bar(4, "4"), bar(3, "3"), bar(2, "2"), bar(1, "1")];
    expect(weightsOf(bars, { intervalCount: 3 })).toBe("3 2 1");
  });

  it("groups whole minutes by interval", () => {
    const bars = [bar(6, "6"), bar(5, "5"), bar(3, "3"), bar(1, "1")];
    expect(weightsOf(bars, { intervalMs: 3 * MINUTE, intervalCount: 2 })).toBe("11 4");
  });

  it("counts a minute without a bar as 0, also before all history", () => {
    expect(weightsOf([bar(2, "2")], { intervalCount: 4 })).toBe("0 0 2 0");
  });

  it("excludes the running minute until it is complete", () => {
    const bars = [bar(0, "9"), bar(1, "1"), bar(2, "2")];
    expect(weightsOf(bars, { intervalCount: 2 })).toBe("2 1");
    expect(weightsOf(bars, { intervalCount: 2, nowMs: NOON + MINUTE - 1 })).toBe("2 1");
    expect(weightsOf(bars, { intervalCount: 2, nowMs: NOON + MINUTE })).toBe("1 9");
    expect(weightsOf([bar(0, "9"), bar(3, "3")], {})).toBe("3 0 0");
  });

  it("adds bars of one minute, in any order, exactly", () => {
    const huge = "999999999999.999999";
    const bars = [bar(1, huge), bar(2, "1"), bar(1, huge), bar(1, "0.000003")];
    expect(weightsOf(bars, { intervalCount: 2 })).toBe("1 2000000000000.000001");
  });

  it("rule 4: volume of zero makes no profile", () => {
    expect(weightsOf([], { intervalCount: 2 })).toBeUndefined();
    expect(weightsOf([bar(3)], { intervalCount: 2 })).toBeUndefined();
    expect(weightsOf([bar(0)], { intervalCount: 2 })).toBeUndefined();
    const empty = [{ ...bar(1), quantity: 0 as unknown as Quantity }];
    expect(weightsOf(empty, { intervalCount: 2 })).toBeUndefined();
  });

  it("is at most as long as the window", () => {
    expect(weightsOf([bar(512)], { intervalMs: 256 * MINUTE, intervalCount: 2 })).toBe("1 0");
    expect(() => weightsOf([bar(1)], { intervalCount: 513 })).toThrow(
      new RangeError("a profile covers at most 512 minutes, got 513 intervals of 60000 ms"),
    );
    expect(() => weightsOf([bar(1)], { intervalMs: 257 * MINUTE, intervalCount: 2 })).toThrow(RangeError);
  });

  it.each([0, -MINUTE, 90_000, 1_000, Number.NaN])(
    "an interval of %d ms is not a whole number of minutes",
    (intervalMs) => {
      expect(() => weightsOf([bar(1), bar(2)], { intervalMs, intervalCount: 2 })).toThrow(
        new RangeError(`intervalMs must be a whole number of minutes, got ${intervalMs} ms`),
      );
    },
  );
});

describe("a profile as long as history", () => {
  it("begins with the oldest bar that has volume", () => {
    expect(weightsOf([bar(4, "4"), bar(2, "2")], {})).toBe("4 0 2 0");
    const empty = { ...bar(9), quantity: 0 as unknown as Quantity };
    expect(weightsOf([empty, bar(3, "3")], {})).toBe("3 0 0");
  });

  it("has complete intervals only, the newest ones", () => {
    const bars = [bar(5, "5"), bar(4, "4"), bar(1, "1")];
    expect(weightsOf(bars, { intervalMs: 2 * MINUTE })).toBe("4 1");
  });

  it("does not look beyond 512 minutes", () => {
    const bars = [bar(513, "7"), bar(512, "5"), bar(1, "1")];
    const profile = volumeProfile(bars, { nowMs: NOON, intervalMs: MINUTE });
    expect([profile?.count, profile?.weights[0], profile?.weights[511]]).toEqual([
      512,
      quantity("5"),
      quantity("1"),
    ]);
    expect(weightsOf([bar(513)], {})).toBeUndefined();
  });

  it("needs two intervals", () => {
    expect(weightsOf([bar(2, "2")], {})).toBe("2 0");
    expect(weightsOf([bar(1)], {})).toBeUndefined();
    expect(weightsOf([bar(3), bar(1)], { intervalMs: 2 * MINUTE })).toBeUndefined();
    expect(weightsOf([bar(512)], { intervalMs: 257 * MINUTE })).toBeUndefined();
  });

  it("rule 4: does not exist if all volume is before its complete intervals", () => {
    expect(weightsOf([bar(5)], { intervalMs: 2 * MINUTE })).toBeUndefined();
  });

  it("rule 4: missing history makes no profile, not an even one", () => {
    expect(weightsOf([], {})).toBeUndefined();
  });
});
