import {
  CLUSTER_FAULTS,
  CLUSTER_SITUATIONS,
  type Cuts,
  FAULTS,
  runWorld,
  SHARING_SITUATIONS,
  SITUATIONS,
  shrink,
  type WorldReport,
  type WorldRun,
} from "../../world/index.ts";
import { archivedDisk } from "./archived-disk.ts";
import { RECORDED_ROWS } from "./recorded-rows.ts";

/** Waits for a turn of the event loop: every promise without outside dependencies has settled. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Options of every world of the tests, beside its seed. */
export const GIVEN: Pick<WorldRun, "turn" | "rows"> = { turn, rows: RECORDED_ROWS };

/** Every third seed keeps its orders in a SQLite file with an archive, if its records leave. */
export const givenOf = (seed: number): Pick<WorldRun, "turn" | "rows" | "disk"> =>
  seed % 3 === 0 ? { ...GIVEN, disk: archivedDisk } : GIVEN;

/** Steps of one cluster. Most of them are several actions. */
export const CLUSTER_STEPS = 16;

/** The form of all clusters, if the variable FORM names one: `standby` or `sharing`. */
const FORM = formOf(process.env.FORM);

function formOf(named: string | undefined): Pick<Cuts, "form"> {
  return named === "standby" || named === "sharing" ? { form: named } : {};
}

/** What a run is: worlds of one process after the other, or clusters of one to five nodes. */
export type Kind = "world" | "cluster";

/** Options of the run of a seed. */
export const runOf = (kind: Kind, seed: number, steps: number, cuts: Cuts = {}): WorldRun =>
  kind === "cluster"
    ? { seed, steps, cuts: { ...FORM, ...cuts }, ...GIVEN, cluster: true }
    : { seed, steps, cuts, ...givenOf(seed) };

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
  takeovers: number;
  requests: number;
  faults: Record<string, number>;
  situations: Record<string, number>;
  failures: Failure[];
};

/** A seed that failed, the invariant, and its plan after reduction. */
export type Failure = Readonly<{
  kind: Kind;
  seed: number;
  steps: number;
  invariant: string;
  seen: string;
  cuts: Cuts;
}>;

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
    takeovers: 0,
    requests: 0,
    faults: {},
    situations: {},
    failures: [],
  };
}

/** Adds the world of the next seed; a failing plan is reduced first. */
export async function addWorld(
  progress: Progress,
  steps: number,
  nowMs: () => number,
  kind: Kind = "world",
): Promise<WorldReport> {
  const seed = progress.nextSeed;
  const startedMs = nowMs();
  const report = await runWorld(runOf(kind, seed, steps));
  progress.ms += nowMs() - startedMs;
  progress.nextSeed++;
  progress.worlds++;
  progress.steps += report.steps;
  progress.records += report.records;
  progress.orders += report.orders;
  progress.children += report.children;
  progress.processes += report.processes;
  progress.takeovers += report.takeovers;
  progress.requests += report.requests;
  addCounts(progress.faults, report.faults);
  addCounts(progress.situations, report.situations);
  if (report.broken !== undefined) progress.failures.push(await failureOf(report, steps, kind));
  return report;
}

/** Adds the totals of other worlds. */
export function addProgress(
  progress: Progress,
  { nextSeed: _, faults, situations, failures, ...sums }: Progress,
): void {
  for (const [name, sum] of Object.entries(sums) as [keyof typeof sums, number][]) progress[name] += sum;
  addCounts(progress.faults, faults);
  addCounts(progress.situations, situations);
  progress.failures.push(...failures);
}

async function failureOf(report: WorldReport, steps: number, kind: Kind): Promise<Failure> {
  const { seed, broken } = report;
  const { cuts } = await shrink(runOf(kind, seed, steps), report);
  return { kind, seed, steps, invariant: broken?.invariant ?? "", seen: broken?.seen ?? "", cuts };
}

function addCounts(sums: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
}

/** The command that repeats one seed, with the reductions of its plan. */
export function commandOf({ kind, seed, steps, cuts }: Failure): string {
  const name = kind === "cluster" ? "npm run world -- cluster" : "npm run world";
  return `SEED=${seed} STEPS=${steps} CUTS='${JSON.stringify(cuts)}' ${name}`;
}

/** Situations that were never reached. */
export function unreached(
  { situations }: Pick<Progress, "situations">,
  kind: Kind = "world",
): readonly string[] {
  const names = kind === "cluster" ? [...CLUSTER_SITUATIONS, ...SHARING_SITUATIONS] : SITUATIONS;
  return names.filter((name) => situations[name] === undefined);
}

/** Faults that are on in some plans and never struck. */
export function unstruck({ faults }: Pick<Progress, "faults">, kind: Kind = "world"): readonly string[] {
  return (kind === "cluster" ? CLUSTER_FAULTS : FAULTS).filter((name) => faults[name] === undefined);
}
