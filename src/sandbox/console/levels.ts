import type { ManagedOrderReply } from "../../client/index.ts";
import { formatScaled, PRICE_SCALE, parseScaled } from "../../decimal/index.ts";
import { plotDecimals, plotNumber, plotText } from "./numbers.ts";
import { distanceOf, isOpen, typeName } from "./orders.ts";

/** A level that a person can move: a field of an order that can be changed. */
export type Move = Readonly<{
  orderId: string;
  clientOrderId: string;
  side: "BUY" | "SELL";
  label: string;
  field: "stopPrice" | "price";
  text: string;
}>;

/** The level of an open order. */
export type Level = Readonly<{
  price: number;
  label: string;
  side: "BUY" | "SELL" | "BOTH";
  /** Whether it moves, or its order still waits for another one. */
  isSoft: boolean;
  /** The orders whose level this is, as far as it can be moved. */
  moves?: readonly Move[];
}>;

/** Returns the fields of an order that can be changed. */
type Changeable = (order: ManagedOrderReply) => readonly string[];

/** Prices that a chart shows. */
type Range = Readonly<{ low: number; high: number }>;

/** Returns the levels of the open orders of a market, from the highest to the lowest. Those of one price are one. */
export function levelsOf(
  orders: readonly ManagedOrderReply[],
  symbol: string,
  changeable: Changeable = () => [],
): readonly Level[] {
  const byPrice = new Map<number, [Level, ...Level[]]>();
  const open = orders.filter((order) => order.symbol === symbol && isOpen(order));
  for (const level of open.flatMap((each) => levelsOfOrder(each, changeable(each)))) {
    const same = byPrice.get(level.price);
    if (same === undefined) byPrice.set(level.price, [level]);
    else same.push(level);
  }
  return [...byPrice.values()].map(joined).toSorted((a, b) => b.price - a.price);
}

function levelsOfOrder(order: ManagedOrderReply, changeable: readonly string[]): readonly Level[] {
  const { side, type, stopPrice, held, triggerLevel, triggerTime, orderId, clientOrderId } = order;
  // "Trailing stop" begins small behind another word, "TWAP" does not.
  const typeText = typeName(order).replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  const name = `${side === "SELL" ? "Sell" : "Buy"} ${typeText}`;
  const level = (price: string, label: string, isSoft = held): Level => ({
    ...{ side, price: plotNumber(price), label, isSoft },
  });
  const moves = (field: Move["field"], label: string): Pick<Level, "moves"> => {
    const text = order[field];
    if (text === undefined || !changeable.includes(field)) return {};
    return { moves: [{ orderId, clientOrderId, side, label, field, text }] };
  };
  const isTrailing = type.startsWith("TRAILING");
  const hasTriggered = triggerTime !== undefined;
  const limit = order.price ?? order.dynamicLimit;
  const levels: Level[] = [];
  // An order that has triggered and is still open waits for its limit, if it has one.
  if (isTrailing && triggerLevel !== undefined) {
    if (!hasTriggered || limit === undefined)
      levels.push(level(triggerLevel, `${name} ${distanceOf(order)}`, !hasTriggered));
  } else if (stopPrice !== undefined) {
    const label = isTrailing ? `${name} gate` : name;
    levels.push({ ...level(stopPrice, label), ...moves("stopPrice", label) });
  }
  if (limit !== undefined) {
    const isMoving = order.price === undefined && !hasTriggered;
    const isOnly = levels.length === 0 && !isTrailing;
    const label = isOnly ? name : `${name}, limit`;
    levels.push({ ...level(limit, label, held || isMoving), ...moves("price", label) });
  }
  return levels;
}

function joined(levels: readonly [Level, ...Level[]]): Level {
  const [first] = levels;
  if (levels.length === 1) return first;
  const moves = levels.flatMap((level) => level.moves ?? []);
  const isAlike = levels.every(({ label }) => label === first.label);
  return {
    price: first.price,
    side: sideOf(levels),
    label: isAlike ? `${first.label} ×${levels.length}` : countText(levels),
    isSoft: levels.every(({ isSoft }) => isSoft),
    ...(moves.length > 0 && { moves }),
  };
}

const sideOf = (levels: readonly Level[]): Level["side"] => {
  const first = levels[0]?.side ?? "BOTH";
  return levels.every(({ side }) => side === first) ? first : "BOTH";
};

function countText(levels: readonly Level[]): string {
  const side = sideOf(levels);
  return `${levels.length}${side === "BOTH" ? "" : ` ${side.toLowerCase()}`} levels`;
}

/** Returns the smallest step by which prices like this one are moved, in steps of a price: that of the chart. */
const tickOf = (price: number): bigint => 10n ** BigInt(PRICE_SCALE - plotDecimals(price));

/** Returns a price that is moved by some ticks, in exact arithmetic. It stays above zero. */
export function movedBy(text: string, ticks: number): string {
  const tick = tickOf(plotNumber(text));
  const moved = BigInt(parseScaled(text, PRICE_SCALE) ?? 0) + BigInt(ticks) * tick;
  return formatScaled(moved > 0n ? moved : tick, PRICE_SCALE);
}

/** Returns the price of a place in the chart, in whole ticks of prices like another one; undefined where no price is. */
export function levelAt(price: number | undefined, like: string): string | undefined {
  if (price === undefined || !(price > 0)) return undefined;
  const steps = parseScaled(price.toFixed(plotDecimals(plotNumber(like))), PRICE_SCALE);
  return steps === undefined || steps <= 0 ? undefined : formatScaled(steps, PRICE_SCALE);
}

/** Returns the name and the price of a level. */
export const levelText = ({ label, price }: Level): string => `${label} ${plotText(price)}`;

/** More names on one side of the market would be far from their lines. */
const MOST_NAMES = 6;

/** Returns the levels that have a name and a price beside their lines: the nearest ones on both sides of a price. */
export function namedOf(levels: readonly Level[], price: number): readonly Level[] {
  const above = levels.filter((level) => level.price > price).slice(-MOST_NAMES);
  return [...above, ...levels.filter((level) => level.price <= price).slice(0, MOST_NAMES)];
}

/** Height of a name, with the space to the next one. */
const NAME_HEIGHT = 15;

/** A name of a level, or of those beyond an edge of the drawing. `y`: its base line. */
type LevelName = Readonly<{ text: string; side: Level["side"]; y: number }>;

/** Returns names of levels that do not cover each other. Levels beyond an edge of the drawing share one. */
export function namesOf(
  levels: readonly Level[],
  {
    named,
    height,
    yOf,
  }: Readonly<{ named: readonly Level[]; height: number; yOf: (price: number) => number }>,
): readonly LevelName[] {
  const placed = levels.map((level) => ({ level, y: yOf(level.price) }));
  const above = placed.filter(({ y }) => y < 0).map(({ level }) => level);
  const below = placed.filter(({ y }) => y > height).map(({ level }) => level);
  const inside = placed.filter(({ level, y }) => named.includes(level) && y >= 0 && y <= height);
  const names = [
    ...beyond("↑", above, 0),
    ...inside.map(({ level: { label, side }, y }) => ({ text: label, side, y: y - 4 })),
    ...beyond("↓", below, height),
  ];
  const ys = names.map(({ y }) => y);
  for (const [index, y] of ys.entries()) ys[index] = Math.max(y, (ys[index - 1] ?? -4) + NAME_HEIGHT);
  for (let index = ys.length - 1; index >= 0; index--)
    ys[index] = Math.min(ys[index] ?? 0, (ys[index + 1] ?? height + NAME_HEIGHT - 4) - NAME_HEIGHT);
  return names.map((name, index) => ({ ...name, y: ys[index] ?? name.y }));
}

/** Returns the name of what is beyond an edge, if there is anything: a level, or the lowest and the highest price. */
function beyond(arrow: string, levels: readonly Level[], y: number): readonly LevelName[] {
  const [highest, lowest] = [levels[0], levels.at(-1)];
  if (highest === undefined || lowest === undefined) return [];
  const range = `${countText(levels)}: ${plotText(lowest.price)} to ${plotText(highest.price)}`;
  return [{ text: `${arrow} ${levels.length === 1 ? levelText(highest) : range}`, side: sideOf(levels), y }];
}

/** A market that stands still is shown with at least this part of its price. */
const LEAST_SHARE = 0.0006;
const MOST_DISTANT = 1.5;

/** Returns the prices to show. Levels far from the market would flatten its line, so that only near ones widen them. */
export function rangeWith({ low, high }: Range, levels: readonly Level[]): Range {
  const least = high * LEAST_SHARE;
  const reach = Math.max(high - low, least) * MOST_DISTANT;
  const near = levels
    .map(({ price }) => price)
    .filter((price) => price >= low - reach && price <= high + reach);
  const [bottom, top] = [Math.min(low, near.at(-1) ?? low), Math.max(high, near[0] ?? high)];
  const pad = Math.max(0, least - (top - bottom)) / 2;
  return { low: bottom - pad, high: top + pad };
}
