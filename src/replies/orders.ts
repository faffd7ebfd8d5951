import type { ApiState, ListStatusView, OrderStatus } from "../lifecycle/index.ts";
import type {
  ChildTimeInForce,
  Contingency,
  ExecutionReason,
  ListKind,
  NativeExecution,
  NativeStatus,
  ParentType,
  RejectReason,
  Side,
  StallCause,
  TimeInForce,
} from "../model/index.ts";
import type { OrderFieldName } from "../requests/index.ts";
import {
  type Count,
  type Flag,
  flag,
  type Id,
  type MaybeCount,
  type MaybeFlag,
  type MaybeId,
  type MaybeText,
  maybeFlag,
  maybeNumber,
  maybeText,
  maybeWhole,
  number,
  type ReadOf,
  type Text,
  type TextOrNull,
  text,
  textOrNull,
  type WrittenOf,
  whole,
} from "./table.ts";

/** A managed order. Source: contract, Managed order (parent) response fields. */
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
  /** The limit that results from trigger level and limitOffset. It moves until the trigger, which freezes it. */
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

/** Members of a managed order that its events have under the same names; the others have letters of the convention. */
export const IN_EVENTS = [
  "apiState",
  "held",
  "cancelPending",
  "stalled",
  "triggerLevel",
  "triggerTime",
] as const;

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

/** The outcome of a replacement of which both halves were done. */
export const REPLACED_ORDER: Readonly<{
  cancelResult: Text<"SUCCESS">;
  newOrderResult: Text<"SUCCESS">;
  cancelResponse: typeof CANCELED_MANAGED_ORDER;
  newOrderResponse: typeof MANAGED_ORDER;
}> = {
  cancelResult: text as Text<"SUCCESS">,
  newOrderResult: text as Text<"SUCCESS">,
  /** The order that was canceled. */
  cancelResponse: CANCELED_MANAGED_ORDER,
  /** The order in its place. */
  newOrderResponse: MANAGED_ORDER,
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

/** The fields of a request, but those with another name in replies. A new one does not compile until it is above. */
type SentFields = Record<
  Exclude<OrderFieldName, "quantity" | "newClientOrderId" | "goodTillDate" | "quoteOrderQty">,
  unknown
>;

/** A page of managed orders of all markets. */
export const MANAGED_ORDER_PAGE: typeof PAGE & { readonly orders: readonly [typeof MANAGED_ORDER] } = {
  ...PAGE,
  orders: [MANAGED_ORDER satisfies SentFields],
};

/**
 * A managed order as clients see it. Decimals are canonical strings, times are epoch milliseconds. A member that does not
 * apply is undefined and absent from the JSON. There is never a rejectReason, reason or errorMessage. Source: contract,
 * Managed order (parent) response fields.
 */
export type ManagedOrder = WrittenOf<typeof MANAGED_ORDER>;

/**
 * A managed order. Decimals are strings, times are epoch milliseconds, ids are strings of digits. A member that does not
 * apply is absent. Source: contract, Managed order (parent) response fields.
 */
export interface ManagedOrderReply extends ReadOf<typeof MANAGED_ORDER> {}

/** A managed order after its cancel. `clientOrderId` is the id of the cancel, if it has one. */
export interface CanceledManagedOrderReply extends ManagedOrderReply, ReadOf<typeof CANCELED> {}

/** The two orders of a replacement. */
export interface ReplacedOrderReply {
  readonly cancelResult: "SUCCESS";
  readonly newOrderResult: "SUCCESS";
  readonly cancelResponse: CanceledManagedOrderReply;
  readonly newOrderResponse: ManagedOrderReply;
}

/** A page of managed orders of all markets. */
export interface OpenOrdersReply extends ReadOf<typeof PAGE> {
  readonly orders: readonly ManagedOrderReply[];
}

/** The result of canceling all managed orders. */
export interface CancelAllReply extends ReadOf<typeof CANCEL_ALL> {}

/** The members of a list but the reports of its legs. */
const LIST = {
  /** Negative. */
  orderListId: whole as Id,
  contingencyType: text as Text<Contingency>,
  /** Absent for a list that its contingency tells whole. */
  listKind: maybeText as MaybeText<ListKind>,
  listStatusType: text as Text<ListStatusView["listStatusType"]>,
  listOrderStatus: text as Text<ListStatusView["listOrderStatus"]>,
  listClientOrderId: text as Text,
  /** Time of acceptance. */
  transactionTime: number as Count,
  symbol: text as Text,
  /** The working leg, the protective leg, then the other leg. */
  orders: [{ symbol: text as Text, orderId: whole as Id, clientOrderId: text as Text }],
} as const;

type Leg = (typeof LIST)["orders"][0];

/** A list of linked orders. Source: contract, Linked order list reply. */
export const ORDER_LIST: typeof LIST & { readonly orderReports: readonly [typeof MANAGED_ORDER] } = {
  ...LIST,
  orderReports: [MANAGED_ORDER],
};

/** A list after its cancel. */
export const CANCELED_ORDER_LIST: typeof LIST & {
  readonly orderReports: readonly [typeof CANCELED_MANAGED_ORDER];
} = { ...LIST, orderReports: [CANCELED_MANAGED_ORDER] };

/** The ids of a leg of a list. */
export type LegIdentity = WrittenOf<Leg>;

/**
 * An order list as clients see it. Times are epoch milliseconds. Both members list the legs in the same order: working,
 * protective, then the other. Source: contract, Linked order list reply.
 */
export type OrderListView = WrittenOf<typeof LIST> & Readonly<{ orderReports: readonly ManagedOrder[] }>;

/** The ids of a leg. */
export interface LegIdentityReply extends ReadOf<Leg> {}

/** A list of linked orders; `Report` is the type of its legs. Source: contract, Linked order list reply. */
export interface OrderListReply<Report = ManagedOrderReply> extends ReadOf<typeof LIST> {
  /** The same legs in full. */
  readonly orderReports: readonly Report[];
}

/** A list after its cancel. */
export type CanceledOrderListReply = OrderListReply<CanceledManagedOrderReply>;

/**
 * A native order, or a retained rejection, which has no id and otherwise only the members of its request. Source:
 * contract, Native order snapshot.
 */
export const NATIVE_ORDER = {
  symbol: text as Text,
  orderId: maybeWhole as MaybeId<bigint>,
  /** -1 if the order is not part of a list. */
  orderListId: whole as Id<number | bigint>,
  clientOrderId: text as Text,
  clOrdId: text as Text,
  status: text as Text<NativeStatus>,
  type: maybeText as MaybeText,
  side: maybeText as MaybeText<Side>,
  timeInForce: maybeText as MaybeText,
  price: maybeText as MaybeText,
  origQty: maybeText as MaybeText,
  executedQty: text as Text,
  stopPrice: maybeText as MaybeText,
  rejectReason: textOrNull as TextOrNull<RejectReason>,
  reason: textOrNull as TextOrNull<ExecutionReason>,
  errorMessage: textOrNull as TextOrNull,
  updateTime: number as Count,
  isWorking: flag as Flag,
  accountId: number as Count,
  isPaperTrade: flag as Flag,
} as const;

/** An execution of a placed native order. */
export const FILL = {
  price: text as Text,
  qty: text as Text,
  commission: maybeText as MaybeText,
  commissionAsset: maybeText as MaybeText,
  tradeId: whole as Id<number | bigint>,
} as const;

/** Members that the replies to native placements and cancels share. */
export const NATIVE_TRANSACTION = {
  symbol: text as Text,
  orderId: whole as Id<bigint>,
  orderListId: whole as Id<number | bigint>,
  clientOrderId: text as Text,
  clOrdId: text as Text,
  transactTime: number as Count,
  price: text as Text,
  origQty: text as Text,
  executedQty: text as Text,
  origQuoteOrderQty: text as Text,
  status: text as Text<NativeStatus>,
  timeInForce: text as Text,
  type: text as Text,
  side: text as Text<Side>,
  accountId: number as Count,
} as const;

/** A placed native order with its executions so far. */
export const PLACED_NATIVE_ORDER: typeof NATIVE_TRANSACTION & {
  /** Time at which the order was put on the book; -1 if it is not on the book. */
  readonly workingTime: Count;
  readonly fills: readonly [typeof FILL];
} = { ...NATIVE_TRANSACTION, workingTime: number, fills: [FILL] };

/** A native order after its cancel. */
export const CANCELED_NATIVE_ORDER: typeof NATIVE_TRANSACTION & typeof CANCELED = {
  ...NATIVE_TRANSACTION,
  ...CANCELED,
};

/** One event of a native order. */
export const EXECUTION = {
  symbol: text as Text,
  orderId: maybeWhole as MaybeId<bigint>,
  clientOrderId: text as Text,
  clOrdId: text as Text,
  /** Id of the event, as the venue reported it. */
  executionId: text as Text,
  /** Number of the execution, if the event is an execution. */
  tradeId: maybeWhole as MaybeId<number | bigint>,
  execType: text as Text<NativeExecution["execType"]>,
  /** Status after the event. */
  status: text as Text<NativeStatus>,
  side: maybeText as MaybeText<Side>,
  type: maybeText as MaybeText,
  price: maybeText as MaybeText,
  origQty: maybeText as MaybeText,
  lastQty: text as Text,
  lastPrice: text as Text,
  executedQty: text as Text,
  rejectReason: textOrNull as TextOrNull<RejectReason>,
  reason: textOrNull as TextOrNull<ExecutionReason>,
  errorMessage: textOrNull as TextOrNull,
  time: number as Count,
} as const;

/** What a client reads of an order with its prices and quantities as whole numbers, managed or native. */
export const SCALED_ORDER = {
  symbol: text as Text,
  orderId: maybeWhole as MaybeId<number | bigint>,
  orderListId: whole as Id<number | bigint>,
  clientOrderId: text as Text,
  status: text as Text,
  price: maybeWhole as MaybeId<number | bigint>,
  origQty: maybeWhole as MaybeId<number | bigint>,
  executedQty: whole as Id<number | bigint>,
  stopPrice: maybeWhole as MaybeId<number | bigint>,
  priceScale: number as Count,
  quantityScale: number as Count,
} as const;

/**
 * A native order as clients see it, with its members in a fixed order. `A` is the form of prices and quantities:
 * decimal strings, or whole numbers of a fixed scale. A retained rejection has no orderId; its other members are only
 * those that its request contained. Source: contract, Native order snapshot.
 */
export type NativeOrderView<A extends string | number | bigint = string> = Amounts<
  WrittenOf<typeof NATIVE_ORDER>,
  A
>;

/** A written native order whose prices and quantities have the form `A`. */
export type Amounts<Order, A> = {
  readonly [N in keyof Order]: N extends "price" | "origQty" | "executedQty" | "stopPrice"
    ? A | Extract<Order[N], undefined>
    : Order[N];
};

/** One element of the execution history. */
export type ExecutionView = WrittenOf<typeof EXECUTION>;

/**
 * A native order, or a retained rejection, which has no id and otherwise only the members of its request. Source:
 * contract, Native order snapshot.
 */
export interface NativeOrderReply extends ReadOf<typeof NATIVE_ORDER> {}

/** An execution of a native order. */
export interface FillReply extends ReadOf<typeof FILL> {}

/** A placed native order with its executions so far. */
export interface PlacedNativeOrderReply extends ReadOf<typeof NATIVE_TRANSACTION> {
  /** Time at which the order was put on the book; -1 if it is not on the book. */
  readonly workingTime: number;
  readonly fills: readonly FillReply[];
}

/** A native order after its cancel. `clientOrderId` is the id of the cancel, if it has one. */
export interface CanceledNativeOrderReply extends ReadOf<typeof CANCELED_NATIVE_ORDER> {}

/** One event of a native order. */
export interface ExecutionReply extends ReadOf<typeof EXECUTION> {}

/** The newest executions, oldest first. */
export interface ExecutionsReply {
  readonly orders: readonly ExecutionReply[];
}

/**
 * An order with its prices and quantities as whole numbers in text: prices in 1e-8 USD, quantities in millionths. Its
 * other members are those of the order.
 */
export interface ScaledOrderReply extends ReadOf<typeof SCALED_ORDER> {}
