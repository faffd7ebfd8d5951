import { runCluster } from "./cluster-world.ts";

const { SEED = "1", RUNS = "200000" } = process.env;

/** Runs clusters from a seed on, and stops at the first broken rule. */
const sums = { runs: 0, takeovers: 0, orders: 0, children: 0 };
let toldMs = performance.now();
for (let seed = Number(SEED); sums.runs < Number(RUNS); seed++) {
  const { takeovers, orders, children, broken } = await runCluster(seed);
  sums.runs++;
  sums.takeovers += takeovers;
  sums.orders += orders;
  sums.children += children;
  if (broken !== undefined) {
    console.log(`${broken}\nSEED=${seed} RUNS=1 npm run cluster`);
    process.exitCode = 1;
    break;
  }
  if (performance.now() - toldMs < 10_000) continue;
  toldMs = performance.now();
  console.log(sums);
}
console.log(sums);
