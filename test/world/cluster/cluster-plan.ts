import { createRandom, type Random } from "../../../src/common/random.ts";
import { CLUSTER_FAULTS, type FaultRates } from "../faults.ts";
import { type ClientPlan, type ClusterPlan, type Cuts, drawPlan, drawRates, type Plan } from "../plan.ts";

/**
 * Returns the plan of a cluster: that of the world with the same seed, with nodes. Its steps are few, so its faults are
 * more frequent. Several processes need a venue that tells its time. In two thirds of the clusters the nodes share the
 * shards, with more accounts, so that several nodes own some.
 */
export function drawClusterPlan(seed: number, steps: number, cuts: Cuts = {}): Plan {
  const plan = drawPlan(seed, steps, cuts);
  const random = createRandom(seed).of("cluster");
  const { venueClock, ...rest } = plan;
  const cluster = drawCluster(random, cuts);
  return {
    ...rest,
    ...(venueClock && { venueClock }),
    venueTellsTime: plan.venueTellsTime || venueClock === undefined,
    forgets: false,
    settings: { ...plan.settings, retentionDays: 30 },
    clients: cluster.shares ? moreClients(plan.clients, random.of("accounts")) : plan.clients,
    rates: { ...plan.rates, ...nodeRates(random.of("rates"), cuts) },
    cluster,
  };
}

function nodeRates(random: Random, { without = [] }: Cuts): FaultRates {
  return drawRates(random, without, CLUSTER_FAULTS);
}

function drawCluster(random: Random, { form }: Cuts): ClusterPlan {
  const isDrawn = random.of("form").chance(2 / 3);
  return {
    most: random.pick([1, 2, 2, 3, 3, 4, 5]),
    ttlMs: random.pick([3_000, 5_000, 10_000]),
    clockApartMs: random.pick([500, 500, 20_000, 10_000_000]),
    cancels: random.pick(["at once", "at once", "at once", "after a sweep", "after a sweep", "never"]),
    shares: form === undefined ? isDrawn : form === "sharing",
    joinsLate: random.of("late").chance(0.5),
  };
}

/** Adds accounts of further shards. */
function moreClients(clients: readonly ClientPlan[], random: Random): readonly ClientPlan[] {
  const more = random.below(4);
  const added = Array.from({ length: more }, (_, index) => ({
    accountId: clients.length + index + 1,
    reduces: random.chance(0.2),
    streams: random.chance(0.3),
  }));
  return [...clients, ...added];
}
