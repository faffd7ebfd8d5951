import { type Cuts, runWorld } from "../../src/simulator/world/index.ts";
import { givenOf } from "./campaign.ts";
import seeds from "./seeds.json" with { type: "json" };

/** A seed that once failed: the cause and the fix. */
export type KeptSeed = Readonly<{
  seed: number;
  steps: number;
  cuts: Cuts;
  invariant: string;
  cause: string;
  fix: string;
}>;

/** The seeds of `seeds.json`. */
export const KEPT = seeds as readonly KeptSeed[];

/** Runs a kept seed and returns what it breaks, if it does. */
export async function brokenBy({ seed, steps, cuts }: KeptSeed): Promise<string | undefined> {
  const { broken } = await runWorld({ seed, steps, cuts, ...givenOf(seed) });
  return broken?.message;
}
