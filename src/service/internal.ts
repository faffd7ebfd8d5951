/** Exports of the service to other folders of this package. They are not part of the package's interface. */
export { QuietTelemetry } from "../host-answers/index.ts";
export { readAddressBlock } from "./access/addresses.ts";
export { requiredKey, type Worked } from "./access/authentication.ts";
export { Elsewhere } from "./access/ownership.ts";
export { FAULT_HEADER } from "./mount-probe/probe.ts";
export { readHeaders, readParameters, workRequest } from "./rest/authentication.ts";
export type { Answer, EntryParts } from "./rest/parts.ts";
export {
  type RequestForwarder,
  type RoutedRequest,
  receive,
  type ShardElsewhere,
} from "./rest/rest-service.ts";
export { onlyReads, REST_PATHS } from "./rest/routing.ts";
export { ENTRY_CHECKS, entryOf, type NodeShare } from "./service.ts";
export {
  type MessageAnswers,
  type MethodCall,
  type OpenStream,
  type PassedText,
  type StreamSink,
  Subscription,
} from "./socket/answers.ts";
export type { SessionParts } from "./socket/connection.ts";
export { dialectAt, isSocketTarget } from "./socket/destinations.ts";
export { workMessage } from "./socket/messages.ts";
export type { ForwardedMessage } from "./socket/private-session.ts";
export { Sockets, sessionPartsOf } from "./socket/socket-service.ts";
export { MESSAGE_COST } from "./traffic/api.ts";
export { Traffic } from "./traffic/traffic.ts";
export { type Crowd, TrafficTurns } from "./traffic/turns.ts";
