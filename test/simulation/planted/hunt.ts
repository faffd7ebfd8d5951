import { runWorld } from "../../../src/simulator/world/index.ts";
import { givenOf } from "../campaign.ts";

const { SEED = "1", STEPS = "800", MOST = "40000" } = process.env;

/** Runs worlds until one breaks or enough steps are made; prints the finding. */
let steps = 0;
for (let seed = Number(SEED); steps < Number(MOST); seed++) {
  const { broken, steps: made } = await runWorld({ seed, steps: Number(STEPS), ...givenOf(seed) });
  steps += made;
  if (broken === undefined) continue;
  const { invariant, seen } = broken;
  console.log(JSON.stringify({ seed, steps, invariant, seen: seen.slice(0, 300) }));
  process.exit(0);
}
console.log(JSON.stringify({ steps }));
