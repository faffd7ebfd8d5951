import { expect, it } from "vitest";
import { runWorld } from "../../../world/index.ts";
import { addWorld, CLUSTER_STEPS, commandOf, noProgress, runOf } from "../campaign.ts";

/** Clusters of the short run. */
const CLUSTERS = 10;

it("I01-I06, I10-I16, I20-I26, I30-I34, I40-I44, I50-I55, I60-I63 hold in clusters of one to five nodes", async () => {
  const progress = noProgress(1);
  while (progress.worlds < CLUSTERS)
    await addWorld(progress, CLUSTER_STEPS, () => performance.now(), "cluster");
  expect(progress.failures.map((failure) => `${failure.invariant}: ${commandOf(failure)}`)).toEqual([]);
  expect(progress.takeovers).toBeGreaterThan(5);
  expect(progress.orders).toBeGreaterThan(CLUSTERS);
});

it("a seeded cluster is reproducible: the same seed makes the same journal, to the byte", async () => {
  const run = runOf("cluster", 12, CLUSTER_STEPS);
  const first = await runWorld(run);
  expect(first.broken?.message).toBeUndefined();
  expect(await runWorld(run)).toEqual(first);
});
