import type { Reconciler } from "../children/reconciler.ts";
import type { VenueQueue } from "../children/venue-queue.ts";
import type { Metrics } from "../core/api.ts";
import type { Core } from "../core/core.ts";
import type { StallWatch } from "../eligibility/stall-watch.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shards } from "../shards/shards.ts";
import type { StatusBoard } from "./status-board.ts";

/** Parts of the engine that have counters. */
type MetricsParts = Readonly<{
  core: Core;
  market: MarketHub;
  shards: Shards;
  venueQueue: VenueQueue;
  stalls: StallWatch;
  reconciler: Reconciler;
  board: StatusBoard;
}>;

/**
 * Returns the current counters and queue lengths of an engine. `pendingCommands` are those that wait for the store,
 * or for a copy of themselves that does.
 */
export function metricsOf(parts: MetricsParts, pendingCommands: number): Metrics {
  const { core, market, shards, venueQueue, stalls, reconciler, board } = parts;
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
    pendingCommands,
    venueQueue: venueQueue.size,
    stalled: stalls.counts,
    ...reconciler.followed,
    conditions: board.conditions,
  };
}
