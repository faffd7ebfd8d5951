/** Exports of the folder to other folders of this package. They are not part of the package's interface. */

export type { Dispatcher } from "./children/dispatcher.ts";
export type { Rearming } from "./children/rearming.ts";
export type { Placements } from "./commands/placement.ts";
export { APPEND_PATIENCE, type Committer } from "./commit/committer.ts";
export { checkedOptions, ENGINE_CHECKS } from "./core/checked-options.ts";
export { type Core, coreOf } from "./core/core.ts";
export type { EventStream } from "./core/event-stream.ts";
export type { PrintUpdate } from "./core/events.ts";
export { Fifo } from "./core/fifo.ts";
export { readEndedOrder, type ShardReads, timely, type WholeReads } from "./core/stored.ts";
export { COSTS } from "./core/turns.ts";
export { runEngine } from "./engine.ts";
export { ListedInstruments } from "./market/market.ts";
export type { MarketHub } from "./market/market-hub.ts";
export { QuoteGate, QuoteMemory } from "./market/quote-gate.ts";
export { marketIn } from "./opening.ts";
export { type EngineParts, engineParts } from "./parts.ts";
export { verify } from "./reads/verification.ts";
export { RunningEngine } from "./running-engine.ts";
export type { Shard } from "./shards/shard.ts";
export { type Followed, ShardFollower } from "./shards/shard-state.ts";
export type { Shards } from "./shards/shards.ts";
export type { StatusBoard } from "./status/status-board.ts";
export type { Bursts } from "./time/bursts.ts";
export type { Timers } from "./time/timers.ts";
