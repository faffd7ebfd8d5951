import { expect, it } from "vitest";
import { playWorld, REGIMES } from "../support/trigger-book-world.ts";

it.each([1, 2, 3])(
  "I31 no difference between the trigger book and its naive twin with the kept seed %i",
  (seed) => {
    for (const regime of REGIMES) expect(playWorld(regime, { seed, quotes: 1000 }).quotes).toBe(1000);
  },
);
