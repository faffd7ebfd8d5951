/**
 * Simulation of strategies: a market goes in, orders go through the same engine as live, and fills, balances and
 * statistics come out.
 *
 * @module managed-orders/simulator
 */

export {
  type ChildRow,
  type ExecutionTerms,
  type FeeRates,
  type ImpactModel,
  type Latency,
  type Liquidity,
  type LookupFault,
  openPaperVenue,
  type PaperVenue,
  type PaperVenueOptions,
  type Pruning,
  type SlippageModel,
  type SubmitFault,
  type TakenLevel,
  type VenueFault,
  type VenueFill,
  VenueInputError,
  VenueRecordError,
} from "../paper-exchange/index.ts";
export type {
  Arrival,
  MarketChart,
  OrderChart,
  PriceColumn,
  SimulationChart,
  TrailPoint,
  VolumePoint,
} from "./chart.ts";
export { type Bar, type BarOptions, type BarPath, marketOfBars } from "./market/bars.ts";
export { type CsvOptions, csvMarket } from "./market/csv.ts";
export type { CsvColumn } from "./market/csv-format.ts";
export {
  type HeartbeatRow,
  MarketDataError,
  type MarketRow,
  type MarketSource,
  mergeMarkets,
  type QuoteRow,
  type TradeRow,
} from "./market/market.ts";
export { type ReportOptions, reportOf } from "./report/report.ts";
export type { EquityPoint, SimulatedFill, SimulationCounts, SimulationResult } from "./result.ts";
export { type SimulationOptions, simulate } from "./run/simulate.ts";
export type { Drawdown, Statistics, TradeStatistics } from "./statistics.ts";
export type { NativeOrderRequest, Strategy, Trader, TraderEvents } from "./strategy/trader.ts";
export {
  type GridSet,
  parameterGrid,
  type SweepContext,
  type SweepFailure,
  type SweepOptions,
  type SweepOutcome,
  type SweepParameters,
  type SweepProgress,
  type SweepResult,
  type SweepRow,
  type SweepValue,
} from "./sweep/options.ts";
export { sweep, sweepTable } from "./sweep/sweep.ts";
