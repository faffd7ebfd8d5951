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
import {
  type Level,
  type ParentOrder,
  type ParentType,
  type Quote,
  TRAITS,
  type TriggeredType,
} from "../model/index.ts";
import {
  closesAtMs,
  endsAtMs,
  largestSlice,
  opensAtMs,
  participationTarget,
  sliceOf,
  slotAt,
} from "../schedules/index.ts";
import {
  executableSide,
  gateDirection,
  type LevelCondition,
  limitDirection,
  meets,
  type Watch,
} from "../triggers/index.ts";

/** A slot in which a child may be sent now, and the most that the child may take. */
type OpenSlot = Readonly<{ slot: number; quantity: Quantity }>;

/**
 * Returns the slot of a parent's schedule that is open at `nowMs` and unused. After the last slot a VWAP continues
 * with one attempt per interval, of at most its largest slice; a TWAP does not.
 */
export function openSlotOf(order: ParentOrder, nowMs: number): OpenSlot | undefined {
  const { plan } = order;
  const slot = plan === undefined ? undefined : slotAt(plan, nowMs);
  if (slot === undefined || slot < (order.nextSlot ?? 0)) return undefined;
  const quantity = quantityOf(order, slot);
  return quantity > 0 ? { slot, quantity } : undefined;
}

/** Returns when a slot opens or closes next, so that the parent looks again; undefined when its schedule is over. */
export function nextSlotChangeMs(order: ParentOrder, nowMs: number): number | undefined {
  const { plan } = order;
  if (plan === undefined || isScheduleOver(order, nowMs)) return undefined;
  const now = slotAt(plan, nowMs);
  if (now !== undefined && openSlotOf(order, nowMs) !== undefined) return closesAtMs(plan, now);
  const first = Math.max(order.nextSlot ?? 0, now === undefined ? 0 : now + 1);
  for (let slot = first; slot < plan.count; slot++) {
    if (quantityOf(order, slot) > 0) return opensAtMs(plan, slot);
  }
  return goesOn(order) ? opensAtMs(plan, Math.max(first, plan.count)) : endsAtMs(plan);
}

/**
 * Returns whether the final attempt of a schedule has passed: its last slot has closed, and the schedule does not
 * continue after it.
 */
export function isScheduleOver(order: ParentOrder, nowMs: number): boolean {
  const endMs = scheduleEndMs(order);
  return endMs !== undefined && nowMs >= endMs;
}

/**
 * Returns when the schedule of a parent is over; undefined without a schedule, and for one that continues after its
 * last slot.
 */
export function scheduleEndMs(order: ParentOrder): number | undefined {
  return order.plan === undefined || goesOn(order) ? undefined : endsAtMs(order.plan);
}

/** Returns whether the slot has closed for which the child of a parent was decided. */
export function isSlotOver({ plan, child }: ParentOrder, nowMs: number): boolean {
  return plan !== undefined && child?.slot !== undefined && nowMs >= closesAtMs(plan, child.slot);
}

function quantityOf(order: ParentOrder, slot: number): Quantity {
  const { plan, intent } = order;
  if (plan === undefined) return ZERO_QUANTITY;
  if (slot < plan.count) return sliceOf(plan, intent.quantity, slot);
  return goesOn(order) ? largestSlice(plan, intent.quantity) : ZERO_QUANTITY;
}

const goesOn = ({ intent }: ParentOrder): boolean => TRAITS[intent.type].schedule === "volume";

/** Returns whether a type waits for a trigger before its first child. */
export function needsTrigger(type: ParentType): type is TriggeredType {
  return TRAITS[type].trigger !== undefined;
}

/** Returns whether a post-only order still needs the first quote, which shows whether it would match at once. */
export function awaitsPostOnlyCheck(order: ParentOrder): boolean {
  return TRAITS[order.intent.type].postOnly && order.postOnlyCleared === undefined;
}

/** Returns the current cap (BUY) or floor (SELL) of a parent's children; undefined means at market. */
export function limitOf(order: ParentOrder): Price | undefined {
  return order.intent.price ?? order.trigger?.limit;
}

/** Returns whether a parent can send children: it is neither held, ending, ended, stopped nor restored. */
export function isActive(order: ParentOrder): boolean {
  return (
    order.ended === undefined &&
    order.pendingEnd === undefined &&
    order.frozen === undefined &&
    order.restored === undefined &&
    order.held === undefined
  );
}

/** Returns the prices inside a parent's current cap (BUY) or floor (SELL); undefined means any price. */
export function limitConditionOf(order: ParentOrder): LevelCondition | undefined {
  const level = limitOf(order);
  return level === undefined ? undefined : { direction: limitDirection(order.intent.side), level };
}

/**
 * Returns what a parent waits for on counted quotes at `nowMs`. Returns undefined while it watches nothing: held,
 * ended, ending, frozen, with a child in flight, or between two slots.
 *
 * @example
 * ```ts
 * import type { ParentOrder } from "managed-orders";
 * import { type TriggerBook, watchOf } from "managed-orders/rules";
 * const arm = (book: TriggerBook, order: ParentOrder, nowMs: number): void => {
 *   const watch = watchOf(order, nowMs);
 *   if (watch !== undefined) book.add({ ...order, watch });
 * };
 * ```
 */
export function watchOf(order: ParentOrder, nowMs: number): Watch | undefined {
  if (!isActive(order) || order.child !== undefined) return undefined;
  const side = executableSide(order.intent.side);
  const { type } = order.intent;
  if (needsTrigger(type) && order.trigger === undefined) return triggerWatch(order, type);
  if (awaitsPostOnlyCheck(order)) return { kind: "every", side };
  if (order.plan !== undefined && openSlotOf(order, nowMs) === undefined) return undefined;
  const condition = limitConditionOf(order);
  return condition === undefined ? { kind: "every", side } : { kind: "level", side, condition };
}

function triggerWatch({ intent, activation }: ParentOrder, type: TriggeredType): Watch | undefined {
  const side = executableSide(intent.side);
  const level = intent.stopPrice;
  const condition =
    level === undefined ? undefined : { direction: gateDirection({ type, side: intent.side }), level };
  if (intent.trailing === undefined) return condition && { kind: "level", side, condition };
  return {
    kind: "trail",
    side,
    distance: intent.trailing,
    ...(condition !== undefined && { gate: condition }),
    ...(activation !== undefined && { activation }),
  };
}

/** Why an active parent sends no child on a quote. Its story shows the reason. */
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
  | "LIST_UNKNOWN"
  | "NO_SHARE";

/**
 * An order executes a part of what its list shares. `mayGrow`: the part may become larger, because an entry or a child of another
 * order is not settled. `isBegun`: an order of the list has executed some of it.
 */
export type Part = Readonly<{ mayGrow: boolean; isBegun: boolean }>;

/** Decision on a quote: a child of this quantity, no child yet, or the end of a residual too small to execute. */
export type Sizing =
  | Readonly<{ kind: "send"; quantity: Quantity; limitPrice?: Price }>
  | Readonly<{ kind: "wait"; reason: WaitReason }>
  | Readonly<{ kind: "residual" }>;

/**
 * Inputs of sizing besides order and quote: the opening minimum, the exposure left to reduce for a reduce-only order,
 * the most that slice, display or share of volume allow now, the most that they allow any child (absent: it may grow to
 * the whole rest), and the most that the order may execute in all, if that is less than its quantity, as a part of what its list
 * shares or not.
 */
export interface SizingContext {
  readonly minimum: Notional;
  readonly reducible?: Quantity;
  readonly most?: Quantity;
  readonly largest?: Quantity;
  readonly releasedFor?: Quantity;
  readonly part?: Part;
}

/** Returns the whole steps of the quantity still to execute, of an order that may execute at most `releasedFor`. */
export function restOf(order: ParentOrder, releasedFor?: Quantity): Quantity {
  const { quantity } = order.intent;
  return subtract(min(quantity, releasedFor ?? quantity), roundedUp(order));
}

/**
 * Returns whether a parent that is not complete can send no more, because what is left of it is less than one step of a
 * quantity: of all of it, or of what its entry has executed. It ends like any residual. A part of what a list shares ends with the
 * list's rules.
 */
export const isSpent = (
  order: ParentOrder,
  { releasedFor, part }: Pick<SizingContext, "releasedFor" | "part">,
): boolean => part === undefined && hasExecuted(order) && restOf(order, releasedFor) <= 0;

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

/** Returns whether the rest of a parent is worth less than the minimum at the executable price. */
export function isDustResidual(
  order: ParentOrder,
  quote: Quote,
  { minimum, releasedFor, part }: Pick<SizingContext, "minimum" | "releasedFor" | "part">,
): boolean {
  if (!(hasExecuted(order) || part?.isBegun) || order.intent.reduceOnly) return false;
  const best = executableLevels(order, quote)[0];
  const rest = restOf(order, releasedFor);
  if (part !== undefined && (part.mayGrow || rest <= 0)) return false;
  return best !== undefined && notionalOf(best.price, rest) < minimum;
}

/**
 * Returns the child that a quote allows. The child asks for the whole wanted quantity up to its maximum, not only for the
 * visible one: size that appears meanwhile fills too, and the rest comes back. Sizes are never raised. A child that would
 * leave a rest below the minimum is made smaller, so that what it leaves can be executed too. Where that is impossible, a
 * reduce-only or triggered market order takes all that is visible, and others wait for the whole rest.
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
  if (isSpent(order, context)) return { kind: "residual" };
  if (wanted <= 0) {
    const isUsed = context.part !== undefined && open <= 0;
    return { kind: "wait", reason: isUsed ? "NO_SHARE" : "NO_EXPOSURE" };
  }
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
 * Returns the quantity of a child that leaves nothing or enough to be executed; undefined if the order must wait for more.
 * The schedule of a TWAP ends what is left in any case.
 */
function withoutDust(order: ParentOrder, source: Source, context: SizingContext): Quantity | undefined {
  const { levels, rest, wanted, visible } = source;
  const { type, reduceOnly, childTimeInForce } = order.intent;
  const best = levels[0];
  if (best === undefined || visible >= rest || TRAITS[type].schedule === "even") return wanted;
  const { largest } = context;
  const least = leastQuantity(context.minimum, best.price);
  const executes = (quantity: Quantity): boolean =>
    executable(order, { levels, wanted: quantity }).value >= context.minimum;
  const cut = (most: Quantity): Quantity | undefined => {
    const needed = neededAfter(subtract(rest, most), { least, largest });
    return needed.map((left) => subtract(rest, left)).find(executes);
  };
  const leavesDust = (part: Quantity): boolean => {
    const left = subtract(rest, part);
    return left > 0 && neededAfter(left, { least, largest }).every((needed) => left < needed);
  };
  const requested = leavesDust(wanted) ? cut(wanted) : wanted;
  if (requested !== undefined && (childTimeInForce === "FOK" || !leavesDust(visible))) return requested;
  const takesAll = reduceOnly || (needsTrigger(type) && limitOf(order) === undefined);
  const waitsInVain = requested === undefined && largest !== undefined && rest > largest;
  return cut(visible) ?? (takesAll || waitsInVain ? wanted : undefined);
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

/**
 * The most that the next child may take, the most that any child may, and the slot that it uses, or the reason why there
 * is none now. Without `most` the child may take all of the rest; without `largest` a later one may.
 */
export type Allowance =
  | Readonly<{ kind: "take"; most?: Quantity; largest?: Quantity; slot?: number }>
  | Readonly<{ kind: "wait"; reason: WaitReason }>;

/**
 * Time of the decision, and in `volume` all executed volume of the market so far if a child may follow it, measured as that
 * before the order's admission was (`volumeLogged`).
 */
type AllowanceContext = Readonly<{ nowMs: number; volume?: Quantity | undefined }>;

/** Returns what schedule, share of volume and display size leave for the next child. */
export function allowanceOf(order: ParentOrder, context: AllowanceContext): Allowance {
  const { intent, plan } = order;
  if (intent.participationBips !== undefined) return shareOf(order, intent.participationBips, context.volume);
  if (plan !== undefined) {
    const open = openSlotOf(order, context.nowMs);
    return open === undefined
      ? { kind: "wait", reason: "NO_OPEN_SLOT" }
      : {
          kind: "take",
          most: open.quantity,
          largest: largestSlice(plan, intent.quantity),
          slot: open.slot,
        };
  }
  if (intent.icebergQuantity === undefined) return { kind: "take" };
  const most = min(intent.icebergQuantity, intent.quantity);
  return { kind: "take", most, largest: most };
}

function shareOf(order: ParentOrder, bips: number, volume: Quantity | undefined): Allowance {
  if (volume === undefined || order.volumeBefore === undefined) return { kind: "wait", reason: "NO_VOLUME" };
  const target = participationTarget(subtract(volume, order.volumeBefore), bips);
  const most = subtract(target, roundedUp(order));
  return most > 0 ? { kind: "take", most } : { kind: "wait", reason: "SHARE_USED" };
}
