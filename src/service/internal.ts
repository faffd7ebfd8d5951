/** Exports of the service to other folders of this package. They are not part of the package's interface. */
export { QuietTelemetry } from "../host-answers/index.ts";
export { readAddressBlock } from "./access/addresses.ts";
export type { Worked } from "./access/authentication.ts";
export {
  openRequest,
  packRefusal,
  packReply,
  sealRequest,
  unpackRefusal,
  unpackReply,
} from "./forwarding/envelope.ts";
export { type Frame, FrameReader, frameOf, MOST_NUMBER } from "./forwarding/frames.ts";
export { FAULT_HEADER } from "./mount-probe/probe.ts";
export { workRequest } from "./rest/authentication.ts";
export { REST_PATHS } from "./rest/routing.ts";
export { dialectAt, isSocketTarget } from "./socket/destinations.ts";
export { workMessage } from "./socket/messages.ts";
export { MESSAGE_COST } from "./traffic/api.ts";
export { Traffic } from "./traffic/traffic.ts";
export { type Crowd, TrafficTurns } from "./traffic/turns.ts";
