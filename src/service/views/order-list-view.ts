import { listStatusOf } from "../../lifecycle/index.ts";
import type { OrderList, ParentOrder } from "../../model/index.ts";
import type { OrderListView } from "../../replies/index.ts";
import { type ManagedOrderContext, managedOrderView } from "./managed-order.ts";

/**
 * Returns the public view of an order list, with its members in a fixed order. `contextOf` returns the data that the
 * view of a leg needs.
 * Source: contract, Linked order list reply; decision 35; I44.
 *
 * @example
 * ```ts
 * import type { OrderList } from "managed-orders";
 * import { orderListView } from "managed-orders/service";
 * const line = (list: OrderList): string => {
 *   const { contingencyType, listOrderStatus, orders } = orderListView(list);
 *   return `${contingencyType} ${listOrderStatus} ${orders.length}`;
 * };
 * ```
 */
export function orderListView(
  list: OrderList,
  contextOf: (leg: ParentOrder) => ManagedOrderContext = () => ({}),
): OrderListView {
  const { symbol, legs } = list;
  const { listStatusType, listOrderStatus } = listStatusOf(list);
  return {
    orderListId: list.listId,
    contingencyType: list.contingency,
    listStatusType,
    listOrderStatus,
    listClientOrderId: list.listClientOrderId,
    transactionTime: list.acceptedAtMs,
    symbol,
    orders: legs.map(({ orderId, intent }) => ({ symbol, orderId, clientOrderId: intent.clientOrderId })),
    orderReports: legs.map((leg) => managedOrderView(leg, contextOf(leg))),
  };
}
