import { listStatusOf } from "../../lifecycle/index.ts";
import type { EndedList, ListIntent, ListMembership, OrderList } from "../../model/index.ts";

/** Returns the membership of the leg at `index` in a new list. */
export function membershipOf(
  list: ListIntent,
  place: Readonly<{ listId: number; legs: readonly number[]; index: number }>,
): ListMembership {
  const leg = list.legs[place.index];
  if (leg === undefined) throw new RangeError(`the list has no leg with index ${place.index}`);
  return {
    listId: place.listId,
    listClientOrderId: list.listClientOrderId,
    contingency: list.contingency,
    role: leg.role,
    legs: place.legs,
    ...(leg.generatedClientId && { generatedClientId: true }),
  };
}

/** Returns whether every leg of a list has ended (I44). */
export function isDone(list: OrderList): boolean {
  return listStatusOf(list).listOrderStatus === "ALL_DONE";
}

/** Returns the history row of a finished list. */
export function endedListOf({
  listId,
  accountId,
  listClientOrderId,
  acceptedAtMs,
  legs,
}: OrderList): EndedList {
  const endedAtMs = legs.reduce((last, { ended }) => Math.max(last, ended?.atMs ?? last), acceptedAtMs);
  const ids = legs.map(({ orderId }) => orderId);
  return { listId, accountId, listClientOrderId, acceptedAtMs, endedAtMs, legs: ids };
}
