import type { AnyRoute } from "../../requests/index.ts";
import { verifySignature } from "../../signing/index.ts";
import {
  checkFreshness,
  checkNonce,
  type RestSignature,
  refuseSignatureParameter,
  restSignature,
} from "../../signing/internal.ts";
import { mergeParameters, type Parameters, readBody, readQuery, type WireRequest } from "../../wire/index.ts";
import { admitted, type KeyUse, provedKey, requiredKey } from "../access/authentication.ts";
import { type Front, keyOfWorked } from "../access/front-work.ts";
import type { RequestHeaders } from "./headers.ts";
import type { ServiceParts, SignedCall } from "./parts.ts";

/** A signed request before authentication: its route, raw query and headers. Only its bytes have been looked at. */
export type Arrival = Readonly<{
  route: AnyRoute;
  request: WireRequest;
  query: string;
  headers: RequestHeaders;
  front?: Front | undefined;
}>;

/**
 * Authenticates a request and checks that it may be served now: signature, key, address list and permission, freshness,
 * replay guard, in that order. Only raw bytes are handled before the signature is verified; nothing is parsed.
 * Throws an OrderError: -2014, -1102 or -1022 for key and signature; -2015, always in the same form, for an unknown
 * key, an address that is not listed or a missing permission; then the errors of the readers and of {@link
 * checkFreshness}.
 * Source: decisions 39-41; hostile inputs, Defences in order.
 */
export async function authenticate(parts: ServiceParts, arrival: Arrival): Promise<SignedCall> {
  const { route, request } = arrival;
  const apiKey = requiredKey(arrival.headers.apiKey);
  const signed = restSignature({
    query: arrival.query,
    body: request.body,
    header: arrival.headers.signature,
  });
  const { payload, signature } = signed;
  const use = useOf(route, request);
  const isSigned = (secret: string | undefined): boolean => verifySignature({ secret, payload, signature });
  const key = await provedKey(parts, { ...use, apiKey, isSigned });
  arrival.front?.proved(key);
  const parameters = readParameters(signed, arrival.headers.contentType);
  return admittedCall(parts, { ...use, route, key, signature, parameters });
}

const useOf = ({ access }: AnyRoute, { remoteAddress: address }: WireRequest): KeyUse => ({
  permission: access === "READ" ? "READ" : "TRADE",
  address,
});

/**
 * Authenticates a request that a front thread has verified and parsed. Runs only the checks that need the shared state
 * of the main thread. Returns undefined when the front thread did no work, or used a secret that is no longer the
 * key's.
 */
export async function authenticateWorked(
  parts: ServiceParts,
  { route, request, front }: Pick<Arrival, "route" | "request"> & Readonly<{ front: Front }>,
): Promise<SignedCall | undefined> {
  const { worked } = front;
  const use = useOf(route, request);
  const key = await keyOfWorked(parts, front, use);
  if (worked === undefined || key === undefined) return undefined;
  const { signature, parameters } = worked;
  return admittedCall(parts, { ...use, route, key, signature, parameters });
}

/** Checks freshness and replay guard, in that order. */
function admittedCall(parts: ServiceParts, { route, parameters, ...proof }: SignedCall): SignedCall {
  checkTime(route, parameters, parts.clock.nowMs());
  return { ...admitted(parts, { ...proof, target: route }), route, parameters };
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

/** Enforces a timestamp wherever one was sent. Which parameters are required depends on the scheme (decision 40). */
function checkTime(route: AnyRoute, parameters: Parameters, nowMs: number): void {
  const timestamp = parameters.get("timestamp");
  const recvWindow = parameters.get("recvWindow");
  if (route.scheme === "V3") checkNonce({ nonce: parameters.get("nonce"), timestamp });
  checkFreshness({ timestamp, recvWindow, nowMs, required: route.scheme === "V2_QUERY" });
}
