/**
 * The engine: it keeps the orders of all accounts, follows the market, and sends children to the venue. Everything that
 * it does is in its journal first.
 *
 * @module managed-orders/engine
 */

export { SettlementError, type SettlementProblem } from "./commands/settlement.ts";
export type {
  AtRest,
  ChildSettlement,
  Engine,
  EngineOptions,
  EngineSettings,
  InFlight,
  Metrics,
  PriceBarRange,
  ProbePoint,
  QuoteNow,
  Resumption,
  Story,
  Verification,
} from "./core/api.ts";
export type {
  AccountView,
  AmendName,
  AmendRequest,
  AmendTerms,
  CancelAllResult,
  CancelName,
  CancelRequest,
  ListKey,
  ListName,
  ListPage,
  ListPageRequest,
  ListPlacement,
  OrderPage,
  PageRequest,
  ParentKey,
  ParentName,
  ParentPage,
  PlaceFieldsRequest,
  PlaceIntentRequest,
  PlaceListRequest,
  Placement,
  PlacementTime,
  PlaceRequest,
  ReplaceIntentRequest,
  ReplaceMode,
  Replacement,
  ReplaceRequest,
  ReplaceTerms,
} from "./core/calls.ts";
export { EngineError, type EngineFault, HandOverError, type HandOverProblem } from "./core/engine-error.ts";
export type {
  Alert,
  ChildUpdate,
  ConditionCounts,
  EndedUpdate,
  EngineAlertKind,
  EngineEventSource,
  EngineEvents,
  EngineStatus,
  FillUpdate,
  ListUpdate,
  OrderNow,
  OrderUpdate,
  PrintUpdate,
  QuietChange,
  ShardsUpdate,
  StatusChange,
  StatusEnd,
  StatusKind,
  StatusReason,
  StatusUpdate,
} from "./core/events.ts";
export { DEFAULT_SETTINGS, resolveSettings } from "./core/settings.ts";
export { openEngine } from "./engine.ts";
