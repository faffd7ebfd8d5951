import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { playWorld, REGIMES } from "../support/trigger-book-world.ts";

/** TRIGGER_BOOK_SEED replays a run; every run prints its seed. */
const SEED = Number(process.env.TRIGGER_BOOK_SEED ?? randomInt(2 ** 31));

describe("trigger book against its naive linear twin", () => {
  it("I31 no difference in fired, activated and references over 105,000 quotes with restarts and crashes", () => {
    console.info(`trigger book: TRIGGER_BOOK_SEED=${SEED}`);
    const worlds = REGIMES.map((regime) => playWorld(regime, { seed: SEED, quotes: 21_000 }));
    for (const world of worlds) {
      expect(world.fired).toBeGreaterThan(300);
      expect(world.activated).toBeGreaterThan(300);
      expect(world.restarts).toBeGreaterThan(20);
    }
  });
});
