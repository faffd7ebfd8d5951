import { expect, it } from "vitest";
import { engineCampaign } from "./engine-campaign.ts";

const seed = Number(process.env["SEED"] ?? 20_261_121);

it(`I01, I02, I10, I20, I21, I53, I63: engine, SQLite and an external venue survive SIGKILL at random and at every named point (SEED=${seed})`, async () => {
  const { crashes, acknowledged } = await engineCampaign({ seed, randomKills: 1, timesPerPoint: 1 });
  expect(crashes).toBe(6);
  expect(acknowledged).toBeGreaterThan(0);
});
