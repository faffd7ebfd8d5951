import { follow } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { Permission } from "../../model/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import { type AnyRoute, findRoute } from "../../requests/index.ts";
import { verifySignature } from "../../signing/index.ts";
import {
  checkFreshness,
  checkNonce,
  type RestSignature,
  refuseSignatureParameter,
  restSignature,
} from "../../signing/internal.ts";
import {
  isStrictQuery,
  mergeParameters,
  type Parameters,
  readBody,
  readQuery,
  singleHeader,
  splitTarget,
  type WireRequest,
} from "../../wire/index.ts";
import {
  admit,
  type Front,
  provedAhead,
  provedKey,
  requiredKey,
  type Worked,
} from "../access/authentication.ts";
import type { ServiceParts, SignedCall } from "./parts.ts";
import { readable } from "./routing.ts";

/**
 * Largest body of any route, in bytes. A mount can stop reading after one more byte: that body is refused as too large.
 * Source: contract, Version 3 REST 3.
 */
export const MAX_BODY_BYTES = 32_768;

/** Checks query bytes and body size. A GET must have no body: the signature of a version 2 query would not cover it. */
export function checkBytes(query: string, { method, body }: Pick<WireRequest, "method" | "body">): void {
  if (!isStrictQuery(query)) {
    throw new OrderError("ILLEGAL_CHARS", { field: "query", range: "RFC 3986 query characters" });
  }
  if (body.length > MAX_BODY_BYTES) {
    throw new OrderError("BODY_TOO_LARGE", { limit: MAX_BODY_BYTES, received: body.length });
  }
  if (method === "GET" && body.length > 0) throw new OrderError("PARAMETER_NOT_REQUIRED", { field: "body" });
}

/** The headers that the service reads, each sent at most once. */
type RequestHeaders = Readonly<{
  apiKey: string | undefined;
  signature: string | undefined;
  contentType: string | undefined;
}>;

/** Headers by which some servers override the method that a request was signed and routed with. */
const OVERRIDE = /^(?:x-http-method-override|x-http-method|x-method-override)$/i;

/**
 * Reads the headers. Throws an OrderError for a header that came twice or is not printable ASCII (-2014, -1022, -1101,
 * -1100), for a method override, and for a body that is declared compressed (-1130): bodies are read and signed as
 * received. Source: hostile inputs 10, 26, 27, 46, 48, 49.
 */
export function readHeaders(rawHeaders: readonly string[]): RequestHeaders {
  const override = rawHeaders.find((name, index) => index % 2 === 0 && OVERRIDE.test(name));
  if (override !== undefined) {
    throw new OrderError("INVALID_PARAMETER", {
      field: override.toLowerCase(),
      advice: "Omit this header, and send the request with the HTTP method that you mean.",
    });
  }
  const encoding = singleHeader(rawHeaders, "Content-Encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new OrderError("INVALID_PARAMETER", {
      field: "Content-Encoding",
      advice: "Send the body uncompressed, without this header.",
    });
  }
  return {
    apiKey: singleHeader(rawHeaders, "X-MBX-APIKEY"),
    signature: singleHeader(rawHeaders, "signature"),
    contentType: singleHeader(rawHeaders, "Content-Type"),
  };
}

/** A signed request before authentication: its route, raw query and headers. Only its bytes have been looked at. */
type Arrival = Readonly<{
  route: AnyRoute;
  request: WireRequest;
  query: string;
  headers: RequestHeaders;
  front?: Front | undefined;
}>;

/**
 * Authenticates a request and checks that it may be served now: signature, key, address list and permission, freshness,
 * replay guard, in that order. Only raw bytes are handled before the signature is verified; nothing is parsed. Throws an
 * OrderError: -2014, -1102 or -1022 for key and signature; -2015, always in the same form, for an unknown key, an address
 * that is not listed or a missing permission; then the errors of the readers and of {@link checkFreshness}. Source: hostile
 * inputs, Defences in order.
 */
export function authenticate(parts: ServiceParts, arrival: Arrival): Awaitable<SignedCall> {
  const { route, request, query, headers, front } = arrival;
  const apiKey = requiredKey(headers.apiKey);
  const signed = restSignature({ query, body: request.body, header: headers.signature });
  const { payload, signature } = signed;
  const permission = permissionFor(route);
  const address = request.remoteAddress;
  const isSigned = (secret: string | undefined): boolean => verifySignature({ secret, payload, signature });
  return follow(provedKey(parts, { permission, address, apiKey, isSigned }), (key) => {
    front?.proved(key);
    const parameters = readParameters(signed, headers.contentType);
    return admitted(parts, { route, key, permission, signature, address, parameters });
  });
}

const permissionFor = ({ access }: AnyRoute): Permission => (access === "READ" ? "READ" : "TRADE");

/**
 * Authenticates a request that a front thread has verified and parsed. Runs only the checks that need the shared state
 * of the main thread. Returns undefined when the front thread did no work, or used a secret that is no longer the
 * key's.
 */
export function authenticateWorked(
  parts: ServiceParts,
  { route, request, front }: Pick<Arrival, "route" | "request"> & Readonly<{ front: Front }>,
): Awaitable<SignedCall | undefined> {
  const use = { permission: permissionFor(route), address: request.remoteAddress };
  return follow(
    provedAhead(parts, front, use),
    (proved) => proved && admitted(parts, { ...use, ...proved, route }),
  );
}

/** Checks freshness and replay guard, in that order. */
function admitted(parts: ServiceParts, call: SignedCall): SignedCall {
  checkTime(call.route, call.parameters, parts.clock.nowMs());
  admit(parts, call, call.route);
  return call;
}

/**
 * Returns the parameters of query and body. Throws the errors of their readers, and an error for a signature among the
 * parameters.
 */
export function readParameters({ query, body }: RestSignature, contentType: string | undefined): Parameters {
  const parameters = mergeParameters(readQuery(query), readBody(body, contentType));
  refuseSignatureParameter(parameters);
  return parameters;
}

/** Enforces a timestamp wherever one was sent. Which parameters are required depends on the scheme. */
function checkTime(route: AnyRoute, parameters: Parameters, nowMs: number): void {
  const timestamp = parameters.get("timestamp");
  const recvWindow = parameters.get("recvWindow");
  if (route.scheme === "V3") checkNonce({ nonce: parameters.get("nonce"), timestamp });
  checkFreshness({ timestamp, recvWindow, nowMs, required: route.scheme === "V2_QUERY" });
}

/**
 * Runs the part of a signed request that needs only its bytes and a secret, in a front thread, with the service's own
 * functions. Returns undefined when anything is unusual. The service then runs all steps itself, in its own order,
 * including any refusal. Never throws.
 *
 * @internal
 */
export const workRequest = (
  request: WireRequest,
  secretOf: (apiKey: string) => string | undefined,
): Worked | undefined =>
  readable(() => {
    const { path, query } = splitTarget(request.target) ?? { path: "", query: "" };
    const route = findRoute(request.method, path);
    if (route === undefined || route === "wrong-method" || route.access === "PUBLIC") return undefined;
    const headers = readHeaders(request.rawHeaders);
    checkBytes(query, request);
    const apiKey = requiredKey(headers.apiKey);
    const signed = restSignature({ query, body: request.body, header: headers.signature });
    const { payload, signature } = signed;
    const secret = secretOf(apiKey);
    // An unknown key costs the same work, so that timing does not reveal it.
    if (!verifySignature({ secret, payload, signature }) || secret === undefined) return undefined;
    return { apiKey, signature, parameters: readParameters(signed, headers.contentType), secret };
  });
