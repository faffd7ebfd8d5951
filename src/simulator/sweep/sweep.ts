import { availableParallelism } from "node:os";
import {
  addressOf,
  type SweepFailure,
  type SweepOptions,
  type SweepParameters,
  type SweepProgress,
  type SweepResult,
  type SweepRow,
  type SweepValue,
  seedOf,
  sweepOption,
} from "./options.ts";
import { SweepWorker } from "./sweep-worker.ts";

const DEFAULT_TIMEOUT_MS = 600_000;
const DEFAULT_SEED = 1;

/**
 * Runs a strategy with many sets of parameters, in worker threads. Functions do not cross threads, so the strategy is a
 * module that exports a function `run`, and each worker reads its market from a file. Resolves to one row for each set,
 * in the order of the sets. The rows do not depend on the number of workers, nor on the set that ends first. A set that
 * fails, takes too long or ends its worker has a `failure` in its row; the others go on. Throws a TypeError or RangeError
 * that names a wrong option, a TypeError that names a module that cannot be loaded or has no function `run`, the reason of
 * a signal that was aborted, and whatever `onProgress` throws.
 *
 * @example
 * ```ts
 * // trailing.ts: a strategy that is swept
 * import { csvMarket, type SimulationResult, simulate } from "managed-orders/simulator";
 * export const run = ({ trailingBps }: { trailingBps: number }): Promise<SimulationResult> =>
 *   simulate({
 *     symbols: ["BTC/USD"],
 *     market: csvMarket("/data/quotes.csv"),
 *     balances: { USD: "0", BTC: "1" },
 *     strategy: ({ account }) => {
 *       const order = { symbol: "BTC/USD", side: "SELL", quantity: "1", trailingDelta: trailingBps } as const;
 *       return account.place({ ...order, type: "TRAILING_STOP_MARKET" });
 *     },
 *   });
 * ```
 * @example
 * ```ts
 * import { parameterGrid, sweep, sweepTable } from "managed-orders/simulator";
 * export async function main(module: URL): Promise<void> {
 *   const rows = await sweep({ module, parameters: parameterGrid({ trailingBps: [50, 100, 200] }) });
 *   console.table(sweepTable(rows), ["trailingBps", "profit", "maxDrawdown", "failure"]);
 * }
 * ```
 */
export async function sweep<Parameters extends SweepParameters>(
  options: SweepOptions<Parameters>,
): Promise<readonly SweepRow<Parameters>[]> {
  sweepOption(options, "sweep");
  options.signal?.throwIfAborted();
  return await new Sweep(options).run();
}

class Sweep<Parameters extends SweepParameters> {
  readonly #options: SweepOptions<Parameters>;
  /** A copy: the caller may change the list meanwhile. */
  readonly #sets: readonly Parameters[];
  readonly #workers: readonly SweepWorker[];
  readonly #display: ProgressDisplay | undefined;
  readonly #rows: SweepRow<Parameters>[] = [];
  readonly #startMs = performance.now();
  #next = 0;
  #done = 0;
  #failed = 0;
  #isOver = false;

  constructor(options: SweepOptions<Parameters>) {
    const { module, parameters, timeoutMs = DEFAULT_TIMEOUT_MS, execArgv, progress = true } = options;
    const count = Math.min(options.workers ?? availableParallelism(), parameters.length);
    const settings = { module: addressOf(module) ?? "", timeoutMs, execArgv };
    this.#options = options;
    this.#sets = [...parameters];
    this.#workers = Array.from({ length: count }, () => new SweepWorker(settings));
    this.#display = progress ? createProgressDisplay(process.stderr, parameters.length) : undefined;
  }

  async run(): Promise<readonly SweepRow<Parameters>[]> {
    const { signal } = this.#options;
    let aborted = (): void => undefined;
    const abort = new Promise<never>((_, reject) => {
      aborted = () => reject(signal?.reason);
    });
    signal?.addEventListener("abort", aborted);
    try {
      const lanes = this.#workers.map((worker) => this.#runSets(worker));
      await Promise.race([Promise.all(lanes), abort]);
      return this.#rows;
    } finally {
      this.#isOver = true;
      signal?.removeEventListener("abort", aborted);
      this.#display?.end();
      await Promise.all(this.#workers.map((worker) => worker.close()));
    }
  }

  /** Lets a worker run sets until none is left. */
  async #runSets(worker: SweepWorker): Promise<void> {
    const { seed: sweepSeed = DEFAULT_SEED } = this.#options;
    while (!this.#isOver) {
      const index = this.#next++;
      const set = this.#sets[index];
      if (set === undefined) return;
      const seed = seedOf(sweepSeed, set);
      const answer = await worker.run({ index, seed, parameters: set });
      if (this.#isOver) return;
      if ("failure" in answer && answer.unloaded === true) this.#requireModule(answer.failure);
      const outcome = "result" in answer ? { result: answer.result } : { failure: answer.failure };
      await this.#ended({ index, parameters: set, seed, ...outcome });
    }
  }

  /** Throws unless a set has ended before: the module of a running sweep may be replaced, and then only sets fail. */
  #requireModule(failure: SweepFailure): void {
    if (this.#done > 0) return;
    const module = shortened(String(this.#options.module));
    throw new TypeError(`sweep.module cannot be used: ${module}: ${failure.message}`, { cause: failure });
  }

  async #ended(row: SweepRow<Parameters>): Promise<void> {
    const total = this.#sets.length;
    this.#rows[row.index] = row;
    this.#done += 1;
    if (row.failure !== undefined) this.#failed += 1;
    const elapsedMs = performance.now() - this.#startMs;
    const remainingMs = (elapsedMs / this.#done) * (total - this.#done);
    const counts = { done: this.#done, failed: this.#failed, total };
    this.#display?.show({ ...counts, remainingMs });
    // A rejection that nobody awaits would end the process.
    await this.#options.onProgress?.({ row, ...counts, elapsedMs, remainingMs });
  }
}

/** A module may be the text of a whole program, as a data URL. */
const shortened = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}...` : text);

/** Where a progress is shown: standard error of Node.js. */
type Output = Readonly<{
  isTTY?: boolean;
  columns?: number;
  write: (text: string) => unknown;
}>;

/** What is shown of a progress. */
type Shown = Pick<SweepProgress, "done" | "failed" | "total" | "remainingMs">;

/** Shows how far a sweep is. */
type ProgressDisplay = Readonly<{ show: (progress: Shown) => void; end: () => void }>;

const BAR_WIDTH = 30;
const DEFAULT_COLUMNS = 80;
/** Lines of a display that is no terminal. */
const STEPS = 10;
/** Goes to the start of the line and clears it. */
const CLEAR_LINE = "\r\u001b[K";

/** Returns a display: on a terminal one line that is drawn again, otherwise a new line for each tenth. */
export function createProgressDisplay(output: Output, total: number): ProgressDisplay {
  return output.isTTY === true ? bar(output, total) : lines(output);
}

function bar(output: Output, total: number): ProgressDisplay {
  const draw = (progress: Shown): void => {
    const filled = Math.floor((BAR_WIDTH * progress.done) / progress.total);
    replace(`[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ${textOf(progress)}`);
  };
  const replace = (line: string): void => {
    // A terminal that does not know its width says 0.
    const columns = output.columns || DEFAULT_COLUMNS;
    // A line that is longer than the terminal would wrap, and the next one could not replace it.
    output.write(`${CLEAR_LINE}${line.slice(0, Math.max(columns - 1, 1))}`);
  };
  if (total > 0) replace(`[${"-".repeat(BAR_WIDTH)}] 0 of ${total} sets`);
  return { show: draw, end: () => void (total > 0 && output.write("\n")) };
}

function lines(output: Output): ProgressDisplay {
  let shown = 0;
  const show = (progress: Shown): void => {
    const step = Math.floor((STEPS * progress.done) / progress.total);
    if (step === shown) return;
    shown = step;
    output.write(`sweep: ${textOf(progress)}\n`);
  };
  return { show, end: () => undefined };
}

function textOf({ done, failed, total, remainingMs }: Shown): string {
  const percent = Math.floor((100 * done) / total);
  const failures = failed === 0 ? "" : `, ${failed} failed`;
  const left = done === total ? "" : `, ${durationText(remainingMs)} left`;
  return `${done} of ${total} sets (${percent} %)${failures}${left}`;
}

function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const rest = `${minutes} min ${String(seconds % 60).padStart(2, "0")} s`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? rest : `${seconds} s`;
}

type Cells = Readonly<Record<string, SweepValue>>;

/**
 * Returns the rows of a sweep as flat objects for `console.table`, a CSV file or a data frame: parameters, seed,
 * statistics, figures of your own, and hash; for a failed set `failure` in place of the results. A parameter or a figure
 * with the name of another column has its kind in front, such as `parameter.profit`, and so has a figure with the name of
 * a parameter. Amounts and ratios are decimal strings, as in the statistics; `maxDrawdown` is the fraction.
 *
 * @example
 * ```ts
 * import { type SweepRow, sweepTable } from "managed-orders/simulator";
 * // Prints the five best sets.
 * export function printBest(rows: readonly SweepRow[]): void {
 *   const done = rows.filter(({ result }) => result !== undefined);
 *   const profit = ({ result }: SweepRow): number => Number(result?.statistics.profit);
 *   console.table(sweepTable(done.sort((a, b) => profit(b) - profit(a)).slice(0, 5)));
 * }
 * ```
 */
export function sweepTable(rows: readonly SweepRow[]): readonly Cells[] {
  return rows.map(({ parameters, seed, result, failure }) => ({
    ...named("parameter", parameters, (name) => TAKEN.has(name)),
    seed,
    ...(result !== undefined && resultCells(result, parameters)),
    ...(failure !== undefined && { failure: `${failure.name}: ${failure.message}` }),
  }));
}

function resultCells({ statistics, hash, figures = {} }: SweepResult, parameters: SweepParameters): Cells {
  const { maxDrawdown, trades, ...amounts } = statistics;
  const { closed, winRate, profitFactor } = trades;
  const cells: Partial<Record<(typeof COLUMNS)[number], SweepValue | undefined>> = {
    ...amounts,
    ...{ maxDrawdown: maxDrawdown.fraction, closedTrades: closed, winRate, profitFactor },
  };
  const isTaken = (name: string): boolean => TAKEN.has(name) || Object.hasOwn(parameters, name);
  const present = COLUMNS.flatMap((column) => {
    const cell = cells[column];
    return cell === undefined ? [] : [[column, cell] as const];
  });
  return { ...Object.fromEntries(present), ...named("figure", figures, isTaken), hash };
}

const COLUMNS = [
  ...["startEquity", "endEquity", "profit", "totalReturn", "annualReturn", "maxDrawdown"],
  ...["volatility", "sharpe", "sortino", "calmar", "commissions", "turnover"],
  ...["closedTrades", "winRate", "profitFactor"],
] as const;

const TAKEN: ReadonlySet<string> = new Set([...COLUMNS, "seed", "hash", "failure"]);

function named(kind: string, cells: SweepParameters, isTaken: (name: string) => boolean): Cells {
  return Object.fromEntries(
    Object.entries(cells).map(([name, cell]) => [isTaken(name) ? `${kind}.${name}` : name, cell]),
  );
}
