import { expect, it } from "vitest";
import { crashCampaign } from "./campaign.ts";

const seed = Number(process.env["SEED"] ?? 20_261_121);

it(`I01, I02, I10, I21, I31, I33, I40-I42, I44, I53: SIGKILL at random and at every named point under load over REST (SEED=${seed}; long form: npm run crash)`, {
  timeout: 180_000,
}, async () => {
  const result = await crashCampaign({ seed, randomKills: 3, timesPerPoint: 1, tell: () => undefined });
  expect(result.crashes).toBe(8);
  expect(result.lists).toBeGreaterThan(0);
});
