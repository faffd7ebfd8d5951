export {
  checkedAccountEvents,
  checkedAccounts,
  checkedBalances,
  checkedExposure,
  quantityOf,
  readAccountId,
} from "./accounts.ts";
export { checkedClock, checkedEntropy } from "./clock.ts";
export {
  checkedInstruments,
  checkedVolumes,
  readPrintInput,
  readQuoteInput,
  readQuoteSymbol,
} from "./market.ts";
export { checkedNativeOrders, checkedRejections } from "./native-orders.ts";
export { harmless, Questions, QuietTelemetry } from "./questions.ts";
export { checkedRateLimiter } from "./rate-limiter.ts";
export {
  EXECUTION_REASONS,
  EXECUTION_TYPES,
  flagOf,
  itemsOf,
  membersOf,
  NATIVE_STATUSES,
  printableOf,
  problemOf,
  REJECT_REASONS,
  requireThat,
  SIDES,
  textOf,
  UnreadableAnswer,
  UPDATE_REASONS,
  wordOf,
  words,
} from "./reading.ts";
export { checkedForOperator, checkedLeases, readEndedNames, readOutcomes } from "./store.ts";
export {
  capabilitiesOf,
  childIdIn,
  type ParsedReport,
  type ParsedSettlement,
  readNotFound,
  readReport,
  readResumption,
  readSettlement,
  readVenueTime,
  reportIn,
} from "./venue.ts";
