export type {
  Alert,
  CancelAllResult,
  Engine,
  EngineEventSource,
  EngineEvents,
  EngineOptions,
  EngineSettings,
  InFlight,
  Metrics,
  OrderUpdate,
  PageRequest,
  ParentKey,
  ParentPage,
  Placement,
  PlaceRequest,
  ProbePoint,
  Story,
  Verification,
} from "./api.ts";
export { openEngine } from "./engine.ts";
export { DEFAULT_SETTINGS, resolveSettings } from "./settings.ts";
