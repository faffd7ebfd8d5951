import { createRandom } from "../../common/index.ts";
import type { SweepParameters } from "./sweep-row.ts";

const SEEDS = 2 ** 32;

/**
 * Returns the seed of a set. It depends on the seed of the sweep and on the parameters alone, so a set that is run again,
 * alone or in another sweep, gives the same result.
 */
export function seedOf(sweepSeed: number, parameters: SweepParameters): number {
  const members = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return createRandom(sweepSeed).of(JSON.stringify(members)).below(SEEDS);
}
