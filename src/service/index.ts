/**
 * REST and WebSocket without a transport: authentication, rate limits, handlers and replies over an engine.
 *
 * @module managed-orders/service
 */

export type {
  ExecutionView,
  LegIdentity,
  ManagedOrder,
  NativeOrderView,
  OrderListView,
} from "../replies/index.ts";
export type { CompatName, MarketName, RouteName, SessionAct } from "../requests/index.ts";
export {
  AUTHENTICATION_SCHEMAS,
  type JsonSchema,
  type RequestSchema,
  requestSchema,
} from "../requests/schemas/index.ts";
export type { WireRequest, WireResponse } from "../wire/index.ts";
export type { Arrived } from "./access/addresses.ts";
export type { Front } from "./access/authentication.ts";
export { type AsyncApiOptions, asyncApiDocument } from "./descriptions/asyncapi.ts";
export type { Description } from "./descriptions/components.ts";
export { type OpenApiOptions, openApiDocument } from "./descriptions/openapi.ts";
export { type FaultText, MOUNT_FAULTS, type MountFault } from "./mount-probe/faults.ts";
export {
  createMountProbe,
  type MountFinding,
  type MountProbe,
  type ProbeAnswer,
  type ProbedService,
  type ProbeSender,
} from "./mount-probe/probe.ts";

export type { ProbeRequest } from "./mount-probe/requests.ts";
export { MAX_BODY_BYTES } from "./rest/authentication.ts";
export { createRejectionBuffer, type RejectionBufferOptions } from "./rest/rejections.ts";
export type { HostFeatures, ServiceSettings } from "./rest/routing.ts";
export { createService, type Service, type ServiceOptions } from "./service.ts";
export type {
  SocketOptions,
  SocketPeer,
  SocketService,
  SocketSession,
  SocketSettings,
} from "./socket/api.ts";
export type {
  ByteLimits,
  HeldKind,
  Holdings,
  LimitScope,
  StreamLimits,
  TrafficGuest,
  TrafficLimits,
} from "./traffic/api.ts";
export type { Traffic } from "./traffic/traffic.ts";
export { type ManagedOrderContext, managedOrderView, orderListView } from "./views/managed-order.ts";
export { executionView, nativeOrderView, type Snapshot } from "./views/native-order.ts";
