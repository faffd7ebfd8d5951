import { availableParallelism } from "node:os";
import { addressOf, checkSweep } from "./options.ts";
import { createProgressDisplay, type ProgressDisplay } from "./progress-display.ts";
import { seedOf } from "./seeds.ts";
import type { SweepFailure, SweepOptions, SweepParameters, SweepRow } from "./sweep-row.ts";
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
  checkSweep(options);
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
