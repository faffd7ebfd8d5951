import { hashOf } from "../../common/index.ts";
import {
  exactQuantityText,
  formatNotional,
  formatPrice,
  formatQuantity,
  PRICE_SCALE,
  type Price,
  QUANTITY_SCALE,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { NativeExecution, NativeFill, NativeOrder, Rejection } from "../../model/index.ts";
import type {
  CANCELED_NATIVE_ORDER,
  CompleteOf,
  EXECUTION,
  ManagedOrder,
  NATIVE_ORDER,
  NATIVE_TRANSACTION,
  NativeOrderView,
  PLACED_NATIVE_ORDER,
} from "../../replies/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { NO_LIST } from "./managed-order.ts";

/** An id of an execution that is a number of at most 64 bits, and is therefore its own trade id. */
const NUMBER = /^[1-9][0-9]{0,18}$/;
const LARGEST = 2n ** 63n - 1n;

/** Trade ids of other texts begin here and have 52 bits more, so that a double holds them exactly. */
const FIRST = 2 ** 52;
const HIGH_BITS = 2 ** 20;
const LOW_BITS = 2 ** 32;

/** Makes the low bits independent of the high ones. It never changes: it would change the ids of past fills. */
const LOW_SEED = 0x9e3779b1;

/**
 * Returns the number by which REST and streams name an execution. It is a function of the execution id alone, which the
 * venue keeps and the journal contains: the number is the same after a restart and on every route. A numeric execution id
 * is its own number, exactly; any other text has a number from 2^52 to 2^53 - 1.
 */
export function tradeIdOf(executionId: string): number | bigint {
  const number = ownTradeIdOf(executionId);
  if (number !== undefined) return number;
  return FIRST + (hashOf(executionId) % HIGH_BITS) * LOW_BITS + hashOf(executionId, LOW_SEED);
}

/** Returns the number that an execution id is; undefined for any other text. */
function ownTradeIdOf(executionId: string): bigint | undefined {
  const number = NUMBER.test(executionId) ? BigInt(executionId) : undefined;
  return number === undefined || number > LARGEST ? undefined : number;
}

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
export function nativeOrderView({ order, isPaperTrade }: Snapshot): NativeOrderView {
  return "orderId" in order ? orderView(order, isPaperTrade) : rejectionView(order, isPaperTrade);
}

/** Members of an order, managed or native, that are quantities. */
const QUANTITY_MEMBERS = ["origQty", "executedQty", "icebergQty"] as const;

/** Members of an order that are prices. */
const PRICE_MEMBERS = [
  "avgPrice",
  "price",
  "stopPrice",
  "trailingAmount",
  "limitOffset",
  "dynamicLimit",
  "triggerLevel",
] as const;

/** Name of a price or quantity of an order. */
export type ScaledMember = (typeof QUANTITY_MEMBERS | typeof PRICE_MEMBERS)[number];

/** Returns an order with every price as a whole number of 1e-8 USD, and every quantity as one of millionths. */
export function scaledView(view: ManagedOrder | NativeOrderView): JsonInput {
  const texts: Readonly<Partial<Record<ScaledMember, string | undefined>>> = view;
  const scaled = (names: readonly ScaledMember[], scale: number): Record<string, bigint> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const text = texts[name];
        return text === undefined ? [] : [[name, scaledText(text, scale)]];
      }),
    );
  return {
    ...view,
    ...scaled(QUANTITY_MEMBERS, QUANTITY_SCALE),
    ...scaled(PRICE_MEMBERS, PRICE_SCALE),
    ...{ priceScale: PRICE_SCALE, quantityScale: QUANTITY_SCALE },
  };
}

/** Returns a canonical decimal as a whole number of units of 10^-scale, rounded down. */
function scaledText(text: string, scale: number): bigint {
  const [whole = "0", decimals = ""] = text.split(".");
  return BigInt(whole + decimals.slice(0, scale).padEnd(scale, "0"));
}

const orderView = (order: NativeOrder, isPaperTrade: boolean): CompleteOf<typeof NATIVE_ORDER> => ({
  ...namesOf(order),
  status: order.status,
  type: order.type,
  side: order.side,
  timeInForce: order.timeInForce,
  price: formatPrice(order.price ?? ZERO_PRICE),
  origQty: formatQuantity(order.quantity),
  executedQty: formatQuantity(order.executedQuantity),
  stopPrice: formatPrice(order.stopPrice ?? ZERO_PRICE),
  rejectReason: order.rejectReason ?? null,
  reason: order.reason ?? null,
  errorMessage: order.errorMessage ?? null,
  updateTime: order.updatedAtMs,
  isWorking: order.isWorking,
  accountId: order.accountId,
  isPaperTrade,
});

function rejectionView(rejection: Rejection, isPaperTrade: boolean): CompleteOf<typeof NATIVE_ORDER> {
  const { symbol, clientOrderId, type, side, timeInForce, price, quantity, stopPrice } = rejection;
  return {
    symbol,
    orderId: undefined,
    orderListId: NO_LIST,
    clientOrderId,
    clOrdId: clientOrderId,
    status: "REJECTED",
    type,
    side,
    timeInForce,
    price: price === undefined ? undefined : formatPrice(price),
    origQty: quantity === undefined ? undefined : formatQuantity(quantity),
    executedQty: "0",
    stopPrice: stopPrice === undefined ? undefined : formatPrice(stopPrice),
    rejectReason: rejection.rejectReason,
    reason: null,
    errorMessage: rejection.errorMessage,
    updateTime: rejection.timeMs,
    isWorking: false,
    accountId: rejection.accountId,
    isPaperTrade,
  };
}

/** Returns the members that identify an order, which begin every reply about it. */
function namesOf(
  order: NativeOrder,
): Pick<
  CompleteOf<typeof NATIVE_TRANSACTION>,
  "symbol" | "orderId" | "orderListId" | "clientOrderId" | "clOrdId"
> {
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
 * Source: contract, What the service does.
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

/** Returns the members that the replies to placements and cancels share. Source: convention 3.1 and 3.3. */
function transactionView(order: NativeOrder): CompleteOf<typeof NATIVE_TRANSACTION> {
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
export function placedNativeView(
  order: NativeOrder,
  fills: readonly NativeFill[],
): CompleteOf<typeof PLACED_NATIVE_ORDER> {
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
 * one, in the place of the client id. Source: convention 3.3.
 */
export function canceledNativeView(
  order: NativeOrder,
  cancelId: string = order.clientOrderId,
): CompleteOf<typeof CANCELED_NATIVE_ORDER> {
  const named = { clientOrderId: cancelId, clOrdId: cancelId, origClientOrderId: order.clientOrderId };
  return { ...transactionView(order), ...named };
}

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
export function executionView(execution: NativeExecution): CompleteOf<typeof EXECUTION> {
  const { order, executionId, execType, lastQuantity, lastPrice, timeMs } = execution;
  return {
    symbol: order.symbol,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    clOrdId: order.clientOrderId,
    executionId,
    tradeId: execType === "TRADE" ? tradeIdOf(executionId) : undefined,
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
export function rejectedExecutionView(rejection: Rejection): CompleteOf<typeof EXECUTION> {
  const { symbol, clientOrderId, rejectionId, side, type, price, quantity } = rejection;
  return {
    symbol,
    orderId: undefined,
    clientOrderId,
    clOrdId: clientOrderId,
    executionId: rejectionId,
    tradeId: undefined,
    execType: "REJECTED",
    status: "REJECTED",
    side,
    type,
    price: price === undefined ? undefined : formatPrice(price),
    origQty: quantity === undefined ? undefined : formatQuantity(quantity),
    lastQty: "0",
    lastPrice: "0",
    executedQty: "0",
    rejectReason: rejection.rejectReason,
    reason: null,
    errorMessage: rejection.errorMessage,
    time: rejection.timeMs,
  };
}
