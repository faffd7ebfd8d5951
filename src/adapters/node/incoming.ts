import type { IncomingMessage } from "node:http";
import type { MountFault } from "../../service/index.ts";
import type { WireRequest } from "../../wire/index.ts";

/** Returns a prefix. Throws a RangeError for one that is neither empty nor a path without a trailing slash. */
export function checkPrefix(prefix: string): string {
  if (prefix === "" || /^(?:\/[^/?#]+)+$/.test(prefix)) return prefix;
  throw new RangeError(
    `prefix must be empty or a path such as /trading, without a trailing slash, got ${JSON.stringify(prefix)}`,
  );
}

/**
 * Returns the raw target without the host's prefix. If a framework has already removed the prefix, the target is
 * unchanged.
 */
export function targetOf(request: IncomingMessage, prefix: string): string {
  const target = request.url ?? "";
  return prefix !== "" && target.startsWith(`${prefix}/`) ? target.slice(prefix.length) : target;
}

/** Returns a request as it was received, with its body. */
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
