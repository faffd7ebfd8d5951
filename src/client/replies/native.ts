import type { ExecutionReason, NativeStatus, RejectReason, Side } from "../../model/index.ts";
import {
  flag,
  list,
  maybe,
  number,
  object,
  orNull,
  type Shape,
  text,
  type WholeText,
  whole,
} from "./reader.ts";

/** Why an order was refused or ended. */
interface Why {
  readonly rejectReason: RejectReason | null;
  readonly reason: ExecutionReason | null;
  readonly errorMessage: string | null;
}

/**
 * A native order, or a retained rejection, which has no id and otherwise only the members of its request. Source:
 * contract, Native order snapshot.
 */
export interface NativeOrderReply extends Why {
  readonly symbol: string;
  readonly orderId?: WholeText | undefined;
  /** `"-1"` if the order is not part of a list. */
  readonly orderListId: WholeText;
  readonly clientOrderId: string;
  readonly clOrdId: string;
  readonly status: NativeStatus;
  readonly type?: string | undefined;
  readonly side?: Side | undefined;
  readonly timeInForce?: string | undefined;
  readonly price?: string | undefined;
  readonly origQty?: string | undefined;
  readonly executedQty: string;
  readonly stopPrice?: string | undefined;
  readonly updateTime: number;
  readonly isWorking: boolean;
  readonly accountId: number;
  readonly isPaperTrade: boolean;
}

/** Members that the replies to native placements and cancels share. */
interface NativeTransaction {
  readonly symbol: string;
  readonly orderId: WholeText;
  readonly orderListId: WholeText;
  readonly clientOrderId: string;
  readonly clOrdId: string;
  readonly transactTime: number;
  readonly price: string;
  readonly origQty: string;
  readonly executedQty: string;
  readonly origQuoteOrderQty: string;
  readonly status: NativeStatus;
  readonly timeInForce: string;
  readonly type: string;
  readonly side: Side;
  readonly accountId: number;
}

/** An execution of a native order. */
export interface FillReply {
  readonly price: string;
  readonly qty: string;
  readonly commission?: string | undefined;
  readonly commissionAsset?: string | undefined;
  readonly tradeId: WholeText;
}

/** A placed native order with its executions so far. */
export interface PlacedNativeOrderReply extends NativeTransaction {
  /** Time at which the order was put on the book; -1 if it is not on the book. */
  readonly workingTime: number;
  readonly fills: readonly FillReply[];
}

/** A native order after its cancel. `clientOrderId` is the id of the cancel, if it has one. */
export interface CanceledNativeOrderReply extends NativeTransaction {
  /** Client id of the order. */
  readonly origClientOrderId: string;
}

/** One event of a native order. */
export interface ExecutionReply extends Why {
  readonly symbol: string;
  readonly orderId?: WholeText | undefined;
  readonly clientOrderId: string;
  readonly clOrdId: string;
  /** Id of the event, as the venue reported it. */
  readonly executionId: string;
  /** Number of the execution, if the event is an execution. */
  readonly tradeId?: WholeText | undefined;
  readonly execType: "NEW" | "TRADE" | "CANCELED" | "EXPIRED" | "REJECTED";
  /** Status after the event. */
  readonly status: NativeStatus;
  readonly side?: Side | undefined;
  readonly type?: string | undefined;
  readonly price?: string | undefined;
  readonly origQty?: string | undefined;
  readonly lastQty: string;
  readonly lastPrice: string;
  readonly executedQty: string;
  readonly time: number;
}

/** The newest executions, oldest first. */
export interface ExecutionsReply {
  readonly orders: readonly ExecutionReply[];
}

/**
 * An order with its prices and quantities as whole numbers in text: prices in 1e-8 USD, quantities in millionths. Its
 * other members are those of the order.
 */
export interface ScaledOrderReply {
  readonly symbol: string;
  readonly orderId?: WholeText | undefined;
  readonly orderListId: WholeText;
  readonly clientOrderId: string;
  readonly status: string;
  readonly price?: WholeText | undefined;
  readonly origQty?: WholeText | undefined;
  readonly executedQty: WholeText;
  readonly stopPrice?: WholeText | undefined;
  readonly priceScale: number;
  readonly quantityScale: number;
}

const WHY: Shape<Why> = {
  rejectReason: orNull(text<RejectReason>),
  reason: orNull(text<ExecutionReason>),
  errorMessage: orNull(text),
};

/** Readers of the members of a native order. */
export const NATIVE_SHAPE: Shape<NativeOrderReply> = {
  symbol: text,
  orderId: maybe(whole),
  orderListId: whole,
  clientOrderId: text,
  clOrdId: text,
  status: text<NativeStatus>,
  type: maybe(text),
  side: maybe(text<Side>),
  timeInForce: maybe(text),
  price: maybe(text),
  origQty: maybe(text),
  executedQty: text,
  stopPrice: maybe(text),
  ...WHY,
  updateTime: number,
  isWorking: flag,
  accountId: number,
  isPaperTrade: flag,
};

const TRANSACTION: Shape<NativeTransaction> = {
  symbol: text,
  orderId: whole,
  orderListId: whole,
  clientOrderId: text,
  clOrdId: text,
  transactTime: number,
  price: text,
  origQty: text,
  executedQty: text,
  origQuoteOrderQty: text,
  status: text<NativeStatus>,
  timeInForce: text,
  type: text,
  side: text<Side>,
  accountId: number,
};

/** Readers of the members of an execution of a placed order. */
export const FILL_SHAPE: Shape<FillReply> = {
  price: text,
  qty: text,
  commission: maybe(text),
  commissionAsset: maybe(text),
  tradeId: whole,
};

/** Readers of the members of a placed native order. */
export const PLACED_NATIVE_SHAPE: Shape<PlacedNativeOrderReply> = {
  ...TRANSACTION,
  workingTime: number,
  fills: list(object(FILL_SHAPE)),
};

/** Readers of the members of a canceled native order. */
export const CANCELED_NATIVE_SHAPE: Shape<CanceledNativeOrderReply> = {
  ...TRANSACTION,
  origClientOrderId: text,
};

/** Readers of the members of an execution. */
export const EXECUTION_SHAPE: Shape<ExecutionReply> = {
  symbol: text,
  orderId: maybe(whole),
  clientOrderId: text,
  clOrdId: text,
  executionId: text,
  tradeId: maybe(whole),
  execType: text<ExecutionReply["execType"]>,
  status: text<NativeStatus>,
  side: maybe(text<Side>),
  type: maybe(text),
  price: maybe(text),
  origQty: maybe(text),
  lastQty: text,
  lastPrice: text,
  executedQty: text,
  ...WHY,
  time: number,
};

/** Readers of the members of a scaled order. */
export const SCALED_SHAPE: Shape<ScaledOrderReply> = {
  symbol: text,
  orderId: maybe(whole),
  orderListId: whole,
  clientOrderId: text,
  status: text,
  price: maybe(whole),
  origQty: maybe(whole),
  executedQty: whole,
  stopPrice: maybe(whole),
  priceScale: number,
  quantityScale: number,
};
