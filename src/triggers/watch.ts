import type { Price } from "../decimal/index.ts";
import type { Activation, MarketSide, Quote, TrailingDistance } from "../model/index.ts";

/** Where the observed price must be to meet a level. */
export type Direction = "atOrAbove" | "atOrBelow";

/** A price that a side of the market must reach; inclusive (decision 8). */
export type LevelCondition = Readonly<{ direction: Direction; level: Price }>;

/**
 * What an order waits for on counted quotes of its instrument.
 * `every`: the next one, whatever its price. `level`: a price on one side. `trail`: a distance from the best price
 * since activation; a `gate` holds activation back, `activation` says that it happened already.
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
 * An order in the trigger book; `acceptedAtMs` is its acceptance time, older goes first. Of one time the lower `acceptance` is
 * older; none, of earlier journals, is the oldest.
 */
export type Watcher = Readonly<{ orderId: number; acceptedAtMs: number; acceptance?: number; watch: Watch }>;

/** A watcher whose condition the quote met; it has left the book. `level` and `reference` are those compared. */
export type Fired = Readonly<{ orderId: number; observed: Price; level?: Price; reference?: Price }>;

/** A trailing watcher whose tracking began on this quote; it stays in the book. */
export type Activated = Readonly<{ orderId: number; activation: Activation }>;

/** What one counted quote did: fired in the order to act (most crossed first, then older first), and activated. */
export type Observation = Readonly<{ fired: readonly Fired[]; activated: readonly Activated[] }>;

/**
 * What some steps of a counted quote did, each step one order. What it fired is told with the last of them, when
 * `isOver`.
 */
export type Progress = Observation & Readonly<{ quote: Quote; steps: number; isOver: boolean }>;
