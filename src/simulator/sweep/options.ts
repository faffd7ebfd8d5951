import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createRandom,
  flagOption,
  functionOption,
  listOption,
  nameOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  recordOption,
  wholeOption,
  wrongOption,
} from "../../common/index.ts";
import type { SimulationResult } from "../result.ts";

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

/** The longest time that a timer of Node.js can wait. */
const LONGEST_MS = 2 ** 31 - 1;
const MOST_WORKERS = 256;

const moduleOption: OptionCheck = (value, name) => {
  if (value instanceof URL || (typeof value === "string" && addressOf(value) !== undefined)) return;
  const wanted = 'a URL, such as new URL("./strategy.js", import.meta.url), or an absolute path';
  throw wrongOption(value, name, wanted, typeof value === "string");
};

const signalOption: OptionCheck = (value, name) => {
  if (!(value instanceof AbortSignal)) throw wrongOption(value, name, "an AbortSignal");
};

/** Checks one value of a parameter. */
const valueOption: OptionCheck = (value, name) => {
  const fits = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  if (!fits) throw wrongOption(value, name, "a string, a finite number, true or false");
};

const setOption: OptionCheck = recordOption("an object with values by parameter", valueOption);

/** Checks the options of a sweep. */
export const sweepOption: OptionCheck = optionsOf<SweepOptions>({
  module: moduleOption,
  parameters: listOption("a list of sets of parameters, such as parameterGrid({ ... })", setOption),
  workers: optionalOption(wholeOption({ from: 1, to: MOST_WORKERS })),
  seed: optionalOption(wholeOption({ from: 0 })),
  timeoutMs: optionalOption(wholeOption({ from: 1, to: LONGEST_MS }, " of milliseconds")),
  signal: optionalOption(signalOption),
  progress: optionalOption(flagOption),
  onProgress: optionalOption(functionOption("receives the progress after each set")),
  execArgv: optionalOption(listOption("a list of arguments of Node.js", nameOption)),
});

/** Returns the URL that a module option means; undefined for a text that is neither a URL nor an absolute path. */
export function addressOf(module: SweepOptions["module"]): string | undefined {
  if (typeof module !== "string") return module.href;
  if (isAbsolute(module)) return pathToFileURL(module).href;
  return URL.canParse(module) ? module : undefined;
}

/** Most sets of a grid. */
const MOST_SETS = 1_000_000;

const gridOption: OptionCheck = recordOption(
  "an object with a list of values by parameter",
  listOption("a list of values", valueOption),
);

/** All combinations of the values of a grid. */
export type GridSet<Grid extends Readonly<Record<string, readonly SweepValue[]>>> = {
  readonly [Name in keyof Grid]: Grid[Name][number];
};

/**
 * Returns all combinations of the values of some parameters. The last parameter varies fastest. Throws a TypeError that
 * names a wrong value, and a RangeError for more than a million combinations.
 *
 * @example
 * ```ts
 * import { parameterGrid } from "managed-orders/simulator";
 * const sets = parameterGrid({ trailingBps: [50, 100], quantity: ["0.1", "0.2"] });
 * console.log(sets.length, sets[1]); // 4 { trailingBps: 50, quantity: '0.2' }
 * ```
 */
export function parameterGrid<const Grid extends Readonly<Record<string, readonly SweepValue[]>>>(
  grid: Grid,
): readonly GridSet<Grid>[] {
  gridOption(grid, "parameterGrid");
  const names = Object.keys(grid);
  const count = names.reduce((product, name) => product * (grid[name]?.length ?? 0), 1);
  if (count > MOST_SETS)
    throw new RangeError(`parameterGrid has ${count} combinations, at most ${MOST_SETS} are allowed`);
  if (count === 0) return []; // the other parameters may have more combinations than the memory holds
  const sets = names.reduce<readonly Readonly<Record<string, SweepValue>>[]>(
    (begun, name) => begun.flatMap((set) => (grid[name] ?? []).map((value) => ({ ...set, [name]: value }))),
    [{}],
  );
  return sets as readonly GridSet<Grid>[];
}

const SEEDS = 2 ** 32;

/**
 * Returns the seed of a set. It depends on the seed of the sweep and on the parameters alone, so a set that is run again,
 * alone or in another sweep, gives the same result.
 */
export function seedOf(sweepSeed: number, parameters: SweepParameters): number {
  const members = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return createRandom(sweepSeed).of(JSON.stringify(members)).below(SEEDS);
}
