import type { Statistics, TradeStatistics } from "../statistics/index.ts";

/** How a figure is written. */
export type FigureUnit = "usd" | "percent" | "plain";

/** A figure of the page: its name, its unit, and the definition that the comment of its member has. */
export type FigureDefinition<T> = Readonly<{
  key: keyof T & string;
  name: string;
  unit: FigureUnit;
  definition: string;
}>;

/** Figures of a simulation but for drawdown and trades. A test compares the definitions with the comments. */
export const STATISTICS: readonly FigureDefinition<Omit<Statistics, "maxDrawdown" | "trades">>[] = [
  {
    ...{ key: "startEquity", name: "Start equity", unit: "usd" },
    definition: "Equity at the first point of the equity curve.",
  },
  {
    ...{ key: "endEquity", name: "End equity", unit: "usd" },
    definition: "Equity at the last point of the equity curve.",
  },
  { key: "profit", name: "Profit", unit: "usd", definition: "End minus start." },
  { key: "totalReturn", name: "Total return", unit: "percent", definition: "Profit divided by the start." },
  {
    ...{ key: "annualReturn", name: "Annual return", unit: "percent" },
    definition:
      "The return of a year at the same growth: (end / start) ^ (year / duration) - 1. Absent for less than a day.",
  },
  {
    ...{ key: "volatility", name: "Volatility", unit: "percent" },
    definition:
      "Standard deviation of the returns over periods of sampleMs from the first equity point, times the square root of their number in a year. The equity at the end of a period is that of the last point until then: a period without a point has a return of zero, points of fills inside a period add no return, and an incomplete period at the end is left out. Absent with fewer than two returns.",
  },
  {
    ...{ key: "sharpe", name: "Sharpe ratio", unit: "plain" },
    definition:
      "Mean of these returns divided by their standard deviation, times the square root of their number in a year.",
  },
  {
    ...{ key: "sortino", name: "Sortino ratio", unit: "plain" },
    definition:
      "As sharpe, with the root of the mean square of the negative returns instead of the standard deviation.",
  },
  {
    ...{ key: "calmar", name: "Calmar ratio", unit: "plain" },
    definition: "Annual return divided by the fraction of the deepest drawdown.",
  },
  {
    ...{ key: "commissions", name: "Commissions", unit: "usd" },
    definition: "Sum of the commissions of all fills.",
  },
  { key: "turnover", name: "Turnover", unit: "usd", definition: "Sum of price · quantity over all fills." },
];

/** Definition of the drawdown. */
export const DRAWDOWN = "The deepest fall of the equity below an earlier peak.";

/** What a closed trade is. */
export const TRADES =
  "Figures of closed trades. A trade is closed when a position, or a part of it, that was bought earlier is sold; the oldest purchase is sold first. Its profit is after the commissions of both sides.";

/** Figures of closed trades. */
export const TRADE_STATISTICS: readonly FigureDefinition<TradeStatistics>[] = [
  { key: "closed", name: "Closed trades", unit: "plain", definition: "Number of closed trades." },
  { key: "won", name: "Won", unit: "plain", definition: "Number of closed trades with a profit." },
  {
    ...{ key: "winRate", name: "Win rate", unit: "percent" },
    definition: "Won divided by closed. Absent without closed trades.",
  },
  {
    ...{ key: "profitFactor", name: "Profit factor", unit: "plain" },
    definition: "Sum of the profits divided by the sum of the losses. Absent without a loss.",
  },
  {
    ...{ key: "averageProfit", name: "Average profit", unit: "usd" },
    definition: "Mean of the profits. Absent without a profit.",
  },
  {
    ...{ key: "averageLoss", name: "Average loss", unit: "usd" },
    definition: "Mean of the losses, without its sign. Absent without a loss.",
  },
  {
    ...{ key: "profit", name: "Profit of closed trades", unit: "usd" },
    definition: "Sum of the profits less the sum of the losses.",
  },
];
