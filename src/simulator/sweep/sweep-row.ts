import type { SimulationResult } from "../result/index.ts";

/** A value of a parameter: decimal amounts are strings. */
export type SweepValue = string | number | boolean;

/** One set of parameters, by name. */
export type SweepParameters = Readonly<Record<string, SweepValue>>;

/** What the function `run` of a swept module receives beside its parameters. */
export interface SweepContext {
  /** A seed of this set, for `venue.seed` and for randomness of the strategy. Equal sets have equal seeds. */
  readonly seed: number;
  /** Place of the set in the list of sets, from 0. */
  readonly index: number;
}

/** What the function `run` of a swept module returns: the result of `simulate`, or at least these members of it. */
export interface SweepOutcome extends Pick<SimulationResult, "statistics" | "hash" | "counts"> {
  /** Figures of your own, by name: texts, numbers, true or false. They become columns of the table. */
  readonly figures?: Readonly<Record<string, SweepValue>>;
}

/** The part of a result that a sweep keeps. Orders, fills, journal and equity stay in the worker, which forgets them. */
export type SweepResult = Pick<SweepOutcome, "statistics" | "hash" | "counts" | "figures">;

/** Why a set has no result. */
export interface SweepFailure {
  /** `thrown`: `run` threw or returned no result; `timeout`: it took too long; `worker`: its worker ended. */
  readonly kind: "thrown" | "timeout" | "worker";
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

/** Outcome of one set: a result or a failure. */
export interface SweepRow<Parameters extends SweepParameters = SweepParameters> {
  /** Place of the set in the list of sets, from 0. */
  readonly index: number;
  readonly parameters: Parameters;
  /** The seed that `run` received. */
  readonly seed: number;
  readonly result?: SweepResult;
  readonly failure?: SweepFailure;
}

/** How far a sweep is. */
export interface SweepProgress<Parameters extends SweepParameters = SweepParameters> {
  /** The set that has just ended. Sets end in any order. */
  readonly row: SweepRow<Parameters>;
  /** Number of sets that have ended, failed ones included. */
  readonly done: number;
  readonly failed: number;
  readonly total: number;
  /** Time since the start of the sweep, in milliseconds. */
  readonly elapsedMs: number;
  /** Estimated time to its end at the same pace, in milliseconds. */
  readonly remainingMs: number;
}

/** Options of a sweep. */
export interface SweepOptions<Parameters extends SweepParameters = SweepParameters> {
  /**
   * URL of a module that exports a function `run(parameters, { seed, index })`. It is called once for each set, in a
   * worker thread, and returns or resolves to the result of `simulate`. It must not keep anything from one call to the
   * next. Pass a `URL` such as `new URL("./strategy.js", import.meta.url)`, the text of a URL, or an absolute path.
   */
  readonly module: string | Readonly<{ href: string }>;
  /** The sets. {@link parameterGrid} makes all combinations of some values. */
  readonly parameters: readonly Parameters[];
  /** Number of worker threads. Default: that of the processors; never more than sets. */
  readonly workers?: number;
  /** Seed of the sweep, from which each set gets its own. Default: 1. */
  readonly seed?: number;
  /** Longest time for one set, in milliseconds; then its worker is ended and the set has failed. Default: 10 minutes. */
  readonly timeoutMs?: number;
  /** Ends all workers when it is aborted. The sweep rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Shows the progress on standard error: a bar on a terminal, otherwise a line for each tenth. Default: true. */
  readonly progress?: boolean;
  /**
   * Called after each set, in the order in which they end. An error that it throws ends the sweep, and so does a promise
   * that it returns and that rejects; the worker of the set waits for it.
   */
  readonly onProgress?: (progress: SweepProgress<Parameters>) => void;
  /** Arguments of Node.js for the workers, such as `["--import", "tsx"]`. Default: those of this process. */
  readonly execArgv?: readonly string[];
}
