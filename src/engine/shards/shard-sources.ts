import type { ShardReads } from "../core/stored.ts";

/** Source of the latest time at which a child intended now may be handed over, in the venue's time. */
export type DeadlineSource = Readonly<{ notAfterMs: () => number }>;

/** Where shards get the deadlines of their children from, and what they read from the store. All shards share both. */
export type ShardSources = Readonly<{ deadlines: DeadlineSource; reads: ShardReads }>;
