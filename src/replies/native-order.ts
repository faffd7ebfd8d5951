import type { ExecutionReason, NativeExecution, NativeStatus, RejectReason, Side } from "../model/index.ts";
import { CANCELED } from "./managed-order.ts";
import {
  type Count,
  type Flag,
  flag,
  type Id,
  type MaybeId,
  type MaybeText,
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

/** One event of a native order. Source: decision 46. */
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
