import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { REGIMES, type Regime, randomFrom, World } from "../support/trigger-book-world.ts";

/** TRIGGER_BOOK_SEED replays a run; every run prints its seed. */
const SEED = Number(process.env.TRIGGER_BOOK_SEED ?? randomInt(2 ** 31));

describe("trigger book against its naive linear twin", () => {
  const run = (regime: Regime, { seed, quotes }: Readonly<{ seed: number; quotes: number }>): World => {
    const world = new World(regime, randomFrom(seed));
    try {
      while (world.quotes < quotes) world.step();
    } catch (error) {
      const where = `${regime.name}, quote ${world.quotes}, replay with TRIGGER_BOOK_SEED=${seed}`;
      throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
    return world;
  };

  it("I31 no difference in fired, activated and references over 105,000 quotes with restarts and crashes", () => {
    console.info(`trigger book: TRIGGER_BOOK_SEED=${SEED}`);
    const worlds = REGIMES.map((regime) => run(regime, { seed: SEED, quotes: 21_000 }));
    for (const world of worlds) {
      expect(world.fired).toBeGreaterThan(300);
      expect(world.activated).toBeGreaterThan(300);
      expect(world.restarts).toBeGreaterThan(20);
    }
  }, 120_000);

  it.each([1, 2, 3])("no difference with the kept seed %i", (seed) => {
    for (const regime of REGIMES) run(regime, { seed, quotes: 1000 });
  });
});
