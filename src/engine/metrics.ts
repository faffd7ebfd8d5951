import type { Metrics } from "./core/api.ts";
import type { EngineParts } from "./parts.ts";

/** Returns the current counters and queue lengths of an engine. */
export function metricsOf(parts: EngineParts): Metrics {
  const { core, market, shards, venueQueue, stalls, reconciler, board, placements } = parts;
  // The others number what the engine itself does.
  const { shards: _, decisions, deciding, acceptances, activity, ...counted } = core.counters;
  return {
    ...market.counts,
    ...counted,
    openParents: shards.openParents,
    journalSequence: shards.owned.reduce((sum, shard) => sum + shard.durableSequence, 0),
    pendingCommands: placements.pending,
    venueQueue: venueQueue.size,
    stalled: stalls.counts,
    ...reconciler.followed,
    conditions: board.conditions,
  };
}
