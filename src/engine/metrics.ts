import type { Metrics } from "./core/api.ts";
import type { EngineParts } from "./parts.ts";

/** Returns the current counters and queue lengths of an engine. */
export function metricsOf(parts: EngineParts): Metrics {
  const { core, market, shards, venueQueue, stalls, reconciler, board, placements } = parts;
  const { triggers, children, appends, records, alerts } = core.counters;
  return {
    quotesCounted: market.counted,
    quotesDropped: { ...market.dropped },
    printsCounted: market.printsCounted,
    printsDropped: market.printsDropped,
    printsRounded: market.printsRounded,
    triggers,
    children,
    appends,
    records,
    alerts,
    openParents: shards.openParents,
    journalSequence: shards.owned.reduce((sum, shard) => sum + shard.durableSequence, 0),
    pendingCommands: placements.pending,
    venueQueue: venueQueue.size,
    stalled: stalls.counts,
    ...reconciler.followed,
    conditions: board.conditions,
  };
}
