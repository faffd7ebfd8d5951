import { runWorld } from "../../../world/index.ts";
import { CLUSTER_STEPS, type Kind, runOf } from "../campaign.ts";

const kind: Kind = process.argv[2] === "cluster" ? "cluster" : "world";
const {
  SEED = "1",
  STEPS = kind === "cluster" ? String(CLUSTER_STEPS) : "800",
  MOST = "40000",
} = process.env;

/** Runs worlds until one breaks or enough steps are made; prints the finding. */
let steps = 0;
for (let seed = Number(SEED); steps < Number(MOST); seed++) {
  const { broken, steps: made } = await runWorld(runOf(kind, seed, Number(STEPS)));
  steps += made;
  if (broken === undefined) continue;
  const { invariant, seen } = broken;
  console.log(JSON.stringify({ seed, steps, invariant, seen: seen.slice(0, 300) }));
  process.exit(0);
}
console.log(JSON.stringify({ steps }));
