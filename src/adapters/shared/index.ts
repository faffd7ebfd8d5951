export { createLineTelemetry, TELEMETRY_LEVELS, toStandardError } from "./line-telemetry.ts";
export {
  matches,
  QueuedRejections,
  type RejectionBounds,
  type RejectionTable,
} from "./queued-rejections.ts";
export { createMemoryRateLimiter, type RateLimiterOptions, type StoredBan } from "./rate-limiter.ts";
export {
  type LimitTable,
  type StoredRateLimiter,
  type StoredRateLimiterOptions,
  StoredRateLimiters,
  type WrittenOrders,
} from "./stored-rate-limiter.ts";
export { Unproved } from "./unproved.ts";
