import { ROUTES, type RouteAccess, type RouteDescriptor, type RouteMethod } from "./routes.ts";

/** Operations on the connection itself, without a REST handler: start, end and list its subscriptions. */
export type SessionAct = "subscribe" | "subscribeByToken" | "unsubscribe" | "subscriptions";

/**
 * One request method of the private WebSocket: its name, its aliases, the access it needs and its weight; then either
 * the REST route whose handler answers it, or the act of the connection.
 */
export type MethodDescriptor = Readonly<
  {
    name: string;
    aliases: readonly string[];
    /** PUBLIC: no signature is needed. */
    access: RouteAccess;
    weight: number;
  } & ({ route: RouteDescriptor } | { act: SessionAct })
>;

/** Returns the method that corresponds to a route, with the route's access and weight. */
function like(
  name: string,
  route: Readonly<{ method: RouteMethod; path: string; aliases?: readonly string[] }>,
): MethodDescriptor {
  const found = ROUTES.find(({ method, path }) => method === route.method && path === route.path);
  if (found === undefined) throw new RangeError(`the WebSocket method ${name} has no route`);
  const weight = typeof found.weight === "number" ? found.weight : found.weight(new Map());
  return { name, aliases: route.aliases ?? [], access: found.access, weight, route: found };
}

/** Weight of an act of the connection: that of opening one (convention 4.1). */
const SESSION = { aliases: [], access: "PUBLIC", weight: 2 } as const;

const TABLE: readonly MethodDescriptor[] = [
  like("order.place", { method: "POST", path: "/api/order" }),
  like("order.status", {
    method: "GET",
    path: "/api/v2/order",
    aliases: ["getOrderStatus", "orderStatus"],
  }),
  like("order.cancel", { method: "DELETE", path: "/api/order" }),
  like("allOrders", { method: "GET", path: "/api/v2/allOrders", aliases: ["getOrderHistory"] }),
  like("openOrders.status", { method: "GET", path: "/api/v3/openOrders" }),
  like("openOrders.cancelAll", { method: "DELETE", path: "/api/v3/openOrders" }),
  like("orderList.place.oco", { method: "POST", path: "/api/v3/orderList/oco" }),
  like("orderList.place.oto", { method: "POST", path: "/api/v3/orderList/oto" }),
  like("orderList.place.otoco", { method: "POST", path: "/api/v3/orderList/otoco" }),
  like("orderList.status", { method: "GET", path: "/api/v3/orderList" }),
  like("orderList.cancel", { method: "DELETE", path: "/api/v3/orderList" }),
  like("openOrderLists.status", { method: "GET", path: "/api/v3/openOrderList" }),
  like("allOrderLists", { method: "GET", path: "/api/v3/allOrderList" }),
  { ...SESSION, name: "userDataStream.subscribe.signature", access: "READ", act: "subscribe" },
  { ...SESSION, name: "userDataStream.unsubscribe", act: "unsubscribe" },
  { ...SESSION, name: "session.subscriptions", act: "subscriptions" },
  { ...SESSION, name: "SUBSCRIBE", act: "subscribeByToken" },
];

/**
 * Every request method of `/ws/listenKey`. `SUBSCRIBE` is the older push subscription with a session token of the host.
 * Source: contract, WebSocket request methods; decisions 39, 43, 45.
 */
export const METHODS: readonly MethodDescriptor[] = Object.freeze(
  TABLE.map((method) => Object.freeze(method)),
);

const BY_NAME: ReadonlyMap<string, MethodDescriptor> = new Map(
  METHODS.flatMap((method) => [method.name, ...method.aliases].map((name) => [name, method])),
);

const VERSION = /^v3\//;

/**
 * Returns the method with a name. The name may be an alias and may have the convention's version prefix.
 * Source: contract, WebSocket request methods; convention 4.1.
 */
export function findMethod(name: string): MethodDescriptor | undefined {
  return BY_NAME.get(name.replace(VERSION, ""));
}
