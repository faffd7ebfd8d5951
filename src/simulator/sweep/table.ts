import type { SweepParameters, SweepResult, SweepRow, SweepValue } from "./sweep-row.ts";

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
