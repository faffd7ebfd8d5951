import { OrderError } from "../errors/index.ts";
import type { WeightVerdict } from "../ports/index.ts";
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
import { MAX_BODY_BYTES, type Service, type ServiceOptions } from "./api.ts";
import { askHost } from "./ask-host.ts";
import { authenticate } from "./authentication.ts";
import { exchangeInfo, instrumentPairs, ping, status, time } from "./exchange-handlers.ts";
import { readHeaders } from "./headers.ts";
import {
  allOrderLists,
  cancelOrderList,
  openOrderLists,
  orderListStatus,
  placeList,
} from "./list-handlers.ts";
import { depth, ticker } from "./market-handlers.ts";
import { cancelAllOrders, openOrders } from "./open-order-handlers.ts";
import { cancelOrder, orderStatus, placeOrder } from "./order-handlers.ts";
import type { Answer, ServiceParts, SignedHandler } from "./parts.ts";
import { PlacementDesk } from "./placement-desk.ts";
import { tooMuchWeight } from "./rate-refusals.ts";
import { type Reply, refusalReply, successReply, unexpectedError, wireReply } from "./replies.ts";
import { type Destination, destinationOf, weightOf } from "./routing.ts";

const REQUEST_ID_LENGTH = 22;

type PublicName = "status" | "exchangeInfo" | "instrumentPairs" | "ticker" | "depth" | "ping" | "time";
type PublicHandler = (parts: ServiceParts, parameters: Parameters) => JsonInput;

const PUBLIC: Readonly<Record<PublicName, PublicHandler>> = {
  status,
  exchangeInfo,
  instrumentPairs,
  ticker,
  depth,
  ping,
  time,
};

const SIGNED: Readonly<Record<Exclude<RouteName, PublicName>, SignedHandler>> = {
  "order.place": placeOrder,
  "order.status": orderStatus,
  "order.cancel": cancelOrder,
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
 * Makes the REST service: public market data, and managed orders and order lists for signed requests. It needs no transport; a mount
 * hands it the raw request. Source: contract, Endpoints and Authentication; decisions 37-44; hostile inputs.
 */
export function createService(options: ServiceOptions): Service {
  const { engine, accounts, instruments, clock, entropy, rateLimiter, replayGuard } = options;
  const parts: ServiceParts = {
    engine,
    accounts,
    instruments,
    clock,
    entropy,
    rateLimiter,
    telemetry: options.telemetry ?? { event: () => undefined },
    settings: options.settings ?? {},
    replayGuard: replayGuard === false ? undefined : createReplayGuard(replayGuard),
    desk: new PlacementDesk({ engine, rateLimiter, clock }),
  };
  return { handle: (request) => handle(parts, request) };
}

async function handle(parts: ServiceParts, request: WireRequest): Promise<WireResponse> {
  const requestId = parts.entropy.token(REQUEST_ID_LENGTH);
  const destination = destinationOf(request, parts.settings);
  let usedWeight = 0;
  try {
    const verdict = await weigh(parts, { request, destination });
    usedWeight = verdict.used;
    const answer = await pass(parts, { request, destination, verdict });
    return wireReply(successReply(answer), { requestId, usedWeight });
  } catch (error) {
    const reply = failure(parts, error, { requestId, request, route: destination?.route });
    return wireReply(reply, { requestId, usedWeight });
  }
}

type Arriving = Readonly<{ request: WireRequest; destination: Destination | undefined }>;

/** Counts the weight of a known route, whatever becomes of the request; an unknown one costs nothing. */
function weigh(parts: ServiceParts, { request, destination }: Arriving): Promise<WeightVerdict> {
  const weight = destination === undefined ? 0 : weightOf(destination);
  return askHost(() => parts.rateLimiter.weigh({ address: request.remoteAddress, weight }));
}

/** The defences of every request in their order, then its handler. Source: hostile inputs, Defences in order. */
async function pass(
  parts: ServiceParts,
  { request, destination, verdict }: Arriving & Readonly<{ verdict: WeightVerdict }>,
): Promise<Answer> {
  if (destination === undefined) throw new OrderError("NOT_FOUND");
  if (verdict.refused !== undefined) {
    throw tooMuchWeight(verdict.refused, { limits: parts.rateLimiter.limits, nowMs: parts.clock.nowMs() });
  }
  const { route, query } = destination;
  const headers = readHeaders(request.rawHeaders);
  checkBytes(query, request);
  if (isPublic(route.name)) return { body: PUBLIC[route.name](parts, readQuery(query)) };
  const call = await authenticate(parts, { route, request, query, headers });
  return await SIGNED[route.name](parts, call);
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

type Failed = Readonly<{ requestId: string; request: WireRequest; route: RouteDescriptor | undefined }>;

/** The reply of a failure, and a word to the operator; neither holds a secret, a payload or a stack. */
function failure(parts: ServiceParts, error: unknown, failed: Failed): Reply {
  const { requestId, request, route } = failed;
  const refusal = error instanceof OrderError ? error : unexpectedError(request.method);
  const fields = { requestId, route: route?.name ?? "none", code: refusal.code, reason: refusal.reason };
  if (refusal.status < 500) parts.telemetry.event("debug", "request.refused", fields);
  else {
    const level = refusal === error ? "warn" : "error";
    parts.telemetry.event(level, "request.failed", { ...fields, ...originOf(error) });
  }
  const businessAs200 = parts.settings.businessErrorsAs200 === true && route?.access !== "PUBLIC";
  return refusalReply(refusal, { businessAs200 });
}

/** Kind and place of a failure. Its message stays out: it may quote what a client or a store said. */
function originOf(error: unknown): Readonly<Record<string, string>> {
  const origin = error instanceof OrderError ? error.cause : error;
  if (!(origin instanceof Error)) return {};
  const frames = (origin.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    error: origin.name,
    at: frames
      .slice(0, 5)
      .map((line) => line.trim())
      .join("; "),
  };
}
