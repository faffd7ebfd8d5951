import { runWorld } from "../../../src/simulator/world/index.ts";
import { givenOf } from "../campaign.ts";
import { runCluster } from "../cluster/cluster-world.ts";

const { SEED = "1", STEPS = "800", MOST = "40000" } = process.env;

/** Steps of one cluster. */
const CLUSTER_STEPS = 30;

type Found = Readonly<{ invariant: string; seen: string }>;

/** Runs one seed. Returns the steps that it took, and what was broken. */
async function runOne(seed: number): Promise<Readonly<{ made: number; found: Found | undefined }>> {
  if (process.argv[2] === "cluster") {
    const { broken } = await runCluster(seed);
    const [invariant = ""] = broken?.split(":") ?? [];
    return { made: CLUSTER_STEPS, found: broken === undefined ? undefined : { invariant, seen: broken } };
  }
  const { broken, steps: made } = await runWorld({ seed, steps: Number(STEPS), ...givenOf(seed) });
  return { made, found: broken };
}

/** Runs worlds until one breaks or enough steps are made; prints the finding. */
let steps = 0;
for (let seed = Number(SEED); steps < Number(MOST); seed++) {
  const { made, found } = await runOne(seed);
  steps += made;
  if (found === undefined) continue;
  const { invariant, seen } = found;
  console.log(JSON.stringify({ seed, steps, invariant, seen: seen.slice(0, 300) }));
  process.exit(0);
}
console.log(JSON.stringify({ steps }));
