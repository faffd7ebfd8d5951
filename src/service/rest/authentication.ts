import type { RouteDescriptor } from "../../requests/index.ts";
import {
  checkFreshness,
  checkNonce,
  type RestSignature,
  refuseSignatureParameter,
  restSignature,
  verifySignature,
} from "../../signing/index.ts";
import { mergeParameters, type Parameters, readBody, readQuery, type WireRequest } from "../../wire/index.ts";
import { admitted, provedKey, requiredKey } from "../access/authentication.ts";
import { type Front, keyOfWorked } from "../access/front-work.ts";
import type { RequestHeaders } from "./headers.ts";
import type { ServiceParts, SignedCall } from "./parts.ts";

/** A signed request on its way in: its route, raw query and headers, of which only the bytes were looked at. */
export type Arrival = Readonly<{
  route: RouteDescriptor;
  request: WireRequest;
  query: string;
  headers: RequestHeaders;
  front?: Front | undefined;
}>;

/**
 * Proves who sent a request and that it may be served now: signature, key, freshness, replay guard, address list and
 * permission, in that order. Nothing beyond bytes is parsed before the signature is verified.
 * Throws an OrderError: -2014, -1102 or -1022 for key and signature, -2015 in one form for an unknown key, an address
 * that is not listed and a missing permission, then what the readers and {@link checkFreshness} throw.
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
  const key = await provedKey(parts, apiKey, (secret) => verifySignature({ secret, payload, signature }));
  arrival.front?.proved(key);
  const parameters = readParameters(signed, arrival.headers.contentType);
  return admittedCall(parts, { route, request, key, signature, parameters });
}

/**
 * The same for a request that a front thread has verified and read: what is left is what only one place can say.
 * Undefined when the front thread has not, or with a secret that is the key's no more.
 */
export async function authenticateWorked(
  parts: ServiceParts,
  { route, request, front }: Pick<Arrival, "route" | "request"> & Readonly<{ front: Front }>,
): Promise<SignedCall | undefined> {
  const { worked } = front;
  const key = worked && (await keyOfWorked(parts, front, worked));
  if (worked === undefined || key === undefined) return undefined;
  const { signature, parameters } = worked;
  return admittedCall(parts, { route, request, key, signature, parameters });
}

type ProvedCall = Pick<Arrival, "route" | "request"> & Pick<SignedCall, "key" | "signature" | "parameters">;

/** Freshness, replay guard, address list and permission, in that order. */
function admittedCall(
  parts: ServiceParts,
  { route, request, key, signature, parameters }: ProvedCall,
): SignedCall {
  checkTime(route, parameters, parts.clock.nowMs());
  const permission = route.access === "READ" ? "READ" : "TRADE";
  const use = { key, permission, signature, target: route, address: request.remoteAddress } as const;
  return { ...admitted(parts, use), route, parameters };
}

/** The parameters of query and body; throws as their readers do, and for a signature among them. */
export function readParameters({ query, body }: RestSignature, contentType: string | undefined): Parameters {
  const parameters = mergeParameters(readQuery(query), readBody(body, contentType));
  refuseSignatureParameter(parameters);
  return parameters;
}

/** A timestamp that was sent is enforced everywhere; the schemes differ in what must be sent (decision 40). */
function checkTime(route: RouteDescriptor, parameters: Parameters, nowMs: number): void {
  const timestamp = parameters.get("timestamp");
  const recvWindow = parameters.get("recvWindow");
  if (route.scheme === "V3") checkNonce({ nonce: parameters.get("nonce"), timestamp });
  checkFreshness({ timestamp, recvWindow, nowMs, required: route.scheme === "V2_QUERY" });
}
