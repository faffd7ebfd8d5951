import type { OrderList, ParentOrder } from "../../model/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import type { ServiceParts } from "../rest/parts.ts";
import { type ManagedOrder, type ManagedOrderContext, managedOrderView } from "./managed-order.ts";
import { type OrderListView, orderListView } from "./order-list-view.ts";

function contextOf({ instruments, engine }: ServiceParts, order: ParentOrder): ManagedOrderContext {
  return {
    instrumentId: instruments.find(order.intent.symbol)?.id,
    runningLimit: engine.runningLimit(order),
  };
}

/** The public view of an order as it stands now. */
export function viewOf(parts: ServiceParts, order: ParentOrder): ManagedOrder {
  return managedOrderView(order, contextOf(parts, order));
}

/** The public view of a list as it stands now. */
export function listViewOf(parts: ServiceParts, list: OrderList): OrderListView {
  return orderListView(list, (leg) => contextOf(parts, leg));
}

/** The reply of a cancel: the order with the client id it was canceled by. Source: convention 3.3. */
export function canceledView(parts: ServiceParts, order: ParentOrder): JsonInput {
  return withCanceledId(viewOf(parts, order));
}

/** The reply of the cancel of a list, each report as the cancel of its order has it. Source: convention 3.5. */
export function canceledListView(parts: ServiceParts, list: OrderList): JsonInput {
  const view = listViewOf(parts, list);
  return { ...view, orderReports: view.orderReports.map(withCanceledId) };
}

const withCanceledId = (view: ManagedOrder): ManagedOrder & Readonly<{ origClientOrderId: string }> => ({
  ...view,
  origClientOrderId: view.clientOrderId,
});
