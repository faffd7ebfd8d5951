/**
 * The interfaces that a host implements and the values that they take and return; and the codec of the journal, for a
 * host that keeps the journal in a store of its own.
 *
 * @module managed-orders/ports
 */

export type {
  Account,
  AlertKind,
  ApiKey,
  BarFigures,
  BarLengthMs,
  CancelRestriction,
  ChildOutcome,
  ChildReport,
  ChildState,
  ChildTimeInForce,
  CountedPrint,
  Delegate,
  EndedList,
  ExecutionReason,
  InstrumentKind,
  InstrumentStatus,
  KeptQuote,
  Level,
  MarketMark,
  NativeExecution,
  NativeFill,
  NativeLimitTerms,
  NativeMarketTerms,
  NativeStatus,
  NativeTerms,
  NativeTimeInForce,
  Permission,
  PriceBar,
  PricedPrint,
  RefusalMark,
  Rejection,
  RejectReason,
  VolumeBar,
} from "../model/index.ts";
export { barsOf, joinFigures } from "../model/index.ts";
export { decodeParent, decodeRecord, encodeParent, encodeRecord } from "../wire/index.ts";
export type {
  AccountEvent,
  AccountEvents,
  AccountUpdate,
  AccountUpdateEvent,
  AccountUpdateReason,
  BalanceNow,
  MarginCall,
  MarginCallEvent,
  PositionAtRisk,
  PositionNow,
  ToldFill,
} from "./account-events.ts";
export type { AssetBalance, Balances } from "./balances.ts";
export type {
  ExecutionVenue,
  NotFound,
  SubmitOptions,
  VenueCapabilities,
  VenueEvent,
} from "./execution-venue.ts";
export type {
  Accounts,
  Awaitable,
  Clock,
  Entropy,
  Exposure,
  Instruments,
  KeyValueStore,
  PositionAsOf,
  PositionChange,
  Telemetry,
} from "./host.ts";
export type {
  ClusterView,
  NodeBeat,
  NodeEntry,
  NodeRow,
  NodeState,
  NodeWish,
  PlacedPrint,
  PrintPlace,
  PrintRange,
  Renewal,
  ShardAssignment,
  ShardLeases,
  ShardOwner,
  ShardRelease,
  ShardSet,
  TailRange,
  WatchedBeat,
} from "./leases.ts";
export type {
  LevelInput,
  MarketData,
  MarketSink,
  OwnFillsInPrints,
  PrintInput,
  QuoteDrop,
  QuoteInput,
  QuoteVerdict,
} from "./market-data.ts";
export type {
  ExecutionQuery,
  NativeKey,
  NativeOrders,
  NativePage,
  NativePlaced,
  NativePlacement,
  NativeRequest,
  OpenNativeQuery,
} from "./native-orders.ts";
export type {
  AppendBatch,
  AppendOutcome,
  EndedCount,
  EndedKey,
  EndedListKey,
  EndedListPage,
  EndedName,
  EndedNamePage,
  EndedPage,
  OrderStore,
  ShardAppend,
  ShardSnapshot,
  VolumeCutoff,
  VolumeState,
} from "./order-store.ts";
export type {
  ConnectionVerdict,
  OrderCounts,
  OrderRefusal,
  OrderVerdict,
  RateLimiter,
  RateLimits,
  WeightRefusal,
  WeightVerdict,
} from "./rate-limiter.ts";
export type { RejectionCounts, RejectionQuery, Rejections } from "./rejections.ts";
export type { ShardHead } from "./shard-head.ts";
export type { CommitPart, Condition, Entry, KeyRange, Storage, StorageTime } from "./storage.ts";
export type { VolumeHistory } from "./volume-history.ts";
