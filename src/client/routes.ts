import {
  CANCEL_ALL,
  CANCELED_ORDER_LIST,
  DAY_TICKER,
  type EmptyReply,
  EXCHANGE_INFO,
  EXECUTION,
  INSTRUMENT_PAIRS,
  list,
  MANAGED_ORDER_PAGE,
  members,
  NATIVE_ORDER,
  ORDER_BOOK,
  ORDER_LIST,
  object,
  PLACED_NATIVE_ORDER,
  type Reader,
  SCALED_ORDER,
  SERVER_TIME,
  STATUS,
  TICKER,
} from "../replies/index.ts";
import type { Client } from "./api.ts";
import { readCanceledOrder, readOrder, readPlacedOrder } from "./replies.ts";

/** How requests of a route are signed. Source: decision 40. */
export type Scheme = "NONE" | "V2_QUERY" | "LEGACY" | "V3";

/** What a request does. Only requests that read are sent again. */
export type Access = "PUBLIC" | "READ" | "TRADE";

/** A route of the service as the client calls it, and the reader of its reply. */
export type Route<Reply> = Readonly<{
  verb: "GET" | "POST" | "DELETE";
  path: string;
  access: Access;
  scheme: Scheme;
  read: Reader<Reply>;
}>;

const open = <T>(path: string, read: Reader<T>): Route<T> => ({
  verb: "GET",
  path: `/api/${path}`,
  access: "PUBLIC",
  scheme: "NONE",
  read,
});

const signed =
  (kind: Pick<Route<unknown>, "verb" | "access" | "scheme">) =>
  <T>(path: string, read: Reader<T>): Route<T> => ({ ...kind, path: `/api/${path}`, read });

const readV2 = signed({ verb: "GET", access: "READ", scheme: "V2_QUERY" });
const readByPost = signed({ verb: "POST", access: "READ", scheme: "LEGACY" });
const place = signed({ verb: "POST", access: "TRADE", scheme: "LEGACY" });
const cancel = signed({ verb: "DELETE", access: "TRADE", scheme: "LEGACY" });
const readV3 = signed({ verb: "GET", access: "READ", scheme: "V3" });
const placeV3 = signed({ verb: "POST", access: "TRADE", scheme: "V3" });
const cancelV3 = signed({ verb: "DELETE", access: "TRADE", scheme: "V3" });

const empty: Reader<EmptyReply> = members;
const orderList = object(ORDER_LIST);
const lists = list(orderList);

/** The route of each method of the client. */
export type ClientRoutes = {
  readonly [Method in keyof Client]: Route<Awaited<ReturnType<Client[Method]>>>;
};

/** Every route by the method of the client that calls it. Source: contract, Endpoints. */
export const CLIENT_ROUTES: ClientRoutes = {
  status: open("status", object(STATUS)),
  exchangeInfo: open("exchangeInfo", object(EXCHANGE_INFO)),
  instrumentPairs: open("getInstrumentPairs", object(INSTRUMENT_PAIRS)),
  ticker: open("ticker", object(TICKER)),
  dayTicker: open("ticker/24hr", object(DAY_TICKER)),
  dayTickers: open("ticker/24hr", list(object(DAY_TICKER))),
  depth: open("depth", object(ORDER_BOOK)),
  ping: open("ping", empty),
  time: open("time", object(SERVER_TIME)),
  placeOrder: place("order", readPlacedOrder),
  placeNativeOrder: place("v2/order", object(PLACED_NATIVE_ORDER)),
  order: readV2("v2/order", readOrder),
  scaledOrder: readByPost("v2/orderStatus", object(SCALED_ORDER)),
  cancelOrder: cancel("v2/order", readCanceledOrder),
  nativeOrders: readV2("v2/allOrders", list(object(NATIVE_ORDER))),
  executions: readByPost("v2/getOrderHistory", object({ orders: [EXECUTION] } as const)),
  openOrders: readV3("v3/openOrders", object(MANAGED_ORDER_PAGE)),
  cancelOpenOrders: cancelV3("v3/openOrders", object(CANCEL_ALL)),
  placeOco: placeV3("v3/orderList/oco", orderList),
  placeOto: placeV3("v3/orderList/oto", orderList),
  placeOtoco: placeV3("v3/orderList/otoco", orderList),
  placeLegacyOco: placeV3("v3/order/oco", orderList),
  orderList: readV3("v3/orderList", orderList),
  cancelOrderList: cancelV3("v3/orderList", object(CANCELED_ORDER_LIST)),
  openOrderLists: readV3("v3/openOrderList", lists),
  allOrderLists: readV3("v3/allOrderList", lists),
};
