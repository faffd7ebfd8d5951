export type { Actor } from "./actor.ts";
export { canonicalIntent, canonicalList } from "./canonical-intent.ts";
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
export { type ListPage, readListPage } from "./list-page.ts";
export { type ListCommand, listIntent, readListPlacement } from "./list-placement.ts";
export { type OpenOrdersPage, readCancelAll, readOpenOrdersPage } from "./open-orders.ts";
export type { OrderFields } from "./order-fields.ts";
export { type OrderIntentOptions, orderIntent } from "./order-intent.ts";
export { type OrderKey, type OrderKeyContext, readOrderKey } from "./order-key.ts";
export { ORDER_TYPES, type OrderTypeAlias } from "./order-type.ts";
export { type PlaceCommand, type PlacementContext, readPlacement } from "./placement.ts";
export {
  type DepthQuery,
  type PairsQuery,
  readDepthQuery,
  readPairsQuery,
  readTickerQuery,
  type TickerQuery,
} from "./public-queries.ts";
export {
  findRoute,
  ROUTES,
  type RouteAccess,
  type RouteDescriptor,
  type RouteMethod,
  type RouteName,
  type RouteScheme,
  type RouteWeight,
} from "./routes.ts";
export { instrumentOf, type ResolveSymbol, type SymbolContext } from "./symbols.ts";
