/**
 * A client of the service: typed methods for every route, signed requests, and placements whose outcome can always be
 * looked up. It needs no Node built-ins.
 *
 * @module managed-orders/client
 */

export type {
  AccountEvent,
  AccountUpdateEvent,
  BookTickerEvent,
  CancelAllReply,
  CanceledManagedOrderReply,
  CanceledNativeOrderReply,
  CanceledOrderListReply,
  DayTickerReply,
  EmptyReply,
  ExchangeInfoReply,
  ExecutionReply,
  ExecutionsReply,
  FillReply,
  FilterReply,
  InstrumentPairsReply,
  LegIdentityReply,
  LevelReply,
  ListStatusEvent,
  ManagedOrderReply,
  MarginCallEvent,
  NativeOrderReply,
  OpenOrdersReply,
  OrderBookReply,
  OrderListReply,
  OrderUpdateEvent,
  OrderUpdateMembers,
  PartialDepthEvent,
  PlacedNativeOrderReply,
  PublicTradeEvent,
  RateLimitReply,
  ScaledOrderReply,
  ServerTimeReply,
  StatusReply,
  SubscribedReply,
  SubscriptionReply,
  SymbolReply,
  TickerReply,
  UnknownEvent,
  WholeText,
} from "../replies/index.ts";
export { localChecks } from "./checks/local-checks.ts";
export { preview } from "./checks/preview.ts";
export { createClient } from "./client.ts";
export { ClientError, type ClientErrorKind } from "./errors/client-error.ts";
export { ProtocolError, type ProtocolFinding, type ProtocolProblem } from "./errors/protocol-error.ts";
export { type Refusal, RefusedError } from "./errors/refused-error.ts";
export { TransportError, type TransportReason } from "./errors/transport-error.ts";
export type {
  AbortLike,
  ByteReader,
  ClientClock,
  FetchLike,
  FetchRequest,
  FetchResponse,
  ReplyBody,
  ReplyHeaders,
} from "./http/platform.ts";
export type { MarketEvents, MarketKind } from "./market/events.ts";
export {
  followMarkets,
  type MarketStream,
  type MarketStreamEvent,
  type MarketStreamOptions,
} from "./market-stream.ts";
export type { Client } from "./methods/api.ts";
export type { LocalChecks } from "./methods/local-checks.ts";
export type {
  ActorParameters,
  CallOptions,
  CancelParameters,
  ExecutionsParameters,
  NativeLimitOrder,
  NativeMarketOrder,
  NativeMarketOrderByAmount,
  NativeOrderFields,
  NativeOrdersParameters,
  NewList,
  NewManagedOrder,
  NewNativeOrder,
  OpenOrdersParameters,
  OrderId,
  OrderKey,
  OrderListKey,
  OrderNames,
  RangeParameters,
} from "./methods/parameters.ts";
export {
  type BookEvent,
  type LocalOrderBook,
  type OrderBookOptions,
  openOrderBook,
} from "./order-book.ts";
export { followOrders, type OrderStream, type OrderStreamOptions } from "./order-stream.ts";
export {
  type Intention,
  type Outcome,
  type OutcomeState,
  type ReconcileOptions,
  type SentIds,
  UncertainOutcome,
} from "./outcome/outcome.ts";
export type { SharedMethod } from "./outcome/shared-methods.ts";
export { eachExecution, eachNativeOrder, eachOpenOrder, eachOrderList } from "./pages/pages.ts";
export type { CanceledOrderReply, OrderReply } from "./replies/orders.ts";
export type { ClientOptions } from "./settings.ts";
export type { Lasting } from "./socket/again.ts";
export type { SocketRequests } from "./socket/methods.ts";
export type { SocketClass, SocketEvent, SocketLike } from "./socket/socket-like.ts";
export { createSocketClient, type SocketClient, type SocketClientOptions } from "./socket-client.ts";
export type { OrderStreamState, StreamEvent } from "./stream/follower.ts";
export type { OrderState } from "./stream/order-states.ts";
export type { OverrunEvent } from "./stream/outlet.ts";
