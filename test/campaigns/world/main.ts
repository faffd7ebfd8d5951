import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { type Cuts, drawClusterPlan, drawPlan, runWorld } from "../../world/index.ts";
import {
  addWorld,
  CLUSTER_STEPS,
  commandOf,
  type Kind,
  noProgress,
  type Progress,
  runOf,
  unreached,
  unstruck,
} from "./campaign.ts";
import { runClusters, serveClusters } from "./cluster/workers.ts";
import { brokenBy, RETAINED } from "./stored-seeds.ts";

const { SEED, STEPS, TOTAL, RUNS, RESUME, CUTS } = process.env;
const kind: Kind = process.argv[2] === "cluster" ? "cluster" : "world";
const stepsOfOne = Number(STEPS ?? (kind === "cluster" ? CLUSTER_STEPS : 2_000));

if (!isMainThread) serveClusters();
else if (kind === "cluster" && (SEED === undefined || RUNS !== undefined)) await clusters();
else if (SEED !== undefined && TOTAL === undefined) await one(Number(SEED), JSON.parse(CUTS ?? "{}") as Cuts);
else await many(Number(TOTAL ?? 5_000_000), Number(SEED ?? 1));

/** Runs one seed and prints every detail. */
async function one(seed: number, cuts: Cuts): Promise<void> {
  const started = performance.now();
  const plan = (kind === "cluster" ? drawClusterPlan : drawPlan)(seed, stepsOfOne, cuts);
  console.log(JSON.stringify({ ...plan, settings: undefined }, undefined, 1));
  const { broken, plan: _plan, ...report } = await runWorld(runOf(kind, seed, stepsOfOne, cuts));
  console.log(report);
  console.log(`${Math.round(performance.now() - started)} ms`);
  if (broken === undefined) return;
  console.log(broken.message);
  process.exitCode = 1;
}

/** Runs all kept seeds. Throws an Error for the first that fails. */
async function runStored(): Promise<void> {
  for (const stored of RETAINED) {
    const broken = await brokenBy(stored);
    if (broken !== undefined) throw new Error(`kept seed ${stored.seed}: ${broken}`);
  }
  console.log(`${RETAINED.length} kept seeds hold`);
}

/**
 * Runs the kept seeds, then seed after seed until the number of steps is reached; writes the progress after each, so that
 * a later run can continue.
 */
async function many(total: number, firstSeed: number): Promise<void> {
  const stored = resumed();
  const progress = stored ?? noProgress(firstSeed);
  if (stored === undefined) await runStored();
  for (let reportedMs = performance.now(); progress.steps < total; ) {
    const failures = progress.failures.length;
    await addWorld(progress, stepsOfOne, () => performance.now());
    const failure = progress.failures[failures];
    if (failure !== undefined) console.log(`${failure.invariant}: ${failure.seen}\n${commandOf(failure)}`);
    save(progress);
    if (performance.now() - reportedMs < 10_000) continue;
    reportedMs = performance.now();
    console.log(`${progress.steps} steps, ${progress.worlds} worlds, ${progress.failures.length} failures`);
  }
  report(progress);
}

/** Runs clusters across all processors until their number is reached; writes the progress, so that a later run continues. */
async function clusters(): Promise<void> {
  const progress = resumed() ?? noProgress(Number(SEED ?? 1));
  let reportedMs = performance.now();
  await runClusters(progress, { runs: Number(RUNS ?? 200_000), steps: stepsOfOne }, (failures) => {
    for (const failure of failures)
      console.log(`${failure.invariant}: ${failure.seen}\n${commandOf(failure)}`);
    save(progress);
    if (performance.now() - reportedMs < 10_000) return;
    reportedMs = performance.now();
    console.log(
      `${progress.worlds} clusters, ${progress.takeovers} takeovers, ${progress.failures.length} failures`,
    );
  });
  report(progress);
}

/** Returns the progress in the file RESUME, if there is one. */
function resumed(): Progress | undefined {
  if (RESUME === undefined || !existsSync(RESUME)) return undefined;
  return JSON.parse(readFileSync(RESUME, "utf8")) as Progress;
}

function save(progress: Progress): void {
  if (RESUME === undefined) return;
  writeFileSync(`${RESUME}.new`, JSON.stringify(progress));
  renameSync(`${RESUME}.new`, RESUME);
}

function report(progress: Progress): void {
  const { faults, situations, failures, ...sums } = progress;
  console.log({ ...sums, stepsPerSecond: Math.round((1_000 * sums.steps) / sums.ms) });
  console.log("faults", faults);
  console.log("situations", situations);
  const [silent, rare] = [unstruck(progress, kind), unreached(progress, kind)];
  if (silent.length > 0) console.log("faults that never struck", silent);
  if (rare.length > 0) console.log("situations that were never reached", rare);
  for (const failure of failures) console.log(`${failure.invariant}: ${commandOf(failure)}`);
  process.exitCode = failures.length + rare.length + silent.length > 0 ? 1 : 0;
}
