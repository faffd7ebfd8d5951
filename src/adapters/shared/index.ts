export { LimitCounters, limiterOptions, type RateLimiterOptions, type StoredBan } from "./limit-counters.ts";
export type { LimitTable, WrittenOrders } from "./limit-table.ts";
export { createLineTelemetry, TELEMETRY_LEVELS, toStandardError } from "./line-telemetry.ts";
export { nextTurn } from "./next-turn.ts";
export {
  matches,
  QueuedRejections,
  type RejectionBounds,
  type RejectionTable,
} from "./queued-rejections.ts";
export {
  type StoredRateLimiter,
  type StoredRateLimiterOptions,
  StoredRateLimiters,
} from "./stored-rate-limiter.ts";
export { Unproved } from "./unproved.ts";
