import type { Metrics } from "./api.ts";
import type { Counters } from "./core.ts";
import type { MarketHub } from "./market-hub.ts";
import type { Placements } from "./placement.ts";
import type { Reconciler } from "./reconciler.ts";
import type { Shards } from "./shards.ts";
import type { VenueQueue } from "./venue-queue.ts";

/** What is counted in the parts of an engine. */
export type Counted = Readonly<{
  counters: Counters;
  market: MarketHub;
  shards: Shards;
  placements: Placements;
  queue: VenueQueue;
  reconciler: Reconciler;
}>;

/** Counters and queue lengths of an engine as they are now. */
export function metricsOf({ counters, market, shards, placements, queue, reconciler }: Counted): Metrics {
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
    openParents: shards.openParents,
    journalSequence: shards.all.reduce((sum, shard) => sum + shard.durableSequence, 0),
    pendingCommands: placements.pending,
    venueQueue: queue.size,
    ...reconciler.followed,
  };
}
