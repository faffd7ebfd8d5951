import {
  type ExactQuantity,
  exactQuantityText,
  executedText,
  executedValueText,
  executionValueText,
  formatNotional,
  formatQuantity,
  type Notional,
  type Price,
} from "../../decimal/index.ts";
import type { NativeExecution } from "../../model/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { typeForClient } from "../rest/compat/names.ts";
import { membersInEvents, NO_LIST, workingSince } from "../views/managed-order.ts";
import { tradeIdOf } from "../views/native-order.ts";
import { type ExecutionType, type MarketStamp, NONE, type OrderEvent, priceText } from "./account-events.ts";

/** Trade id of an event that is not a trade. */
const NO_TRADE = -1;

/** Statuses of an order that can be on the book. */
const OPEN: ReadonlySet<string> = new Set(["NEW", "PARTIALLY_FILLED"]);

/**
 * Builds an executionReport of a managed order. The letters are the convention's; a letter whose value is not known is left
 * out. The spelled-out members are those of ORDER_TRADE_UPDATE but the trigger's. Source: convention 4.7.
 */
export function executionReport(event: OrderEvent, stamp: MarketStamp): JsonInput {
  const { order, timeMs, execution, view, fill, reason } = event;
  const { intent, accountId, orderId, acceptedAtMs } = order;
  const { trailing } = intent;
  const workingSinceMs = workingSince(order);
  return {
    ...headOf(execution, intent.clientOrderId, stamp),
    S: intent.side,
    o: typeForClient(intent),
    f: intent.timeInForce,
    q: formatQuantity(intent.quantity),
    p: priceText(intent.price),
    P: priceText(intent.stopPrice),
    ...(trailing?.kind === "bps" && { d: trailing.bps }),
    F: intent.icebergQuantity === undefined ? NONE : formatQuantity(intent.icebergQuantity),
    g: order.list?.listId ?? NO_LIST,
    X: view.status,
    r: (execution === "REJECTED" && reason) || "NONE",
    i: orderId,
    z: executedText(event.executed),
    Z: executedValueText(event.executed),
    ...lastOf(execution, fill),
    T: fill?.timeMs ?? timeMs,
    I: tradeIdOf(fill?.executionId ?? `${orderId}/${order.lastSequence}/${execution}`),
    w: OPEN.has(view.status) && workingSinceMs !== undefined,
    ...(workingSinceMs !== undefined && { W: workingSinceMs }),
    // A child executes at once.
    m: false,
    O: acceptedAtMs,
    Q: NONE,
    accountId,
    ...membersInEvents(event),
    executionId: fill?.executionId,
    reason,
    alerts: event.alerts,
  };
}

/**
 * Builds an executionReport of a native order, without the letters that the host does not report. Source: convention 4.7.
 */
export function nativeExecutionReport(execution: NativeExecution, stamp: MarketStamp): JsonInput {
  const { order, execType, executionId, timeMs, lastQuantity, lastPrice } = execution;
  const fill =
    lastQuantity === undefined || lastPrice === undefined
      ? undefined
      : { executionId, quantity: lastQuantity, price: lastPrice };
  const executedNotional =
    order.executedNotional ?? (order.executedQuantity > 0 ? undefined : (0 as Notional));
  const isNew = execType === "NEW";
  const isOnBook = OPEN.has(order.status) && order.isWorking;
  return {
    ...headOf(execType, order.clientOrderId, stamp),
    S: order.side,
    o: typeForClient(order),
    f: order.timeInForce,
    q: formatQuantity(order.quantity),
    p: priceText(order.price),
    P: priceText(order.stopPrice),
    F: NONE,
    g: order.orderListId ?? NO_LIST,
    X: order.status,
    r: order.rejectReason ?? "NONE",
    i: order.orderId,
    z: formatQuantity(order.executedQuantity),
    ...(executedNotional !== undefined && { Z: formatNotional(executedNotional) }),
    ...lastOf(execType, fill),
    T: timeMs,
    I: tradeIdOf(executionId),
    w: isOnBook,
    ...(isNew && isOnBook && { W: timeMs }),
    // Whether a resting order or the other side came first is not known of a trade.
    ...(execType !== "TRADE" && { m: false }),
    ...(isNew && { O: timeMs }),
    Q: order.quoteQuantity === undefined ? NONE : formatNotional(order.quoteQuantity),
    accountId: order.accountId,
    executionId: execType === "TRADE" ? executionId : undefined,
    reason: order.reason,
  };
}

/** Returns the members that begin every report. An order keeps its client id when it is canceled. */
function headOf(execution: ExecutionType, clientOrderId: string, stamp: MarketStamp) {
  const { sequence, nowMs, symbol } = stamp;
  return {
    e: "executionReport",
    E: nowMs,
    sequence,
    s: symbol,
    c: clientOrderId,
    C: execution === "CANCELED" ? clientOrderId : "",
    x: execution,
    M: false,
    V: "NONE",
  };
}

type LastFill = ExactQuantity & Readonly<{ executionId: string; price: Price }>;

/** Returns the members of the last fill. The commission of a fill is not known; without a fill there is none. */
function lastOf(execution: ExecutionType, fill: LastFill | undefined): Readonly<Record<string, JsonInput>> {
  if (fill === undefined) {
    const none = { l: NONE, L: NONE, Y: NONE, t: NO_TRADE };
    return execution === "TRADE" ? none : { ...none, n: NONE, N: null };
  }
  const { executionId, price } = fill;
  return {
    l: exactQuantityText(fill),
    L: priceText(price),
    Y: executionValueText(fill),
    t: tradeIdOf(executionId),
  };
}
