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
  ReplacedOrderReply,
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
export type { Lasting } from "./again.ts";
export type {
  ActorParameters,
  AmendParameters,
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
  ReplaceParameters,
} from "./api.ts";
export { localChecks, preview, previewContext } from "./checks.ts";
export { createClient } from "./client.ts";
export type { LocalChecks } from "./errors.ts";
export {
  ClientError,
  type ClientErrorKind,
  ProtocolError,
  type ProtocolFinding,
  type ProtocolProblem,
  type Refusal,
  RefusedError,
  TransportError,
  type TransportReason,
} from "./errors.ts";
export type {
  AbortLike,
  ByteReader,
  ClientClock,
  FetchLike,
  FetchRequest,
  FetchResponse,
  ReplyBody,
  ReplyHeaders,
} from "./http.ts";
export type { MarketEvents, MarketKind } from "./market-stream.ts";
export {
  followMarkets,
  type MarketStream,
  type MarketStreamEvent,
  type MarketStreamOptions,
} from "./market-stream.ts";
export {
  type BookEvent,
  type LocalOrderBook,
  type OrderBookOptions,
  openOrderBook,
} from "./order-book.ts";
export type { OrderStreamState, StreamEvent } from "./order-follower.ts";
export type { OrderState } from "./order-states.ts";
export { followOrders, type OrderStream, type OrderStreamOptions } from "./order-stream.ts";
export {
  type Intention,
  type Outcome,
  type OutcomeState,
  type ReconcileOptions,
  type SentIds,
  UncertainOutcome,
} from "./outcome.ts";
export type { OverrunEvent } from "./outlet.ts";
export { eachExecution, eachNativeOrder, eachOpenOrder, eachOrderList } from "./pages.ts";
export type { CanceledOrderReply, OrderReply } from "./replies.ts";
export type { Client } from "./routes.ts";
export type { ClientOptions } from "./settings.ts";
export type { SocketClass, SocketEvent, SocketLike } from "./socket.ts";
export type { SocketRequests } from "./socket-client.ts";
export { createSocketClient, type SocketClient, type SocketClientOptions } from "./socket-client.ts";
export type { SharedMethod } from "./writes.ts";
