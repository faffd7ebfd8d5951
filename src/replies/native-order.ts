import type { ReadOf, WrittenOf } from "./table.ts";

/**
 * A native order, or a retained rejection, which has no id and otherwise only the members of its request. Source:
 * contract, Native order snapshot.
 */
export const NATIVE_ORDER = {
  symbol: "text",
  orderId: "nativeId?",
  /** -1 if the order is not part of a list. */
  orderListId: "whole",
  clientOrderId: "text",
  clOrdId: "text",
  status: "NativeStatus",
  type: "text?",
  side: "Side?",
  timeInForce: "text?",
  price: "price?",
  origQty: "quantity?",
  executedQty: "quantity",
  stopPrice: "price?",
  rejectReason: "RejectReason|null",
  reason: "ExecutionReason|null",
  errorMessage: "text|null",
  updateTime: "time",
  isWorking: "flag",
  accountId: "long",
  isPaperTrade: "flag",
} as const;

/** An execution of a placed native order. */
export const FILL = {
  price: "price",
  qty: "quantity",
  commission: "text?",
  commissionAsset: "text?",
  tradeId: "whole",
} as const;

/** Members that the replies to native placements and cancels share. */
export const NATIVE_TRANSACTION = {
  symbol: "text",
  orderId: "nativeId",
  orderListId: "whole",
  clientOrderId: "text",
  clOrdId: "text",
  transactTime: "time",
  price: "price",
  origQty: "quantity",
  executedQty: "quantity",
  origQuoteOrderQty: "decimal",
  status: "NativeStatus",
  timeInForce: "text",
  type: "text",
  side: "Side",
  accountId: "long",
} as const;

const WORKING = {
  /** Time at which the order was put on the book; -1 if it is not on the book. */
  workingTime: "time",
} as const;

const CANCELED = {
  /** Client id of the order. */
  origClientOrderId: "text",
} as const;

/** A placed native order with its executions so far. */
export const PLACED_NATIVE_ORDER: typeof NATIVE_TRANSACTION &
  typeof WORKING & { readonly fills: readonly [typeof FILL] } = /* @__PURE__ */ Object.assign(
  {},
  NATIVE_TRANSACTION,
  WORKING,
  { fills: [FILL] } as const,
);

/** A native order after its cancel. */
export const CANCELED_NATIVE_ORDER: typeof NATIVE_TRANSACTION & typeof CANCELED =
  /* @__PURE__ */ Object.assign({}, NATIVE_TRANSACTION, CANCELED);

/** One event of a native order. Source: decision 46. */
export const EXECUTION = {
  symbol: "text",
  orderId: "nativeId?",
  clientOrderId: "text",
  clOrdId: "text",
  /** Id of the event, as the venue reported it. */
  executionId: "text",
  /** Number of the execution, if the event is an execution. */
  tradeId: "whole?",
  execType: "ExecutionType",
  /** Status after the event. */
  status: "NativeStatus",
  side: "Side?",
  type: "text?",
  price: "price?",
  origQty: "quantity?",
  lastQty: "quantity",
  lastPrice: "price",
  executedQty: "quantity",
  rejectReason: "RejectReason|null",
  reason: "ExecutionReason|null",
  errorMessage: "text|null",
  time: "time",
} as const;

/** What a client reads of an order with its prices and quantities as whole numbers, managed or native. */
export const SCALED_ORDER = {
  symbol: "text",
  orderId: "whole?",
  orderListId: "whole",
  clientOrderId: "text",
  status: "text",
  price: "whole?",
  origQty: "whole?",
  executedQty: "whole",
  stopPrice: "whole?",
  priceScale: "integer",
  quantityScale: "integer",
} as const;

/**
 * A native order as clients see it, with its members in a fixed order. `A` is the form of prices and quantities:
 * decimal strings, or whole numbers of a fixed scale. A retained rejection has no orderId; its other members are only
 * those that its request contained. Source: contract, Native order snapshot.
 */
export type NativeOrderView<A extends string | number | bigint = string> = WrittenOf<typeof NATIVE_ORDER, A>;

/** One element of the execution history. Source: decision 46. */
export type ExecutionView = WrittenOf<typeof EXECUTION>;

/**
 * A native order, or a retained rejection, which has no id and otherwise only the members of its request. Source:
 * contract, Native order snapshot.
 */
export interface NativeOrderReply extends ReadOf<typeof NATIVE_ORDER> {}

/** An execution of a native order. */
export interface FillReply extends ReadOf<typeof FILL> {}

/** A placed native order with its executions so far. */
export interface PlacedNativeOrderReply extends ReadOf<typeof NATIVE_TRANSACTION>, ReadOf<typeof WORKING> {
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
