import {
  type Cuts,
  FAULTS,
  runWorld,
  SITUATIONS,
  shrink,
  type WorldReport,
  type WorldRun,
} from "../../src/simulator/world/index.ts";
import { archivedDisk } from "./archived-disk.ts";
import { RECORDED_ROWS } from "./recorded-rows.ts";

/** Waits for a turn of the event loop: every promise without outside dependencies has settled. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Options of every world of the tests, beside its seed. */
export const GIVEN: Pick<WorldRun, "turn" | "rows"> = { turn, rows: RECORDED_ROWS };

/** Every third seed keeps its orders in a SQLite file with an archive, if its records leave. */
export const givenOf = (seed: number): Pick<WorldRun, "turn" | "rows" | "disk"> =>
  seed % 3 === 0 ? { ...GIVEN, disk: archivedDisk } : GIVEN;

/** The totals of many worlds, and the next seed. */
export type Progress = {
  nextSeed: number;
  worlds: number;
  steps: number;
  ms: number;
  records: number;
  orders: number;
  children: number;
  processes: number;
  requests: number;
  faults: Record<string, number>;
  situations: Record<string, number>;
  failures: Failure[];
};

/** A seed that failed, the invariant, and its plan after reduction. */
export type Failure = Readonly<{ seed: number; steps: number; invariant: string; seen: string; cuts: Cuts }>;

/** The progress before the first world. */
export function noProgress(firstSeed: number): Progress {
  return {
    nextSeed: firstSeed,
    worlds: 0,
    steps: 0,
    ms: 0,
    records: 0,
    orders: 0,
    children: 0,
    processes: 0,
    requests: 0,
    faults: {},
    situations: {},
    failures: [],
  };
}

/** Adds the world of the next seed; a failing plan is reduced first. */
export async function addWorld(progress: Progress, steps: number, nowMs: () => number): Promise<WorldReport> {
  const seed = progress.nextSeed;
  const startedMs = nowMs();
  const report = await runWorld({ seed, steps, ...givenOf(seed) });
  progress.ms += nowMs() - startedMs;
  progress.nextSeed++;
  progress.worlds++;
  progress.steps += report.steps;
  progress.records += report.records;
  progress.orders += report.orders;
  progress.children += report.children;
  progress.processes += report.processes;
  progress.requests += report.requests;
  addCounts(progress.faults, report.faults);
  addCounts(progress.situations, report.situations);
  if (report.broken !== undefined) progress.failures.push(await failureOf(report, steps));
  return report;
}

async function failureOf(report: WorldReport, steps: number): Promise<Failure> {
  const { seed, broken } = report;
  const { cuts } = await shrink({ seed, steps, ...givenOf(seed) }, report);
  return { seed, steps, invariant: broken?.invariant ?? "", seen: broken?.seen ?? "", cuts };
}

function addCounts(sums: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
}

/** The command that repeats one seed, with the reductions of its plan. */
export function commandOf({ seed, steps, cuts }: Failure): string {
  return `SEED=${seed} STEPS=${steps} CUTS='${JSON.stringify(cuts)}' npm run world`;
}

/** Situations that were never reached. */
export function unreached({ situations }: Pick<Progress, "situations">): readonly string[] {
  return SITUATIONS.filter((name) => situations[name] === undefined);
}

/** Faults that are on in some plans and never struck. */
export function unstruck({ faults }: Pick<Progress, "faults">): readonly string[] {
  return FAULTS.filter((name) => faults[name] === undefined);
}
