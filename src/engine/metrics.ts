import type { Metrics } from "./api.ts";
import type { ChildOrderManager } from "./child-order-manager.ts";
import type { Counters } from "./core.ts";
import type { MarketHub } from "./market-hub.ts";
import type { Placements } from "./placement.ts";
import type { Shard } from "./shard.ts";

/** What is counted in the parts of an engine. */
export type Counted = Readonly<{
  counters: Counters;
  market: MarketHub;
  shards: readonly Shard[];
  placements: Placements;
  desk: ChildOrderManager;
}>;

/** Counters and queue lengths of an engine as they are now. */
export function metricsOf({ counters, market, shards, placements, desk }: Counted): Metrics {
  const { triggers, children, appends, records, alerts } = counters;
  return {
    quotesCounted: market.counted,
    quotesDropped: { ...market.dropped },
    printsCounted: market.printsCounted,
    printsDropped: market.printsDropped,
    triggers,
    children,
    appends,
    records,
    alerts,
    openParents: shards.reduce((sum, { memory }) => sum + memory.openParents, 0),
    journalSequence: shards.reduce((sum, shard) => sum + shard.durableSequence, 0),
    pendingCommands: placements.pending,
    venueQueue: desk.dispatcher.queued,
    inFlight: desk.reconciler.inFlight,
    unknown: desk.reconciler.unknown,
  };
}
