import { type ListStatusView, listStatusOf } from "../../lifecycle/index.ts";
import type { Contingency, OrderList, ParentOrder } from "../../model/index.ts";
import { type ManagedOrder, type ManagedOrderContext, managedOrderView } from "./managed-order.ts";

/** The ids of a leg of a list. */
export type LegIdentity = Readonly<{ symbol: string; orderId: number; clientOrderId: string }>;

/**
 * An order list as clients see it. Times are epoch milliseconds. Both members list the legs in the same order: working,
 * protective, then the other. Source: contract, Linked order list reply; decisions 6 and 35.
 */
export type OrderListView = Readonly<{
  /** Negative. */
  orderListId: number;
  contingencyType: Contingency;
  listStatusType: ListStatusView["listStatusType"];
  listOrderStatus: ListStatusView["listOrderStatus"];
  listClientOrderId: string;
  /** Time of the list's acceptance. */
  transactionTime: number;
  symbol: string;
  orders: readonly LegIdentity[];
  orderReports: readonly ManagedOrder[];
}>;

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
