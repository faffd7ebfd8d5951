import { encodeQuery, type RequestParameters, sign, signSocketParameters } from "../../../signing/index.ts";
import {
  type JsonObject,
  type JsonValue,
  readJson,
  type WireRequest,
  writeJson,
} from "../../../wire/index.ts";

/** Key and secret of a client. */
export type Credentials = Readonly<{ apiKey: string; secret: string }>;

/** What a client asks: a route with its method of the WebSocket, and what is sent. */
export type ClientRequest = Readonly<{
  verb: "GET" | "POST" | "DELETE";
  path: string;
  /** Name of the WebSocket method that answers in the same way; of what has none, a name that none has. */
  method: string;
  fields: RequestParameters;
}>;

/** An answer as a client reads it. */
export type Reply = Readonly<{ status: number; body: JsonValue }>;

/** Why there is no answer: the connection ended before it came, or nobody listens. */
export type NoReply = "lost" | "down";

const NO_BODY = new Uint8Array();
const encoder = new TextEncoder();

/** A request as a client signs it; the same arguments make the same bytes. */
export function signedRequest(
  request: ClientRequest,
  options: Readonly<{ key: Credentials; nonce: string; timestamp: number; address: string }>,
): WireRequest {
  const { key, nonce, timestamp, address } = options;
  const isRead = request.verb === "GET";
  const own = request.verb === "POST" ? {} : request.fields;
  const query = encodeQuery({ ...own, nonce, ...(isRead && { timestamp }) });
  const body = request.verb === "POST" ? writeJson(request.fields) : "";
  const signature = sign({ secret: key.secret, payload: query + body });
  const typed = body === "" ? [] : ["Content-Type", "application/json"];
  return {
    method: request.verb,
    target: `${request.path}?${query}`,
    rawHeaders: ["X-MBX-APIKEY", key.apiKey, "signature", signature, ...typed],
    body: body === "" ? NO_BODY : encoder.encode(body),
    remoteAddress: address,
  };
}

/** A message as a client signs it. */
export function signedMessage(
  request: Pick<ClientRequest, "method" | "fields">,
  options: Readonly<{ key: Credentials; id: string; timestamp: number; recvWindow: number }>,
): string {
  const { key, id, timestamp, recvWindow } = options;
  const parameters = { apiKey: key.apiKey, timestamp, recvWindow, ...request.fields };
  return writeJson({
    id,
    method: request.method,
    params: signSocketParameters({ secret: key.secret, parameters }) as JsonObject,
  });
}

/** Reads an answer of the service. */
export function readReply(status: number, body: string): Reply {
  return { status, body: readJson(body) };
}

/** A member of an object that was read; undefined when it is none, or has none. */
export function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)[name]
    : undefined;
}

/** A member that is a number; not a number when it is none. */
export function numberOf(value: JsonValue | undefined, name: string): number {
  const found = member(value, name);
  return typeof found === "number" ? found : Number.NaN;
}

/** A member that is an array; empty when it is none. */
export function arrayOf(value: JsonValue | undefined, name: string): readonly JsonValue[] {
  const found = member(value, name);
  return Array.isArray(found) ? (found as readonly JsonValue[]) : [];
}

/** The code of a refusal; 0 for an answer that is none. */
export function codeOf({ status, body }: Reply): number {
  return status < 400 ? 0 : numberOf(body, "code");
}
