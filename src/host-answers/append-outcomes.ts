import type { AppendOutcome } from "../ports/index.ts";
import { demand, itemsOf, wordOf } from "./reading.ts";

/**
 * What a store says became of what so many shards added. Throws an UnreadableAnswer on anything else: then it is not known
 * what is durable, and the store is read.
 */
export function readOutcomes(said: unknown, shards: number): readonly AppendOutcome[] {
  const outcomes = itemsOf(said, "the list of outcomes", shards);
  demand(outcomes.length === shards, "an outcome is missing");
  return outcomes.map((one) => wordOf<AppendOutcome>(one, "an outcome", ["durable", "fenced"]));
}
