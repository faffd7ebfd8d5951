import type { OrderListReply } from "../../replies/index.ts";
import type { OrderId } from "../methods/parameters.ts";
import type { CanceledOrderReply, OrderReply } from "../replies/orders.ts";

/** Ids by which a request names an order or list. A name that was not sent is absent. */
type Names = Readonly<Record<string, unknown>>;

/** Returns whether an id of a reply is the one that was sent, if one was. */
const agrees = (sent: unknown, replied: string): boolean =>
  sent === undefined || sent === null || String(sent as OrderId) === replied;

/** Returns whether an order that was looked up is the one that was named. A retained rejection has no order id. */
export function isNamedOrder({ orderId, origClientOrderId }: Names, order: OrderReply): boolean {
  return agrees(orderId, order.orderId ?? String(orderId)) && agrees(origClientOrderId, order.clientOrderId);
}

/** Returns whether the reply to a cancel is about the order that was named, or about the list of that order. */
export function isCanceledOrder({ orderId, origClientOrderId }: Names, reply: CanceledOrderReply): boolean {
  const orders = reply.orderReports ?? [reply];
  return orders.some(
    (order) => agrees(orderId, order.orderId) && agrees(origClientOrderId, order.origClientOrderId),
  );
}

/** Returns whether a list is the one that was named. */
export function isNamedList(
  { orderListId, listClientOrderId }: Names,
  list: Pick<OrderListReply, "orderListId" | "listClientOrderId">,
): boolean {
  return agrees(orderListId, list.orderListId) && agrees(listClientOrderId, list.listClientOrderId);
}
