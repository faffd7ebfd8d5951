import { averagePriceText, formatQuantity, ZERO_NOTIONAL } from "../../decimal/index.ts";
import type { NativeExecution } from "../../model/index.ts";
import { type CompleteOf, type NATIVE_UPDATE, UNUSED_LETTERS } from "../../replies/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { NO_LIST } from "../views/managed-order.ts";
import { tradeIdOf } from "../views/trade-id.ts";
import { type EventStamp, NO_TRADE, NONE, priceText } from "./order-trade-update.ts";

/** Times in force whose remainder expires if it cannot execute at once. */
const AT_ONCE: ReadonlySet<string> = new Set(["IOC", "FOK"]);

/**
 * Builds an ORDER_TRADE_UPDATE of a native order. Its average price is 0 if the host does not report
 * the executed amount. `sequence`, `g`, `accountId`,
 * `executionId`, `reason` and `rejectReason` are additions to the convention. Source: convention 4.9; decisions 2,
 * 45 and MB.
 */
export function nativeTradeUpdate(execution: NativeExecution, { sequence, nowMs }: EventStamp): JsonInput {
  return { e: "ORDER_TRADE_UPDATE", E: nowMs, T: execution.timeMs, sequence, o: updateOf(execution) };
}

function updateOf(execution: NativeExecution): CompleteOf<typeof NATIVE_UPDATE> {
  const { order, execType, executionId, timeMs, lastQuantity, lastPrice } = execution;
  const isTrade = execType === "TRADE";
  return {
    s: order.symbol,
    c: order.clientOrderId,
    S: order.side,
    o: order.type,
    f: order.timeInForce,
    q: formatQuantity(order.quantity),
    p: priceText(order.price),
    ap: averagePriceText(order.executedNotional ?? ZERO_NOTIONAL, order.executedQuantity),
    sp: priceText(order.stopPrice),
    x: execType,
    X: order.status,
    i: order.orderId,
    l: lastQuantity === undefined ? NONE : formatQuantity(lastQuantity),
    z: formatQuantity(order.executedQuantity),
    L: priceText(lastPrice),
    T: timeMs,
    t: isTrade ? tradeIdOf(executionId) : NO_TRADE,
    R: false,
    ot: order.type,
    ...UNUSED_LETTERS,
    gtd: 0,
    er: expiryNumber(execution),
    g: order.orderListId ?? NO_LIST,
    accountId: order.accountId,
    executionId: isTrade ? executionId : undefined,
    reason: order.reason,
    rejectReason: order.rejectReason,
  };
}

/**
 * Returns the convention's expiry number: 9 for the remainder of a market order, 2 for that of IOC and FOK, otherwise
 * 0.
 */
function expiryNumber({ execType, order }: NativeExecution): string {
  if (execType !== "EXPIRED") return "0";
  if (order.type === "MARKET") return "9";
  return AT_ONCE.has(order.timeInForce) ? "2" : "0";
}
