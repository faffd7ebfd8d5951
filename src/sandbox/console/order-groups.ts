import type { ManagedOrderReply } from "../../client/index.ts";
import { isOpen } from "./order-words.ts";

/** The orders of a list, or one order alone, whose `listId` is undefined. */
export type OrderGroup = Readonly<{
  listId: string | undefined;
  orders: readonly [ManagedOrderReply, ...ManagedOrderReply[]];
}>;

/** The list id of an order that is part of none. */
export const NO_LIST = "-1";

/** Returns orders as groups in their order. The legs of a list are in the order in which it names them. */
export function groupsOf(orders: readonly ManagedOrderReply[]): readonly OrderGroup[] {
  const groups = new Map<string, OrderGroup>();
  for (const order of orders) {
    const listId = order.orderListId === NO_LIST ? undefined : order.orderListId;
    const key = listId === undefined ? `order ${order.orderId}` : `list ${listId}`;
    const known = groups.get(key)?.orders ?? [];
    // Ids are negative, and newer ones are lower.
    const [first = order, ...rest] = [...known, order].toSorted((a, b) =>
      BigInt(a.orderId) > BigInt(b.orderId) ? -1 : 1,
    );
    groups.set(key, { listId, orders: [first, ...rest] });
  }
  return [...groups.values()];
}

/** Whether an order of the group may still trade or be canceled. */
export const isGroupOpen = ({ orders }: OrderGroup): boolean => orders.some(isOpen);

/** Returns what the orders of a list are to each other: the service tells it of a list only, and not of its legs. */
export function listWords({ orders }: OrderGroup): string {
  if (orders.length === 1) return "One order of a list";
  if (orders.length > 2) return "Bracket: an entry, then a take-profit or a stop";
  const isPair = orders.every(({ side, held }) => side === orders[0].side && !held);
  return isPair ? "Take-profit or stop" : "Entry, then its exit";
}
