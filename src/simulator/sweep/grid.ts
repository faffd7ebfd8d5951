import { listOption, type OptionCheck, recordOption, wrongOption } from "../../common/index.ts";
import type { SweepValue } from "./sweep-row.ts";

/** Most sets of a grid. */
const MOST_SETS = 1_000_000;

/** Checks one value of a parameter. */
export const valueOption: OptionCheck = (value, name) => {
  const fits = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  if (!fits) throw wrongOption(value, name, "a string, a finite number, true or false");
};

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
