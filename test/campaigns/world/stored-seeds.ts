import { type Cuts, runWorld } from "../../world/index.ts";
import { type Kind, runOf } from "./campaign.ts";
import seeds from "./seeds.json" with { type: "json" };

/** A seed that once failed: the cause and the fix. Without a kind it is a world. */
export type StoredSeed = Readonly<{
  seed: number;
  kind?: Kind;
  steps: number;
  cuts: Cuts;
  invariant: string;
  cause: string;
  fix: string;
}>;

/** The seeds of `seeds.json`. */
export const RETAINED = seeds as readonly StoredSeed[];

/** Runs a kept seed and returns what it breaks, if it does. */
export async function brokenBy({
  kind = "world",
  seed,
  steps,
  cuts,
}: StoredSeed): Promise<string | undefined> {
  const { broken } = await runWorld(runOf(kind, seed, steps, cuts));
  return broken?.message;
}
