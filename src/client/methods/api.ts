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
} from "../../replies/index.ts";
import type { ListFields } from "../../requests/index.ts";
import type { CanceledOrderReply, OrderReply } from "../replies/orders.ts";
import type {
  ActorParameters,
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
} from "./parameters.ts";

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
