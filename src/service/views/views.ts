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

/**
 * Returns the reply to a cancel: the order with its client id as origClientOrderId, and the id of the cancel, if it has
 * one, in the place of the client id. Source: convention 3.3; decision NN.
 */
export function canceledView(parts: ViewParts, order: ParentOrder, cancelId?: string): JsonInput {
  return withCanceledId(viewOf(parts, order), cancelId);
}

/**
 * Returns the reply to the cancel of a list. Each report of a leg that the cancel ended, or will end, has the form that
 * the cancel of its order would have. Source: convention 3.5.
 */
export function canceledListView(parts: ViewParts, list: OrderList, cancelId?: string): JsonInput {
  const view = listViewOf(parts, list);
  const reports = view.orderReports.map((report) =>
    withCanceledId(report, report.status === "CANCELED" || report.cancelPending ? cancelId : undefined),
  );
  return { ...view, orderReports: reports };
}

function withCanceledId(
  view: ManagedOrder,
  cancelId: string = view.clientOrderId,
): ManagedOrder & Readonly<{ origClientOrderId: string }> {
  const { clientOrderId: origClientOrderId } = view;
  return { ...view, clientOrderId: cancelId, clOrdId: cancelId, origClientOrderId };
}
