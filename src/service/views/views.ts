import type { Engine } from "../../engine/index.ts";
import type { OrderList, ParentOrder } from "../../model/index.ts";
import type { Instruments } from "../../ports/index.ts";
import type { ManagedOrder, OrderListView } from "../../replies/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { type ManagedOrderContext, managedOrderView } from "./managed-order.ts";
import { orderListView } from "./order-list-view.ts";
import { workingSince } from "./working-since.ts";

/** Sources of the data that a view needs besides the order. */
type ViewParts = Readonly<{ engine: Engine; instruments: Instruments }>;

/** The route whose clients read a view. */
type ViewRoute = Readonly<{ compat?: true }>;

/** The route of a cancel, and its id if one was sent. */
type Canceled = Readonly<{ route: ViewRoute; cancelId?: string | undefined }>;

function contextOf({ instruments, engine }: ViewParts, order: ParentOrder): ManagedOrderContext {
  return {
    instrumentId: instruments.find(order.intent.symbol)?.id,
    runningLimit: engine.runningLimit(order),
    runningLevel: engine.runningLevel(order),
  };
}

/** Returns the public view of an order in its current state, as the clients of a route read it. */
export function viewOf(parts: ViewParts, order: ParentOrder, route: ViewRoute): ManagedOrder {
  return forRoute(route, order, managedOrderView(order, contextOf(parts, order)));
}

/** Returns the public view of a list in its current state, as the clients of a route read it. */
export function listViewOf(parts: ViewParts, list: OrderList, route: ViewRoute): OrderListView {
  const view = orderListView(list, (leg) => contextOf(parts, leg));
  const orderReports = list.legs.map((leg, index) =>
    forRoute(route, leg, view.orderReports[index] as ManagedOrder),
  );
  return { ...view, orderReports };
}

/**
 * Existing clients also read whether and since when an order works. The contract's managed order has no such members. They
 * do not read its trigger.
 */
function forRoute(
  { compat }: ViewRoute,
  order: ParentOrder,
  view: ManagedOrder,
): ManagedOrder & Readonly<{ isWorking?: boolean; workingTime?: number }> {
  if (compat !== true) return view;
  const workingTime = workingSince(order);
  // For an object of so many members, spreading takes three times as long as all the rest of the view.
  return Object.assign({}, view, {
    ...{ isWorking: workingTime !== undefined, workingTime: workingTime ?? -1 },
    ...{ triggerLevel: undefined, triggerTime: undefined },
  });
}

/**
 * Returns the reply to a cancel: the order with its client id as origClientOrderId, and the id of the cancel, if it has
 * one, in the place of the client id. Source: convention 3.3; decision NN.
 */
export function canceledView(parts: ViewParts, order: ParentOrder, { route, cancelId }: Canceled): JsonInput {
  return withCanceledId(viewOf(parts, order, route), cancelId);
}

/**
 * Returns the reply to the cancel of a list. Each report of a leg that the cancel ended, or will end, has the form that
 * the cancel of its order would have. Source: convention 3.5.
 */
export function canceledListView(
  parts: ViewParts,
  list: OrderList,
  { route, cancelId }: Canceled,
): JsonInput {
  const view = listViewOf(parts, list, route);
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
