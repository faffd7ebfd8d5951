/**
 * The engine: it keeps the orders of all accounts, follows the market, and sends children to the venue. Everything that
 * it does is in its journal first.
 *
 * @module managed-orders/engine
 */
export { SettlementError, type SettlementProblem } from "./commands/settlement.ts";
export type {
  Alert,
  AtRest,
  CancelAllResult,
  ChildSettlement,
  Engine,
  EngineAlertKind,
  EngineEventSource,
  EngineEvents,
  EngineOptions,
  EngineSettings,
  EngineStatus,
  InFlight,
  ListKey,
  ListPageRequest,
  ListPlacement,
  ListUpdate,
  Metrics,
  OrderUpdate,
  PageRequest,
  ParentKey,
  ParentPage,
  PlaceFieldsRequest,
  PlaceIntentRequest,
  PlaceListRequest,
  Placement,
  PlaceRequest,
  PrintUpdate,
  ProbePoint,
  StatusChange,
  StatusKind,
  StatusReason,
  StatusUpdate,
  Story,
  Verification,
} from "./core/api.ts";
export { DEFAULT_SETTINGS, resolveSettings } from "./core/settings.ts";
export { openEngine } from "./engine.ts";
