import { min, type Quantity, roundedUp, subtract } from "../decimal/index.ts";
import type { ParentOrder } from "../model/index.ts";
import { largestSlice, participationTarget } from "../schedules/index.ts";
import type { WaitReason } from "./child-size.ts";
import { openSlotOf } from "./slots.ts";

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
export type AllowanceContext = Readonly<{ nowMs: number; volume?: Quantity }>;

/** Returns what schedule, share of volume and display size leave for the next child (decisions 27-31). */
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
