import type { Reconciler } from "../children/reconciler.ts";
import type { VenueQueue } from "../children/venue-queue.ts";
import type { Metrics } from "../core/api.ts";
import type { Counters } from "../core/core.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shards } from "../shards/shards.ts";

/** What is counted in the parts of an engine. */
export type Counted = Readonly<{
  counters: Counters;
  market: MarketHub;
  shards: Shards;
  /** Commands that wait for the store, or for a copy of them that does. */
  pendingCommands: number;
  queue: VenueQueue;
  reconciler: Reconciler;
}>;

/** Counters and queue lengths of an engine as they are now. */
export function metricsOf({
  counters,
  market,
  shards,
  pendingCommands,
  queue,
  reconciler,
}: Counted): Metrics {
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
    pendingCommands,
    venueQueue: queue.size,
    ...reconciler.followed,
  };
}
