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
  type Forgetting,
  type ImpactModel,
  type Latency,
  type Liquidity,
  type LookupFault,
  openPaperVenue,
  type PaperVenue,
  type PaperVenueOptions,
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
} from "./chart/index.ts";
export {
  type Bar,
  type BarOptions,
  type BarPath,
  type CsvColumn,
  type CsvOptions,
  csvMarket,
  type HeartbeatRow,
  MarketDataError,
  type MarketRow,
  type MarketSource,
  marketOfBars,
  mergeMarkets,
  type QuoteRow,
  type TradeRow,
} from "./market/index.ts";
export { type ReportOptions, reportOf } from "./report/index.ts";
export type { EquityPoint, SimulatedFill, SimulationCounts, SimulationResult } from "./result/index.ts";
export { type SimulationOptions, simulate } from "./run/index.ts";
export type { Drawdown, Statistics, TradeStatistics } from "./statistics/index.ts";
export type { NativeOrderRequest, Strategy, Trader, TraderEvents } from "./strategy/index.ts";
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
  sweep,
  sweepTable,
} from "./sweep/index.ts";
