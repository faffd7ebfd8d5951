import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { OrderError } from "../../errors/index.ts";
import { type WireResponse, writeJson } from "../../wire/index.ts";

/** Thrown in place of a reply when a request's connection must be closed, because its requests hold too much. */
export class Evicted extends Error {
  override readonly name = "PutOut";
}

/** Builds a refusal that is sent before the service sees a request, in the shape of the service's errors. */
export function refusal(error: OrderError, status: number = error.status): WireResponse {
  const { retryAfter } = error.details;
  const headers = { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" };
  if (retryAfter === undefined) return { status, headers, body: writeJson(error.toBody()) };
  const seconds = String(retryAfter);
  return {
    status,
    headers: { ...headers, "Retry-After": seconds },
    body: writeJson({ ...error.toBody(), retryAfter: seconds }),
  };
}

/** Returns the refusal for an error of Node's HTTP parser. Source: hostile inputs, HTTP layer. */
export function parserRefusal(code: string | undefined): WireResponse {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return refusal(new OrderError("REQUEST_TIMEOUT"));
  if (code === "HPE_HEADER_OVERFLOW")
    return refusal(new OrderError("PARAMETER_OVERFLOW", { field: "head" }), 431);
  return refusal(new OrderError("ILLEGAL_CHARS", { field: "request", range: "HTTP/1.1" }));
}

/** Returns a reply as text, for a socket whose request has no response object. The connection closes after it. */
export function rawReply(reply: WireResponse): string {
  const headers = {
    ...reply.headers,
    "Content-Length": String(Buffer.byteLength(reply.body)),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ""}\r\n${lines.join("")}\r\n${reply.body}`;
}

/** How long a refused connection stays open in milliseconds, so that its peer can read the reason. */
const LINGER_MS = 1_000;

/**
 * Delays the close of a connection. Node closes it right after its last reply; a peer that still sends its body would
 * lose the reply.
 */
export function linger(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

/**
 * Writes a last reply. The peer may still be sending, and would lose the reply if the connection were closed at once.
 */
export function sendLastReply(socket: Duplex, reply: WireResponse, lingerMs: number = LINGER_MS): void {
  socket.end(rawReply(reply));
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
