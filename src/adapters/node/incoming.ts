import type { IncomingMessage } from "node:http";
import type { MountFault } from "../../service/index.ts";
import type { WireRequest } from "../../wire/index.ts";

/** Throws a RangeError for a prefix that is neither empty nor a path without a slash at its end. */
export function checkPrefix(prefix: string): string {
  if (prefix === "" || /^(?:\/[^/?#]+)+$/.test(prefix)) return prefix;
  throw new RangeError(`prefix ${JSON.stringify(prefix)} is no path such as /trading`);
}

/** The raw target without the host's prefix; a framework that cuts it by itself leaves nothing to cut. */
export function targetOf(request: IncomingMessage, prefix: string): string {
  const target = request.url ?? "";
  return prefix !== "" && target.startsWith(`${prefix}/`) ? target.slice(prefix.length) : target;
}

/** A request as it was received, with its body. */
export function wireRequestOf(
  request: IncomingMessage,
  { prefix, body }: Readonly<{ prefix: string; body: Uint8Array }>,
): WireRequest {
  return {
    method: request.method ?? "",
    target: targetOf(request, prefix),
    rawHeaders: request.rawHeaders,
    body,
    remoteAddress: request.socket.remoteAddress ?? "",
  };
}

/** Length of the body as the head says it, 0 when it says none; one beyond 2^53 is not exact. */
export function announcedBytes({ headers }: IncomingMessage): number {
  return Number.parseInt(headers["content-length"] ?? "0", 10);
}

/** Whether the head says that a body comes. */
export function announcesBody(request: IncomingMessage): boolean {
  return request.headers["transfer-encoding"] !== undefined || announcedBytes(request) > 0;
}

/** Why the bytes of a body cannot be had any more; undefined when they can. */
export function bodyFaultOf(request: IncomingMessage): MountFault | undefined {
  if (!announcesBody(request)) return undefined;
  if (request.readableDidRead || request.listenerCount("readable") > 0) return "BODY_CONSUMED";
  return request.readableEncoding === null ? undefined : "BODY_DECODED";
}
