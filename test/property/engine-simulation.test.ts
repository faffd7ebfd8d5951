import { describe, expect, it } from "vitest";
import { simulate } from "../support/engine-simulation.ts";
import { seedOr } from "../support/seed.ts";

const SEEDS = [1, 2, 3, 4].map((n) => 20_261_121 + n);
const LIMITS = ["SYNTHETIC_LIMIT", "LIMIT_MAKER", "ICEBERG"];
const TRIGGERED = ["STOP_MARKET", "STOP_LOSS_LIMIT", "TAKE_PROFIT_MARKET", "TRAILING_STOP_MARKET"];
const SCHEDULES = ["TWAP", "VWAP", "POV"];

/** How orders ended, over all seeds: a refusal that is final is rare. */
const ends = new Set<string>();

describe("a random world of orders, lists, schedules, quotes, prints, a bad venue, a failing store and crashes", () => {
  it.each(SEEDS)(
    "I01-I06, I10-I15, I20-I25, I30-I34, I40-I44, I50-I55 and I62 hold (SEED=%i)",
    async (seed) => {
      const report = await simulate({ seed: seedOr(seed), steps: 1_000 });
      for (const end of report.ends) ends.add(end);
      expect(report.ends).toEqual(expect.arrayContaining(["CANCELED", "EXPIRED", "FILLED"]));
      expect(report.types).toEqual(expect.arrayContaining([...LIMITS, ...TRIGGERED, ...SCHEDULES]));
      expect(Math.min(report.parents, report.children)).toBeGreaterThan(100);
      expect(Math.min(report.lists, report.released, report.outdone)).toBeGreaterThan(10);
      expect(Math.min(report.crashes, report.failures)).toBeGreaterThan(3);
    },
  );

  it("and orders end in every way", () => {
    expect([...ends].sort()).toEqual(["CANCELED", "EXPIRED", "FILLED", "REJECTED"]);
  });
});
