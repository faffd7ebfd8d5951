import {
  exactQuantityText,
  formatNotional,
  formatPrice,
  formatQuantity,
  PRICE_SCALE,
  type Price,
  QUANTITY_SCALE,
  type Quantity,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type {
  ExecutionReason,
  NativeExecution,
  NativeFill,
  NativeOrder,
  NativeStatus,
  Rejection,
  RejectReason,
  Side,
} from "../../model/index.ts";
import { MANAGED_ORDER, type ManagedOrder, type MembersOfKind } from "../../replies/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { NO_LIST } from "./managed-order.ts";
import { tradeIdOf } from "./trade-id.ts";

/**
 * A native order as clients see it, with its members in a fixed order. `A` is the form of prices and quantities:
 * decimal strings, or whole numbers of a fixed scale. A retained rejection has no orderId; its other members are only
 * those that its request contained. Source: contract, Native order snapshot.
 */
export type NativeOrderView<A extends string | number | bigint = string> = Readonly<{
  symbol: string;
  orderId?: bigint;
  /** -1 if the order is not a member of a list. */
  orderListId: bigint | number;
  clientOrderId: string;
  clOrdId: string;
  status: NativeStatus;
  type?: string;
  side?: Side;
  timeInForce?: string;
  price?: A;
  origQty?: A;
  executedQty: A;
  stopPrice?: A;
  rejectReason: RejectReason | null;
  reason: ExecutionReason | null;
  errorMessage: string | null;
  updateTime: number;
  isWorking: boolean;
  accountId: number;
  isPaperTrade: boolean;
}>;

/** The scales that accompany amounts given as whole numbers. */
type Scales = Readonly<{ priceScale: number; quantityScale: number }>;

type Writer<A extends string | number | bigint> = Readonly<{
  price: (value: Price) => A;
  quantity: (value: Quantity) => A;
}>;

const TEXT: Writer<string> = { price: formatPrice, quantity: formatQuantity };
const SCALED: Writer<number | bigint> = { price: (value) => value, quantity: (value) => value };
const SCALES: Scales = { priceScale: PRICE_SCALE, quantityScale: QUANTITY_SCALE };

const SCALE_OF: Readonly<Record<string, number>> = { price: PRICE_SCALE, quantity: QUANTITY_SCALE };

const ZERO_PRICE = 0 as Price;

/** A native order or a retained rejection, and whether its host trades on paper. */
export type Snapshot = Readonly<{ order: NativeOrder | Rejection; isPaperTrade: boolean }>;

/**
 * Returns the snapshot with decimal strings. Source: contract, Native order snapshot.
 *
 * @example
 * ```ts
 * import type { NativeOrder } from "managed-orders";
 * import { nativeOrderView } from "managed-orders/service";
 * const line = (order: NativeOrder): string => {
 *   const { clientOrderId, status, executedQty } = nativeOrderView({ order, isPaperTrade: false });
 *   return `${clientOrderId} ${status} ${executedQty}`;
 * };
 * ```
 */
export function nativeOrderView(snapshot: Snapshot): NativeOrderView {
  return viewWith(TEXT, snapshot);
}

/**
 * Returns the snapshot with prices in units of 1e-8 and quantities in units of 1e-6, as exact whole numbers. Source:
 * decision 46.
 */
export function scaledNativeView(snapshot: Snapshot): NativeOrderView<number | bigint> & Scales {
  return { ...viewWith(SCALED, snapshot), ...SCALES };
}

/** Name of a price or quantity of a managed order. */
export type ScaledMember = MembersOfKind<typeof MANAGED_ORDER, "price" | "quantity">;

/** Scale of each price and quantity of a managed order. */
const MANAGED_SCALES: readonly (readonly [ScaledMember, number])[] = Object.entries(MANAGED_ORDER).flatMap(
  ([name, kind]) => {
    const scale = SCALE_OF[kind.replace("?", "")];
    return scale === undefined ? [] : [[name as ScaledMember, scale]];
  },
);

/** Returns a managed order with every price and quantity as a whole number. Source: decision 46. */
export function scaledManagedView(view: ManagedOrder): JsonInput {
  const scaled = MANAGED_SCALES.flatMap(([name, scale]) => {
    const text = view[name];
    return text === undefined ? [] : [[name, scaledText(text, scale)]];
  });
  return { ...view, ...Object.fromEntries(scaled), ...SCALES };
}

/** Returns a canonical decimal as a whole number of units of 10^-scale, rounded down. */
function scaledText(text: string, scale: number): bigint {
  const [whole = "0", decimals = ""] = text.split(".");
  return BigInt(whole + decimals.slice(0, scale).padEnd(scale, "0"));
}

function viewWith<A extends string | number | bigint>(
  write: Writer<A>,
  { order, isPaperTrade }: Snapshot,
): NativeOrderView<A> {
  return "orderId" in order
    ? orderView(write, order, isPaperTrade)
    : rejectionView(write, order, isPaperTrade);
}

function orderView<A extends string | number | bigint>(
  write: Writer<A>,
  order: NativeOrder,
  isPaperTrade: boolean,
): NativeOrderView<A> {
  return {
    ...namesOf(order),
    status: order.status,
    type: order.type,
    side: order.side,
    timeInForce: order.timeInForce,
    price: write.price(order.price ?? ZERO_PRICE),
    origQty: write.quantity(order.quantity),
    executedQty: write.quantity(order.executedQuantity),
    stopPrice: write.price(order.stopPrice ?? ZERO_PRICE),
    rejectReason: order.rejectReason ?? null,
    reason: order.reason ?? null,
    errorMessage: order.errorMessage ?? null,
    updateTime: order.updatedAtMs,
    isWorking: order.isWorking,
    accountId: order.accountId,
    isPaperTrade,
  };
}

function rejectionView<A extends string | number | bigint>(
  write: Writer<A>,
  rejection: Rejection,
  isPaperTrade: boolean,
): NativeOrderView<A> {
  const { symbol, clientOrderId, type, side, timeInForce, price, quantity, stopPrice } = rejection;
  return {
    symbol,
    orderListId: NO_LIST,
    clientOrderId,
    clOrdId: clientOrderId,
    status: "REJECTED",
    ...(type !== undefined && { type }),
    ...(side !== undefined && { side }),
    ...(timeInForce !== undefined && { timeInForce }),
    ...(price !== undefined && { price: write.price(price) }),
    ...(quantity !== undefined && { origQty: write.quantity(quantity) }),
    executedQty: write.quantity(ZERO_QUANTITY),
    ...(stopPrice !== undefined && { stopPrice: write.price(stopPrice) }),
    rejectReason: rejection.rejectReason,
    reason: null,
    errorMessage: rejection.errorMessage,
    updateTime: rejection.timeMs,
    isWorking: false,
    accountId: rejection.accountId,
    isPaperTrade,
  };
}

type OrderNames = "symbol" | "orderId" | "orderListId" | "clientOrderId" | "clOrdId";

/** Returns the members that identify an order, which begin every reply about it. */
function namesOf(order: NativeOrder): Required<Pick<NativeOrderView, OrderNames>> {
  return {
    symbol: order.symbol,
    orderId: order.orderId,
    orderListId: order.orderListId ?? NO_LIST,
    clientOrderId: order.clientOrderId,
    clOrdId: order.clientOrderId,
  };
}

/**
 * Returns a reply about a native order as the clients of a route read it. Existing clients also read in every reply whether
 * the order works, and the executed amount in USD if the host reports it. The contract's replies have no such members.
 * Source: contract, What the service does; decisions MD and NB.
 */
export function viewForRoute<V extends object>(
  { compat }: Readonly<{ compat?: true }>,
  order: NativeOrder | Rejection,
  view: V,
): V {
  if (compat !== true || !("orderId" in order)) return view;
  const { isWorking, executedNotional: amount } = order;
  return { ...view, isWorking, ...(amount !== undefined && { cummulativeQuoteQty: formatNotional(amount) }) };
}

/** The reply to a placement or cancel. */
type NativeReply = Readonly<Record<string, JsonInput>>;

/** Returns the members that the replies to placements and cancels share. Source: convention 3.1 and 3.3. */
function transactionView(order: NativeOrder): NativeReply {
  return {
    ...namesOf(order),
    transactTime: order.updatedAtMs,
    price: formatPrice(order.price ?? ZERO_PRICE),
    origQty: formatQuantity(order.quantity),
    executedQty: formatQuantity(order.executedQuantity),
    origQuoteOrderQty: formatNotional(order.quoteQuantity ?? ZERO_NOTIONAL),
    status: order.status,
    timeInForce: order.timeInForce,
    type: order.type,
    side: order.side,
    accountId: order.accountId,
  };
}

/** Returns the reply to a placement in the fullest form of the convention. Source: convention 3.1. */
export function placedNativeView(order: NativeOrder, fills: readonly NativeFill[]): NativeReply {
  return {
    ...transactionView(order),
    workingTime: order.isWorking ? order.updatedAtMs : -1,
    fills: fills.map(({ price, quantity, fine, commission, commissionAsset, executionId }) => ({
      price: formatPrice(price),
      qty: exactQuantityText({ quantity, ...(fine !== undefined && { fine }) }),
      commission,
      commissionAsset,
      tradeId: tradeIdOf(executionId),
    })),
  };
}

/**
 * Returns the reply to a cancel: the order with its client id as origClientOrderId, and the id of the cancel, if it has
 * one, in the place of the client id. Source: convention 3.3; decision NN.
 */
export function canceledNativeView(order: NativeOrder, cancelId: string = order.clientOrderId): NativeReply {
  const named = { clientOrderId: cancelId, clOrdId: cancelId, origClientOrderId: order.clientOrderId };
  return { ...transactionView(order), ...named };
}

/** One element of the execution history. Source: decision 46. */
export type ExecutionView = Readonly<{ time: number }> & Readonly<Record<string, JsonInput | undefined>>;

/**
 * Returns the view of one execution.
 *
 * @example
 * ```ts
 * import type { NativeExecution } from "managed-orders/ports";
 * import { executionView } from "managed-orders/service";
 * import { writeJson } from "managed-orders/signing";
 * const line = (execution: NativeExecution): string => writeJson(executionView(execution)); // ids of 64 bits stay exact
 * ```
 */
export function executionView(execution: NativeExecution): ExecutionView {
  const { order, executionId, execType, lastQuantity, lastPrice, timeMs } = execution;
  return {
    symbol: order.symbol,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    clOrdId: order.clientOrderId,
    executionId,
    ...(execType === "TRADE" && { tradeId: tradeIdOf(executionId) }),
    execType,
    status: order.status,
    side: order.side,
    type: order.type,
    price: formatPrice(order.price ?? ZERO_PRICE),
    origQty: formatQuantity(order.quantity),
    lastQty: formatQuantity(lastQuantity ?? ZERO_QUANTITY),
    lastPrice: formatPrice(lastPrice ?? ZERO_PRICE),
    executedQty: formatQuantity(order.executedQuantity),
    rejectReason: order.rejectReason ?? null,
    reason: order.reason ?? null,
    errorMessage: order.errorMessage ?? null,
    time: timeMs,
  };
}

/**
 * Returns the refusal of an order that never had an id, as an execution. Members that the request did not contain are
 * left out.
 */
export function rejectedExecutionView(rejection: Rejection): ExecutionView {
  const { symbol, clientOrderId, rejectionId, side, type, price, quantity } = rejection;
  return {
    symbol,
    clientOrderId,
    clOrdId: clientOrderId,
    executionId: rejectionId,
    execType: "REJECTED",
    status: "REJECTED",
    side,
    type,
    ...(price !== undefined && { price: formatPrice(price) }),
    ...(quantity !== undefined && { origQty: formatQuantity(quantity) }),
    lastQty: "0",
    lastPrice: "0",
    executedQty: "0",
    rejectReason: rejection.rejectReason,
    reason: null,
    errorMessage: rejection.errorMessage,
    time: rejection.timeMs,
  };
}
