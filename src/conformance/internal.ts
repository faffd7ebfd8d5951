/** Exports of the folder to the tests of this package. They are not part of the package's interface. */
export { executionVenueRules } from "./execution-venue/index.ts";
export {
  mountRules,
  openConnection,
  type RawAnswer,
  type RawConnection,
  type RawRequest,
  rawBytes,
  sendRaw,
} from "./mount/index.ts";
export { lineOf, nativeOf, nativeOrdersRules, refusalOf } from "./native-orders/index.ts";
export {
  endedLegs,
  endedList,
  endedOrder,
  keepEnded,
  keepLists,
  openOrder,
  orderStoreRules,
  part,
  QUOTE,
  recordsOfOrders,
  sampleMark,
  samplePrint,
  sampleRecord,
  sampleRecords,
} from "./order-store/index.ts";
export { quoteSourceRules } from "./quote-source/index.ts";
export { rateLimiterRules } from "./rate-limiter/index.ts";
export { rejectionOf, rejectionsRules } from "./rejections/index.ts";
export { volumeHistoryRules } from "./volume-history/index.ts";
