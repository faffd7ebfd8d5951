export type { Account, ApiKey, Delegate, Permission } from "./account.ts";
export type { CancelRestriction } from "./cancel-restriction.ts";
export type {
  ChildOrder,
  ChildOutcome,
  ChildReport,
  ChildRequest,
  ChildState,
  ChildTimeInForce,
  Fill,
  RefusalMark,
} from "./child-order.ts";
export { ExecutionIds } from "./execution-ids.ts";
export {
  INSTRUMENT_KINDS,
  INSTRUMENT_STATUSES,
  type Instrument,
  type InstrumentKind,
  type InstrumentStatus,
} from "./instrument.ts";
export {
  type AlertKind,
  type Cause,
  type Fact,
  type JournalRecord,
  MARKET_SHARD,
  type ParentChange,
  SHARD_COUNT,
  shardOfId,
} from "./journal-record.ts";
export type { Contingency, LegRole, ListMembership } from "./list-membership.ts";
export type {
  ExecutionReason,
  NativeExecution,
  NativeFill,
  NativeLimitTerms,
  NativeMarketTerms,
  NativeOrder,
  NativeStatus,
  NativeTerms,
  NativeTimeInForce,
  RejectReason,
} from "./native-order.ts";
export type { EndedList, LegIntent, ListIntent, OrderList } from "./order-list.ts";
export {
  type LimitKind,
  mayTrailAsLeg,
  type Need,
  ORDER_TYPES,
  type OrderTypeAlias,
  type OrderTypeTraits,
  type ParentType,
  partsOf,
  type ScheduledType,
  type ScheduleKind,
  TRAITS,
  type TriggeredType,
  type TriggerKind,
  TYPED_PARTS,
  type TypedPart,
} from "./order-types.ts";
export { type ChildCopy, childCopyOf, copyOf, type ParentCopy } from "./parent-copy.ts";
export {
  type Activation,
  type EarlyClose,
  type EndReason,
  MOST_CLOSE_WAIT_MS,
  type ParentEnd,
  type ParentIntent,
  type ParentOrder,
  type PendingEnd,
  type SchedulePlan,
  type ScheduleTerms,
  type Stall,
  type StallCause,
  type TerminalStatus,
  type TimeInForce,
  type TrailingDistance,
  type Trigger,
} from "./parent-order.ts";
export { packedIntent, packedPlan, weightBytesOf } from "./plan-weights.ts";
export {
  BAR_LENGTHS_MS,
  BAR_PRINT_AGE_MS,
  BARS_RETAINED,
  type BarFigures,
  type BarLengthMs,
  barStartMs,
  barsOf,
  countsForBars,
  figuresOf,
  figuresOfBars,
  joinFigures,
  type PriceBar,
  type PricedPrint,
} from "./price-bars.ts";
export {
  type KeptQuote,
  type Level,
  type MarketMark,
  type MarketSide,
  type Quote,
  type QuoteStamp,
  stampOf,
} from "./quote.ts";
export type { Rejection } from "./rejection.ts";
export type { Side } from "./side.ts";
export type { CountedPrint, VolumeBar } from "./volume.ts";
