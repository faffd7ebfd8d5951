import {
  type EmptyReply,
  list,
  members,
  object,
  type Reader,
  SUBSCRIBED,
  SUBSCRIPTION,
  type SubscribedReply,
  type SubscriptionReply,
} from "../../replies/index.ts";
import type { Client } from "../methods/api.ts";
import type { ActorParameters, CallOptions } from "../methods/parameters.ts";
import { CLIENT_ROUTES, type Route } from "../methods/routes.ts";
import type { SharedMethod } from "../outcome/shared-methods.ts";

/** Requests over one WebSocket connection. Errors are those of {@link Client}. */
export interface SocketRequests extends Pick<Client, SharedMethod> {
  /** Subscribes this connection to the events of an account. */
  subscribe(parameters?: ActorParameters, options?: CallOptions): Promise<SubscribedReply>;
  /** Subscribes this connection to the events of an account with a session token of the host, without a key. */
  subscribeByToken(
    parameters: Readonly<{ requestToken: string }>,
    options?: CallOptions,
  ): Promise<SubscribedReply>;
  /** Ends one subscription of this connection, or all of them. */
  unsubscribe(parameters?: Readonly<{ subscriptionId?: number }>, options?: CallOptions): Promise<EmptyReply>;
  /** Reads the subscriptions of this connection. */
  subscriptions(options?: CallOptions): Promise<readonly SubscriptionReply[]>;
}

/** A route that is called by a method of the private WebSocket. */
export type SocketRoute<Reply> = Route<Reply> & Readonly<{ method: string }>;

const over = <T>(route: Route<T>, method: string): SocketRoute<T> => ({ ...route, method });

/** An act of the connection itself. Sent once: a subscription that is asked for twice is refused. */
const act = <T>(method: string, read: Reader<T>, scheme: "NONE" | "V3" = "NONE"): SocketRoute<T> => ({
  ...{ verb: "GET", path: "", access: "TRADE", scheme, read, method },
});

const subscribed = /* @__PURE__ */ object(SUBSCRIBED);

/** Every method of the private WebSocket by the name that it has in the client. Source: contract, WebSocket. */
export const SOCKET_ROUTES: {
  readonly [Method in keyof SocketRequests]: SocketRoute<Awaited<ReturnType<SocketRequests[Method]>>>;
} = /* @__PURE__ */ (() => ({
  placeOrder: over(CLIENT_ROUTES.placeOrder, "order.place"),
  order: over(CLIENT_ROUTES.order, "order.status"),
  cancelOrder: over(CLIENT_ROUTES.cancelOrder, "order.cancel"),
  nativeOrders: over(CLIENT_ROUTES.nativeOrders, "allOrders"),
  openOrders: over(CLIENT_ROUTES.openOrders, "openOrders.status"),
  cancelOpenOrders: over(CLIENT_ROUTES.cancelOpenOrders, "openOrders.cancelAll"),
  placeOco: over(CLIENT_ROUTES.placeOco, "orderList.place.oco"),
  placeOto: over(CLIENT_ROUTES.placeOto, "orderList.place.oto"),
  placeOtoco: over(CLIENT_ROUTES.placeOtoco, "orderList.place.otoco"),
  orderList: over(CLIENT_ROUTES.orderList, "orderList.status"),
  cancelOrderList: over(CLIENT_ROUTES.cancelOrderList, "orderList.cancel"),
  openOrderLists: over(CLIENT_ROUTES.openOrderLists, "openOrderLists.status"),
  allOrderLists: over(CLIENT_ROUTES.allOrderLists, "allOrderLists"),
  subscribe: act("userDataStream.subscribe.signature", subscribed, "V3"),
  subscribeByToken: act("SUBSCRIBE", subscribed),
  unsubscribe: act("userDataStream.unsubscribe", members as Reader<EmptyReply>),
  subscriptions: act("session.subscriptions", list(object(SUBSCRIPTION))),
}))();
