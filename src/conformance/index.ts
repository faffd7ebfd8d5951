/**
 * Suites for authors of adapters: every rule of a port as a test, for any test framework.
 *
 * @module managed-orders/conformance
 */

export { testExecutionVenue } from "./execution-venue/execution-venue.ts";
export type {
  ExecutionVenuePlace,
  ExecutionVenueSubject,
  ExecutionVenueSupport,
  Offer,
  OfferedLevel,
  OpenVenue,
  RefusalReason,
} from "./execution-venue/world.ts";
export { testMount } from "./mount/mount.ts";
export type { MountSubject, MountSupport, OpenMount } from "./mount/world.ts";
export { testNativeOrders } from "./native-orders/native-orders.ts";
export type {
  NativeMarket,
  NativeOrdersPlace,
  NativeOrdersSubject,
  NativeOrdersSupport,
  OpenNativeOrders,
} from "./native-orders/world.ts";
export { testQuoteSource } from "./quote-source/quote-source.ts";
export type {
  OpenQuoteSource,
  PublishedQuote,
  PublishedTrade,
  QuoteSourcePlace,
  QuoteSourceSubject,
  QuoteSourceSupport,
} from "./quote-source/world.ts";
export { testRateLimiter } from "./rate-limiter/rate-limiter.ts";
export type {
  RateLimiterPlace,
  RateLimiterSubject,
  RateLimiterSupport,
  RateLimiterTerms,
} from "./rate-limiter/world.ts";
export {
  type RejectionsHandle,
  type RejectionsPlace,
  type RejectionsSubject,
  type RejectionsSupport,
  testRejections,
} from "./rejections.ts";
export { testStorage } from "./storage/storage.ts";
export type { StoragePlace, StorageSubject, StorageSupport } from "./storage/world.ts";
export { ConformanceError, type TestFramework } from "./suite.ts";
export {
  type ExecutedTrade,
  testVolumeHistory,
  type VolumeHistoryPlace,
  type VolumeHistorySubject,
  type VolumeHistorySupport,
} from "./volume-history.ts";
