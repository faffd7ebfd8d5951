import { crashCampaign } from "./campaign.ts";
import { inWords, openingCampaign } from "./opening-campaign.ts";

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
const opening = await openingCampaign({
  seed,
  kills: 100,
  records: 4_000,
  tell: (line) => console.log(line),
});
console.log(
  `100 kills while opening: ${inWords(opening.phases)}; ${opening.records} records at last, ${opening.unknown} children found in flight`,
);
if (Object.values(opening.phases).some((kills) => kills < 10))
  throw new Error("a phase of the opening was hardly hit: run it again on a quieter machine");
console.log(`all invariants held after every restart, in ${Math.round((Date.now() - started) / 1000)} s`);
