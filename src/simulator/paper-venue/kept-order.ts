import {
  add,
  type Notional,
  notionalOf,
  type Price,
  type Quantity,
  subtract,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type {
  ExecutionReason,
  NativeExecution,
  NativeOrder,
  NativeStatus,
  RejectReason,
  Side,
} from "../../model/index.ts";
import { total } from "./order-book.ts";
import type { VenueFill } from "./venue-fill.ts";

/** The terms of an order at the venue, a child of a managed parent or a native order. */
export type OrderTerms = Readonly<{
  accountId: number;
  symbol: string;
  side: Side;
  type: "LIMIT" | "MARKET";
  timeInForce: "GTC" | "IOC" | "FOK";
  clientOrderId: string;
  price?: Price;
  /** Absent for an order by amount. Its quantity is the sum of its fills. */
  quantity?: Quantity;
  quoteQuantity?: Notional;
  isChild: boolean;
}>;

/** The end of an order that was not filled. */
export type OrderEnd = Readonly<{
  status: "CANCELED" | "EXPIRED" | "REJECTED";
  reason?: ExecutionReason;
  rejectReason?: RejectReason;
  errorMessage?: string;
}>;

/**
 * One order of the venue's record. Its events are numbered: 0 is its arrival, then come its fills, and last its end.
 * `timesMs` contains the time of each.
 */
export type KeptOrder = {
  readonly orderId: bigint;
  readonly terms: OrderTerms;
  /** Highest commission rate of its fills. Absent if none is charged. */
  readonly commissionRate?: string;
  readonly fills: VenueFill[];
  readonly timesMs: number[];
  end?: OrderEnd;
};

/** Returns the quantity left to fill. */
export function restOf({ terms, fills }: KeptOrder): Quantity {
  return terms.quantity === undefined ? ZERO_QUANTITY : subtract(terms.quantity, total(fills));
}

/** Returns whether an order can still fill. */
export function isOpen(order: KeptOrder): boolean {
  return order.end === undefined && restOf(order) > 0;
}

/** Returns the order in its current state. */
export function orderOf(order: KeptOrder): NativeOrder {
  return snapshotAt(order, order.timesMs.length - 1);
}

/** Returns the time of the last change in epoch milliseconds. */
export function updatedAtOf({ timesMs }: KeptOrder): number {
  return timesMs.at(-1) ?? 0;
}

/** Returns the order as it was after one of its events. */
function snapshotAt(order: KeptOrder, event: number): NativeOrder {
  const { orderId, terms, timesMs } = order;
  const { isChild: _, quantity, ...asked } = terms;
  const fills = order.fills.slice(0, event);
  const end = event > order.fills.length ? order.end : undefined;
  const whole = quantity ?? total(order.fills);
  const executedQuantity = total(fills);
  const { status = filledStatus(executedQuantity, whole), ...why } = end ?? {};
  return {
    orderId,
    ...asked,
    quantity: whole,
    executedQuantity,
    executedNotional: amountOf(fills),
    status,
    ...why,
    updatedAtMs: timesMs[event] ?? 0,
    isWorking: status !== "REJECTED",
  };
}

/** Returns the sum of price · quantity over fills. */
export function amountOf(fills: readonly VenueFill[]): Notional {
  return fills.reduce((sum, { price, quantity }) => add(sum, notionalOf(price, quantity)), ZERO_NOTIONAL);
}

function filledStatus(executed: Quantity, whole: Quantity): NativeStatus {
  if (executed <= 0) return "NEW";
  return executed < whole ? "PARTIALLY_FILLED" : "FILLED";
}

/** Returns one event of an order as an execution. */
export function executionAt(kept: KeptOrder, event: number): NativeExecution {
  const order = snapshotAt(kept, event);
  const timeMs = order.updatedAtMs;
  const fill = event === 0 ? undefined : kept.fills[event - 1];
  if (fill !== undefined) {
    const { executionId, quantity, price } = fill;
    return { executionId, execType: "TRADE", order, lastQuantity: quantity, lastPrice: price, timeMs };
  }
  const execType = event === 0 ? "NEW" : (kept.end?.status ?? "EXPIRED");
  return { executionId: `pv-${kept.orderId}-${event}`, execType, order, timeMs };
}
