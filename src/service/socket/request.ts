import { OrderError } from "../../errors/index.ts";
import { type Dialect, findMethod, type MethodDescriptor } from "../../requests/index.ts";
import {
  type Parameters,
  type RequestId,
  readFlatText,
  readSocketMessage,
  type SocketMessage,
} from "../../wire/index.ts";
import type { Front } from "../access/front-work.ts";

/** A message whose envelope was parsed: its id, and either its method and params or the problem with it. */
export type SocketRequest = Readonly<
  { id: RequestId } & (
    | { method: MethodDescriptor; params: string }
    /** `malformed`: the message is not a request at all. */
    | { problem: OrderError; malformed: boolean }
  )
>;

/**
 * Parses the envelope of a message. Never throws. A message with an invalid id is answered with id null.
 * Source: contract, WebSocket request methods; convention 1.2 ff and 2.1.
 */
export function readSocketRequest(text: string, dialect: Dialect = "own"): SocketRequest {
  const message = envelopeOf(text);
  if (message === undefined) return malformed(null, new OrderError("INVALID_JSON"));
  if (message.id === undefined) return malformed(null, new OrderError("INVALID_REQUEST_ID"));
  const { id, params = "{}" } = message;
  if (message.method === undefined) return malformed(id, new OrderError("INVALID_JSON"));
  const method = findMethod(message.method, dialect);
  if (method === undefined) return { id, problem: new OrderError("UNKNOWN_METHOD"), malformed: false };
  if (!params.startsWith("{")) return malformed(id, new OrderError("INVALID_PARAMS"));
  return { id, method, params };
}

/** Returns the request of a message, from a front thread's results if there are any. */
export function requestOf(text: string, front: Front | undefined, dialect: Dialect): SocketRequest {
  const envelope = front?.worked?.envelope;
  const method = envelope && findMethod(envelope.method, dialect);
  if (envelope === undefined || method === undefined) return readSocketRequest(text, dialect);
  return { id: envelope.id, method, params: "" };
}

/** Returns the members of a message. Returns undefined for text that is not an object with valid members. */
export function envelopeOf(text: string): SocketMessage | undefined {
  try {
    return readSocketMessage(text);
  } catch {
    return undefined;
  }
}

const malformed = (id: RequestId, problem: OrderError): SocketRequest => ({ id, problem, malformed: true });

/** Parameters that the socket itself reads. No handler knows them. */
const OF_THE_SOCKET: readonly string[] = ["apiKey", "signature", "returnRateLimits"];

/** The params of a message: all of them as signed, and those for a handler. */
export type SocketParameters = Readonly<{
  signed: Parameters;
  own: Parameters;
  /** Whether the reply reports the rate limits; undefined if the request does not say. */
  returnRateLimits: boolean | undefined;
}>;

const WHOLE_NUMBER = /^-?[0-9]+$/;

/**
 * Parses the params. A whole number may also be sent as a string; a boolean may not. In the convention's dialect, every
 * number is read by the field's own kind, and may have decimals.
 * Throws an OrderError for params that are not a flat JSON object, and -1130 for a returnRateLimits that is not a
 * boolean.
 * Source: contract, WebSocket request methods ("Booleans are JSON booleans; decimals stay strings"); decision 43.
 */
export const readSocketParameters = (params: string, dialect: Dialect): SocketParameters =>
  socketParametersOf(readParameters(params, dialect), dialect);

/** Parses the params as they were signed. Throws an OrderError for params that are not a flat JSON object. */
export const readParameters = (params: string, dialect: Dialect): Parameters =>
  readFlatText(params, { decimals: dialect === "convention" });

/** Splits params that are already parsed. */
export function socketParametersOf(signed: Parameters, dialect: Dialect): SocketParameters {
  const own = new Map(signed);
  for (const name of OF_THE_SOCKET) own.delete(name);
  for (const [name, { kind, text }] of own) {
    // A whole number sent as a string is parsed by the field's own kind, as in a query.
    const isWhole = kind === "string" && WHOLE_NUMBER.test(text);
    if (isWhole || (kind === "integer" && dialect === "convention")) own.set(name, { text, kind: "text" });
  }
  return { signed, own, returnRateLimits: readSwitch(signed) };
}

/** Returns the weight of a request. Its params count only if they can be parsed. */
export function weightOfRequest(
  { method, params }: Extract<SocketRequest, { method: unknown }>,
  front: Front | undefined,
  dialect: Dialect,
): number {
  const { weight } = method;
  if (typeof weight === "number") return weight;
  return weight(front?.worked?.parameters ?? readable(params, dialect));
}

function readable(params: string, dialect: Dialect): Parameters {
  try {
    return readParameters(params, dialect);
  } catch {
    return new Map();
  }
}

function readSwitch(parameters: Parameters): boolean | undefined {
  const sent = parameters.get("returnRateLimits");
  if (sent === undefined) return undefined;
  if (sent.kind === "boolean") return sent.text === "true";
  throw new OrderError("INVALID_PARAMETER", { field: "returnRateLimits", advice: "Send true or false." });
}
