import type { ManagedOrderReply } from "../../client/index.ts";
import { distanceOf, isOpen, typeName } from "./order-words.ts";
import { plotNumber } from "./plot-number.ts";

/** A horizontal line of the chart. */
export type Level = Readonly<{
  orderId: string;
  price: number;
  label: string;
  side: "BUY" | "SELL";
  /** Whether it moves, or its order still waits for another one. */
  isSoft: boolean;
}>;

/** Returns the lines of the open orders of a market. */
export function levelsOf(orders: readonly ManagedOrderReply[], symbol: string): readonly Level[] {
  return orders.filter((order) => order.symbol === symbol && isOpen(order)).flatMap(linesOf);
}

function linesOf(order: ManagedOrderReply): readonly Level[] {
  const { orderId, side, type, stopPrice, held, triggerLevel, triggerTime } = order;
  // "Trailing stop" begins small behind another word, "TWAP" does not.
  const typeText = typeName(order).replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  const name = `${side === "SELL" ? "Sell" : "Buy"} ${typeText}`;
  const line = (price: number, label: string, isSoft = held): Level => ({
    ...{ orderId, side, price, label, isSoft },
  });
  const isTrailing = type.startsWith("TRAILING");
  const hasTriggered = triggerTime !== undefined;
  const limit = order.price ?? order.dynamicLimit;
  const lines: Level[] = [];
  // An order that has triggered and is still open waits for its limit, if it has one.
  if (isTrailing && triggerLevel !== undefined) {
    if (!hasTriggered || limit === undefined)
      lines.push(line(plotNumber(triggerLevel), `${name} ${distanceOf(order)}`, !hasTriggered));
  } else if (stopPrice !== undefined)
    lines.push(line(plotNumber(stopPrice), isTrailing ? `${name} gate` : name));
  if (limit !== undefined) {
    const moves = order.price === undefined && !hasTriggered;
    const isOnly = lines.length === 0 && !isTrailing;
    lines.push(line(plotNumber(limit), isOnly ? name : `${name}, limit`, held || moves));
  }
  return lines;
}
