import {
  encodeQuery,
  type RequestParameters,
  sign,
  signSocketParameters,
} from "../../../src/signing/index.ts";
import {
  type JsonObject,
  type JsonValue,
  readJson,
  type WireRequest,
  writeJson,
} from "../../../src/wire/index.ts";

/** API key and secret of a client. */
export type Credentials = Readonly<{ apiKey: string; secret: string }>;

/** A request of a client: a route with its WebSocket method, and the fields. */
export type ClientRequest = Readonly<{
  verb: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  /** Name of the equivalent WebSocket method. If there is none, a name that no method has. */
  method: string;
  fields: RequestParameters;
}>;

/** An answer in the form that a client reads. */
export type Reply = Readonly<{ status: number; body: JsonValue }>;

/** Reason for a missing answer: the connection ended before it came, or nothing listens. */
export type NoReply = "lost" | "down";

const NO_BODY = new Uint8Array();
const encoder = new TextEncoder();

/** Signs a request as a client does. The same arguments give the same bytes. */
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

/** Signs a message as a client does. */
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

/** Parses an answer of the service. */
export function readReply(status: number, body: string): Reply {
  return { status, body: readJson(body) };
}

/** Returns a member of a parsed object; undefined if the value is not an object or has no such member. */
export function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)[name]
    : undefined;
}

/** Returns a numeric member, or NaN if it is not a number. */
export function numberOf(value: JsonValue | undefined, name: string): number {
  const found = member(value, name);
  return typeof found === "number" ? found : Number.NaN;
}

/** Returns an array member, or an empty array if it is not an array. */
export function arrayOf(value: JsonValue | undefined, name: string): readonly JsonValue[] {
  const found = member(value, name);
  return Array.isArray(found) ? found : [];
}

/** Returns the code of a refusal, or 0 for any other answer. */
export function codeOf({ status, body }: Reply): number {
  return status < 400 ? 0 : numberOf(body, "code");
}
