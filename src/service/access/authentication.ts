import { OrderError } from "../../errors/index.ts";
import type { ApiKey, Permission } from "../../model/index.ts";
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
import type { RequestHeaders } from "../rest/headers.ts";
import type { ServiceParts, SignedCall } from "../rest/parts.ts";
import { isListed } from "./address-list.ts";
import { useOf } from "./signature-use.ts";

/** A signed request on its way in: its route, raw query and headers, of which only the bytes were looked at. */
export type Arrival = Readonly<{
  route: RouteDescriptor;
  request: WireRequest;
  query: string;
  headers: RequestHeaders;
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
  const key = verified(await parts.accounts.key(apiKey), signed);
  const parameters = readParameters(signed, arrival.headers.contentType);
  checkTime(route, parameters, parts.clock.nowMs());
  guard(parts, { apiKey: key.apiKey, signature: signed.signature, use: useOf(route) });
  const permission = route.access === "READ" ? "READ" : "TRADE";
  demandAccess(key, { address: request.remoteAddress, permission });
  return { route, permission, key, signature: signed.signature, parameters };
}

const API_KEY = /^[\x21-\x7e]{1,256}$/;

/** The API key as it was sent, when it can be one; throws an OrderError -2014 otherwise. */
export function requiredKey(apiKey: string | undefined): string {
  if (apiKey === undefined || !API_KEY.test(apiKey)) throw new OrderError("BAD_API_KEY_FORMAT");
  return apiKey;
}

/** An unknown key costs the work of a wrong signature, so that time does not tell them apart. */
function verified(key: ApiKey | undefined, { payload, signature }: RestSignature): ApiKey {
  const isSigned = verifySignature({ secret: key?.secret, payload, signature });
  if (key === undefined) throw new OrderError("REJECTED_API_KEY");
  if (!isSigned) throw new OrderError("BAD_SIGNATURE");
  return key;
}

function readParameters({ query, body }: RestSignature, contentType: string | undefined): Parameters {
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

/** Throws an OrderError -1022 when the signature was used for something else before. Source: decision 41. */
export function guard(
  parts: ServiceParts,
  seen: Readonly<{ apiKey: string; signature: string; use: string }>,
): void {
  const verdict = parts.replayGuard?.decide({ ...seen, nowMs: parts.clock.monotonicMs() });
  if (verdict === "other") throw new OrderError("BAD_SIGNATURE");
}

/** Throws an OrderError -2015, in the form of an unknown key, for an address or a permission that the key lacks. */
export function demandAccess(key: ApiKey, use: Readonly<{ address: string; permission: Permission }>): void {
  const allowed = key.permissions.includes(use.permission) && isListed(use.address, key.ipAllowlist);
  if (!allowed) throw new OrderError("REJECTED_API_KEY");
}
