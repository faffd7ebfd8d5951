export { closedTrades } from "./closed-trades.ts";
export type { Drawdown } from "./drawdown.ts";
export { type Statistics, type StatisticsInput, statisticsOf, type TradeStatistics } from "./statistics.ts";
