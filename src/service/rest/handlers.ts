import { OrderError } from "../../errors/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import type { RouteName } from "../../requests/index.ts";
import type { JsonInput, Parameters } from "../../wire/index.ts";
import { exchangeInfo, instrumentPairs, ping, status, time } from "./exchange-handlers.ts";
import {
  allOrderLists,
  cancelOrderList,
  openOrderLists,
  orderListStatus,
  placeList,
} from "./list-handlers.ts";
import { dayTicker, depth, ticker } from "./market-handlers.ts";
import { allOrders, orderHistory, placeNativeOrder } from "./native-handlers.ts";
import { cancelAllOrders, openOrders } from "./open-order-handlers.ts";
import { cancelOrder, orderStatus, placeOrder, scaledOrderStatus } from "./order-handlers.ts";
import type { Answer, ServiceParts, SignedCall, SignedHandler } from "./parts.ts";

/** Names of the public routes. */
export type PublicName =
  | "status"
  | "exchangeInfo"
  | "instrumentPairs"
  | "ticker"
  | "ticker24hr"
  | "depth"
  | "ping"
  | "time";
type PublicHandler = (parts: ServiceParts, parameters: Parameters) => Awaitable<JsonInput>;

/** Handlers of the public routes. */
export const PUBLIC: Readonly<Record<PublicName, PublicHandler>> = {
  status,
  exchangeInfo,
  instrumentPairs,
  ticker,
  ticker24hr: dayTicker,
  depth,
  ping,
  time,
};

const SIGNED: Readonly<Record<Exclude<RouteName, PublicName>, SignedHandler>> = {
  "order.place": placeOrder,
  "order.place.native": placeNativeOrder,
  "order.status": orderStatus,
  "order.status.scaled": scaledOrderStatus,
  "order.cancel": cancelOrder,
  allOrders,
  orderHistory,
  "openOrders.status": openOrders,
  "openOrders.cancelAll": cancelAllOrders,
  "orderList.place.oco": placeList("oco"),
  "orderList.place.oto": placeList("oto"),
  "orderList.place.otoco": placeList("otoco"),
  "orderList.place.legacyOco": placeList("legacyOco"),
  "orderList.status": orderListStatus,
  "orderList.cancel": cancelOrderList,
  "openOrderLists.status": openOrderLists,
  allOrderLists,
};

/** Returns whether a route is public. */
export function isPublic(name: RouteName): name is PublicName {
  return Object.hasOwn(PUBLIC, name);
}

/** Answers a signed call from any transport. Throws the OrderError of its refusal. */
export async function answerCall(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  if (isPublic(call.route.name)) throw new OrderError("NOT_FOUND");
  return await SIGNED[call.route.name](parts, call);
}
