import { drawClusterPlan } from "./cluster/cluster-plan.ts";
import type { Fault } from "./faults.ts";
import { InvariantBroken } from "./invariant-broken.ts";
import type { RecordedRows } from "./make-parts.ts";
import { type Cuts, drawPlan, type Plan } from "./plan.ts";
import { World } from "./world.ts";
import { type CreateDisk, memoryDisk } from "./world-disk.ts";
import type { Turn } from "./world-time.ts";

/** A run: its seed, its number of steps, and the cuts of its plan. */
export type WorldRun = Readonly<{
  seed: number;
  steps: number;
  cuts?: Cuts;
  /** Waits until everything has happened that needs no time, such as a turn of the event loop. */
  turn: Turn;
  /** Rows for recorded markets. */
  rows: RecordedRows;
  /** Creates the disk of the stores. Default: one in memory. */
  disk?: CreateDisk;
  /** Whether the processes are nodes of a cluster. Default false. */
  cluster?: boolean;
}>;

/** Results of a run. */
export type WorldReport = Readonly<{
  seed: number;
  steps: number;
  plan: Plan;
  /** Equal for equal runs. */
  hash: string;
  records: number;
  orders: number;
  lists: number;
  children: number;
  executions: number;
  processes: number;
  takeovers: number;
  requests: number;
  faults: Readonly<Record<string, number>>;
  situations: Readonly<Record<string, number>>;
  broken?: InvariantBroken;
}>;

/**
 * Runs the world of a seed: first with faults, then without until everything has ended. The same run gives the same
 * report. The report contains the first broken invariant.
 */
export async function runWorld({
  seed,
  steps,
  cuts,
  turn,
  rows,
  disk = memoryDisk,
  cluster = false,
}: WorldRun): Promise<WorldReport> {
  const plan = (cluster ? drawClusterPlan : drawPlan)(seed, steps, cuts);
  const world = new World(plan, { turn, rows, disk });
  let broken: InvariantBroken | undefined;
  try {
    await world.begin();
    while (world.steps < plan.steps) await world.step();
    await world.end();
  } catch (error) {
    broken = error instanceof InvariantBroken ? error : asBroken(error, { seed, step: world.steps });
  }
  const { journal, venue, fleet, ledger, faults, situations } = world.parts;
  const executions = [...venue.rows.values()].reduce((sum, row) => sum + row.fills.length, 0);
  for (const instance of fleet.alive) fleet.kill(instance);
  await world.parts.disk.remove();
  return {
    seed,
    steps: world.steps,
    plan,
    hash: journal.digest(),
    records: journal.records,
    orders: journal.orders.size,
    lists: journal.lists.size,
    children: venue.rows.size,
    executions,
    processes: fleet.generations,
    takeovers: fleet.takeovers,
    requests: ledger.answered,
    faults: faults.counts,
    situations: situations.counts,
    ...(broken && { broken }),
  };
}

function asBroken(error: unknown, place: Readonly<{ seed: number; step: number }>): InvariantBroken {
  const seen = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new InvariantBroken("the world itself", seen, place);
}

/** A reduced failing run: its cuts, its report, and the number of runs it took. */
export type Shrunk = Readonly<{ cuts: Cuts; report: WorldReport; runs: number }>;

/**
 * Reduces a failing run: fewer steps, then fewer faults, then fewer orders, as long as the same invariant is broken.
 * Tries at most `mostRuns` runs.
 */
export async function shrink(run: WorldRun, report: WorldReport, mostRuns = 60): Promise<Shrunk> {
  let best: Shrunk = {
    cuts: { ...run.cuts, steps: report.broken?.place.step ?? run.steps },
    report,
    runs: 0,
  };
  const attempt = async (cuts: Cuts): Promise<boolean> => {
    if (best.runs >= mostRuns) return false;
    const tried = await runWorld({ ...run, cuts });
    const isSame = tried.broken !== undefined && tried.broken.invariant === report.broken?.invariant;
    const steps = Math.min(cuts.steps ?? run.steps, tried.broken?.place.step ?? run.steps);
    best = isSame
      ? { cuts: { ...cuts, steps }, report: tried, runs: best.runs + 1 }
      : { ...best, runs: best.runs + 1 };
    return isSame;
  };
  await attempt(best.cuts);
  for (const fault of Object.keys(report.plan.rates) as Fault[]) {
    await attempt({ ...best.cuts, without: [...(best.cuts.without ?? []), fault] });
  }
  for (let orders = 64; orders >= 1; orders = Math.floor(orders / 2)) await attempt({ ...best.cuts, orders });
  return best;
}
