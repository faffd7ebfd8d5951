import { createRandom, type Random } from "../../random/index.ts";
import { CLUSTER_FAULTS, type FaultRates } from "../faults.ts";
import { type ClusterPlan, type Cuts, drawPlan, drawRates, type Plan } from "../plan.ts";

/**
 * Returns the plan of a cluster: that of the world with the same seed, with nodes. Its steps are few, so its faults are
 * more frequent. Several processes need a venue that tells its time.
 */
export function drawClusterPlan(seed: number, steps: number, cuts: Cuts = {}): Plan {
  const plan = drawPlan(seed, steps, cuts);
  const random = createRandom(seed).of("cluster");
  const { venueClock, ...rest } = plan;
  return {
    ...rest,
    ...(venueClock && { venueClock }),
    venueTellsTime: plan.venueTellsTime || venueClock === undefined,
    forgets: false,
    settings: { ...plan.settings, retentionDays: 30 },
    rates: { ...plan.rates, ...nodeRates(random.of("rates"), cuts) },
    cluster: drawCluster(random),
  };
}

function nodeRates(random: Random, { without = [] }: Cuts): FaultRates {
  return drawRates(random, without, CLUSTER_FAULTS);
}

function drawCluster(random: Random): ClusterPlan {
  return {
    most: random.pick([1, 2, 2, 3, 3, 4, 5]),
    ttlMs: random.pick([3_000, 5_000, 10_000]),
    clockApartMs: random.pick([500, 500, 20_000, 10_000_000]),
    cancels: random.pick(["at once", "at once", "at once", "after a sweep", "after a sweep", "never"]),
  };
}
