import { crashCampaign } from "./campaign.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
console.log(`seed ${seed}; SEED=${seed} npm run crash makes this run again`);
const started = Date.now();
const result = await crashCampaign({
  seed,
  randomKills: 100,
  timesPerPoint: 20,
  tell: (line) => console.log(line),
});
console.log(
  `${result.crashes} crashes, ${result.acknowledged} orders and ${result.lists} lists acknowledged, ${result.refused} refused, ${result.uncertain} without an answer`,
);
console.log(`all invariants held after every restart, in ${Math.round((Date.now() - started) / 1000)} s`);
