import type { ManagedOrderReply } from "../../client/index.ts";
import { distanceOf, isOpen, typeName } from "./order-words.ts";
import { plotNumber } from "./plot-number.ts";
import type { PriceTrack } from "./price-track.ts";

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
  const { orderId, side, type, price, stopPrice, held } = order;
  // "Trailing stop" begins small behind another word, "TWAP" does not.
  const typeText = typeName(order).replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  const name = `${side === "SELL" ? "Sell" : "Buy"} ${typeText}`;
  const line = (at: number, label: string, isSoft = held): Level => ({
    orderId,
    side,
    price: at,
    label,
    isSoft,
  });
  const lines: Level[] = [];
  if (type.startsWith("TRAILING")) {
    const level = trailingLevel(order, track);
    if (level !== undefined)
      lines.push(line(level, `${name} ${distanceOf(order)}${boundOf(order, track)}`, true));
    if (stopPrice !== undefined && level === undefined)
      lines.push(line(plotNumber(stopPrice), `${name} gate`));
  } else if (stopPrice !== undefined) lines.push(line(plotNumber(stopPrice), name));
  if (price !== undefined)
    lines.push(line(plotNumber(price), stopPrice === undefined ? name : `${name}, limit`));
  return lines;
}

/** Where a trailing trigger stands now, as far as the page has seen the market. The engine alone knows it exactly. */
export function trailingLevel(order: ManagedOrderReply, track: PriceTrack): number | undefined {
  const { side, stopPrice, transactTime, held } = order;
  if (held) return undefined;
  // The engine begins with the first quote after the acceptance, not with the one that it found.
  const after = track.since(transactTime).filter(({ timeMs }) => timeMs >= transactTime);
  const seen = after.map(({ bid, ask }) => (side === "SELL" ? bid : ask));
  const from = stopPrice === undefined ? 0 : seen.findIndex(reaches(side, plotNumber(stopPrice)));
  if (from === -1 || seen.length === 0) return undefined;
  const extreme = seen
    .slice(from)
    .reduce((best, value) => (side === "SELL" ? Math.max : Math.min)(best, value));
  const distance = distanceAt(order, extreme);
  return side === "SELL" ? extreme - distance : extreme + distance;
}

/** An extreme from before the page looked is not known. With it, the level is further on, never further back. */
function boundOf({ side, transactTime }: ManagedOrderReply, { first }: PriceTrack): string {
  if (first !== undefined && first.timeMs <= transactTime) return "";
  return side === "SELL" ? " or higher" : " or lower";
}

const reaches =
  (side: "BUY" | "SELL", gate: number) =>
  (price: number): boolean =>
    side === "SELL" ? price >= gate : price <= gate;

function distanceAt({ trailingAmount, price2, trailingDelta = 0 }: ManagedOrderReply, price: number): number {
  if (trailingAmount !== undefined) return plotNumber(trailingAmount);
  return (price * (price2 === undefined ? trailingDelta / 100 : plotNumber(price2))) / 100;
}
