import { expect, it } from "vitest";
import { seedOr } from "../../support/seed.ts";
import { crashCampaign } from "./campaign.ts";

const seed = seedOr(20_261_121);

it(`I01, I02, I10, I21, I31, I33, I40-I42, I44, I53: a sandbox under load over REST survives SIGKILL at random, and at every named point of submit path and snapshots (SEED=${seed}; long form: npm run crash)`, async () => {
  const result = await crashCampaign({ seed, randomKills: 2, timesPerPoint: 1 });
  expect(result.kills).toBe(10);
  expect(result.lists).toBeGreaterThan(0);
});
