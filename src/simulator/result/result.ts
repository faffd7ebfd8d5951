import type { JournalRecord, NativeOrder, OrderList, ParentOrder, Side } from "../../model/index.ts";
import type { Liquidity } from "../../paper-exchange/index.ts";
import type { SimulationChart } from "../chart/index.ts";
import type { Statistics } from "../statistics/index.ts";

/** One execution of the account. Amounts are decimal strings, in USD unless they are quantities. */
export interface SimulatedFill {
  readonly timeMs: number;
  readonly symbol: string;
  readonly side: Side;
  readonly price: string;
  readonly quantity: string;
  readonly commission: string;
  readonly liquidity: Liquidity;
  readonly executionId: string;
  /** Id of the managed order; absent for an order that was placed with `placeNative`. */
  readonly orderId?: number;
  /** Client id of the managed order or of the native order. */
  readonly clientOrderId: string;
}

/**
 * Value of the account at a time: its USD and, at the middle of bid and ask, what it holds of the symbols of the market.
 * What several symbols trade, such as BTC of BTC/USD and BTC/USDT, has the value that it has in the first of them.
 */
export interface EquityPoint {
  readonly timeMs: number;
  readonly equity: string;
}

/** Outcome of a simulation. */
export interface SimulationResult {
  /** All managed orders in the order of their placement, with their final state. */
  readonly orders: readonly ParentOrder[];
  readonly lists: readonly OrderList[];
  /** Orders that were placed with `placeNative`, in the order of their placement. */
  readonly nativeOrders: readonly NativeOrder[];
  /** All executions in the order of time. */
  readonly fills: readonly SimulatedFill[];
  readonly journal: readonly JournalRecord[];
  /** SHA-256 of journal and fills in hexadecimal. Two runs with the same result have the same hash. */
  readonly hash: string;
  /** Final quantities by symbol, without those that are zero. */
  readonly positions: Readonly<Record<string, string>>;
  /** Final balances by asset. */
  readonly balances: Readonly<Record<string, string>>;
  /** Begins when each symbol that the account holds has a quote. */
  readonly equity: readonly EquityPoint[];
  readonly statistics: Statistics;
  /** What the market and the engine did, to check that the data was understood. */
  readonly counts: SimulationCounts;
  /** The course of the market; with the option `chart` only. */
  readonly chart?: SimulationChart;
}

/** Counts of a simulation. */
export interface SimulationCounts {
  readonly quotes: number;
  readonly trades: number;
  /** Quotes that the engine did not count, by reason. Reasons that did not occur are left out. */
  readonly droppedQuotes: Readonly<Record<string, number>>;
  readonly children: number;
  readonly alerts: number;
}
