import type { ApiState, OrderStatus } from "../lifecycle/index.ts";
import type { ChildTimeInForce, ParentType, Side, StallCause, TimeInForce } from "../model/index.ts";
import {
  type Count,
  type Flag,
  flag,
  type Id,
  type MaybeCount,
  type MaybeFlag,
  type MaybeText,
  maybeFlag,
  maybeNumber,
  maybeText,
  number,
  type ReadOf,
  type Text,
  text,
  type WrittenOf,
  whole,
} from "./table.ts";

/** A managed order. Source: contract, Managed order (parent) response fields; decision 15. */
export const MANAGED_ORDER = {
  symbol: text as Text,
  instrumentId: maybeNumber as MaybeCount,
  account: number as Count,
  accountId: number as Count,
  /** Negative; newer ids are lower. */
  orderId: whole as Id,
  clientOrderId: text as Text,
  clOrdId: text as Text,
  /** Negative; -1 if the order is not part of a list. */
  orderListId: whole as Id,
  type: text as Text<ParentType>,
  /** 180 TWAP, 1000002 VWAP, 1000004 POV. */
  targetStrategy: maybeNumber as MaybeCount,
  side: text as Text<Side>,
  origQty: text as Text,
  executedQty: text as Text,
  /** Executed amount in USD: the sum of price · quantity over all fills. The spelling is that of the convention. */
  cummulativeQuoteQty: text as Text,
  /** Average price of all fills, at 8 decimals; 0 without a fill. */
  avgPrice: text as Text,
  price: maybeText as MaybeText,
  stopPrice: maybeText as MaybeText,
  /** Basis points. */
  trailingDelta: maybeNumber as MaybeCount,
  /** Trailing distance in percent. */
  price2: maybeText as MaybeText,
  trailingAmount: maybeText as MaybeText,
  limitOffset: maybeText as MaybeText,
  /**
   * The limit that results from trigger level and limitOffset. It moves until the trigger, which freezes it (decision
   * 19).
   */
  dynamicLimit: maybeText as MaybeText,
  /** The level that was met or, until then, the one at which a trailing order triggers. That moves with the market. */
  triggerLevel: maybeText as MaybeText,
  /** Time of the trigger; absent until then. */
  triggerTime: maybeNumber as MaybeCount,
  icebergQty: maybeText as MaybeText,
  /** Milliseconds of one slot of the schedule. */
  interval: maybeNumber as MaybeCount,
  /** Slots of the schedule, frozen at admission. */
  intervalCount: maybeNumber as MaybeCount,
  /** Milliseconds between acceptance and the first slot. */
  intervalDelay: maybeNumber as MaybeCount,
  /** Share of the executed volume in basis points. */
  participationBips: maybeNumber as MaybeCount,
  /** The weights that were sent, comma-separated, one for each slot. */
  volumeProfile: maybeText as MaybeText,
  /** The source of the executed volume that VWAP and POV follow. */
  volumeBenchmark: maybeText as MaybeText<"SERVICE_EXECUTED_VOLUME">,
  timeInForce: text as Text<TimeInForce>,
  childTimeInForce: text as Text<ChildTimeInForce>,
  expireTime: maybeNumber as MaybeCount,
  reduceOnly: flag as Flag,
  status: text as Text<OrderStatus>,
  apiState: text as Text<ApiState>,
  apiManaged: flag as Flag<true>,
  /** Whether the leg waits for its release. */
  held: flag as Flag,
  cancelPending: flag as Flag,
  /** Why nothing of it executes although it should; absent unless it is stalled. */
  stalled: maybeText as MaybeText<StallCause>,
  lastChildClientOrderId: maybeText as MaybeText,
  /** Time of acceptance. */
  transactTime: number as Count,
  updateTime: number as Count,
} as const;

/** What the reply of a cancel has besides the order: `clientOrderId` is then the id of the cancel, if it has one. */
export const CANCELED = {
  /** Client id of the order. */
  origClientOrderId: text as Text,
} as const;

/** A managed order after its cancel. */
export const CANCELED_MANAGED_ORDER: typeof MANAGED_ORDER & typeof CANCELED = {
  ...MANAGED_ORDER,
  ...CANCELED,
};

/** The result of canceling all managed orders. */
export const CANCEL_ALL = {
  matchedCount: number as Count,
  canceledCount: number as Count,
  cancelPendingCount: number as Count,
} as const;

const PAGE = {
  apiManaged: flag as Flag<true>,
  includesHistory: flag as Flag,
  newestFirst: maybeFlag as MaybeFlag<true>,
  /** Number of all matching orders. */
  total: number as Count,
  /** `afterOrderId` of the next page; 0 on the last page. */
  nextOrderId: whole as Id,
} as const;

/** A page of managed orders of all markets. */
export const MANAGED_ORDER_PAGE: typeof PAGE & { readonly orders: readonly [typeof MANAGED_ORDER] } = {
  ...PAGE,
  orders: [MANAGED_ORDER],
};

/**
 * A managed order as clients see it. Decimals are canonical strings, times are epoch milliseconds. A member that does
 * not apply is undefined and absent from the JSON. There is never a rejectReason, reason or errorMessage.
 * Source: contract, Managed order (parent) response fields; decision 15.
 */
export type ManagedOrder = WrittenOf<typeof MANAGED_ORDER>;

/**
 * A managed order. Decimals are strings, times are epoch milliseconds, ids are strings of digits. A member that does not
 * apply is absent. Source: contract, Managed order (parent) response fields.
 */
export interface ManagedOrderReply extends ReadOf<typeof MANAGED_ORDER> {}

/** A managed order after its cancel. `clientOrderId` is the id of the cancel, if it has one. */
export interface CanceledManagedOrderReply extends ManagedOrderReply, ReadOf<typeof CANCELED> {}

/** A page of managed orders of all markets. */
export interface OpenOrdersReply extends ReadOf<typeof PAGE> {
  readonly orders: readonly ManagedOrderReply[];
}

/** The result of canceling all managed orders. */
export interface CancelAllReply extends ReadOf<typeof CANCEL_ALL> {}
