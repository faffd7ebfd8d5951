import { expect, it } from "vitest";
import { runCluster } from "./cluster-world.ts";

/** Seeds of the short run. */
const SEEDS = 12;

it("I01, I21, I26, I53, I60-I63: clusters of one to five nodes keep the rules through deaths, pauses, partitions and clocks", {
  timeout: 120_000,
}, async () => {
  let takeovers = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const report = await runCluster(seed);
    expect(report.broken, `SEED=${seed} npm run cluster`).toBeUndefined();
    takeovers += report.takeovers;
  }
  expect(takeovers).toBeGreaterThan(SEEDS);
});
