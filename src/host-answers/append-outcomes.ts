import type { AppendOutcome } from "../ports/index.ts";
import { itemsOf, requireThat, wordOf } from "./reading.ts";

/**
 * Reads a store's outcomes of an append of `shards` shards. Throws an UnreadableAnswer for anything else: it is then
 * unknown what is durable, and the store is read.
 */
export function readOutcomes(answer: unknown, shards: number): readonly AppendOutcome[] {
  const outcomes = itemsOf(answer, "the list of outcomes", shards);
  requireThat(outcomes.length === shards, "the list of outcomes is too short");
  return outcomes.map((one) => wordOf<AppendOutcome>(one, "an outcome", ["durable", "fenced"]));
}
