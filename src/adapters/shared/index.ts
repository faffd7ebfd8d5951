export { chainsOf, type Departure } from "./chains.ts";
export { legsIn, legsText } from "./leg-ids.ts";
export { type KeptBan, LimitCounters, limiterOptions, type RateLimiterOptions } from "./limit-counters.ts";
export type { LimitTable, WrittenOrders } from "./limit-table.ts";
export { limited } from "./limited.ts";
export { createLineTelemetry, TELEMETRY_LEVELS, toStandardError } from "./line-telemetry.ts";
export { inTurns, nextTurn } from "./next-turn.ts";
export { pages } from "./pages.ts";
export {
  QueuedRejections,
  type RejectionBounds,
  type RejectionTable,
} from "./queued-rejections.ts";
export { textsOf } from "./record-texts.ts";
export { type RejectionRow, rejectionIn, rejectionRow } from "./rejection-row.ts";
export { sortedReleases, sortedShards } from "./sorted-shards.ts";
export {
  type StoredRateLimiter,
  type StoredRateLimiterOptions,
  StoredRateLimiters,
} from "./stored-rate-limiter.ts";
export { Unproved } from "./unproved.ts";
