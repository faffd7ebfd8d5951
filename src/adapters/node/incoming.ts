import type { IncomingMessage } from "node:http";
import { MAX_BODY_BYTES, type MountFault } from "../../service/index.ts";
import type { WireRequest } from "../../wire/index.ts";

/** Returns a request as it was received, with its target below the host's prefix and its body. */
export function wireRequestOf(request: IncomingMessage, target: string, body: Uint8Array): WireRequest {
  return {
    method: request.method ?? "",
    target,
    rawHeaders: request.rawHeaders,
    body,
    remoteAddress: request.socket.remoteAddress ?? "",
  };
}

/** Number of names and values of headers that Node keeps, unless a server has a number of its own. */
const RETAINED_HEADERS = 2_000;

type WithServer = Readonly<{ server?: Readonly<{ maxHeadersCount?: number | null }> }>;

/**
 * Returns whether Node may have left out headers at the end of a head, which it does not tell. The address that a proxy has
 * appended could be among them, and so could a second copy of a header that may come once.
 */
export function mayLackHeaders({ rawHeaders, socket }: IncomingMessage): boolean {
  const { maxHeadersCount } = (socket as WithServer).server ?? {};
  const most = typeof maxHeadersCount === "number" ? 2 * maxHeadersCount : RETAINED_HEADERS;
  return most > 0 && rawHeaders.length >= most;
}

/** Returns whether an upgrade request asks for a WebSocket, and not for another version of HTTP. */
export function requestsUpgrade(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === "websocket";
}

/**
 * Returns the length of the body that the head announces, or 0 if it announces none. A length above 2^53 is not exact.
 */
export function announcedBytes({ headers }: IncomingMessage): number {
  return Number.parseInt(headers["content-length"] ?? "0", 10);
}

/** Returns whether the head announces a body. */
export function announcesBody(request: IncomingMessage): boolean {
  return request.headers["transfer-encoding"] !== undefined || announcedBytes(request) > 0;
}

/** Returns why the bytes of a body are lost, or undefined if they can be read. */
export function bodyFaultOf(request: IncomingMessage): MountFault | undefined {
  if (!announcesBody(request)) return undefined;
  if (request.readableDidRead || request.listenerCount("readable") > 0) return "BODY_CONSUMED";
  return request.readableEncoding === null ? undefined : "BODY_DECODED";
}

/** What body parsers add to a request: the bytes, or the result of parsing them. */
type ParsedRequest = IncomingMessage & Readonly<{ rawBody?: unknown; body?: unknown }>;

/**
 * Returns the body that other code kept after reading it: `rawBody`, or a `body` of bytes. Returns undefined if nothing
 * was kept, and if the body can still be read, because only the connection has the bytes for certain.
 */
export function retainedBodyOf(request: ParsedRequest): unknown {
  if (bodyFaultOf(request) !== "BODY_CONSUMED") return undefined;
  const { rawBody, body } = request;
  return rawBody ?? (body instanceof Uint8Array ? body : undefined);
}

/**
 * Returns why kept bytes cannot be the body as received, or undefined if they may be. The service refuses a compressed
 * body, and a body that is too large, which the host need not keep as a whole.
 */
export function retainedFaultOf(request: IncomingMessage, bytes: Uint8Array): MountFault | undefined {
  const { "transfer-encoding": chunked, "content-encoding": compressed } = request.headers;
  if (chunked !== undefined || compressed !== undefined || bytes.length > MAX_BODY_BYTES) return undefined;
  return bytes.length === announcedBytes(request) ? undefined : "BODY_CHANGED";
}
