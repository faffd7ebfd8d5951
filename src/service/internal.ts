/** Exports of the service to other folders of this package. They are not part of the package's interface. */
export { QuietTelemetry } from "../host-answers/index.ts";
export { clientAddressBehind, readAddressBlock } from "./access/addresses.ts";
export { requiredKey, type Worked } from "./access/authentication.ts";
export { crossOriginOf } from "./access/cross-origin.ts";
export { Elsewhere } from "./access/ownership.ts";
export { type ProvedNetworks, weigh } from "./access/rate-limits.ts";
export { FAULT_HEADER } from "./mount-probe/probe.ts";
export { readHeaders, readParameters, workRequest } from "./rest/authentication.ts";
export type { Answer, EntryParts } from "./rest/parts.ts";
export {
  fromClient,
  type Handling,
  type RoutedRequest,
  respond,
  type ShardElsewhere,
} from "./rest/rest-service.ts";
export { type Destination, Documents, onlyReads, REST_PATHS } from "./rest/routing.ts";
export {
  documentsOption,
  type NodeShare,
  nodeSocketsOption,
  serviceSettingsOption,
  trafficOption,
} from "./service.ts";
export {
  type MessageAnswers,
  type MethodCall,
  type OpenStream,
  type PassedText,
  type StreamEnd,
  type StreamSink,
  Subscription,
} from "./socket/answers.ts";
export { resolveSocketSettings } from "./socket/api.ts";
export { type LiveSession, type SessionParts, transportSide } from "./socket/connection.ts";
export { dialectAt, isSocketTarget, privateForm } from "./socket/destinations.ts";
export { workMessage } from "./socket/messages.ts";
export { type ForwardedMessage, PrivateSession } from "./socket/private-session.ts";
export { admitSocket, servedBy } from "./socket/socket-service.ts";
export { MESSAGE_COST } from "./traffic/api.ts";
export { Traffic } from "./traffic/traffic.ts";
export { type Crowd, TrafficTurns } from "./traffic/turns.ts";
