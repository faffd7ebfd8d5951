import type { Engine } from "../../engine/index.ts";
import type { OrderList, ParentOrder } from "../../model/index.ts";
import type { Instruments } from "../../ports/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { type ManagedOrder, type ManagedOrderContext, managedOrderView } from "./managed-order.ts";
import { type OrderListView, orderListView } from "./order-list-view.ts";

/** What a view needs to know beside the order. */
type ViewParts = Readonly<{ engine: Engine; instruments: Instruments }>;

function contextOf({ instruments, engine }: ViewParts, order: ParentOrder): ManagedOrderContext {
  return {
    instrumentId: instruments.find(order.intent.symbol)?.id,
    runningLimit: engine.runningLimit(order),
  };
}

/** The public view of an order as it stands now. */
export function viewOf(parts: ViewParts, order: ParentOrder): ManagedOrder {
  return managedOrderView(order, contextOf(parts, order));
}

/** The public view of a list as it stands now. */
export function listViewOf(parts: ViewParts, list: OrderList): OrderListView {
  return orderListView(list, (leg) => contextOf(parts, leg));
}

/** The reply of a cancel: the order with the client id it was canceled by. Source: convention 3.3. */
export function canceledView(parts: ViewParts, order: ParentOrder): JsonInput {
  return withCanceledId(viewOf(parts, order));
}

/** The reply of the cancel of a list, each report as the cancel of its order has it. Source: convention 3.5. */
export function canceledListView(parts: ViewParts, list: OrderList): JsonInput {
  const view = listViewOf(parts, list);
  return { ...view, orderReports: view.orderReports.map(withCanceledId) };
}

const withCanceledId = (view: ManagedOrder): ManagedOrder & Readonly<{ origClientOrderId: string }> => ({
  ...view,
  origClientOrderId: view.clientOrderId,
});
