import { type Quantity, ZERO_QUANTITY } from "../decimal/index.ts";
import { type ParentOrder, TRAITS } from "../model/index.ts";
import { closesAtMs, endsAtMs, largestSlice, opensAtMs, sliceOf, slotAt } from "../schedules/index.ts";

/** A slot in which a child may be sent now, and the most that the child may take. */
export type OpenSlot = Readonly<{ slot: number; quantity: Quantity }>;

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
