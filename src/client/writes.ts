import type { ManagedOrderReply, OrderListReply, ReplacedOrderReply } from "../replies/index.ts";
import type { ListForm } from "../requests/index.ts";
import type { RequestParameters } from "../signing/index.ts";
import type { CallOptions } from "./api.ts";
import type { Caller } from "./caller.ts";
import { type LocalChecks, throwRefusal } from "./errors.ts";
import {
  actorOf,
  amendedOrder,
  canceledAll,
  canceledList,
  canceledOrder,
  isCanceledOrder,
  isNamedList,
  isNamedOrder,
  type Look,
  placedList,
  placedOrder,
  type SentIds,
  type SentTimes,
  write,
} from "./outcome.ts";
import { CLIENT_ROUTES, type Client, type ClientRoutes, type Route } from "./routes.ts";
import { newClientId } from "./settings.ts";

/** What places and cancels: the caller, and the checks before it, if any. */
export type WriteParts = Readonly<{ caller: Caller; checks: LocalChecks | undefined }>;

/** Parameters of any method. */
type Given = Readonly<Record<string, RequestParameters[string]>>;

/** A method of a client without the types of its parameters. */
export type Method<T> = (given?: object, options?: CallOptions) => Promise<T>;

/** The fields that a check compares with the time. */
const EXPIRIES = ["expireTime", "goodTillDate"] as const;

/** Returns the method that places orders on a route. An order without a client id gets one before it is sent. */
export function placesOrders<T extends Readonly<{ clientOrderId: string }>>(
  { caller, checks }: WriteParts,
  route: Route<T>,
): Method<T> {
  return async (given, options = {}) => {
    const { newClientOrderId: requested, ...fields } = given as Given;
    const newClientOrderId = String(requested ?? newId(caller));
    const parameters = { ...fields, newClientOrderId };
    const isManaged = route.path === CLIENT_ROUTES.placeOrder.path;
    if (isManaged && checks !== undefined) {
      // The wall clock of the client may be wrong, and an expiry must not be.
      if (EXPIRIES.some((name) => name in fields)) await caller.requireServerTime(route, options);
      throwRefusal(checks.order(parameters, caller.serverClock.nowMs()));
    }
    const key = { ...actorOf(fields), symbol: fields.symbol, origClientOrderId: newClientOrderId };
    return await write(caller, {
      ...{ route, parameters, options, intention: "place" },
      ids: { clientOrderId: newClientOrderId },
      lookAt: () => placedOrder(key, !isManaged),
      isOwn: ({ clientOrderId }) => clientOrderId === newClientOrderId,
    });
  };
}

/** Returns the method that places lists of a form. A list without a client id gets one before it is sent. */
export function placesLists(
  { caller, checks }: WriteParts,
  route: Route<OrderListReply>,
  form: ListForm,
): Method<OrderListReply> {
  return async (given, options = {}) => {
    const { listClientOrderId: requested, ...fields } = given as Given;
    const listClientOrderId = String(requested ?? newId(caller));
    const parameters = { ...fields, listClientOrderId };
    throwRefusal(checks?.list(form, parameters));
    const key = { ...actorOf(fields), listClientOrderId };
    return await write(caller, {
      ...{ route, parameters, options, intention: "place" },
      ids: { listClientOrderId },
      lookAt: () => placedList(key),
      isOwn: (list) => list.listClientOrderId === listClientOrderId,
    });
  };
}

/** How a cancel is followed up. */
type Cancel<T> = Readonly<{
  /** Returns the look for what was sent. */
  lookAt: (parameters: RequestParameters, times: SentTimes) => Look;
  /** Returns whether a reply is about what was sent. */
  isOwn?: (parameters: RequestParameters, reply: T) => boolean;
  /** Parameters that are always sent. */
  fixed?: RequestParameters;
}>;

/** Returns the method that cancels on a route. */
export function cancels<T>(
  { caller }: WriteParts,
  route: Route<T>,
  { lookAt, isOwn = () => true, fixed = {} }: Cancel<T>,
): Method<T> {
  return (given = {}, options = {}) => {
    const parameters = { ...(given as Given), ...fixed };
    return write(caller, {
      ...{ route, parameters, options, intention: "cancel" },
      ids: idsOf(parameters),
      lookAt: (times) => lookAt(parameters, times),
      isOwn: (reply) => isOwn(parameters, reply),
    });
  };
}

/** Returns the method that amends orders. An amend without an id gets one before it is sent: it may be sent again with it. */
function amendsOrders({ caller }: WriteParts, route: Route<ManagedOrderReply>): Method<ManagedOrderReply> {
  return (given = {}, options = {}) => {
    const { amendId = newId(caller), ...fields } = given as Given;
    const parameters = { ...fields, amendId };
    return write(caller, {
      ...{ route, parameters, options, intention: "amend" },
      ids: { ...idsOf(parameters), amendId: String(amendId) },
      lookAt: () => amendedOrder(fields),
      isOwn: (order) => isNamedOrder(parameters, order),
    });
  };
}

/** Returns the method that replaces orders. A new order without a client id gets one before it is sent. */
function replacesOrders(
  { caller }: WriteParts,
  route: Route<ReplacedOrderReply>,
): Method<ReplacedOrderReply> {
  return (given = {}, options = {}) => {
    const { newClientOrderId = newId(caller), ...fields } = given as Given;
    const clientOrderId = String(newClientOrderId);
    const key = { ...actorOf(fields), symbol: fields.symbol, origClientOrderId: clientOrderId };
    return write(caller, {
      ...{ route, parameters: { ...fields, newClientOrderId: clientOrderId }, options, intention: "replace" },
      ids: { clientOrderId },
      lookAt: () => placedOrder(key, false),
      isOwn: ({ newOrderResponse }) => newOrderResponse.clientOrderId === clientOrderId,
    });
  };
}

function idsOf({ origClientOrderId, listClientOrderId }: RequestParameters): SentIds {
  return {
    ...(origClientOrderId !== undefined && { clientOrderId: String(origClientOrderId) }),
    ...(listClientOrderId !== undefined && { listClientOrderId: String(listClientOrderId) }),
  };
}

function newId({ platform: { clock, random } }: Caller): string {
  return newClientId(clock.nowMs(), random);
}

/** Methods that REST and the private WebSocket both offer. */
export type SharedMethod =
  | "placeOrder"
  | "order"
  | "cancelOrder"
  | "amendOrder"
  | "replaceOrder"
  | "nativeOrders"
  | "openOrders"
  | "cancelOpenOrders"
  | "placeOco"
  | "placeOto"
  | "placeOtoco"
  | "placeBracket"
  | "placeOca"
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
    amendOrder: amendsOrders(parts, routes.amendOrder),
    replaceOrder: replacesOrders(parts, routes.replaceOrder),
    nativeOrders: reads(routes.nativeOrders),
    openOrders: reads(routes.openOrders, managed),
    cancelOpenOrders: cancels(parts, routes.cancelOpenOrders, {
      lookAt: (sent, { acceptedUntilMs }) => canceledAll(actorOf(sent), acceptedUntilMs),
      fixed: managed,
    }),
    placeOco: placesLists(parts, routes.placeOco, "oco"),
    placeOto: placesLists(parts, routes.placeOto, "oto"),
    placeOtoco: placesLists(parts, routes.placeOtoco, "otoco"),
    placeBracket: placesLists(parts, routes.placeBracket, "bracket"),
    placeOca: placesLists(parts, routes.placeOca, "oca"),
    orderList: reads(routes.orderList),
    cancelOrderList: cancels(parts, routes.cancelOrderList, { lookAt: canceledList, isOwn: isNamedList }),
    openOrderLists: reads(routes.openOrderLists),
    allOrderLists: reads(routes.allOrderLists),
  };
}
