import { networkOf } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { Awaitable, WeightVerdict } from "../../ports/index.ts";
import type { AnyRoute } from "../../requests/index.ts";
import { readQuery, type WireRequest, type WireResponse } from "../../wire/index.ts";
import type { Front } from "../access/authentication.ts";
import { Elsewhere } from "../access/ownership.ts";
import { refuseExcess, type WeightRequest, weigh } from "../access/rate-limits.ts";
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

/** How requests are weighed and answered. A failure of either is answered, too. */
type Handling<Other = never> = Readonly<{
  weigh: (use: WeightRequest) => Awaitable<WeightVerdict>;
  answer: (routed: RoutedRequest, stamp: ReplyStamp) => Promise<WireResponse | Other>;
}>;

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
export async function handleRequest(
  parts: ServiceParts,
  arrived: WireRequest,
  { front, forwarder }: Arrival = {},
): Promise<WireResponse> {
  return await receive(parts, arrived, async (routed, stamp) => {
    const passed = await forwarder?.ahead(routed);
    if (passed !== undefined) return passed;
    const answer = await answered(parts, { ...routed, front }, stamp);
    if (!("elsewhere" in answer)) return answer;
    if (forwarder === undefined) throw new OrderError("DISCONNECTED");
    return await forwarder.elsewhere(routed, answer.elsewhere);
  });
}

/** Weighs one request of a client, and answers it by a function or with the failure of either. */
export async function receive(
  parts: EntryParts,
  arrived: WireRequest,
  answer: Handling["answer"],
): Promise<WireResponse> {
  return await respond(parts, fromClient(parts, arrived), { weigh: (use) => weigh(parts, use), answer });
}

/** The shard of a request about an account of another node. Nothing was executed. */
export type ShardElsewhere = Readonly<{ elsewhere: number }>;

/**
 * Answers one request that another node has weighed. Its address is that of the client, whatever its headers say.
 * `usedWeight` goes into the headers of the reply, and after `expiresAtMs` nothing is decided. Returns the shard of an
 * account that this node does not own.
 */
export async function handleForwarded(
  parts: ServiceParts,
  request: WireRequest,
  { usedWeight, expiresAtMs }: Readonly<{ usedWeight: number; expiresAtMs: number }>,
): Promise<WireResponse | ShardElsewhere> {
  return await respond<ShardElsewhere>(parts, request, {
    weigh: () => ({ used: usedWeight }),
    answer: (routed, stamp) => answered({ ...parts, expiresAtMs }, { ...routed, front: undefined }, stamp),
  });
}

async function answered(
  parts: ServiceParts,
  routed: FrontRequest,
  stamp: ReplyStamp,
): Promise<WireResponse | ShardElsewhere> {
  try {
    return wireReply(successReply(await pass(parts, routed)), stamp);
  } catch (error) {
    if (error instanceof Elsewhere) return { elsewhere: error.shard };
    throw error;
  }
}

/** Weighs a request in its turn, and answers it. */
async function respond<Other = never>(
  parts: EntryParts,
  request: WireRequest,
  handling: Handling<Other>,
): Promise<WireResponse | Other> {
  const requestId = requestIdOf(parts);
  const headers = parts.crossOrigin.headersOf(request.rawHeaders);
  const destination = destinationOf(request, parts.settings);
  const preflight = preflightOf(parts, request);
  const weight = preflight === undefined ? weightAt(parts, request, destination) : 0;
  let usedWeight = 0;
  try {
    await turnOf(parts, request, weight);
    const verdict = await handling.weigh({ address: request.remoteAddress, weight });
    usedWeight = verdict.used;
    if (preflight !== undefined)
      return wireReply({ status: 204, headers: preflight }, { requestId, usedWeight, headers });
    refuseExcess(parts, request.remoteAddress, verdict);
    if (parts.documents.has(request)) {
      const body = parts.documents.text(request.target) ?? "";
      return { ...wireReply({ status: 200, body: null }, { requestId, usedWeight, headers }), body };
    }
    return await handling.answer({ request, destination, verdict }, { requestId, usedWeight, headers });
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

/** A request, and the front thread that it came through. */
type FrontRequest = RoutedRequest & Readonly<{ front: Front | undefined }>;

/** Runs the defences of every weighed request in order, then the handler. Source: hostile inputs, Defences in order. */
async function pass(parts: ServiceParts, { request, destination, front }: FrontRequest): Promise<Answer> {
  if (destination === undefined) throw new OrderError("NOT_FOUND");
  const { route, query } = destination;
  const worked = front && (await authenticateWorked(parts, { route, request, front }));
  if (worked !== undefined) return await answerCall(parts, worked);
  const headers = readHeaders(request.rawHeaders);
  checkBytes(query, request);
  if (route.access === "PUBLIC") return await answerPublic(parts, route, readQuery(query));
  return await answerCall(parts, await authenticate(parts, { route, request, query, headers, front }));
}

/** Returns the weight of any request but an allowed preflight. An unknown path costs the work of finding that out. */
function weightAt({ documents }: EntryParts, request: WireRequest, destination?: Destination): number {
  if (destination !== undefined) return weightOf(destination);
  return documents.has(request) ? DOCUMENT_WEIGHT : UNKNOWN_WEIGHT;
}

/** Resolves when it is the turn of the request's client. */
function turnOf({ turns }: EntryParts, request: WireRequest, weight: number): Promise<void> {
  const bytes = request.target.length + request.body.length;
  return new Promise((resolve) => {
    turns.begin(networkOf(request.remoteAddress), turnCost({ bytes, weight }), resolve);
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
