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
export interface FaultText {
  readonly says: string;
  readonly remedy: string;
}

const fault = (says: string, remedy: string): FaultText => Object.freeze({ says, remedy });

/**
 * Every fault of a mount, by name. {@link createMountProbe} finds them before the first order. A node:http mount
 * reports those that it can see while serving, in telemetry and in the header X-Mount-Fault.
 * Source: contract, Version 3 REST (signatures cover raw bytes).
 *
 * @example
 * ```ts
 * import { MOUNT_FAULTS } from "managed-orders/service";
 * console.log(MOUNT_FAULTS.QUERY_REENCODED.remedy); // Hand over the raw target: request.url of node:http, not a URL or parsed query.
 * ```
 */
export const MOUNT_FAULTS: Readonly<Record<MountFault, FaultText>> = Object.freeze({
  NOT_DELIVERED: fault(
    "The host answered a request itself, and the service did not receive it.",
    "Mount the service before other handlers, for every method and for every path below its own.",
  ),
  DELIVERED_TWICE: fault(
    "The service received one request more than once.",
    "Hand over each request once, and leave retries to the client.",
  ),
  METHOD_CHANGED: fault(
    "The method differs from the one that the client sent.",
    "Hand over the method of the request line, and disable method overrides.",
  ),
  PATH_CHANGED: fault(
    "The path differs from the one that the client sent.",
    "Hand over the raw target. Remove only the host's own prefix, and disable path normalization.",
  ),
  QUERY_DECODED: fault(
    "The query was percent-decoded. Signatures cover the query as the client sent it.",
    "Hand over the raw target: request.url of node:http, not a decoded path or query.",
  ),
  QUERY_REENCODED: fault(
    "The query was parsed and encoded again. Signatures cover the query as the client sent it.",
    "Hand over the raw target: request.url of node:http, not a URL or parsed query.",
  ),
  QUERY_CHANGED: fault(
    "Parameters of the query were lost, added or reordered.",
    "Hand over the raw target, and disable everything that sorts, filters or adds parameters.",
  ),
  HEADERS_JOINED: fault(
    "Headers that were sent twice arrived as one header, so a second signature goes unnoticed.",
    "Hand over rawHeaders of node:http, not its headers object.",
  ),
  HEADERS_CHANGED: fault(
    "A header was lost, or its value differs from the one that the client sent.",
    "Hand over rawHeaders of node:http unchanged.",
  ),
  BODY_CONSUMED: fault(
    "Other code read the body before the mount.",
    "Mount the service before the body parser, or keep the raw bytes in request.rawBody.",
  ),
  BODY_NOT_BYTES: fault(
    "The body that was handed over is not a Uint8Array.",
    "Hand over the bytes as received, never the output of a parser.",
  ),
  BODY_LOST: fault(
    "The body arrived empty.",
    "Read the body of every method, including DELETE, whatever its Content-Type is.",
  ),
  BODY_DECODED: fault(
    "The body was decoded to text, and bytes that are not valid UTF-8 were replaced.",
    "Collect the chunks as bytes, and do not call setEncoding.",
  ),
  BODY_REPARSED: fault(
    "The body was parsed and serialized again. Signatures cover the body as the client sent it.",
    "Hand over the bytes as received, and mount the service before the body parser.",
  ),
  BODY_INFLATED: fault(
    "A compressed body was decompressed. Signatures cover the body as the client sent it.",
    "Disable decompression for the service's paths. The service itself refuses such a body.",
  ),
  BODY_TRUNCATED: fault(
    "The body is truncated.",
    "Read to the end of the body, and stop early only after more than MAX_BODY_BYTES.",
  ),
  BODY_LIMIT: fault(
    "The host refused a body whose size the service must judge.",
    "Raise the host's limit above MAX_BODY_BYTES for the service's paths, also for chunked bodies.",
  ),
  BODY_CHANGED: fault(
    "The body differs from the one that the client sent.",
    "Hand over the bytes as received.",
  ),
  ADDRESS_MISSING: fault(
    "The address of the peer is missing or is not an IP address.",
    "Hand over socket.remoteAddress. Address lists and rate limits depend on it.",
  ),
  ADDRESS_FORWARDED: fault(
    "The address came from a header that any client can send.",
    "Hand over socket.remoteAddress, and ignore forwarding headers of peers that are not your proxy.",
  ),
  STATUS_LOST: fault(
    "The status of the reply differs from the service's status.",
    "Send the status unchanged, and do not turn refusals into error pages.",
  ),
  REPLY_HEADERS_LOST: fault(
    "Headers of the reply are missing or changed.",
    "Send all headers of the reply. Clients depend on Retry-After and on the weight headers.",
  ),
  REPLY_CHANGED: fault(
    "The body of the reply differs from the service's body.",
    "Send the body unchanged as UTF-8, without parsing or serializing it.",
  ),
  REPLY_LOST: fault(
    "The service replied, and the client did not receive the reply.",
    "Send every reply completely, even if the request body was not read to its end.",
  ),
  REPLY_TAKEN: fault(
    "The host answered a request while the service was still processing it.",
    "Do not apply the host's time limits and error handlers to the service's paths.",
  ),
});
