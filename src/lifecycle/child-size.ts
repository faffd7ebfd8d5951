import {
  add,
  hasExecuted,
  leastQuantity,
  min,
  type Notional,
  notionalOf,
  type Price,
  portion,
  type Quantity,
  roundedUp,
  subtract,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import { type Level, type ParentOrder, type Quote, TRAITS } from "../model/index.ts";
import { executableSide, meets } from "../triggers/index.ts";
import { limitConditionOf, limitOf, needsTrigger } from "./conditions.ts";

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
 * the most that slice, display or share of volume allow now, the most that they allow any child (absent: it may grow to
 * the whole rest), and the most that the order may execute in all, if that is less than its quantity.
 */
export interface SizingContext {
  readonly minimum: Notional;
  readonly reducible?: Quantity;
  readonly most?: Quantity;
  readonly largest?: Quantity;
  readonly releasedFor?: Quantity;
}

/** Returns the whole steps of the quantity still to execute, of an order that may execute at most `releasedFor`. */
export function restOf(order: ParentOrder, releasedFor?: Quantity): Quantity {
  const { quantity } = order.intent;
  return subtract(min(quantity, releasedFor ?? quantity), roundedUp(order));
}

/**
 * Returns whether a parent that is not complete can send no more, because what is left of it is less than one step of a
 * quantity: of all of it, or of what its entry has executed. It ends like any residual (decisions 7, 25 and 35).
 */
export const isSpent = (order: ParentOrder, releasedFor?: Quantity): boolean =>
  hasExecuted(order) && restOf(order, releasedFor) <= 0;

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
export function isDustResidual(
  order: ParentOrder,
  quote: Quote,
  { minimum, releasedFor }: Pick<SizingContext, "minimum" | "releasedFor">,
): boolean {
  if (!hasExecuted(order) || order.intent.reduceOnly) return false;
  const best = executableLevels(order, quote)[0];
  return best !== undefined && notionalOf(best.price, restOf(order, releasedFor)) < minimum;
}

/**
 * Returns the child that a quote allows (decisions 22, 24, 25). The child asks for the whole wanted quantity up to
 * its maximum, not only for the visible one: size that appears meanwhile fills too, and the rest comes back. Sizes
 * are never raised. A child that would leave a rest below the minimum is made smaller, so that what it leaves can be
 * executed too. Where that is impossible, a reduce-only or triggered market order takes all that is visible, and others
 * wait for the whole rest.
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
  const open = restOf(order, context.releasedFor);
  // What a reduce-only order leaves is what it leaves of the position.
  const rest = min(open, context.reducible ?? open);
  const wanted = min(rest, context.most ?? rest);
  if (isSpent(order, context.releasedFor)) return { kind: "residual" };
  if (wanted <= 0) return { kind: "wait", reason: "NO_EXPOSURE" };
  const levels = executableLevels(order, quote);
  const { quantity: visible, value } = executable(order, { levels, wanted });
  if (visible <= 0) return { kind: "wait", reason: "PRICE_OUTSIDE_LIMIT" };
  if (!reduceOnly && value < context.minimum) {
    return isDustResidual(order, quote, context)
      ? { kind: "residual" }
      : { kind: "wait", reason: "BELOW_MINIMUM_NOTIONAL" };
  }
  const quantity = withoutDust(order, { levels, rest, wanted, visible }, context);
  if (quantity === undefined || (childTimeInForce === "FOK" && visible < quantity))
    return { kind: "wait", reason: "NOT_FILLABLE_WHOLE" };
  const limit = limitOf(order);
  return { kind: "send", quantity, ...(limit === undefined ? {} : { limitPrice: limit }) };
}

/** What a child is cut from: the rest of its order, the most that it may take of it, and how much of that is visible. */
type Source = Readonly<{ levels: readonly Level[]; rest: Quantity; wanted: Quantity; visible: Quantity }>;

/**
 * Returns the quantity of a child that leaves nothing or enough to be executed; undefined if the order must wait for
 * more (decision 25). The schedule of a TWAP ends what is left in any case.
 */
function withoutDust(order: ParentOrder, source: Source, context: SizingContext): Quantity | undefined {
  const { levels, rest, wanted, visible } = source;
  const { type, reduceOnly, childTimeInForce } = order.intent;
  const best = levels[0];
  if (best === undefined || visible >= rest || TRAITS[type].schedule === "even") return wanted;
  const { largest } = context;
  const least = leastQuantity(context.minimum, best.price);
  const executes = (quantity: Quantity): boolean =>
    quantity > 0 && executable(order, { levels, wanted: quantity }).value >= context.minimum;
  const cut = (most: Quantity): Quantity | undefined => {
    const needed = neededAfter(subtract(rest, most), { least, largest });
    return needed.map((left) => subtract(rest, left)).find((part) => part <= most && executes(part));
  };
  const leavesDust = (part: Quantity): boolean => {
    const left = subtract(rest, part);
    return left > 0 && neededAfter(left, { least, largest }).every((needed) => left < needed);
  };
  const requested = leavesDust(wanted) ? cut(wanted) : wanted;
  const isWhole = requested !== undefined && (childTimeInForce === "FOK" || visible >= requested);
  if (isWhole || (requested !== undefined && !leavesDust(visible))) return requested;
  const takesAll = reduceOnly || (needsTrigger(type) && limitOf(order) === undefined);
  const waitsInVain = requested === undefined && largest !== undefined && rest > largest;
  return cut(visible) ?? (takesAll || waitsInVain ? (requested ?? wanted) : undefined);
}

/**
 * Returns what must be left so that children of at most `largest` can execute it all: a quarter more than the minimum
 * of each, so that a price that moves meanwhile does not make dust of it, and the minimum itself.
 */
function neededAfter(
  left: Quantity,
  { least, largest }: Readonly<{ least: Quantity; largest: Quantity | undefined }>,
): readonly [roomy: Quantity, exact: Quantity] {
  const children =
    largest === undefined ? 1 : portion(left, { numerator: 1, denominator: largest, rounding: "up" });
  const exact = portion(least, { numerator: children, denominator: 1, rounding: "up" });
  const roomy = portion(exact, { numerator: 5, denominator: 4, rounding: "up" });
  if (largest === undefined) return [roomy, exact];
  return [min(roomy, portion(largest, { numerator: children, denominator: 1, rounding: "up" })), exact];
}
