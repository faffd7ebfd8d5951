import type {
  CancelAllReply,
  CanceledOrderListReply,
  DayTickerReply,
  EmptyReply,
  ExchangeInfoReply,
  ExecutionsReply,
  InstrumentPairsReply,
  ManagedOrderReply,
  NativeOrderReply,
  OpenOrdersReply,
  OrderBookReply,
  OrderListReply,
  PlacedNativeOrderReply,
  ScaledOrderReply,
  ServerTimeReply,
  StatusReply,
  TickerReply,
} from "../replies/index.ts";
import type { ListFields, OrderFields } from "../requests/index.ts";
import type { AbortLike } from "./http.ts";
import type { CanceledOrderReply, OrderReply } from "./replies.ts";

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

/** An id of an order or list: the string of a reply, a bigint, or a safe integer. */
export type OrderId = string | number | bigint;

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call. A placement or cancel that was sent becomes an `UncertainOutcome`. */
  readonly signal?: AbortLike | undefined;
  /** How long to wait for a reply, in milliseconds; each attempt of a read has this time. */
  readonly timeoutMs?: number | undefined;
}

/** The account on which a request acts. Default: the account of the key. */
export interface ActorParameters {
  readonly account?: number | undefined;
  readonly userId?: number | undefined;
}

/** The names under which an order may be looked up: its id, its client id, or both. */
export type OrderNames =
  | { readonly orderId: OrderId; readonly origClientOrderId?: string | undefined }
  | { readonly orderId?: undefined; readonly origClientOrderId: string };

/** Names one order. `symbol` is the canonical symbol, such as BTC/USD. */
export type OrderKey = ActorParameters & { readonly symbol: string } & OrderNames;

/** The order to cancel, and the optional members of a cancel. */
export type CancelParameters = OrderKey & {
  /** ONLY_NEW cancels the order only if nothing is executed, ONLY_PARTIALLY_FILLED only if something is executed. */
  readonly cancelRestrictions?: "ONLY_NEW" | "ONLY_PARTIALLY_FILLED" | undefined;
  /**
   * Id of the cancel itself. The reply contains it as `clientOrderId`, and the order's own id as `origClientOrderId`.
   */
  readonly newClientOrderId?: string | undefined;
};

/** Names one list by its id, its client id, or both. */
export type OrderListKey = ActorParameters &
  (
    | { readonly orderListId: OrderId; readonly listClientOrderId?: string | undefined }
    | { readonly orderListId?: undefined; readonly listClientOrderId: string }
  );

/** A range of times, both ends included, in epoch milliseconds, and the maximum number of rows in a reply. */
export interface RangeParameters extends ActorParameters {
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly limit?: number | undefined;
}

/** A page of native orders of one market. */
export interface NativeOrdersParameters extends RangeParameters {
  readonly symbol: string;
  /** The lowest id of the page. Without it, the page contains the newest orders. */
  readonly orderId?: OrderId | undefined;
  readonly origClientOrderId?: string | undefined;
}

/** A page of executions. Without a symbol, it covers all markets. */
export interface ExecutionsParameters extends RangeParameters {
  readonly symbol?: string | undefined;
  readonly orderId?: OrderId | undefined;
  readonly origClientOrderId?: string | undefined;
}

/** A page of managed orders of all markets. */
export interface OpenOrdersParameters extends ActorParameters {
  /** Whether to list ended orders, and legs that wait for their release, too. */
  readonly includeHistory?: boolean | undefined;
  readonly newestFirst?: boolean | undefined;
  readonly limit?: number | undefined;
  /** `nextOrderId` of the previous page; 0 for the first. */
  readonly afterOrderId?: OrderId | undefined;
}

interface NativeBase {
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  /** Your id of the order: 1-36 letters, digits, `.`, `_` or `-`. The client makes one if you leave it out. */
  readonly newClientOrderId?: string | undefined;
  readonly apiManaged?: false | undefined;
}

/** A plain limit order, which the service passes to its host. */
export interface NativeLimitOrder extends NativeBase {
  readonly type: "LIMIT";
  readonly quantity: string;
  readonly price: string;
  readonly timeInForce?: "GTC" | "IOC" | "FOK" | undefined;
}

/** A market order by quantity. */
export interface NativeMarketOrder extends NativeBase {
  readonly type: "MARKET";
  readonly quantity: string;
}

/** A market order by the amount of USD to spend or to receive. */
export interface NativeMarketOrderByAmount extends NativeBase {
  readonly type: "MARKET";
  readonly quoteOrderQty: string;
}

/** A plain order. */
export type NativeOrderFields = NativeLimitOrder | NativeMarketOrder | NativeMarketOrderByAmount;

/** A managed order to place. The client generates `newClientOrderId` if you leave it out. */
export type NewManagedOrder = ActorParameters & OrderFields;

/** A plain order to place. */
export type NewNativeOrder = ActorParameters & NativeOrderFields;

/** A list to place. The client generates `listClientOrderId` if you leave it out. */
export type NewList<Fields> = ActorParameters &
  Omit<Fields, "listClientOrderId"> & { readonly listClientOrderId?: string | undefined };
