import { expect, it } from "vitest";
import { seedOr } from "../../support/seed.ts";
import { compareReaders } from "./campaign.ts";

const seed = seedOr(20_261_122);

it(`the rules' own readers and zod accept and refuse the same inputs, with the same words (SEED=${seed}); npm run program -- readers sends a million`, () => {
  const { taken, refused, difference } = compareReaders(seed, 20_000);
  expect(difference).toBeUndefined();
  // Inputs that are all refused, or all accepted, would compare little.
  expect(taken).toBeGreaterThan(4_000);
  expect(refused).toBeGreaterThan(4_000);
});
