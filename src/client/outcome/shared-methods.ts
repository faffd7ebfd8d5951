import type { RequestParameters } from "../../signing/index.ts";
import type { Client } from "../methods/api.ts";
import type { Caller } from "../methods/caller.ts";
import type { CallOptions } from "../methods/parameters.ts";
import type { ClientRoutes, Route } from "../methods/routes.ts";
import { canceledAll, canceledList, canceledOrder } from "./looks.ts";
import { isCanceledOrder, isNamedList } from "./own-replies.ts";
import { actorOf } from "./write.ts";
import { cancels, placesLists, placesOrders, type WriteParts } from "./writes.ts";

/** Methods that REST and the private WebSocket both offer. */
export type SharedMethod =
  | "placeOrder"
  | "order"
  | "cancelOrder"
  | "nativeOrders"
  | "openOrders"
  | "cancelOpenOrders"
  | "placeOco"
  | "placeOto"
  | "placeOtoco"
  | "orderList"
  | "cancelOrderList"
  | "openOrderLists"
  | "allOrderLists";

/** Returns a method that reads by a route. `fixed` are parameters that are always sent. */
export type Reads = <T>(
  route: Route<T>,
  fixed?: RequestParameters,
) => (given?: object, options?: CallOptions) => Promise<T>;

/** Returns the maker of the methods of a caller that read. */
export function readsOf(caller: Caller): Reads {
  return (route, fixed = {}) =>
    (given = {}, options = {}) =>
      caller.call({ route, parameters: { ...(given as RequestParameters), ...fixed }, options });
}

/** Returns the methods of these routes. */
export function sharedMethods(
  parts: WriteParts,
  routes: Pick<ClientRoutes, SharedMethod>,
): Pick<Client, SharedMethod> {
  const reads = readsOf(parts.caller);
  const managed = { apiManaged: true };
  return {
    placeOrder: placesOrders(parts, routes.placeOrder),
    order: reads(routes.order),
    cancelOrder: cancels(parts, routes.cancelOrder, { lookAt: canceledOrder, isOwn: isCanceledOrder }),
    nativeOrders: reads(routes.nativeOrders),
    openOrders: reads(routes.openOrders, managed),
    cancelOpenOrders: cancels(parts, routes.cancelOpenOrders, {
      lookAt: (sent, { acceptedUntilMs }) => canceledAll(actorOf(sent), acceptedUntilMs),
      fixed: managed,
    }),
    placeOco: placesLists(parts, routes.placeOco, "oco"),
    placeOto: placesLists(parts, routes.placeOto, "oto"),
    placeOtoco: placesLists(parts, routes.placeOtoco, "otoco"),
    orderList: reads(routes.orderList),
    cancelOrderList: cancels(parts, routes.cancelOrderList, { lookAt: canceledList, isOwn: isNamedList }),
    openOrderLists: reads(routes.openOrderLists),
    allOrderLists: reads(routes.allOrderLists),
  };
}
