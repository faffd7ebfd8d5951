import type { Price } from "../decimal/index.ts";
import type { Activation, MarketSide, Quote, TrailingDistance } from "../model/index.ts";

/** Side of a level on which the observed price meets it. */
export type Direction = "atOrAbove" | "atOrBelow";

/** A price that a side of the market must reach, inclusive (decision 8). */
export interface LevelCondition {
  readonly direction: Direction;
  readonly level: Price;
}

/**
 * The condition that an order waits for on counted quotes of its instrument.
 * - `every`: the next quote, whatever its price.
 * - `level`: a price on one side.
 * - `trail`: a distance from the best price since activation. A `gate` delays the activation; `activation` says that
 *   it has happened already.
 */
export type Watch =
  | Readonly<{ kind: "every"; side: MarketSide }>
  | Readonly<{ kind: "level"; side: MarketSide; condition: LevelCondition }>
  | Readonly<{
      kind: "trail";
      side: MarketSide;
      distance: TrailingDistance;
      gate?: LevelCondition;
      activation?: Activation;
    }>;

/**
 * An order in the trigger book. `acceptedAtMs` is its acceptance time; older orders go first. With equal times the
 * lower `acceptance` is older.
 */
export interface Watcher {
  readonly orderId: number;
  readonly acceptedAtMs: number;
  readonly acceptance: number;
  readonly watch: Watch;
}

/** A watcher whose condition the quote met. It has left the book. `level` and `reference` are the compared values. */
export interface Fired {
  readonly orderId: number;
  readonly observed: Price;
  readonly level?: Price;
  readonly reference?: Price;
}

/** A trailing watcher that became active on this quote. It stays in the book. */
export interface Activated {
  readonly orderId: number;
  readonly activation: Activation;
}

/**
 * Results of one counted quote: the fired orders in firing order (most crossed first, then older first), and the
 * activated ones.
 */
export interface Observation {
  readonly fired: readonly Fired[];
  readonly activated: readonly Activated[];
}

/**
 * Results of some steps of a counted quote, where each step touches one order. The fired orders come with the last
 * step, when `isOver`.
 */
export interface Progress extends Observation {
  readonly quote: Quote;
  readonly steps: number;
  readonly isOver: boolean;
}
