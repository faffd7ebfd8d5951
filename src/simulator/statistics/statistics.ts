import { Decimal } from "decimal.js";
import type { ClosedTrade } from "./closed-trades.ts";
import { type Drawdown, deepestFall } from "./drawdown.ts";

/** Figures of a simulation. Amounts are USD; ratios are fractions; all are decimal strings at 8 decimals or fewer. */
export interface Statistics {
  readonly startEquity: string;
  readonly endEquity: string;
  /** End minus start. */
  readonly profit: string;
  /** Profit divided by the start. */
  readonly totalReturn: string;
  /** The return of a year at the same growth: (end / start) ^ (year / duration) - 1. Absent for less than a day. */
  readonly annualReturn?: string;
  readonly maxDrawdown: Drawdown;
  /**
   * Standard deviation of the returns between equity points, times the square root of their number in a year. Absent
   * with fewer than two returns.
   */
  readonly volatility?: string;
  /** Mean return divided by the standard deviation, times the square root of the number in a year. */
  readonly sharpe?: string;
  /** As `sharpe`, with the root of the mean square of the negative returns instead of the standard deviation. */
  readonly sortino?: string;
  /** Annual return divided by the fraction of the deepest drawdown. */
  readonly calmar?: string;
  readonly commissions: string;
  /** Sum of price · quantity over all fills. */
  readonly turnover: string;
  readonly trades: TradeStatistics;
}

/**
 * Figures of closed trades. A trade is closed when a position, or a part of it, that was bought earlier is sold; the
 * oldest purchase is sold first. Its profit is after the commissions of both sides.
 */
export interface TradeStatistics {
  readonly closed: number;
  readonly won: number;
  /** Won divided by closed. Absent without closed trades. */
  readonly winRate?: string;
  /** Sum of the profits divided by the sum of the losses. Absent without a loss. */
  readonly profitFactor?: string;
  readonly averageProfit?: string;
  readonly averageLoss?: string;
  readonly profit: string;
}

/** Input of the statistics: equity points in the order of time, and sums of the fills. */
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
    ...ratios(returnsOf(points.map(({ value }) => value)), sampleMs),
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

function returnsOf(values: readonly Decimal[]): readonly Decimal[] {
  return values.slice(1).flatMap((value, index) => {
    const before = values[index];
    return before === undefined || before.isZero() ? [] : [value.dividedBy(before).minus(1)];
  });
}

type Ratios = Pick<Statistics, "volatility" | "sharpe" | "sortino">;

function ratios(returns: readonly Decimal[], sampleMs: number): Partial<Ratios> {
  if (returns.length < 2) return {};
  const zero = new Decimal(0);
  const sum = (of: (value: Decimal) => Decimal): Decimal =>
    returns.reduce((total, value) => total.plus(of(value)), zero);
  const mean = sum((value) => value).dividedBy(returns.length);
  const deviation = sum((value) => value.minus(mean).pow(2))
    .dividedBy(returns.length - 1)
    .sqrt();
  const downside = sum((value) => (value.isNegative() ? value.pow(2) : zero))
    .dividedBy(returns.length)
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
