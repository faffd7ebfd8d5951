/**
 * Suites for authors of adapters: every rule of a port as a test, for any test framework.
 *
 * @module managed-orders/conformance
 */
export {
  type ExecutionVenuePlace,
  type ExecutionVenueSubject,
  type ExecutionVenueSupport,
  type Offer,
  type OfferedLevel,
  type OpenVenue,
  type RefusalReason,
  testExecutionVenue,
} from "./execution-venue/index.ts";
export { type MountSubject, type MountSupport, type OpenMount, testMount } from "./mount/index.ts";
export {
  type NativeMarket,
  type NativeOrdersPlace,
  type NativeOrdersSubject,
  type NativeOrdersSupport,
  type OpenNativeOrders,
  testNativeOrders,
} from "./native-orders/index.ts";
export {
  type OrderStorePlace,
  type OrderStoreSubject,
  type OrderStoreSupport,
  testOrderStore,
} from "./order-store/index.ts";
export {
  type OpenQuoteSource,
  type PublishedQuote,
  type PublishedTrade,
  type QuoteSourcePlace,
  type QuoteSourceSubject,
  type QuoteSourceSupport,
  testQuoteSource,
} from "./quote-source/index.ts";
export {
  type RateLimiterPlace,
  type RateLimiterSubject,
  type RateLimiterSupport,
  type RateLimiterTerms,
  testRateLimiter,
} from "./rate-limiter/index.ts";
export {
  type RejectionsHandle,
  type RejectionsPlace,
  type RejectionsSubject,
  type RejectionsSupport,
  testRejections,
} from "./rejections/index.ts";
export { type StoragePlace, type StorageSubject, type StorageSupport, testStorage } from "./storage/index.ts";
export { ConformanceError, type TestFramework } from "./suite/index.ts";
export {
  type ExecutedTrade,
  testVolumeHistory,
  type VolumeHistoryPlace,
  type VolumeHistorySubject,
  type VolumeHistorySupport,
} from "./volume-history/index.ts";
