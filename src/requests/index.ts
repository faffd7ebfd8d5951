export type { Actor } from "./actor.ts";
export { canonicalIntent, canonicalList } from "./canonical-intent.ts";
export { COMPAT_ROUTES } from "./compat-routes.ts";
export { COMPAT_TRAILING } from "./compat-trailing.ts";
export { findRoute, routesAt } from "./find-route.ts";
export {
  barsOfInterval,
  KLINE_INTERVALS,
  type KlineInterval,
  klineEndMs,
  klineStartMs,
} from "./kline-intervals.ts";
export { bracket, oco, oto } from "./list-builders.ts";
export type {
  FreeLegFields,
  LegacyOcoFields,
  LegFields,
  ListCommonFields,
  ListFields,
  ListForm,
  OcoFields,
  OtocoFields,
  OtoFields,
  Prefixed,
} from "./list-fields.ts";
export { type ListKeyContext, type ListLookup, readListKey } from "./list-key.ts";
export { readListPage } from "./list-page.ts";
export { listAsSent, listIntent, readListPlacement } from "./list-placement.ts";
export {
  readAggTradesQuery,
  readKlinesQuery,
  readOldTradesQuery,
  readTradesQuery,
  type TradesQuery,
} from "./market-history.ts";
export {
  readAccountQuery,
  readCanceledMarket,
  readOpenMarketOrders,
  readTradesPage,
} from "./market-orders.ts";
export {
  COMPAT_METHODS,
  type Dialect,
  findMethod,
  METHODS,
  type MethodDescriptor,
  type SessionAct,
  type TwinName,
} from "./methods.ts";
export {
  type AllOrdersPage,
  type OrderHistoryPage,
  readAllOrdersPage,
  readOrderHistoryPage,
} from "./native-page.ts";
export { placementFlow, readNativePlacement } from "./native-placement.ts";
export { readCancelAll, readOpenOrdersPage } from "./open-orders.ts";
export { type OrderIntentOptions, orderIntent } from "./order-intent.ts";
export { type OrderKey, type OrderKeyContext, readOrderKey } from "./order-key.ts";
export { CANONICAL_TYPES } from "./order-type.ts";
export type { OrderFields } from "./orders.ts";
export { intentAsSent, type PlaceCommand, type PlacementContext, readPlacement } from "./placement.ts";
export { readDayTickerQuery, readDepthQuery, readPairsQuery, readTickerQuery } from "./public-queries.ts";
export { conflict } from "./refusals.ts";
export {
  type AnyRoute,
  type CompatName,
  openOrdersWeight,
  ROUTES,
  type RouteAccess,
  type RouteDescriptor,
  type RouteMethod,
  type RouteName,
  type RouteScheme,
} from "./routes.ts";
export {
  CLIENT_STREAM_SUFFIXES,
  type ClientStreamName,
  type PeriodMs,
  readClientStreamName,
  readStreamName,
  STREAM_KINDS,
  STREAM_METHODS,
  type StreamName,
  streamMessageWeight,
} from "./stream-names.ts";
export { readNothing, readRequestToken, readSubscription, readUnsubscription } from "./subscriptions.ts";
export { instrumentOf, notTraded, type ResolveSymbol, usualSymbol } from "./symbols.ts";
export type * as Orders from "./typed-orders.ts";
