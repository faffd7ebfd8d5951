import { invariant } from "../errors/index.ts";
import type { OrderList, ParentOrder } from "../model/index.ts";

/** Public members that describe the state of a list (contract, Linked order list reply). */
export interface ListStatusView {
  readonly listStatusType: "EXEC_STARTED" | "ALL_DONE";
  readonly listOrderStatus: "EXECUTING" | "ALL_DONE";
}

/**
 * Returns the status of a list. It is done if and only if every leg has ended (I44).
 *
 *
 * @example
 * ```ts
 * import { listStatusOf, type OrderList } from "managed-orders";
 * const isOpen = (list: OrderList): boolean => listStatusOf(list).listOrderStatus === "EXECUTING";
 * ```
 */
export function listStatusOf(list: Pick<OrderList, "legs">): ListStatusView {
  return list.legs.every((leg) => leg.ended !== undefined)
    ? { listStatusType: "ALL_DONE", listOrderStatus: "ALL_DONE" }
    : { listStatusType: "EXEC_STARTED", listOrderStatus: "EXECUTING" };
}

/** Returns the list of these legs. Throws an InvariantError I53 for orders that are not the legs of one list. */
export function orderListOf(legs: readonly ParentOrder[]): OrderList {
  const [first] = legs;
  const list = first?.list;
  const whole =
    list !== undefined &&
    legs.length === list.legs.length &&
    legs.every((leg, index) => leg.orderId === list.legs[index]);
  invariant(whole, "I53", `orders ${legs.map(({ orderId }) => orderId).join(", ")} do not form one list`);
  const { listId, listClientOrderId, contingency } = list;
  const { accountId, acceptedAtMs, intent } = first as ParentOrder;
  return { listId, accountId, listClientOrderId, contingency, symbol: intent.symbol, acceptedAtMs, legs };
}

/**
 * Yields parents in the order in which they meet one quote: as they fired, except that the protective leg of a pair
 * goes before the other, so that it wins where both would (decision 20). A caller that already has the fired parents
 * by id can pass them as `waiting`, which is empty at the end.
 */
export function* protectiveFirst<T extends Readonly<{ orderId: number }>>(
  fired: readonly T[],
  orderOf: (orderId: number) => ParentOrder | undefined,
  waiting: Pick<Map<number, T>, "get" | "has" | "delete"> = new Map(fired.map((one) => [one.orderId, one])),
): Iterable<T> {
  for (const { orderId } of fired) {
    const list = waiting.has(orderId) ? orderOf(orderId)?.list : undefined;
    const others = list?.role === "profit" ? list.legs.filter((leg) => leg !== orderId) : [];
    for (const next of [...others, orderId]) {
      const one = waiting.get(next);
      if (one !== undefined && waiting.delete(next)) yield one;
    }
  }
}
