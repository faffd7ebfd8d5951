import { Decimal } from "decimal.js";
import type { Side } from "../model/index.ts";

/** Figures of a simulation. Amounts are USD; ratios are fractions; all are decimal strings at 8 decimals or fewer. */
export interface Statistics {
  /** Equity at the first point of the equity curve. */
  readonly startEquity: string;
  /** Equity at the last point of the equity curve. */
  readonly endEquity: string;
  /** End minus start. */
  readonly profit: string;
  /** Profit divided by the start. */
  readonly totalReturn: string;
  /** The return of a year at the same growth: (end / start) ^ (year / duration) - 1. Absent for less than a day. */
  readonly annualReturn?: string;
  /** The deepest fall of the equity below an earlier peak. */
  readonly maxDrawdown: Drawdown;
  /**
   * Standard deviation of the returns over periods of `sampleMs` from the first equity point, times the square root of
   * their number in a year. The equity at the end of a period is that of the last point until then: a period without a
   * point has a return of zero, points of fills inside a period add no return, and an incomplete period at the end is
   * left out. Absent with fewer than two returns.
   */
  readonly volatility?: string;
  /** Mean of these returns divided by their standard deviation, times the square root of their number in a year. */
  readonly sharpe?: string;
  /** As `sharpe`, with the root of the mean square of the negative returns instead of the standard deviation. */
  readonly sortino?: string;
  /** Annual return divided by the fraction of the deepest drawdown. */
  readonly calmar?: string;
  /** Sum of the commissions of all fills. */
  readonly commissions: string;
  /** Sum of price · quantity over all fills. */
  readonly turnover: string;
  /** Figures of closed trades. */
  readonly trades: TradeStatistics;
}

/**
 * Figures of closed trades. A trade is closed when a position, or a part of it, that was bought earlier is sold; the
 * oldest purchase is sold first. Its profit is after the commissions of both sides.
 */
export interface TradeStatistics {
  /** Number of closed trades. */
  readonly closed: number;
  /** Number of closed trades with a profit. */
  readonly won: number;
  /** Won divided by closed. Absent without closed trades. */
  readonly winRate?: string;
  /** Sum of the profits divided by the sum of the losses. Absent without a loss. */
  readonly profitFactor?: string;
  /** Mean of the profits. Absent without a profit. */
  readonly averageProfit?: string;
  /** Mean of the losses, without its sign. Absent without a loss. */
  readonly averageLoss?: string;
  /** Sum of the profits less the sum of the losses. */
  readonly profit: string;
}

/** Input of the statistics: equity points in the order of time, the period of a return, and sums of the fills. */
export type StatisticsInput = Readonly<{
  equity: readonly Readonly<{ timeMs: number; equity: string }>[];
  sampleMs: number;
  commissions: string;
  turnover: string;
  closed: readonly ClosedTrade[];
}>;

const YEAR_MS = 365 * 86_400_000;
const DAY_MS = 86_400_000;
const DECIMALS = 8;

const text = (value: Decimal): string => value.toDecimalPlaces(DECIMALS).toFixed();

/** Returns the statistics of a simulation. */
export function statisticsOf(input: StatisticsInput): Statistics {
  const { equity, sampleMs, commissions, turnover } = input;
  const points = equity.map(({ timeMs, equity: value }) => ({ timeMs, value: new Decimal(value) }));
  const [first, last] = [points[0]?.value ?? new Decimal(0), points.at(-1)?.value ?? new Decimal(0)];
  const durationMs = (points.at(-1)?.timeMs ?? 0) - (points[0]?.timeMs ?? 0);
  const maxDrawdown = deepestFall(points);
  const annual = annualReturn({ first, last, durationMs });
  return {
    startEquity: text(first),
    endEquity: text(last),
    profit: text(last.minus(first)),
    totalReturn: first.isZero() ? "0" : text(last.dividedBy(first).minus(1)),
    ...(annual !== undefined && { annualReturn: text(annual) }),
    maxDrawdown,
    ...ratios(returnsOf(points, sampleMs), sampleMs),
    ...calmar(annual, maxDrawdown),
    commissions,
    turnover,
    trades: tradeStatistics(input.closed),
  };
}

function annualReturn({
  first,
  last,
  durationMs,
}: Readonly<{ first: Decimal; last: Decimal; durationMs: number }>): Decimal | undefined {
  if (durationMs < DAY_MS || !first.isPositive() || first.isZero() || !last.isPositive()) return undefined;
  return last.dividedBy(first).pow(new Decimal(YEAR_MS).dividedBy(durationMs)).minus(1);
}

function calmar(annual: Decimal | undefined, { fraction }: Drawdown): Partial<Pick<Statistics, "calmar">> {
  const deepest = new Decimal(fraction);
  return annual === undefined || deepest.isZero() ? {} : { calmar: text(annual.dividedBy(deepest)) };
}

type Point = Readonly<{ timeMs: number; value: Decimal }>;

/** Returns of equal periods: those of periods that had a point, and the number of all. The others are zero. */
type Returns = Readonly<{ moved: readonly Decimal[]; count: number }>;

/** Returns the returns of the complete periods. A period that began without equity has none. */
function returnsOf(points: readonly Point[], sampleMs: number): Returns {
  const ends = valuesAtEnds(points, sampleMs);
  const moved: Decimal[] = [];
  let count = 0;
  for (const [index, { period, value }] of ends.entries()) {
    const next = ends[index + 1];
    if (next === undefined || value.isZero()) continue;
    count += next.period - period;
    moved.push(next.value.dividedBy(value).minus(1));
  }
  return { moved, count };
}

type PeriodEnd = Readonly<{ period: number; value: Decimal }>;

/**
 * Returns the equity at the start (period 0) and at the ends of the periods that had a point, and of the last one. So
 * the result has no more entries than there are points, however short a period is.
 */
function valuesAtEnds(points: readonly Point[], sampleMs: number): readonly PeriodEnd[] {
  const startMs = points[0]?.timeMs ?? 0;
  const complete = Math.floor(((points.at(-1)?.timeMs ?? 0) - startMs) / sampleMs);
  const byPeriod = new Map<number, Decimal>();
  let last = new Decimal(0);
  for (const { timeMs, value } of points) {
    const period = Math.ceil((timeMs - startMs) / sampleMs);
    if (period > complete) break;
    last = value;
    byPeriod.set(period, value);
  }
  byPeriod.set(complete, last);
  return [...byPeriod].map(([period, value]) => ({ period, value }));
}

type Ratios = Pick<Statistics, "volatility" | "sharpe" | "sortino">;

function ratios({ moved, count }: Returns, sampleMs: number): Partial<Ratios> {
  if (count < 2) return {};
  const zero = new Decimal(0);
  const sum = (of: (value: Decimal) => Decimal): Decimal =>
    moved.reduce((total, value) => total.plus(of(value)), zero);
  const mean = sum((value) => value).dividedBy(count);
  const deviation = sum((value) => value.minus(mean).pow(2))
    .plus(mean.pow(2).times(count - moved.length))
    .dividedBy(count - 1)
    .sqrt();
  const downside = sum((value) => (value.isNegative() ? value.pow(2) : zero))
    .dividedBy(count)
    .sqrt();
  const yearly = new Decimal(YEAR_MS).dividedBy(sampleMs).sqrt();
  return {
    volatility: text(deviation.times(yearly)),
    ...(!deviation.isZero() && { sharpe: text(mean.dividedBy(deviation).times(yearly)) }),
    ...(!downside.isZero() && { sortino: text(mean.dividedBy(downside).times(yearly)) }),
  };
}

function tradeStatistics(closed: readonly ClosedTrade[]): TradeStatistics {
  const profits = closed.map(({ profit }) => new Decimal(profit));
  const total = (values: readonly Decimal[]): Decimal =>
    values.reduce((sum, value) => sum.plus(value), new Decimal(0));
  const won = profits.filter((profit) => profit.isPositive() && !profit.isZero());
  const lost = profits.filter((profit) => profit.isNegative());
  const [gains, losses] = [total(won), total(lost).abs()];
  return {
    closed: profits.length,
    won: won.length,
    ...(profits.length > 0 && { winRate: text(new Decimal(won.length).dividedBy(profits.length)) }),
    ...(!losses.isZero() && { profitFactor: text(gains.dividedBy(losses)) }),
    ...(won.length > 0 && { averageProfit: text(gains.dividedBy(won.length)) }),
    ...(lost.length > 0 && { averageLoss: text(losses.dividedBy(lost.length)) }),
    profit: text(total(profits)),
  };
}

/** The deepest fall of the equity below an earlier peak. */
export interface Drawdown {
  /** Fall in USD, a decimal string. */
  readonly amount: string;
  /** Fall divided by the peak, a decimal string. */
  readonly fraction: string;
  readonly peakMs: number;
  readonly troughMs: number;
  /** When the equity reached the peak again; absent if it did not. */
  readonly recoveredMs?: number;
}

/** Returns the fall with the largest fraction. Without a fall, amount and fraction are "0". */
function deepestFall(points: readonly Point[]): Drawdown {
  let peak = points[0];
  let deepest: Readonly<{ peak: Point; trough: Point; fraction: Decimal }> | undefined;
  for (const point of points) {
    if (peak === undefined || point.value.greaterThanOrEqualTo(peak.value)) peak = point;
    if (!peak.value.isPositive() || peak.value.isZero()) continue;
    const fraction = peak.value.minus(point.value).dividedBy(peak.value);
    if (fraction.greaterThan(deepest?.fraction ?? 0)) deepest = { peak, trough: point, fraction };
  }
  const startMs = points[0]?.timeMs ?? 0;
  if (deepest === undefined) return { amount: "0", fraction: "0", peakMs: startMs, troughMs: startMs };
  const { peak: top, trough, fraction } = deepest;
  const recovered = points.find(
    ({ timeMs, value }) => timeMs > trough.timeMs && value.greaterThanOrEqualTo(top.value),
  );
  return {
    amount: text(top.value.minus(trough.value)),
    fraction: text(fraction),
    peakMs: top.timeMs,
    troughMs: trough.timeMs,
    ...(recovered !== undefined && { recoveredMs: recovered.timeMs }),
  };
}

/** A sale, or the part of one, of what was bought before. `profit` is after commissions, in USD. */
interface ClosedTrade {
  readonly symbol: string;
  readonly openedMs: number;
  readonly closedMs: number;
  readonly quantity: string;
  readonly profit: string;
}

type Execution = Readonly<{
  timeMs: number;
  symbol: string;
  side: Side;
  price: string;
  quantity: string;
  commission: string;
}>;

type Lot = { left: Decimal; readonly unitCost: Decimal; readonly timeMs: number };

/**
 * Returns one closed trade for each sale that sells something bought in the simulation, oldest purchase first. What the
 * account had at the start has no purchase and closes nothing.
 */
export function closedTrades(
  fills: readonly Execution[],
  held: Readonly<Record<string, string>>,
): readonly ClosedTrade[] {
  const lots = new Map<string, Lot[]>();
  const closed: ClosedTrade[] = [];
  const initial = new Map(Object.entries(held).map(([symbol, quantity]) => [symbol, new Decimal(quantity)]));
  for (const fill of fills) {
    const queue = lots.get(fill.symbol) ?? [];
    lots.set(fill.symbol, queue);
    if (fill.side === "BUY") queue.push(lotOf(fill));
    else {
      const trade = sell(fill, queue, initial);
      if (trade !== undefined) closed.push(trade);
    }
  }
  return closed;
}

function lotOf({ timeMs, price, quantity, commission }: Execution): Lot {
  const bought = new Decimal(quantity);
  return { left: bought, unitCost: new Decimal(commission).dividedBy(bought).plus(price), timeMs };
}

function sell(fill: Execution, queue: Lot[], initial: Map<string, Decimal>): ClosedTrade | undefined {
  const { symbol, timeMs, price, quantity, commission } = fill;
  const sold = new Decimal(quantity);
  const unitProceeds = new Decimal(price).minus(new Decimal(commission).dividedBy(sold));
  const wanted = takenFromStart(symbol, sold, initial);
  let [rest, profit] = [wanted, new Decimal(0)];
  const openedMs = queue[0]?.timeMs;
  for (let lot = queue[0]; lot !== undefined && !rest.isZero(); lot = queue[0]) {
    const part = Decimal.min(lot.left, rest);
    profit = profit.plus(unitProceeds.minus(lot.unitCost).times(part));
    lot.left = lot.left.minus(part);
    rest = rest.minus(part);
    if (lot.left.isZero()) queue.shift();
  }
  const closed = wanted.minus(rest);
  if (openedMs === undefined || closed.isZero()) return undefined;
  return {
    symbol,
    openedMs,
    closedMs: timeMs,
    quantity: closed.toFixed(),
    profit: profit.toDecimalPlaces(8).toFixed(),
  };
}

/** Returns what is left of a sale after the quantity that the account had at the start. */
function takenFromStart(symbol: string, sold: Decimal, initial: Map<string, Decimal>): Decimal {
  const had = initial.get(symbol) ?? new Decimal(0);
  const part = Decimal.min(had, sold);
  initial.set(symbol, had.minus(part));
  return sold.minus(part);
}
