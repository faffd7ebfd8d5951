import { isAwaited } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { Awaitable, OrderCounts, WeightVerdict } from "../../ports/index.ts";
import { type Dialect, findMethod, type MethodDescriptor, type SessionAct } from "../../requests/index.ts";
import { socketSignature, verifySocketSignature } from "../../signing/internal.ts";
import {
  type JsonInput,
  type Parameters,
  type RequestId,
  readFlatText,
  readSocketMessage,
  type Scalar,
  type SocketMessage,
  writeJson,
} from "../../wire/index.ts";
import { type Front, requiredKey, type Worked } from "../access/authentication.ts";
import { rateLimitItems, requireWeight } from "../access/rate-limits.ts";
import type { Answer } from "../rest/parts.ts";
import { refusalOf, refusalReply } from "../rest/replies.ts";
import { readable, UNKNOWN_WEIGHT } from "../rest/routing.ts";
import type { MethodCall, PassedText } from "./answers.ts";
import type { SessionParts } from "./connection.ts";

/** A message whose envelope was parsed: its id, and either its method and params or the problem with it. */
type SocketRequest = Readonly<
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
function readSocketRequest(text: string, dialect: Dialect): SocketRequest {
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
function requestOf(text: string, front: Front | undefined, dialect: Dialect): SocketRequest {
  const envelope = front?.worked?.envelope;
  const method = envelope && findMethod(envelope.method, dialect);
  if (envelope === undefined || method === undefined) return readSocketRequest(text, dialect);
  return { id: envelope.id, method, params: "" };
}

/** Returns the members of a message. Returns undefined for text that is not an object with valid members. */
export const envelopeOf = (text: string): SocketMessage | undefined =>
  readable(() => readSocketMessage(text));

const malformed = (id: RequestId, problem: OrderError): SocketRequest => ({ id, problem, malformed: true });

/** Parameters that the socket itself reads. No handler knows them. */
const OF_THE_SOCKET: readonly string[] = ["apiKey", "signature", "returnRateLimits"];

/** The params of a message: all of them as signed, and those for a handler. */
type SocketParameters = Readonly<{
  signed: Parameters;
  own: Parameters;
  /** Whether the reply reports the rate limits; undefined if the request does not say. */
  returnRateLimits: boolean | undefined;
}>;

const WHOLE_NUMBER = /^-?[0-9]+$/;

/** Parses the params as they were signed. Throws an OrderError for params that are not a flat JSON object. */
const readParameters = (params: string, dialect: Dialect): Parameters =>
  readFlatText(params, { decimals: dialect === "convention" });

/**
 * Splits params. A whole number may also be sent as a string; a boolean may not. In the convention's dialect, every number
 * is read by the field's own kind, and may have decimals. Throws an OrderError -1130 for a returnRateLimits that is not a
 * boolean. Source: contract, WebSocket request methods ("Booleans are JSON booleans; decimals stay strings").
 */
function socketParametersOf(signed: Parameters, dialect: Dialect): SocketParameters {
  const own = new Map<string, Scalar>();
  for (const [name, scalar] of signed) {
    if (OF_THE_SOCKET.includes(name)) continue;
    const { kind, text } = scalar;
    // A whole number sent as a string is parsed by the field's own kind, as in a query.
    const isWhole = kind === "string" && WHOLE_NUMBER.test(text);
    const isText = isWhole || (kind === "integer" && dialect === "convention");
    own.set(name, isText ? { text, kind: "text" } : scalar);
  }
  return { signed, own, returnRateLimits: readSwitch(signed) };
}

/** Returns the weight of a request. Its params count only if they can be parsed. */
function weightOfRequest(
  { method, params }: Extract<SocketRequest, { method: unknown }>,
  front: Front | undefined,
  dialect: Dialect,
): number {
  const { weight } = method;
  if (typeof weight === "number") return weight;
  const sent = front?.worked?.parameters ?? readable(() => readParameters(params, dialect));
  return weight(sent ?? new Map());
}

function readSwitch(parameters: Parameters): boolean | undefined {
  const sent = parameters.get("returnRateLimits");
  if (sent === undefined) return undefined;
  if (sent.kind === "boolean") return sent.text === "true";
  throw new OrderError("INVALID_PARAMETER", { field: "returnRateLimits", advice: "Send true or false." });
}

/**
 * Runs the part of a signed message that needs only its text and a secret, in a front thread, as {@link workRequest} does
 * for a request. Never throws.
 *
 * @internal
 */
export const workMessage = (
  text: string,
  secretOf: (apiKey: string) => string | undefined,
  dialect: Dialect,
): Worked | undefined =>
  readable(() => {
    const request = readSocketRequest(text, dialect);
    if (!("method" in request) || request.method.access === "PUBLIC") return undefined;
    const { id, method, params } = request;
    const parameters = readParameters(params, dialect);
    const signed = socketSignature(parameters);
    const apiKey = requiredKey(signed.apiKey);
    const secret = secretOf(apiKey);
    if (!verifySocketSignature({ secret, signed }) || secret === undefined) return undefined;
    const envelope = { id, method: method.name };
    return { apiKey, signature: signed.signature, parameters, secret, envelope };
  });

/** State of a message while it is being answered. */
export type Progress = {
  readonly text: string;
  readonly request: SocketRequest;
  readonly front: Front | undefined;
  verdict?: WeightVerdict;
  orders?: OrderCounts | undefined;
  showsLimits: boolean;
};

/** The answer to a message, and a step to run after sending it. */
export type MessageResult = Readonly<{ answer: Answer | PassedText; after?: () => void }>;

/** How the messages of one connection are answered. `id` names the connection to operators. */
export type MessageHandling = Readonly<{
  parts: SessionParts;
  target: string;
  dialect: Dialect;
  address: string;
  /** Name of the connection, if it is one of this node. */
  connection?: string;
  id: string;
  /** Whether replies report the rate limits if a message does not say. */
  showsLimits: boolean;
  /** Time after which nothing is decided, of a message that another node has received. */
  expiresAtMs?: number;
  weigh: (weight: number) => Awaitable<WeightVerdict>;
  act: (act: SessionAct, call: MethodCall) => Promise<MessageResult>;
}>;

/** Begins to answer a message. */
export const progressOf = (
  { dialect, showsLimits }: MessageHandling,
  text: string,
  front?: Front,
): Progress => ({ text, request: requestOf(text, front, dialect), front, showsLimits });

/** Runs the defences of every message in order, then its handler. Source: hostile inputs, Defences in order. */
export async function passMessage(handling: MessageHandling, progress: Progress): Promise<MessageResult> {
  const { parts, target, dialect, address, connection, weigh, expiresAtMs } = handling;
  const { request, front, text } = progress;
  const weight = "method" in request ? weightOfRequest(request, front, dialect) : UNKNOWN_WEIGHT;
  const asked = weigh(weight);
  const verdict = isAwaited(asked) ? await asked : asked;
  progress.verdict = verdict;
  requireWeight(parts.service, verdict);
  if ("problem" in request) throw request.problem;
  const { method } = request;
  if (!isServed(parts, method)) throw new OrderError("UNKNOWN_METHOD");
  const signed = front?.worked?.parameters ?? readParameters(request.params, dialect);
  const { returnRateLimits, ...parameters } = socketParametersOf(signed, dialect);
  progress.showsLimits = returnRateLimits ?? handling.showsLimits;
  const call = {
    ...{ method, front, text, target, dialect, address, connection, expiresAtMs },
    usedWeight: verdict.used,
    ...parameters,
  };
  if ("act" in method) return await handling.act(method.act, call);
  const answer = await parts.answers.answer(call);
  if (!("text" in answer)) progress.orders = answer.counts;
  return { answer };
}

function isServed({ serves, hasTokens }: SessionParts, method: MethodDescriptor): boolean {
  return "route" in method ? serves(method.route) : method.act !== "subscribeByToken" || hasTokens;
}

/** Returns the text of the reply to a message that was answered. Its result is the body that REST returns. Source: convention 4.1. */
export function textOfResult(
  handling: MessageHandling,
  progress: Progress,
  answer: MessageResult["answer"],
): string {
  if ("text" in answer) return answer.text;
  const { id } = progress.request;
  return writeJson({ id, status: 200, result: answer.body, ...usedLimits(handling, progress) });
}

/**
 * Returns the text of the reply to a message that failed: the HTTP status and the body that REST would return, and the
 * parameter that the error is about; for a limit or a ban also the time after which to retry. Source: contract, WebSocket
 * request methods; convention 1, gap 25.
 */
export function textOfFailure(handling: MessageHandling, progress: Progress, error: unknown): string {
  const { service } = handling.parts;
  const { request } = progress;
  const method = "method" in request ? request.method : undefined;
  const refusal = refusalOf(service, error, {
    fields: { connectionId: handling.id, method: method?.name ?? "none" },
    onlyReads: method?.access !== "TRADE",
  });
  const businessAs200 = service.settings.businessErrorsAs200 === true && handling.dialect === "own";
  const { status } = refusalReply(refusal, { businessAs200 });
  const { field, details } = refusal;
  const { retryAfter } = details;
  const serverTime = service.clock.nowMs();
  const data = typeof retryAfter === "number" && { serverTime, retryAfter: serverTime + retryAfter * 1_000 };
  const told = { ...refusal.toBody(), ...(field !== undefined && { field }), ...(data && { data }) };
  return writeJson({ id: request.id, status, error: told, ...usedLimits(handling, progress) });
}

/** Returns the used amounts of the limits, as far as they are known, unless the client declined them. */
function usedLimits(
  { parts }: MessageHandling,
  { verdict, orders, showsLimits }: Progress,
): Readonly<{ rateLimits?: readonly JsonInput[] }> {
  if (!showsLimits) return {};
  const { limits } = parts.service.rateLimiter;
  if (limits === undefined) return { rateLimits: [] };
  const { weightPerMinute, ordersPer10s, ordersPerDay } = rateLimitItems(limits);
  return {
    rateLimits: [
      ...(orders === undefined ? [] : [{ ...ordersPer10s, count: orders.per10s }]),
      ...(orders === undefined ? [] : [{ ...ordersPerDay, count: orders.perDay }]),
      ...(verdict === undefined ? [] : [{ ...weightPerMinute, count: verdict.used }]),
    ],
  };
}
