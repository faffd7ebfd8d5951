import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { type Cuts, drawPlan, runWorld } from "../../src/simulator/world/index.ts";
import { addWorld, commandOf, givenOf, noProgress, type Progress, unreached, unstruck } from "./campaign.ts";
import { brokenBy, KEPT } from "./kept-seeds.ts";

const { SEED, STEPS, TOTAL, RESUME, CUTS } = process.env;
const stepsOfOne = Number(STEPS ?? 2_000);

if (SEED !== undefined && TOTAL === undefined) await one(Number(SEED), JSON.parse(CUTS ?? "{}") as Cuts);
else await many(Number(TOTAL ?? 5_000_000), Number(SEED ?? 1));

/** Runs one seed and prints every detail. */
async function one(seed: number, cuts: Cuts): Promise<void> {
  const started = performance.now();
  const plan = drawPlan(seed, stepsOfOne, cuts);
  console.log(JSON.stringify({ ...plan, settings: undefined }, undefined, 1));
  const {
    broken,
    plan: _plan,
    ...report
  } = await runWorld({ seed, steps: stepsOfOne, cuts, ...givenOf(seed) });
  console.log(report);
  console.log(`${Math.round(performance.now() - started)} ms`);
  if (broken === undefined) return;
  console.log(broken.message);
  process.exitCode = 1;
}

/** Runs all kept seeds. Throws an Error for the first that fails. */
async function runKept(): Promise<void> {
  for (const kept of KEPT) {
    const broken = await brokenBy(kept);
    if (broken !== undefined) throw new Error(`kept seed ${kept.seed}: ${broken}`);
  }
  console.log(`${KEPT.length} kept seeds hold`);
}

/**
 * Runs the kept seeds, then seed after seed until the number of steps is reached; writes the progress after each, so that
 * a later run can continue.
 */
async function many(total: number, firstSeed: number): Promise<void> {
  const file = RESUME;
  const kept = file !== undefined && existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const progress = kept === undefined ? noProgress(firstSeed) : (JSON.parse(kept) as Progress);
  if (kept === undefined) await runKept();
  for (let toldMs = performance.now(); progress.steps < total; ) {
    const failures = progress.failures.length;
    await addWorld(progress, stepsOfOne, () => performance.now());
    const failure = progress.failures[failures];
    if (failure !== undefined) console.log(`${failure.invariant}: ${failure.seen}\n${commandOf(failure)}`);
    if (file !== undefined) {
      writeFileSync(`${file}.new`, JSON.stringify(progress));
      renameSync(`${file}.new`, file);
    }
    if (performance.now() - toldMs < 10_000) continue;
    toldMs = performance.now();
    console.log(`${progress.steps} steps, ${progress.worlds} worlds, ${progress.failures.length} failures`);
  }
  tell(progress);
}

function tell(progress: Progress): void {
  const { faults, situations, failures, ...sums } = progress;
  console.log({ ...sums, stepsPerSecond: Math.round((1_000 * sums.steps) / sums.ms) });
  console.log("faults", faults);
  console.log("situations", situations);
  const [silent, rare] = [unstruck(progress), unreached(progress)];
  if (silent.length > 0) console.log("faults that never struck", silent);
  if (rare.length > 0) console.log("situations that were never reached", rare);
  for (const failure of failures) console.log(`${failure.invariant}: ${commandOf(failure)}`);
  process.exitCode = failures.length + rare.length + silent.length > 0 ? 1 : 0;
}
