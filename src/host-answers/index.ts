export { checkedAccountEvents } from "./account-events.ts";
export { checkedAccounts, readAccountId } from "./accounts.ts";
export { readOutcomes } from "./append-outcomes.ts";
export { checkedBalances } from "./balances.ts";
export { childIdIn, type ParsedReport, readReport, reportIn } from "./child-report.ts";
export { checkedClock } from "./clock.ts";
export { readEndedNames } from "./ended-names.ts";
export { checkedExposure, quantityOf } from "./exposure.ts";
export { capabilitiesOf, checkedEntropy, harmless, QuietTelemetry } from "./guards.ts";
export { checkedInstruments } from "./instruments.ts";
export { checkedForOperator, checkedLeases } from "./leases.ts";
export { readPrintInput, readQuoteInput, readQuoteSymbol } from "./market.ts";
export { checkedNativeOrders } from "./native-orders.ts";
export { readNotFound, readVenueTime } from "./not-found.ts";
export { Questions } from "./questions.ts";
export { checkedRateLimiter } from "./rate-limiter.ts";
export {
  flagOf,
  itemsOf,
  membersOf,
  printableOf,
  problemOf,
  requireThat,
  textOf,
  UnreadableAnswer,
  wordOf,
} from "./reading.ts";
export { checkedRejections } from "./rejections.ts";
export { type ParsedSettlement, readResumption, readSettlement } from "./settlement.ts";
export { checkedVolumes } from "./volumes.ts";
export {
  EXECUTION_REASONS,
  EXECUTION_TYPES,
  NATIVE_STATUSES,
  REJECT_REASONS,
  SIDES,
  UPDATE_REASONS,
  words,
} from "./words.ts";
