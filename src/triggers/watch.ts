import { abs, compare, type Price, type Scaled, subtract } from "../decimal/index.ts";
import {
  type Activation,
  type MarketSide,
  type Quote,
  type Side,
  TRAITS,
  type TrailingDistance,
  type TriggeredType,
  type TriggerKind,
} from "../model/index.ts";

/** Side of a level on which the observed price meets it. */
export type Direction = "atOrAbove" | "atOrBelow";

/** A price that a side of the market must reach, inclusive. */
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

/** The fields of a watcher that tell which of two orders is older. */
export type Aged = Pick<Watcher, "orderId" | "acceptedAtMs" | "acceptance">;

/** An order whose condition was met, before the firing order is known. */
export type Hit = Readonly<{ order: Aged; fired: Fired; crossed: Scaled }>;

/** The values compared when a level was met. `reference` is present if the order trails. */
type LevelMatch = Readonly<{ observed: Price; level: Price; reference?: Price }>;

/** Creates a hit on a level. */
export function levelHit(order: Aged, { observed, level, reference }: LevelMatch): Hit {
  const { orderId } = order;
  const fired =
    reference === undefined ? { orderId, observed, level } : { orderId, observed, level, reference };
  return { order, fired, crossed: abs(subtract(observed, level)) };
}

/** Creates a hit that needs no level. It goes before all hits on a level. */
export function everyHit(order: Aged, observed: Price): Hit {
  return { order, fired: { orderId: order.orderId, observed }, crossed: Number.POSITIVE_INFINITY };
}

/** Returns whether one hit acts before another: the most crossed first, then the older. */
export function actsBefore(a: Hit, b: Hit): boolean {
  const byCrossing = compare(b.crossed, a.crossed);
  return byCrossing < 0 || (byCrossing === 0 && olderFirst(a.order, b.order) < 0);
}

/**
 * Compares two orders by age, older first: by acceptance time, then by acceptance number. With equal numbers the id
 * closer to zero is older, because managed ids fall.
 */
export function olderFirst(a: Aged, b: Aged): number {
  const byAcceptance = a.acceptedAtMs - b.acceptedAtMs || a.acceptance - b.acceptance;
  return byAcceptance || Math.abs(a.orderId) - Math.abs(b.orderId);
}

/**
 * Returns the side of the market that an order executes against, which is the only side it observes: the ask for BUY,
 * the bid for SELL (contract, Trigger rules).
 *
 *
 * @example
 * ```ts
 * import { executableSide } from "managed-orders/rules";
 * console.log(executableSide("SELL")); // bid
 * ```
 */
export function executableSide(side: Side): MarketSide {
  return side === "BUY" ? "ask" : "bid";
}

/**
 * Returns where a stop triggers: BUY at or above its stop price, SELL at or below (contract, Trigger rules 1).
 *
 *
 * @example
 * ```ts
 * import { stopDirection } from "managed-orders/rules";
 * console.log(stopDirection("BUY")); // atOrAbove
 * ```
 */
export function stopDirection(side: Side): Direction {
  return side === "BUY" ? "atOrAbove" : "atOrBelow";
}

/**
 * Returns where a take-profit triggers: BUY at or below its stop price, SELL at or above (contract, Trigger rules 2).
 *
 *
 * @example
 * ```ts
 * import { takeProfitDirection } from "managed-orders/rules";
 * console.log(takeProfitDirection("BUY")); // atOrBelow
 * ```
 */
export function takeProfitDirection(side: Side): Direction {
  return side === "BUY" ? "atOrBelow" : "atOrAbove";
}

/**
 * Returns where a limit may execute: BUY at or below its cap, SELL at or above its floor (contract, Trigger rules 3).
 *
 *
 * @example
 * ```ts
 * import { limitDirection } from "managed-orders/rules";
 * console.log(limitDirection("SELL")); // atOrAbove
 * ```
 */
export function limitDirection(side: Side): Direction {
  return side === "BUY" ? "atOrBelow" : "atOrAbove";
}

/**
 * Returns where the gate of a trailing trigger opens. TRAILING_STOP_* opens on the favourable side (BUY at or below, SELL
 * at or above). STOP_* and TAKE_PROFIT_* that trail open where their type triggers.
 *
 *
 * @example
 * ```ts
 * import { gateDirection } from "managed-orders/rules";
 * console.log(gateDirection({ type: "TRAILING_STOP_MARKET", side: "BUY" })); // atOrBelow
 * console.log(gateDirection({ type: "STOP_LOSS_LIMIT", side: "BUY" })); // atOrAbove
 * ```
 */
export function gateDirection(order: Readonly<{ type: TriggeredType; side: Side }>): Direction {
  const { trigger } = TRAITS[order.type];
  if (trigger === undefined) throw new RangeError(`an order of type ${order.type} has no trigger`);
  return GATES[trigger](order.side);
}

/**
 * Gate direction of each kind of trigger. A trailing trigger starts at a price better than the market, which is where
 * a take-profit triggers.
 */
const GATES: Readonly<Record<TriggerKind, (side: Side) => Direction>> = {
  stop: stopDirection,
  takeProfit: takeProfitDirection,
  trailing: takeProfitDirection,
};

/**
 * Returns whether a price meets a condition. Reaching the level is enough.
 *
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * import { meets } from "managed-orders/rules";
 * console.log(meets({ direction: "atOrAbove", level: Price.parse("100") }, Price.parse("100.00"))); // true
 * ```
 */
export function meets(condition: LevelCondition, price: Price): boolean {
  return condition.direction === "atOrAbove" ? price >= condition.level : price <= condition.level;
}
