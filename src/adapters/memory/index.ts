/**
 * The parts of a host in memory, for strategy tests and trials: a clock that moves only when the test advances it, a
 * store, instruments, accounts, positions, and rate limits.
 *
 * @module managed-orders/memory
 */

export { createMemoryRateLimiter, type RateLimiterOptions } from "../shared/index.ts";
export { type AccountEntry, createMemoryAccounts, type MemoryAccounts } from "./accounts.ts";
export { createMemoryExposure, type MemoryExposure, type Position } from "./exposure.ts";
export { createMemoryInstruments } from "./instruments.ts";
export { createManualClock, type ManualClock, type Settle } from "./manual-clock.ts";
export { createMarketFeed, type MarketFeed } from "./market-feed.ts";
export { createMemoryHost, type MemoryHost, type MemoryHostOptions } from "./memory-host.ts";
export {
  createMemoryDisk,
  createMemoryStorage,
  createMemoryStore,
  type MemoryDisk,
  type MemoryStorageOptions,
  type MemoryStoreOptions,
} from "./storage.ts";
