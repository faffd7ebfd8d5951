import {
  CANCEL_ALL,
  CANCELED_ORDER_LIST,
  type CancelAllReply,
  type CanceledOrderListReply,
  DAY_TICKER,
  type DayTickerReply,
  type EmptyReply,
  EXCHANGE_INFO,
  EXECUTION,
  type ExchangeInfoReply,
  type ExecutionsReply,
  INSTRUMENT_PAIRS,
  type InstrumentPairsReply,
  list,
  MANAGED_ORDER,
  MANAGED_ORDER_PAGE,
  type ManagedOrderReply,
  members,
  NATIVE_ORDER,
  type NativeOrderReply,
  type OpenOrdersReply,
  ORDER_BOOK,
  ORDER_LIST,
  type OrderBookReply,
  type OrderListReply,
  object,
  PLACED_NATIVE_ORDER,
  type PlacedNativeOrderReply,
  REPLACED_ORDER,
  type Reader,
  type ReplacedOrderReply,
  SCALED_ORDER,
  type ScaledOrderReply,
  SERVER_TIME,
  type ServerTimeReply,
  STATUS,
  type StatusReply,
  TICKER,
  type TickerReply,
} from "../replies/index.ts";
import type { ListFields, MarketName } from "../requests/index.ts";
import type {
  ActorParameters,
  AmendParameters,
  CallOptions,
  CancelParameters,
  ExecutionsParameters,
  NativeOrdersParameters,
  NewList,
  NewManagedOrder,
  NewNativeOrder,
  OpenOrdersParameters,
  OrderKey,
  OrderListKey,
  RangeParameters,
  ReplaceParameters,
} from "./api.ts";
import {
  type CanceledOrderReply,
  type OrderReply,
  readCanceledOrder,
  readOrder,
  readPlacedOrder,
} from "./replies.ts";

/**
 * A client of the service. Every method rejects with a `ClientError`: a `RefusedError` if the request was refused, a
 * `ProtocolError` if the reply cannot be read, a `TransportError` if there is none. A placement or cancel that was sent
 * and got no readable reply rejects with an `UncertainOutcome`. Methods that only read repeat a failed request
 * automatically.
 */
export interface Client {
  /** Reads the status of the service. */
  status(options?: CallOptions): Promise<StatusReply>;
  /** Reads the instruments and limits of the service. */
  exchangeInfo(options?: CallOptions): Promise<ExchangeInfoReply>;
  /** Reads the first `limit` instruments. */
  instrumentPairs(
    parameters?: Readonly<{ limit?: number | undefined }>,
    options?: CallOptions,
  ): Promise<InstrumentPairsReply>;
  /** Reads the prices of a market. */
  ticker(parameters: Readonly<{ symbol: string }>, options?: CallOptions): Promise<TickerReply>;
  /** Reads the prices of a market and its volume of the last day. */
  dayTicker(parameters: Readonly<{ symbol: string }>, options?: CallOptions): Promise<DayTickerReply>;
  /** Reads the prices and volumes of all markets. */
  dayTickers(options?: CallOptions): Promise<readonly DayTickerReply[]>;
  /** Reads the order book of a market. */
  depth(
    parameters: Readonly<{ symbol: string; limit?: number | undefined }>,
    options?: CallOptions,
  ): Promise<OrderBookReply>;
  /** Checks that the service answers. */
  ping(options?: CallOptions): Promise<EmptyReply>;
  /** Reads the clock of the service. */
  time(options?: CallOptions): Promise<ServerTimeReply>;

  /** Places a managed order. */
  placeOrder(order: NewManagedOrder, options?: CallOptions): Promise<ManagedOrderReply>;
  /** Places a plain LIMIT or MARKET order. */
  placeNativeOrder(order: NewNativeOrder, options?: CallOptions): Promise<PlacedNativeOrderReply>;
  /** Reads a managed or native order. */
  order(key: OrderKey, options?: CallOptions): Promise<OrderReply>;
  /** Reads a managed or native order with its prices and quantities as whole numbers. */
  scaledOrder(key: OrderKey, options?: CallOptions): Promise<ScaledOrderReply>;
  /** Cancels an order. The cancel of a leg cancels its list. */
  cancelOrder(parameters: CancelParameters, options?: CallOptions): Promise<CanceledOrderReply>;
  /** Changes fields of a managed order. The quantity of a leg changes with that of the legs which share it. The same `amendId` is the same amend. */
  amendOrder(parameters: AmendParameters, options?: CallOptions): Promise<ManagedOrderReply>;
  /**
   * Places a managed order in place of another, in one step. The same `newClientOrderId` is the same replacement. Rejects with a
   * RefusedError -2021 if only one half was done, and -2022 if none was; its `data` tells of both.
   */
  replaceOrder(parameters: ReplaceParameters, options?: CallOptions): Promise<ReplacedOrderReply>;
  /** Reads a page of the native orders of a market, by rising id. */
  nativeOrders(
    parameters: NativeOrdersParameters,
    options?: CallOptions,
  ): Promise<readonly NativeOrderReply[]>;
  /** Reads the newest executions of native orders, oldest first. */
  executions(parameters?: ExecutionsParameters, options?: CallOptions): Promise<ExecutionsReply>;
  /** Reads a page of managed orders of all markets. */
  openOrders(parameters?: OpenOrdersParameters, options?: CallOptions): Promise<OpenOrdersReply>;
  /** Cancels all managed orders. */
  cancelOpenOrders(parameters?: ActorParameters, options?: CallOptions): Promise<CancelAllReply>;

  /** Places two orders of which only one executes. */
  placeOco(list: NewList<ListFields["oco"]>, options?: CallOptions): Promise<OrderListReply>;
  /** Places an order that releases another when it is filled. */
  placeOto(list: NewList<ListFields["oto"]>, options?: CallOptions): Promise<OrderListReply>;
  /** Places an order that releases a pair when it is filled. */
  placeOtoco(list: NewList<ListFields["otoco"]>, options?: CallOptions): Promise<OrderListReply>;
  /** Places an order with a stop and take-profits that are sized by what it executes. */
  placeBracket(list: NewList<ListFields["bracket"]>, options?: CallOptions): Promise<OrderListReply>;
  /** Places two to ten orders that share one quantity. */
  placeOca(list: NewList<ListFields["oca"]>, options?: CallOptions): Promise<OrderListReply>;
  /** Places a limit and a stop of which only one executes, in the fields of the older call. */
  placeLegacyOco(list: NewList<ListFields["legacyOco"]>, options?: CallOptions): Promise<OrderListReply>;
  /** Reads a list. */
  orderList(key: OrderListKey, options?: CallOptions): Promise<OrderListReply>;
  /** Cancels a list. */
  cancelOrderList(key: OrderListKey, options?: CallOptions): Promise<CanceledOrderListReply>;
  /** Reads the newest lists that are open, oldest first. */
  openOrderLists(parameters?: RangeParameters, options?: CallOptions): Promise<readonly OrderListReply[]>;
  /** Reads the newest lists, open and ended, oldest first. */
  allOrderLists(parameters?: RangeParameters, options?: CallOptions): Promise<readonly OrderListReply[]>;
}

/** How requests of a route are signed. */
export type Scheme = "NONE" | "V2_QUERY" | "LEGACY" | "V3";

/** What a request does. Only requests that read are sent again. */
export type Access = "PUBLIC" | "READ" | "TRADE";

/** A route of the service as the client calls it, and the reader of its reply. */
export type Route<Reply> = Readonly<{
  verb: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  access: Access;
  scheme: Scheme;
  read: Reader<Reply>;
  /** Whether its method has no parameters. */
  isPlain?: true;
}>;

const open = <T>(path: string, read: Reader<T>): Route<T> => ({
  verb: "GET",
  path: `/api/${path}`,
  access: "PUBLIC",
  scheme: "NONE",
  read,
});

const plain = <T>(path: string, read: Reader<T>): Route<T> => ({ ...open(path, read), isPlain: true });

const signed =
  (kind: Pick<Route<unknown>, "verb" | "access" | "scheme">) =>
  <T>(path: string, read: Reader<T>): Route<T> => ({ ...kind, path: `/api/${path}`, read });

const readV2 = signed({ verb: "GET", access: "READ", scheme: "V2_QUERY" });
const readByPost = signed({ verb: "POST", access: "READ", scheme: "LEGACY" });
const place = signed({ verb: "POST", access: "TRADE", scheme: "LEGACY" });
const cancel = signed({ verb: "DELETE", access: "TRADE", scheme: "LEGACY" });
const amend = signed({ verb: "PUT", access: "TRADE", scheme: "LEGACY" });
const readV3 = signed({ verb: "GET", access: "READ", scheme: "V3" });
const placeV3 = signed({ verb: "POST", access: "TRADE", scheme: "V3" });
const cancelV3 = signed({ verb: "DELETE", access: "TRADE", scheme: "V3" });

const empty: Reader<EmptyReply> = members;
const orderList = object(ORDER_LIST);
const lists = list(orderList);

/** A public route is the method of its name. A new one does not compile until {@link Client} has it. */
type Named = keyof Client | Exclude<MarketName, "ticker24hr">;

/** The route of each method of the client. */
export type ClientRoutes = {
  readonly [Method in Named]: Method extends keyof Client
    ? Route<Awaited<ReturnType<Client[Method]>>>
    : never;
};

/** Every route by the method of the client that calls it. Source: contract, Endpoints. */
export const CLIENT_ROUTES: ClientRoutes = {
  status: plain("status", object(STATUS)),
  exchangeInfo: plain("exchangeInfo", object(EXCHANGE_INFO)),
  instrumentPairs: open("getInstrumentPairs", object(INSTRUMENT_PAIRS)),
  ticker: open("ticker", object(TICKER)),
  dayTicker: open("ticker/24hr", object(DAY_TICKER)),
  dayTickers: plain("ticker/24hr", list(object(DAY_TICKER))),
  depth: open("depth", object(ORDER_BOOK)),
  ping: plain("ping", empty),
  time: plain("time", object(SERVER_TIME)),
  placeOrder: place("order", readPlacedOrder),
  placeNativeOrder: place("v2/order", object(PLACED_NATIVE_ORDER)),
  order: readV2("v2/order", readOrder),
  scaledOrder: readByPost("v2/orderStatus", object(SCALED_ORDER)),
  cancelOrder: cancel("v2/order", readCanceledOrder),
  amendOrder: amend("order", object(MANAGED_ORDER)),
  replaceOrder: place("order/cancelReplace", object(REPLACED_ORDER)),
  nativeOrders: readV2("v2/allOrders", list(object(NATIVE_ORDER))),
  executions: readByPost("v2/getOrderHistory", object({ orders: [EXECUTION] } as const)),
  openOrders: readV3("v3/openOrders", object(MANAGED_ORDER_PAGE)),
  cancelOpenOrders: cancelV3("v3/openOrders", object(CANCEL_ALL)),
  placeOco: placeV3("v3/orderList/oco", orderList),
  placeOto: placeV3("v3/orderList/oto", orderList),
  placeOtoco: placeV3("v3/orderList/otoco", orderList),
  placeBracket: placeV3("v3/orderList/bracket", orderList),
  placeOca: placeV3("v3/orderList/oca", orderList),
  placeLegacyOco: placeV3("v3/order/oco", orderList),
  orderList: readV3("v3/orderList", orderList),
  cancelOrderList: cancelV3("v3/orderList", object(CANCELED_ORDER_LIST)),
  openOrderLists: readV3("v3/openOrderList", lists),
  allOrderLists: readV3("v3/allOrderList", lists),
};
