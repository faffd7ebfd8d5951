import type { ManagedOrderReply } from "../../client/index.ts";
import { distanceOf, isOpen, typeName } from "./order-words.ts";
import { plotNumber } from "./plot-number.ts";
import type { PriceTrack, Tick } from "./price-track.ts";

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
export function levelsOf(
  orders: readonly ManagedOrderReply[],
  symbol: string,
  track: PriceTrack,
): readonly Level[] {
  return orders
    .filter((order) => order.symbol === symbol && isOpen(order))
    .flatMap((order) => linesOf(order, track));
}

function linesOf(order: ManagedOrderReply, track: PriceTrack): readonly Level[] {
  const { orderId, side, type, stopPrice, held } = order;
  // "Trailing stop" begins small behind another word, "TWAP" does not.
  const typeText = typeName(order).replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  const name = `${side === "SELL" ? "Sell" : "Buy"} ${typeText}`;
  const line = (price: number, label: string, isSoft = held): Level => ({
    ...{ orderId, side, price, label, isSoft },
  });
  const trail = type.startsWith("TRAILING") ? trailOf(order, track) : undefined;
  const limit = order.price ?? order.dynamicLimit;
  const lines: Level[] = [];
  if (trail !== undefined && !(trail.hasTriggered && limit !== undefined)) {
    const label = `${name} ${distanceOf(order)}${trail.hasTriggered ? "" : boundOf(order, track)}`;
    lines.push(line(trail.level, label, !trail.hasTriggered));
  } else if (trail === undefined && stopPrice !== undefined)
    lines.push(line(plotNumber(stopPrice), type.startsWith("TRAILING") ? `${name} gate` : name));
  if (limit !== undefined) {
    const moves = order.price === undefined && trail?.hasTriggered !== true;
    const isOnly = lines.length === 0 && trail === undefined;
    lines.push(line(plotNumber(limit), isOnly ? name : `${name}, limit`, held || moves));
  }
  return lines;
}

/** Where a trailing trigger stands, and whether the market has reached it. */
export type Trail = Readonly<{ level: number; hasTriggered: boolean }>;

/**
 * Returns the trigger of a trailing order now. A limit that moves with it is told by the service, and tells it exactly.
 * Any other one is as far on as the page has seen the market: the engine alone knows it exactly.
 */
export function trailOf(order: ManagedOrderReply, track: PriceTrack): Trail | undefined {
  const { side, held, dynamicLimit, limitOffset } = order;
  if (held) return undefined;
  if (dynamicLimit === undefined || limitOffset === undefined) return seenTrail(order, track);
  const beyond = plotNumber(limitOffset);
  const level = plotNumber(dynamicLimit) + (side === "SELL" ? beyond : -beyond);
  // An order that has triggered and is still open waits beyond its level, until the market comes back to its limit.
  const { last } = track;
  return { level, hasTriggered: last !== undefined && isFavorable(side, level, priceOf(side, last)) };
}

function seenTrail(order: ManagedOrderReply, track: PriceTrack): Trail | undefined {
  const { side, stopPrice, transactTime } = order;
  // The engine begins with the first quote after the acceptance, not with the one that it found.
  const after = track.since(transactTime).filter(({ timeMs }) => timeMs >= transactTime);
  const seen = after.map((tick) => priceOf(side, tick));
  const gate = stopPrice === undefined ? undefined : plotNumber(stopPrice);
  const from = gate === undefined ? 0 : seen.findIndex((price) => isFavorable(side, price, gate));
  const [extreme, ...rest] = from === -1 ? [] : seen.slice(from);
  if (extreme === undefined) return undefined;
  let level = levelAt(order, extreme);
  for (const price of rest) {
    if (isFavorable(side, level, price)) return { level, hasTriggered: true };
    const next = levelAt(order, price);
    if (isFavorable(side, next, level)) level = next;
  }
  return { level, hasTriggered: false };
}

/** An extreme from before the page looked is not known. With it, the level is further on, never further back. */
function boundOf({ side, transactTime, dynamicLimit }: ManagedOrderReply, { first }: PriceTrack): string {
  if (dynamicLimit !== undefined) return "";
  if (first !== undefined && first.timeMs <= transactTime) return "";
  return side === "SELL" ? " or higher" : " or lower";
}

const priceOf = (side: "BUY" | "SELL", { bid, ask }: Tick): number => (side === "SELL" ? bid : ask);

/** Whether a price is as good for a side as another one, or better. */
const isFavorable = (side: "BUY" | "SELL", price: number, than: number): boolean =>
  side === "SELL" ? price >= than : price <= than;

function levelAt(order: ManagedOrderReply, extreme: number): number {
  const distance = distanceAt(order, extreme);
  return order.side === "SELL" ? extreme - distance : extreme + distance;
}

function distanceAt({ trailingAmount, price2, trailingDelta = 0 }: ManagedOrderReply, price: number): number {
  if (trailingAmount !== undefined) return plotNumber(trailingAmount);
  return (price * (price2 === undefined ? trailingDelta / 100 : plotNumber(price2))) / 100;
}
