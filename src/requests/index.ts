export type { Actor } from "./actor.ts";
export { canonicalIntent } from "./canonical-intent.ts";
export { type OpenOrdersPage, readCancelAll, readOpenOrdersPage } from "./open-orders.ts";
export { type OrderFields, type OrderIntentOptions, orderIntent } from "./order-intent.ts";
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
