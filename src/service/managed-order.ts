import { formatPrice, formatQuantity, type Price } from "../decimal/index.ts";
import { type ApiState, frozenLimitOf, type OrderStatus, statusOf } from "../lifecycle/index.ts";
import {
  type ChildTimeInForce,
  type ParentOrder,
  type ParentType,
  type Side,
  type TimeInForce,
  TRAITS,
  type TrailingDistance,
} from "../model/index.ts";

/**
 * A managed order as clients see it; decimals are canonical strings, times epoch milliseconds. A member that does not
 * apply is left out; there is never a rejectReason, reason or errorMessage.
 * Source: contract, Managed order (parent) response fields; decision 15.
 */
export type ManagedOrder = Readonly<{
  symbol: string;
  instrumentId?: number;
  account: number;
  accountId: number;
  /** Negative; newer ids are lower. */
  orderId: number;
  clientOrderId: string;
  clOrdId: string;
  /** Negative; -1: not a member of a list. */
  orderListId: number;
  type: ParentType;
  /** 180 TWAP, 1000002 VWAP, 1000004 POV. */
  targetStrategy?: number;
  side: Side;
  origQty: string;
  executedQty: string;
  price?: string;
  stopPrice?: string;
  /** Basis points. */
  trailingDelta?: number;
  /** Trailing percentage. */
  price2?: string;
  trailingAmount?: string;
  limitOffset?: string;
  /** The limit that trigger level and limitOffset make: running before the trigger, frozen by it (decision 19). */
  dynamicLimit?: string;
  icebergQty?: string;
  /** Milliseconds of one slot of the schedule. */
  interval?: number;
  /** Slots of the schedule, as they were frozen at admission. */
  intervalCount?: number;
  /** Milliseconds between acceptance and the first slot. */
  intervalDelay?: number;
  /** Share of the executed volume in basis points. */
  participationBips?: number;
  /** Weights that were sent, comma separated, one for each slot. */
  volumeProfile?: string;
  /** Whose executed volume VWAP and POV follow. */
  volumeBenchmark?: "SERVICE_EXECUTED_VOLUME";
  timeInForce: TimeInForce;
  childTimeInForce: ChildTimeInForce;
  expireTime?: number;
  reduceOnly: boolean;
  status: OrderStatus;
  apiState: ApiState;
  apiManaged: true;
  held: boolean;
  cancelPending: boolean;
  lastChildClientOrderId?: string;
  /** When it was accepted. */
  transactTime: number;
  updateTime: number;
}>;

/** What stands in place of a list's id. */
const NO_LIST = -1;

/** What a view needs beside the order: its instrument's id, and its running dynamic limit. */
export type ManagedOrderContext = Readonly<{
  instrumentId?: number | undefined;
  runningLimit?: Price | undefined;
}>;

/**
 * The public view of a managed order, members in a fixed order.
 * Source: contract, Managed order (parent) response fields; decisions 11, 15, 19, 29.
 *
 * @example
 * ```ts
 * import type { ParentOrder } from "managed-orders";
 * import { managedOrderView } from "managed-orders/service";
 * const line = (order: ParentOrder): string => {
 *   const { orderId, status, executedQty } = managedOrderView(order);
 *   return `${orderId} ${status} ${executedQty}`;
 * };
 * ```
 */
export function managedOrderView(order: ParentOrder, context: ManagedOrderContext = {}): ManagedOrder {
  const { intent } = order;
  const { status, apiState, held, cancelPending } = statusOf(order);
  return {
    symbol: intent.symbol,
    ...(context.instrumentId !== undefined && { instrumentId: context.instrumentId }),
    account: order.accountId,
    accountId: order.accountId,
    orderId: order.orderId,
    clientOrderId: intent.clientOrderId,
    clOrdId: intent.clientOrderId,
    orderListId: order.list?.listId ?? NO_LIST,
    type: intent.type,
    ...strategyOf(intent.type),
    side: intent.side,
    origQty: formatQuantity(intent.quantity),
    executedQty: formatQuantity(order.executedQuantity),
    ...pricesOf(order, context.runningLimit),
    ...(intent.icebergQuantity !== undefined && { icebergQty: formatQuantity(intent.icebergQuantity) }),
    ...scheduleOf(order),
    timeInForce: intent.timeInForce,
    childTimeInForce: intent.childTimeInForce,
    ...(intent.expireTimeMs !== undefined && { expireTime: intent.expireTimeMs }),
    reduceOnly: intent.reduceOnly,
    status,
    apiState,
    apiManaged: true,
    held,
    cancelPending,
    ...(order.lastChildId !== undefined && { lastChildClientOrderId: order.lastChildId }),
    transactTime: order.acceptedAtMs,
    updateTime: order.updatedAtMs,
  };
}

type Prices = Pick<
  ManagedOrder,
  "price" | "stopPrice" | "trailingDelta" | "price2" | "trailingAmount" | "limitOffset" | "dynamicLimit"
>;

function pricesOf(order: ParentOrder, runningLimit: Price | undefined): Prices {
  const { price, stopPrice, trailing, limitOffset } = order.intent;
  const running = order.ended === undefined ? runningLimit : undefined;
  const dynamicLimit = limitOffset === undefined ? undefined : (frozenLimitOf(order) ?? running);
  return {
    ...(price !== undefined && { price: formatPrice(price) }),
    ...(stopPrice !== undefined && { stopPrice: formatPrice(stopPrice) }),
    ...distanceOf(trailing),
    ...(limitOffset !== undefined && { limitOffset: formatPrice(limitOffset) }),
    ...(dynamicLimit !== undefined && { dynamicLimit: formatPrice(dynamicLimit) }),
  };
}

function distanceOf(trailing: TrailingDistance | undefined): Prices {
  switch (trailing?.kind) {
    case undefined:
      return {};
    case "bps":
      return { trailingDelta: trailing.bps };
    case "percent":
      return { price2: formatPrice(trailing.percent) };
    case "amount":
      return { trailingAmount: formatPrice(trailing.amount) };
  }
}

function strategyOf(type: ParentType): Pick<ManagedOrder, "targetStrategy"> {
  const { targetStrategy } = TRAITS[type];
  return targetStrategy === undefined ? {} : { targetStrategy };
}

type Schedule = Pick<
  ManagedOrder,
  "interval" | "intervalCount" | "intervalDelay" | "participationBips" | "volumeProfile" | "volumeBenchmark"
>;

/** The count is the plan's: a VWAP of the service's own volumes learns it at admission. */
function scheduleOf({ intent, plan }: ParentOrder): Schedule {
  const { schedule, participationBips } = intent;
  const { schedule: kind } = TRAITS[intent.type];
  const followsVolume = kind === "volume" || kind === "participation";
  return {
    ...(schedule !== undefined && { interval: schedule.intervalMs }),
    ...(plan !== undefined && { intervalCount: plan.count }),
    ...(schedule !== undefined && { intervalDelay: schedule.intervalDelayMs }),
    ...(participationBips !== undefined && { participationBips }),
    ...(schedule?.weights !== undefined && { volumeProfile: schedule.weights.join(",") }),
    ...(followsVolume && { volumeBenchmark: "SERVICE_EXECUTED_VOLUME" as const }),
  };
}
