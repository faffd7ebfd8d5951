import {
  add,
  min,
  type Notional,
  notionalOf,
  type Price,
  type Quantity,
  subtract,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import type { Level, ParentOrder, Quote } from "../model/index.ts";
import { executableSide, meets } from "../triggers/index.ts";
import { limitConditionOf, limitOf } from "./conditions.ts";

/** Why an active parent sends no child on a quote. Its story shows the reason (decision 25). */
export type WaitReason =
  | "PRICE_OUTSIDE_LIMIT"
  | "BELOW_MINIMUM_NOTIONAL"
  | "NOT_FILLABLE_WHOLE"
  | "NO_EXPOSURE"
  | "MEASURING"
  | "RETRY_PACE"
  | "STALE_QUOTE"
  | "NO_OPEN_SLOT"
  | "NO_VOLUME"
  | "SHARE_USED"
  | "LIST_UNKNOWN";

/** Decision on a quote: a child of this quantity, no child yet, or the end of a residual too small to execute. */
export type Sizing =
  | Readonly<{ kind: "send"; quantity: Quantity; limitPrice?: Price }>
  | Readonly<{ kind: "wait"; reason: WaitReason }>
  | Readonly<{ kind: "residual" }>;

/**
 * Inputs of sizing besides order and quote: the opening minimum, the exposure left to reduce for a reduce-only order,
 * and the most that slice, display or share of volume allow.
 */
export interface SizingContext {
  readonly minimum: Notional;
  readonly reducible?: Quantity;
  readonly most?: Quantity;
}

/** Returns the quantity still to execute. */
export function restOf(order: ParentOrder): Quantity {
  return subtract(order.intent.quantity, order.executedQuantity);
}

/** Returns the levels of the executable side of a quote for an order. */
export function executableLevels(order: ParentOrder, quote: Quote): readonly Level[] {
  return executableSide(order.intent.side) === "ask" ? quote.asks : quote.bids;
}

/** Returns how much of `wanted` can be taken from `levels` inside the order's cap or floor, and its exact value. */
export function executable(
  order: ParentOrder,
  take: Readonly<{ levels: readonly Level[]; wanted: Quantity }>,
): Readonly<{ quantity: Quantity; value: Notional }> {
  const inside = limitConditionOf(order);
  let quantity = ZERO_QUANTITY;
  let value = ZERO_NOTIONAL;
  for (const level of take.levels) {
    if (inside !== undefined && !meets(inside, level.price)) break;
    const open = subtract(take.wanted, quantity);
    const taken = level.size === undefined ? open : min(open, level.size);
    quantity = add(quantity, taken);
    value = add(value, notionalOf(level.price, taken));
    if (quantity >= take.wanted) break;
  }
  return { quantity, value };
}

/** Returns whether the rest of a parent is worth less than the minimum at the executable price (decision 25). */
export function isDustResidual(order: ParentOrder, quote: Quote, minimum: Notional): boolean {
  if (order.executedQuantity === ZERO_QUANTITY || order.intent.reduceOnly) return false;
  const best = executableLevels(order, quote)[0];
  return best !== undefined && notionalOf(best.price, restOf(order)) < minimum;
}

/**
 * Returns the child that a quote allows (decisions 22, 24, 25). The child asks for the whole wanted quantity up to
 * its maximum, not only for the visible one: size that appears meanwhile fills too, and the rest comes back. Sizes
 * are never raised.
 *
 * @example
 * ```ts
 * import { Notional, type ParentOrder, type Quote } from "managed-orders";
 * import { sizeChild } from "managed-orders/rules";
 * const wouldSend = (order: ParentOrder, quote: Quote): boolean =>
 *   sizeChild(order, quote, { minimum: Notional.parse("15") }).kind === "send";
 * ```
 */
export function sizeChild(order: ParentOrder, quote: Quote, context: SizingContext): Sizing {
  const { reduceOnly, childTimeInForce } = order.intent;
  const allowed = min(restOf(order), context.most ?? order.intent.quantity);
  const wanted = context.reducible === undefined ? allowed : min(allowed, context.reducible);
  if (wanted <= 0) return { kind: "wait", reason: "NO_EXPOSURE" };
  const { quantity: visible, value } = executable(order, { levels: executableLevels(order, quote), wanted });
  if (visible <= 0) return { kind: "wait", reason: "PRICE_OUTSIDE_LIMIT" };
  if (!reduceOnly && value < context.minimum) {
    return isDustResidual(order, quote, context.minimum)
      ? { kind: "residual" }
      : { kind: "wait", reason: "BELOW_MINIMUM_NOTIONAL" };
  }
  if (childTimeInForce === "FOK" && visible < wanted) return { kind: "wait", reason: "NOT_FILLABLE_WHOLE" };
  const limit = limitOf(order);
  return { kind: "send", quantity: wanted, ...(limit === undefined ? {} : { limitPrice: limit }) };
}
