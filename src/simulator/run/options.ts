import {
  flagOption,
  functionOption,
  listOption,
  type OptionCheck,
  objectOption,
  optionalOption,
  optionsOf,
  recordOption,
  textOption,
  wholeOption,
  wrongOption,
} from "../../common/index.ts";
import type { EngineSettings } from "../../engine/index.ts";
import { type ExecutionTerms, termsOption } from "../../paper-exchange/index.ts";
import type { MarketSource } from "../market/index.ts";
import type { Strategy } from "../strategy/index.ts";

/** Options of a simulation. */
export interface SimulationOptions {
  /** Symbols of the market, such as `["BTC/USD"]`. A row of another symbol is an error. */
  readonly symbols: readonly string[];
  /** Quotes and trades in the order of time: an array, {@link csvMarket}, {@link marketOfBars}, or your own. */
  readonly market: MarketSource;
  readonly strategy: Strategy;
  /** What the account holds at the start, as decimal strings by asset. Default: 100,000 USD. */
  readonly balances?: Readonly<Record<string, string>>;
  /** Fees, slippage, latency and refusals of the venue. Default: none of them. */
  readonly venue?: ExecutionTerms;
  /** Settings of the engine, as for `openEngine`. Advanced orders are on. */
  readonly settings?: Partial<EngineSettings>;
  /**
   * Time between two points of the equity curve, and period of the returns behind volatility, Sharpe and Sortino, in
   * milliseconds. Default: a minute. Each fill adds a point too. For bars, pass their length: otherwise the moves between
   * the extremes inside a bar, whose order is assumed, count as returns.
   */
  readonly sampleMs?: number;
  /** Time to which the clock moves after the last row, so that pending work can end. Default: the last row. */
  readonly endMs?: number;
  /**
   * Whether the result has the course of the market for {@link reportOf}: prices, volumes, trailing levels and the price
   * at the arrival of each order. Its memory is bounded by symbol and by order. Default: false.
   */
  readonly chart?: boolean;
}

const marketOption: OptionCheck = (value, name) => {
  const isSource =
    typeof value === "object" &&
    value !== null &&
    (Symbol.iterator in value || Symbol.asyncIterator in value);
  if (!isSource)
    throw wrongOption(value, name, "rows in the order of time, such as an array or csvMarket(path)");
};

const simulationOption: OptionCheck = optionsOf<SimulationOptions>({
  symbols: listOption('a list of symbols, such as ["BTC/USD"]', textOption("a symbol such as BTC/USD")),
  market: marketOption,
  strategy: functionOption("receives the trader and places orders"),
  balances: optionalOption(
    recordOption("an object with amounts by asset", textOption('a decimal string, such as "1000"')),
  ),
  venue: optionalOption(termsOption),
  // The engine checks the settings themselves.
  settings: optionalOption(objectOption("an object of engine settings")),
  sampleMs: optionalOption(wholeOption({ from: 1 }, " of milliseconds")),
  endMs: optionalOption(wholeOption({ from: 0 }, " of epoch milliseconds")),
  chart: optionalOption(flagOption),
});

/** Throws a TypeError or RangeError that names an option that is missing, unknown or wrong. */
export function checkSimulation(options: SimulationOptions): void {
  simulationOption(options, "simulate");
}
