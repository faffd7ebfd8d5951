/**
 * The course of the market in a simulation, in a bounded number of columns, and what the market did to each order.
 * Prices and quantities are decimal strings.
 */
export interface SimulationChart {
  /** Time of the first counted quote. */
  readonly startMs: number;
  /** Time of the simulation at its end. */
  readonly endMs: number;
  /** One for each symbol that had a counted quote. */
  readonly markets: readonly MarketChart[];
  /** One for each managed order with a price at its arrival or a trailing level, in the order of acceptance. */
  readonly orders: readonly OrderChart[];
  /** Number of trailing orders whose level was not followed because 500 orders were followed already. */
  readonly trailsLeftOut: number;
}

/** Prices and executed volume of one symbol. A column without a quote is left out. */
export interface MarketChart {
  readonly symbol: string;
  /** Length of a column of `prices`. */
  readonly columnMs: number;
  /** At most 2,048. */
  readonly prices: readonly PriceColumn[];
  /** At most 2,048. */
  readonly volumes: readonly VolumePoint[];
}

/** The counted quotes in one column of time. */
export interface PriceColumn {
  /** Time of the first quote of the column. */
  readonly timeMs: number;
  /** The last quote of the column. */
  readonly bid: string;
  readonly ask: string;
  readonly lowestBid: string;
  readonly highestBid: string;
  readonly lowestAsk: string;
  readonly highestAsk: string;
}

/** Executed volume of the market since the start, as POV orders count it. */
export interface VolumePoint {
  readonly timeMs: number;
  readonly total: string;
}

/** What the market did to one managed order. */
export interface OrderChart {
  readonly orderId: number;
  readonly arrival?: Arrival;
  /** Empty for an order that does not trail or did not become active. At most 512. */
  readonly trail: readonly TrailPoint[];
}

/** The last counted quote when an order was accepted; for a leg of a list that was held, when it was released. */
export interface Arrival {
  readonly timeMs: number;
  readonly bid: string;
  readonly ask: string;
}

/**
 * A trailing level from a time on. `reference` is the best price since the activation. If a column has several changes,
 * the point is the last of them.
 */
export interface TrailPoint {
  readonly timeMs: number;
  readonly reference: string;
  /** Absent while no price can meet it. */
  readonly level?: string;
}
