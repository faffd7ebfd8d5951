import type { Engine } from "../../engine/index.ts";
import type { OrderList, ParentOrder } from "../../model/index.ts";
import type { Instruments } from "../../ports/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { type ManagedOrder, type ManagedOrderContext, managedOrderView } from "./managed-order.ts";
import { type OrderListView, orderListView } from "./order-list-view.ts";

/** Sources of the data that a view needs besides the order. */
type ViewParts = Readonly<{ engine: Engine; instruments: Instruments }>;

function contextOf({ instruments, engine }: ViewParts, order: ParentOrder): ManagedOrderContext {
  return {
    instrumentId: instruments.find(order.intent.symbol)?.id,
    runningLimit: engine.runningLimit(order),
  };
}

/** Returns the public view of an order in its current state. */
export function viewOf(parts: ViewParts, order: ParentOrder): ManagedOrder {
  return managedOrderView(order, contextOf(parts, order));
}

/** Returns the public view of a list in its current state. */
export function listViewOf(parts: ViewParts, list: OrderList): OrderListView {
  return orderListView(list, (leg) => contextOf(parts, leg));
}

/** Returns the reply to a cancel: the order with the client id it was canceled by. Source: convention 3.3. */
export function canceledView(parts: ViewParts, order: ParentOrder): JsonInput {
  return withCanceledId(viewOf(parts, order));
}

/**
 * Returns the reply to the cancel of a list. Each report has the form that the cancel of its order would have. Source:
 * convention 3.5.
 */
export function canceledListView(parts: ViewParts, list: OrderList): JsonInput {
  const view = listViewOf(parts, list);
  return { ...view, orderReports: view.orderReports.map(withCanceledId) };
}

const withCanceledId = (view: ManagedOrder): ManagedOrder & Readonly<{ origClientOrderId: string }> => ({
  ...view,
  origClientOrderId: view.clientOrderId,
});
