/** A fault of a mount by name: the key of {@link MOUNT_FAULTS}. */
export type MountFault =
  | "NOT_DELIVERED"
  | "DELIVERED_TWICE"
  | "METHOD_CHANGED"
  | "PATH_CHANGED"
  | "QUERY_DECODED"
  | "QUERY_REENCODED"
  | "QUERY_CHANGED"
  | "HEADERS_JOINED"
  | "HEADERS_CHANGED"
  | "BODY_CONSUMED"
  | "BODY_NOT_BYTES"
  | "BODY_LOST"
  | "BODY_DECODED"
  | "BODY_REPARSED"
  | "BODY_INFLATED"
  | "BODY_TRUNCATED"
  | "BODY_LIMIT"
  | "BODY_CHANGED"
  | "ADDRESS_MISSING"
  | "ADDRESS_FORWARDED"
  | "STATUS_LOST"
  | "REPLY_HEADERS_LOST"
  | "REPLY_CHANGED"
  | "REPLY_LOST"
  | "REPLY_TAKEN";

/** Description of a fault, and what the host must change. */
export type FaultText = Readonly<{ says: string; remedy: string }>;

const fault = (says: string, remedy: string): FaultText => Object.freeze({ says, remedy });

/**
 * Every fault of a mount, by name. {@link createMountProbe} finds them before the first order. A node:http mount
 * reports those that it can see while serving, in telemetry and in the header X-Mount-Fault.
 * Source: contract, Version 3 REST (signatures cover raw bytes); architecture, Transport-neutral service.
 *
 * @example
 * ```ts
 * import { MOUNT_FAULTS } from "managed-orders/service";
 * console.log(MOUNT_FAULTS.QUERY_REENCODED.remedy); // Hand over the raw target: request.url of node:http, not a URL or parsed query.
 * ```
 */
export const MOUNT_FAULTS: Readonly<Record<MountFault, FaultText>> = Object.freeze({
  NOT_DELIVERED: fault(
    "The host answered a request by itself, and the service never heard of it.",
    "Mount the service before other handlers, for every method and every path below its own.",
  ),
  DELIVERED_TWICE: fault(
    "One request reached the service more than once.",
    "Hand each request over once; leave retries to the client.",
  ),
  METHOD_CHANGED: fault(
    "The method is not the one that was sent.",
    "Hand over the method of the request line; switch method overrides off.",
  ),
  PATH_CHANGED: fault(
    "The path is not the one that was sent.",
    "Hand over the raw target; cut nothing but a prefix of the host's own, and switch path normalisation off.",
  ),
  QUERY_DECODED: fault(
    "The query was percent-decoded, and signatures cover it as it was sent.",
    "Hand over the raw target: request.url of node:http, not a decoded path or query.",
  ),
  QUERY_REENCODED: fault(
    "The query was taken apart and encoded anew, and signatures cover it as it was sent.",
    "Hand over the raw target: request.url of node:http, not a URL or parsed query.",
  ),
  QUERY_CHANGED: fault(
    "Parameters of the query were lost, added or put in another order.",
    "Hand over the raw target, and switch off what sorts, filters or adds parameters.",
  ),
  HEADERS_JOINED: fault(
    "Headers that were sent twice arrived as one, so that a second signature goes unseen.",
    "Hand over rawHeaders of node:http, not its headers object.",
  ),
  HEADERS_CHANGED: fault(
    "A header was lost, or its value is not the one that was sent.",
    "Hand over rawHeaders of node:http as they are.",
  ),
  BODY_CONSUMED: fault(
    "The body was read before the mount could read it.",
    "Mount the service before the body parser, or hand over the bytes that the parser kept.",
  ),
  BODY_NOT_BYTES: fault(
    "The body that was handed over is no Uint8Array.",
    "Hand over the bytes as they came, never what a parser made of them.",
  ),
  BODY_LOST: fault(
    "The body arrived empty.",
    "Read the body of every method, DELETE too, whatever its Content-Type says.",
  ),
  BODY_DECODED: fault(
    "The body was turned into text, and bytes that are no UTF-8 were replaced.",
    "Collect the chunks as bytes; do not call setEncoding.",
  ),
  BODY_REPARSED: fault(
    "The body was parsed and written anew, and signatures cover it as it was sent.",
    "Hand over the bytes that came, and mount the service before the body parser.",
  ),
  BODY_INFLATED: fault(
    "A compressed body was unpacked, and signatures cover it as it was sent.",
    "Switch inflating off for the service's paths; the service refuses such a body by itself.",
  ),
  BODY_TRUNCATED: fault(
    "The end of the body is missing.",
    "Wait for the end of the body, and stop reading only after more than MAX_BODY_BYTES.",
  ),
  BODY_LIMIT: fault(
    "The host refused a body of a size that the service decides about.",
    "Raise the host's limit above MAX_BODY_BYTES for the service's paths, for chunked bodies too.",
  ),
  BODY_CHANGED: fault("The body is not the one that was sent.", "Hand over the bytes as they came."),
  ADDRESS_MISSING: fault(
    "The address of the peer is missing or is no IP address.",
    "Hand over socket.remoteAddress; address lists and rate limits depend on it.",
  ),
  ADDRESS_FORWARDED: fault(
    "The address came from a header that anybody can send.",
    "Hand over socket.remoteAddress, and trust no forwarding header of a peer that is not your proxy.",
  ),
  STATUS_LOST: fault(
    "The status of the answer is not the service's.",
    "Send the status as it is; turn no refusal into an error page.",
  ),
  REPLY_HEADERS_LOST: fault(
    "Headers of the answer are missing or changed.",
    "Send all headers of the reply; clients wait by Retry-After and count by the weight headers.",
  ),
  REPLY_CHANGED: fault(
    "The body of the answer is not the service's.",
    "Send the body as it is, as UTF-8; parse and serialise nothing.",
  ),
  REPLY_LOST: fault(
    "The service answered, and the client never got the answer.",
    "Send every reply to its end, also when the body of the request was not read to its end.",
  ),
  REPLY_TAKEN: fault(
    "The host answered a request while the service was at work on it.",
    "Keep time limits and error handlers of the host away from the service's paths.",
  ),
});
