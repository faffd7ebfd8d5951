export { type AccountEntry, createMemoryAccounts, type MemoryAccounts } from "./accounts.ts";
export { createMemoryDisk, type MemoryDisk } from "./disk.ts";
export { createMemoryExposure, type MemoryExposure, type Position } from "./exposure.ts";
export { createMemoryInstruments } from "./instruments.ts";
export { createMemoryKeyValueStore } from "./key-value-store.ts";
export { createManualClock, type ManualClock, type Settle } from "./manual-clock.ts";
export { createMarketFeed, type MarketFeed } from "./market-feed.ts";
export { createMemoryStore } from "./order-store.ts";
export { createMemoryRateLimiter, type RateLimiterOptions } from "./rate-limiter.ts";
