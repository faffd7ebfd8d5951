import { OrderError } from "../errors/index.ts";
import {
  checkedAccountEvents,
  checkedAccounts,
  checkedClock,
  checkedEntropy,
  checkedInstruments,
  checkedNativeOrders,
  checkedRateLimiter,
  checkedRejections,
  Questions,
  quietTelemetry,
} from "../host-answers/index.ts";
import type { AccountEvents, Awaitable, WeightVerdict } from "../ports/index.ts";
import type { RouteDescriptor, RouteName } from "../requests/index.ts";
import { createReplayGuard } from "../signing/index.ts";
import {
  isStrictQuery,
  type JsonInput,
  type Parameters,
  readQuery,
  type WireRequest,
  type WireResponse,
} from "../wire/index.ts";
import { authenticate } from "./access/authentication.ts";
import { Bans } from "./access/bans.ts";
import { clientAddressBehind } from "./access/client-address.ts";
import { crossOriginOf } from "./access/cross-origin.ts";
import { networkOf } from "./access/ip-address.ts";
import { demandWeight, weigh } from "./access/weight.ts";
import { MAX_BODY_BYTES, type Service, type ServiceOptions } from "./api.ts";
import { hearFunds } from "./funds-news.ts";
import { CountedPlacements } from "./rest/counted-placements.ts";
import { DOCUMENT_WEIGHT, Documents } from "./rest/documents.ts";
import { exchangeInfo, instrumentPairs, ping, status, time } from "./rest/exchange-handlers.ts";
import { refusalOf } from "./rest/failures.ts";
import { readHeaders } from "./rest/headers.ts";
import {
  allOrderLists,
  cancelOrderList,
  openOrderLists,
  orderListStatus,
  placeList,
} from "./rest/list-handlers.ts";
import { dayTicker, depth, ticker } from "./rest/market-handlers.ts";
import { allOrders, orderHistory, placeNativeOrder } from "./rest/native-handlers.ts";
import { cancelAllOrders, openOrders } from "./rest/open-order-handlers.ts";
import { cancelOrder, orderStatus, placeOrder, scaledOrderStatus } from "./rest/order-handlers.ts";
import type { Answer, ServiceParts, SignedCall, SignedHandler } from "./rest/parts.ts";
import { createRejectionBuffer } from "./rest/rejection-buffer.ts";
import { emptyReply, type Reply, refusalReply, successReply, wireReply } from "./rest/replies.ts";
import { requestIdOf } from "./rest/request-id.ts";
import { type Destination, destinationOf, methodsAt, UNKNOWN_WEIGHT, weightOf } from "./rest/routing.ts";
import { createSockets } from "./socket/socket-service.ts";
import { Traffic } from "./traffic/traffic.ts";
import { Turns, turnCost } from "./traffic/turns.ts";

type PublicName =
  | "status"
  | "exchangeInfo"
  | "instrumentPairs"
  | "ticker"
  | "ticker24hr"
  | "depth"
  | "ping"
  | "time";
type PublicHandler = (parts: ServiceParts, parameters: Parameters) => Awaitable<JsonInput>;

const PUBLIC: Readonly<Record<PublicName, PublicHandler>> = {
  status,
  exchangeInfo,
  instrumentPairs,
  ticker,
  ticker24hr: dayTicker,
  depth,
  ping,
  time,
};

const SIGNED: Readonly<Record<Exclude<RouteName, PublicName>, SignedHandler>> = {
  "order.place": placeOrder,
  "order.place.native": placeNativeOrder,
  "order.status": orderStatus,
  "order.status.scaled": scaledOrderStatus,
  "order.cancel": cancelOrder,
  allOrders,
  orderHistory,
  "openOrders.status": openOrders,
  "openOrders.cancelAll": cancelAllOrders,
  "orderList.place.oco": placeList("oco"),
  "orderList.place.oto": placeList("oto"),
  "orderList.place.otoco": placeList("otoco"),
  "orderList.place.legacyOco": placeList("legacyOco"),
  "orderList.status": orderListStatus,
  "orderList.cancel": cancelOrderList,
  "openOrderLists.status": openOrderLists,
  allOrderLists,
};

/**
 * Makes the service, REST and WebSocket: public market data, and for signed requests managed orders, order lists, and the native
 * orders of a host that has them. It needs no transport; a mount hands it the raw request or message.
 * Throws a RangeError for a setting that is out of range: of the sockets, an origin, or a proxy.
 * Source: contract, Endpoints and Authentication; decisions 37-44; hostile inputs.
 */
export function createService(given: ServiceOptions): Service {
  const options = { ...given, clock: checkedClock(given.clock, given.telemetry) };
  const { engine, clock, replayGuard, settings = {} } = options;
  const { realClock = clock } = options.sockets ?? {};
  const ports = checkedPorts(options);
  const { rateLimiter } = ports;
  const parts: ServiceParts = {
    engine,
    clock,
    ...ports,
    settings,
    replayGuard: replayGuard === false ? undefined : createReplayGuard(replayGuard),
    placements: new CountedPlacements({ engine, rateLimiter, clock }),
    clientAddress: clientAddressBehind(settings.trustedProxies),
    crossOrigin: crossOriginOf(settings.allowedOrigins),
    bans: new Bans(),
    traffic: new Traffic(options.traffic, settings.trustedProxies),
    turns: new Turns((run) => realClock.soon(run)),
    documents: new Documents(options.documents),
  };
  const answer = async (call: SignedCall): Promise<Answer> => {
    if (isPublic(call.route.name)) throw new OrderError("NOT_FOUND");
    return await SIGNED[call.route.name](parts, call);
  };
  const told = accountEventsOf(options, ports.questions);
  hearFunds({ engine, native: ports.native, accountEvents: told.accountEvents });
  return {
    handle: (request) => handle(parts, request),
    sockets: createSockets(parts, { ...options.sockets, ...told, answer }),
    traffic: parts.traffic,
  };
}

type Ports = Pick<
  ServiceParts,
  "questions" | "telemetry" | "accounts" | "instruments" | "entropy" | "rateLimiter" | "native" | "rejections"
>;

/** What a host brought, with every answer checked. */
function checkedPorts(options: ServiceOptions): Ports {
  const { engine, clock, nativeOrders, rejections } = options;
  const telemetry = quietTelemetry(options.telemetry);
  const questions = new Questions({ clock, telemetry, timeoutMs: engine.settings.hostTimeoutMs });
  return {
    questions,
    telemetry,
    accounts: checkedAccounts(options.accounts, questions),
    instruments: checkedInstruments(options.instruments, questions),
    entropy: checkedEntropy(options.entropy, questions),
    rateLimiter: checkedRateLimiter(options.rateLimiter, questions),
    native: nativeOrders && checkedNativeOrders(nativeOrders, questions),
    rejections: checkedRejections(rejections ?? createRejectionBuffer(), questions),
  };
}

function accountEventsOf(
  { sockets }: ServiceOptions,
  questions: Questions,
): Readonly<{ accountEvents?: AccountEvents }> {
  const events = sockets?.accountEvents;
  return events === undefined ? {} : { accountEvents: checkedAccountEvents(events, questions) };
}

async function handle(parts: ServiceParts, arrived: WireRequest): Promise<WireResponse> {
  const request = fromClient(parts, arrived);
  const requestId = requestIdOf(parts);
  const headers = parts.crossOrigin.headersOf(request.rawHeaders);
  const destination = destinationOf(request, parts.settings);
  const preflight = preflightOf(parts, request);
  const weight = preflight === undefined ? weightAt(parts, request, destination) : 0;
  let usedWeight = 0;
  try {
    await turnOf(parts, request, weight);
    const verdict = await weigh(parts, { address: request.remoteAddress, weight });
    usedWeight = verdict.used;
    if (preflight !== undefined) return emptyReply(preflight, { requestId, usedWeight, headers });
    if (parts.documents.has(request)) {
      demand(parts, request, verdict);
      const body = parts.documents.text(request.target) ?? "";
      return { ...wireReply({ status: 200, body: null }, { requestId, usedWeight, headers }), body };
    }
    const answer = await pass(parts, { request, destination, verdict });
    return wireReply(successReply(answer), { requestId, usedWeight, headers });
  } catch (error) {
    const reply = failure(parts, error, { requestId, request, route: destination?.route });
    return wireReply(reply, { requestId, usedWeight, headers });
  }
}

/** Everything that answers knows the client by the address that the proxies in front tell. */
function fromClient(parts: ServiceParts, arrived: WireRequest): WireRequest {
  const remoteAddress = parts.clientAddress(arrived);
  return remoteAddress === arrived.remoteAddress ? arrived : { ...arrived, remoteAddress };
}

/**
 * What a browser is told that asks whether a script may send a request. It weighs nothing, and a banned address is told
 * too: a script cannot see why a preflight was refused, and what it sends then is weighed. Source: decision 47.
 */
function preflightOf(parts: ServiceParts, request: WireRequest): WireResponse["headers"] | undefined {
  if (request.method !== "OPTIONS") return undefined;
  const methods = methodsAt(request.target, parts.settings);
  return methods.length === 0 ? undefined : parts.crossOrigin.preflight(request.rawHeaders, methods);
}

type Arriving = Readonly<{
  request: WireRequest;
  destination: Destination | undefined;
  verdict: WeightVerdict;
}>;

/** The defences of every request in their order, then its handler. Source: hostile inputs, Defences in order. */
async function pass(parts: ServiceParts, { request, destination, verdict }: Arriving): Promise<Answer> {
  demand(parts, request, verdict);
  if (destination === undefined) throw new OrderError("NOT_FOUND");
  const { route, query } = destination;
  const headers = readHeaders(request.rawHeaders);
  checkBytes(query, request);
  if (isPublic(route.name)) return { body: await PUBLIC[route.name](parts, readQuery(query)) };
  const call = await authenticate(parts, { route, request, query, headers });
  return await SIGNED[route.name](parts, call);
}

/** Refuses what is too much for its address; a ban is told to every connection of it. */
function demand(parts: ServiceParts, { remoteAddress }: WireRequest, verdict: WeightVerdict): void {
  if (verdict.refused?.kind === "ban") parts.bans.tell(remoteAddress);
  demandWeight(parts, verdict);
}

/** Weight of what is not a preflight that is allowed: what leads nowhere costs as much as to find that out. */
function weightAt({ documents }: ServiceParts, request: WireRequest, destination?: Destination): number {
  if (destination !== undefined) return weightOf(destination);
  return documents.has(request) ? DOCUMENT_WEIGHT : UNKNOWN_WEIGHT;
}

/** Resolves when it is the turn of the request's client. */
function turnOf({ turns }: ServiceParts, request: WireRequest, weight: number): Promise<void> {
  const bytes = request.target.length + request.body.length;
  return new Promise((resolve) => {
    turns.begin(networkOf(request.remoteAddress), turnCost({ bytes, weight }), resolve);
  });
}

function isPublic(name: RouteName): name is PublicName {
  return Object.hasOwn(PUBLIC, name);
}

/** Query bytes and body size. A GET has no body: no signature of a version 2 query would cover it (decision 40). */
function checkBytes(query: string, { method, body }: WireRequest): void {
  if (!isStrictQuery(query)) {
    throw new OrderError("ILLEGAL_CHARS", { field: "query", range: "RFC 3986 query characters" });
  }
  if (body.length > MAX_BODY_BYTES) {
    throw new OrderError("BODY_TOO_LARGE", { limit: MAX_BODY_BYTES, received: body.length });
  }
  if (method === "GET" && body.length > 0) throw new OrderError("PARAMETER_NOT_REQUIRED", { field: "body" });
}

type Failure = Readonly<{ requestId: string; request: WireRequest; route: RouteDescriptor | undefined }>;

/** The reply of a failure. */
function failure(parts: ServiceParts, error: unknown, failed: Failure): Reply {
  const { requestId, request, route } = failed;
  const fields = { requestId, route: route?.name ?? "none" };
  const refusal = refusalOf(parts, error, { fields, onlyReads: request.method === "GET" });
  const businessAs200 = parts.settings.businessErrorsAs200 === true && route?.access !== "PUBLIC";
  return refusalReply(refusal, { businessAs200 });
}
