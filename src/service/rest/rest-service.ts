import { follow, isAwaited, networkOf } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { Awaitable, WeightVerdict } from "../../ports/index.ts";
import type { AnyRoute } from "../../requests/index.ts";
import { readQuery, type WireRequest, type WireResponse } from "../../wire/index.ts";
import type { Front } from "../access/authentication.ts";
import { Elsewhere } from "../access/ownership.ts";
import { refuseExcess, weigh } from "../access/rate-limits.ts";
import { turnCost } from "../traffic/turns.ts";
import { authenticate, authenticateWorked, checkBytes, readHeaders } from "./authentication.ts";
import { answerCall, answerPublic } from "./handlers.ts";
import type { Answer, EntryParts, ServiceParts } from "./parts.ts";
import {
  type Reply,
  type ReplyStamp,
  refusalOf,
  refusalReply,
  requestIdOf,
  successReply,
  wireReply,
} from "./replies.ts";
import {
  type Destination,
  DOCUMENT_WEIGHT,
  destinationOf,
  methodsAt,
  onlyReads,
  UNKNOWN_WEIGHT,
  weightOf,
} from "./routing.ts";

/** A weighed request and its destination. */
export type RoutedRequest = Readonly<{
  request: WireRequest;
  destination: Destination | undefined;
  verdict: WeightVerdict;
}>;

/** Answers a weighed request. A failure is answered, too. */
type Handling<Other = never> = (routed: RoutedRequest, stamp: ReplyStamp) => Promise<WireResponse | Other>;

/** Passes requests on to other nodes of a cluster. */
export interface RequestForwarder {
  /**
   * Answers a weighed request that leads to another node, before it is authenticated here. Resolves to undefined for any
   * other.
   */
  ahead(routed: RoutedRequest): Promise<WireResponse | undefined>;
  /** Answers a weighed request whose account turns out to be another node's. */
  elsewhere(routed: RoutedRequest, shard: number): Promise<WireResponse>;
}

/** The front thread that a request came through, if any, and in a cluster the way to the other nodes. */
export type Arrival = Readonly<{ front?: Front | undefined; forwarder?: RequestForwarder }>;

/** Answers one request. A failure is also returned as a response. */
export function handleRequest(
  parts: ServiceParts,
  arrived: WireRequest,
  { front, forwarder }: Arrival = {},
): Promise<WireResponse> {
  return receive(parts, arrived, async (routed, stamp) => {
    const passed = forwarder && (await forwarder.ahead(routed));
    if (passed !== undefined) return passed;
    try {
      return wireReply(successReply(await pass(parts, routed, front)), stamp);
    } catch (error) {
      if (!(error instanceof Elsewhere)) throw error;
      if (forwarder === undefined) throw new OrderError("DISCONNECTED");
      return await forwarder.elsewhere(routed, error.shard);
    }
  });
}

/** Weighs one request of a client, and answers it by a function or with the failure of either. */
export function receive(parts: EntryParts, arrived: WireRequest, answer: Handling): Promise<WireResponse> {
  return respond(parts, fromClient(parts, arrived), answer);
}

/** The shard of a request about an account of another node. Nothing was executed. */
export type ShardElsewhere = Readonly<{ elsewhere: number }>;

/**
 * Answers one request that another node has weighed. Its address is that of the client, whatever its headers say.
 * `usedWeight` goes into the headers of the reply, and after `expiresAtMs` nothing is decided. Returns the shard of an
 * account that this node does not own.
 */
export function handleForwarded(
  parts: ServiceParts,
  request: WireRequest,
  { usedWeight, expiresAtMs }: Readonly<{ usedWeight: number; expiresAtMs: number }>,
): Promise<WireResponse | ShardElsewhere> {
  const answer: Handling<ShardElsewhere> = async (routed, stamp) => {
    try {
      return wireReply(successReply(await pass({ ...parts, expiresAtMs }, routed)), stamp);
    } catch (error) {
      if (error instanceof Elsewhere) return { elsewhere: error.shard };
      throw error;
    }
  };
  return respond(parts, request, answer, { used: usedWeight });
}

/** Weighs a request in its turn, unless another node has done so, and answers it. */
async function respond<Other = never>(
  parts: EntryParts,
  request: WireRequest,
  answer: Handling<Other>,
  weighed?: WeightVerdict,
): Promise<WireResponse | Other> {
  const requestId = requestIdOf(parts);
  const headers = parts.crossOrigin.headersOf(request.rawHeaders);
  const destination = destinationOf(request, parts.settings);
  const preflight = preflightOf(parts, request);
  const weight = preflight === undefined ? weightAt(parts, request, destination) : 0;
  let usedWeight = 0;
  try {
    const turn = turnOf(parts, request, weight);
    if (turn !== undefined) await turn;
    const asked = weighed ?? weigh(parts, { address: request.remoteAddress, weight });
    const verdict = isAwaited(asked) ? await asked : asked;
    usedWeight = verdict.used;
    if (preflight !== undefined)
      return wireReply({ status: 204, headers: preflight }, { requestId, usedWeight, headers });
    refuseExcess(parts, request.remoteAddress, verdict);
    if (parts.documents.has(request)) {
      const body = parts.documents.text(request.target) ?? "";
      return { ...wireReply({ status: 200, body: null }, { requestId, usedWeight, headers }), body };
    }
    return await answer({ request, destination, verdict }, { requestId, usedWeight, headers });
  } catch (error) {
    const reply = failure(parts, error, { requestId, request, route: destination?.route });
    return wireReply(reply, { requestId, usedWeight, headers });
  }
}

/**
 * Replaces the peer's address by the client's address that the trusted proxies report. All later steps use that one.
 */
function fromClient(parts: Pick<EntryParts, "clientAddress">, arrived: WireRequest): WireRequest {
  const remoteAddress = parts.clientAddress(arrived);
  if (remoteAddress === arrived.remoteAddress) return arrived;
  const { method, target, rawHeaders, body } = arrived;
  return { method, target, rawHeaders, body, remoteAddress };
}

/**
 * Returns the headers that answer a CORS preflight. A preflight has no weight and is answered even for a banned address: a
 * script cannot see why a preflight was refused, and the request that follows is weighed.
 */
function preflightOf(parts: EntryParts, request: WireRequest): WireResponse["headers"] | undefined {
  if (request.method !== "OPTIONS") return undefined;
  const methods = methodsAt(request.target, parts.settings);
  return methods.length === 0 ? undefined : parts.crossOrigin.preflight(request.rawHeaders, methods);
}

/** Runs the defences of every weighed request in order, then the handler. Source: hostile inputs, Defences in order. */
function pass(
  parts: ServiceParts,
  { request, destination }: RoutedRequest,
  front?: Front,
): Awaitable<Answer> {
  if (destination === undefined) throw new OrderError("NOT_FOUND");
  const { route, query } = destination;
  return follow(front && authenticateWorked(parts, { route, request, front }), (worked) => {
    if (worked !== undefined) return answerCall(parts, worked);
    const headers = readHeaders(request.rawHeaders);
    checkBytes(query, request);
    if (route.access === "PUBLIC") return answerPublic(parts, route, readQuery(query));
    const call = authenticate(parts, { route, request, query, headers, front });
    return follow(call, (proved) => answerCall(parts, proved));
  });
}

/** Returns the weight of any request but an allowed preflight. An unknown path costs the work of finding that out. */
function weightAt({ documents }: EntryParts, request: WireRequest, destination?: Destination): number {
  if (destination !== undefined) return weightOf(destination);
  return documents.has(request) ? DOCUMENT_WEIGHT : UNKNOWN_WEIGHT;
}

/** Resolves when it is the turn of the request's client. Returns undefined if it is now. */
function turnOf({ turns }: EntryParts, request: WireRequest, weight: number): Promise<void> | undefined {
  const bytes = request.target.length + request.body.length;
  let isNow = false;
  let resume = (): void => undefined;
  turns.begin(networkOf(request.remoteAddress), turnCost({ bytes, weight }), () => {
    isNow = true;
    resume();
  });
  if (isNow) return undefined;
  return new Promise((resolve) => {
    resume = resolve;
  });
}

type Failure = Readonly<{ requestId: string; request: WireRequest; route: AnyRoute | undefined }>;

/** Builds the reply of a failure. */
function failure(parts: EntryParts, error: unknown, failed: Failure): Reply {
  const { requestId, request, route } = failed;
  const fields = { requestId, route: route?.name ?? "none" };
  const refusal = refusalOf(parts, error, { fields, onlyReads: onlyReads(request, route) });
  const mayBe200 = route?.access !== "PUBLIC" && route?.compat !== true;
  const businessAs200 = parts.settings.businessErrorsAs200 === true && mayBe200;
  return refusalReply(refusal, { businessAs200 });
}
