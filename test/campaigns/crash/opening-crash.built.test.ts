import { expect, it } from "vitest";
import { seedOr } from "../../support/seed.ts";
import { inWords, openingCampaign } from "./opening-campaign.ts";

const seed = seedOr(20_261_122);

it(`I01, I02, I10, I21, I31, I33, I40, I41, I42, I44, I53, I63: a sandbox survives SIGKILL while it opens, at a named point and between (SEED=${seed}; long form: npm run crash)`, async () => {
  const { phases, acknowledged } = await openingCampaign({ seed, kills: 6, records: 200 });
  const killed = Object.values(phases).reduce((sum, count) => sum + count, 0);
  expect([killed, acknowledged > 0], inWords(phases)).toEqual([6, true]);
  expect([phases["after-take-over"], phases["after-load"]]).toEqual([1, 1]);
});
