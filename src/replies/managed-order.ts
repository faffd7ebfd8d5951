import type { ReadOf, WrittenOf } from "./table.ts";

/** A managed order. Source: contract, Managed order (parent) response fields; decision 15. */
export const MANAGED_ORDER = {
  symbol: "text",
  instrumentId: "long?",
  account: "long",
  accountId: "long",
  /** Negative; newer ids are lower. */
  orderId: "id",
  clientOrderId: "text",
  clOrdId: "text",
  /** Negative; -1 if the order is not part of a list. */
  orderListId: "id",
  type: "ParentType",
  /** 180 TWAP, 1000002 VWAP, 1000004 POV. */
  targetStrategy: "integer?",
  side: "Side",
  origQty: "quantity",
  executedQty: "quantity",
  /** Executed amount in USD: the sum of price · quantity over all fills. The spelling is that of the convention. */
  cummulativeQuoteQty: "decimal",
  /** Average price of all fills, at 8 decimals; 0 without a fill. */
  avgPrice: "price",
  price: "price?",
  stopPrice: "price?",
  /** Basis points. */
  trailingDelta: "integer?",
  /** Trailing distance in percent. */
  price2: "decimal?",
  trailingAmount: "price?",
  limitOffset: "price?",
  /**
   * The limit that results from trigger level and limitOffset. It moves until the trigger, which freezes it (decision
   * 19).
   */
  dynamicLimit: "price?",
  /** The level that was met or, until then, the one at which a trailing order triggers. That moves with the market. */
  triggerLevel: "price?",
  /** Time of the trigger; absent until then. */
  triggerTime: "time?",
  icebergQty: "quantity?",
  /** Milliseconds of one slot of the schedule. */
  interval: "integer?",
  /** Slots of the schedule, frozen at admission. */
  intervalCount: "integer?",
  /** Milliseconds between acceptance and the first slot. */
  intervalDelay: "integer?",
  /** Share of the executed volume in basis points. */
  participationBips: "integer?",
  /** The weights that were sent, comma-separated, one for each slot. */
  volumeProfile: "text?",
  /** The source of the executed volume that VWAP and POV follow. */
  volumeBenchmark: "=SERVICE_EXECUTED_VOLUME?",
  timeInForce: "TimeInForce",
  childTimeInForce: "ChildTimeInForce",
  expireTime: "time?",
  reduceOnly: "flag",
  status: "OrderStatus",
  apiState: "ApiState",
  apiManaged: "yes",
  /** Whether the leg waits for its release. */
  held: "flag",
  cancelPending: "flag",
  /** Why nothing of it executes although it should; absent unless it is stalled. */
  stalled: "StallCause?",
  lastChildClientOrderId: "text?",
  /** Time of acceptance. */
  transactTime: "time",
  updateTime: "time",
} as const;

/** What the reply of a cancel has besides the order: `clientOrderId` is then the id of the cancel, if it has one. */
const CANCELED = {
  /** Client id of the order. */
  origClientOrderId: "text",
} as const;

/** A managed order after its cancel. */
export const CANCELED_MANAGED_ORDER: typeof MANAGED_ORDER & typeof CANCELED = /* @__PURE__ */ Object.assign(
  {},
  MANAGED_ORDER,
  CANCELED,
);

/** The result of canceling all managed orders. */
export const CANCEL_ALL = {
  matchedCount: "integer",
  canceledCount: "integer",
  cancelPendingCount: "integer",
} as const;

const PAGE = {
  apiManaged: "yes",
  includesHistory: "flag",
  newestFirst: "yes?",
  /** Number of all matching orders. */
  total: "integer",
  /** `afterOrderId` of the next page; 0 on the last page. */
  nextOrderId: "id",
} as const;

/** A page of managed orders of all markets. */
export const MANAGED_ORDER_PAGE: typeof PAGE & { readonly orders: readonly [typeof MANAGED_ORDER] } =
  /* @__PURE__ */ Object.assign({}, PAGE, { orders: [MANAGED_ORDER] } as const);

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
