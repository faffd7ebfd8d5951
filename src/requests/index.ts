export type { Actor } from "./actor.ts";
export { AMENDABLE, type AmendFields, type Amendment, amendmentIn, amendmentOf } from "./amendment.ts";
export {
  type BracketByFillsOrders,
  bracket,
  type OcaOrders,
  oca,
  oco,
  oto,
} from "./list-builders.ts";
export type {
  FreeLegFields,
  LegacyOcoFields,
  LegFields,
  ListCommonFields,
  OcoFields,
  OtocoFields,
  OtoFields,
  Prefixed,
} from "./list-legs.ts";
export {
  type ListFields,
  type ListForm,
  listAsSent,
  listIntent,
  readListPlacement,
} from "./list-placement.ts";
export {
  barsOfInterval,
  KLINE_INTERVALS,
  type KlineInterval,
  klineEndMs,
  klineStartMs,
  readAggTradesQuery,
  readDayTickerQuery,
  readDepthQuery,
  readKlinesQuery,
  readOldTradesQuery,
  readPairsQuery,
  readTickerQuery,
  readTradesQuery,
  type TradesQuery,
} from "./market-queries.ts";
export {
  COMPAT_METHODS,
  type Dialect,
  findMethod,
  METHODS,
  type MethodDescriptor,
  readNothing,
  readRequestToken,
  readSubscription,
  readUnsubscription,
  type SessionAct,
  type TwinName,
} from "./methods.ts";
export { ORDER_FIELDS, type OrderFieldName } from "./order-fields.ts";
export { canonicalIntent, canonicalList, type OrderIntentOptions, orderIntent } from "./order-intent.ts";
export {
  type ListKeyContext,
  type ListLookup,
  type OrderKey,
  type OrderKeyContext,
  readListKey,
  readOrderAmend,
  readOrderKey,
  readQuantityAmend,
} from "./order-key.ts";
export {
  type AllOrdersPage,
  type OrderHistoryPage,
  readAccountQuery,
  readAllOrdersPage,
  readCancelAll,
  readCanceledMarket,
  readListPage,
  readOpenMarketOrders,
  readOpenOrdersPage,
  readOrderHistoryPage,
  readTradesPage,
} from "./order-pages.ts";
export { CANONICAL_TYPES, COMPAT_TRAILING } from "./order-type.ts";
export type { OrderFields } from "./orders.ts";
export { conflict } from "./parameters.ts";
export {
  intentAsSent,
  type PlaceCommand,
  type PlacementContext,
  placementFlow,
  readNativePlacement,
  readPlacement,
} from "./placement.ts";
export { type ReplaceCommand, readReplacement, requireOrderName } from "./replacement.ts";
export {
  type AnyRoute,
  COMPAT_ROUTES,
  type CompatName,
  findRoute,
  type MarketName,
  openOrdersWeight,
  ROUTES,
  type RouteAccess,
  type RouteDescriptor,
  type RouteMethod,
  type RouteName,
  type RouteScheme,
  routesAt,
} from "./routes.ts";
export { type BracketFields, MOST_SHARES, type OcaFields, type StopMoveFields } from "./shared-lists.ts";
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
export { instrumentOf, notTraded, type ResolveSymbol, usualSymbol } from "./symbols.ts";
export type * as Orders from "./typed-orders.ts";
