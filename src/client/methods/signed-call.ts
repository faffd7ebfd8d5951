import { encodeQuery, type RequestParameters, sign, signBody } from "../../signing/index.ts";
import type { Stamp } from "../auth/stamps.ts";
import type { WireCall } from "../http/exchange.ts";
import type { Route } from "./routes.ts";

/** An API key and its secret. */
export type Credentials = Readonly<{ apiKey: string; secret: string }>;

/** What a request is made of. The base address has no slash at its end. */
export type Target = Readonly<{ baseUrl: string; route: Route<unknown>; parameters: RequestParameters }>;

/** Returns a request that needs no signature. */
export function publicCall({ baseUrl, route, parameters }: Target): WireCall {
  return { url: urlOf(baseUrl, route, encodeQuery(parameters)), method: route.verb, headers: {} };
}

/**
 * Returns a signed request. The text that is signed is the text that is sent: it is made once. Every request carries a
 * timestamp, so that no copy of it is accepted after its receive window; POST and DELETE, and all of version 3, carry a
 * nonce too. The signature travels in a header and so stays out of the logs of addresses. Source: contract,
 * Authentication.
 */
export function signedCall(
  { baseUrl, route, parameters }: Target,
  { apiKey, secret }: Credentials,
  { stamp, nonce }: Readonly<{ stamp: Stamp; nonce: number }>,
): WireCall {
  const { verb, scheme } = route;
  const own = scheme === "V2_QUERY" ? stamp : { nonce, ...stamp };
  const headers = { "X-MBX-APIKEY": apiKey };
  if (verb === "POST") {
    const query = encodeQuery(own);
    const { body, signature } = signBody({ secret, query, parameters: withExactIds(parameters) });
    return {
      url: urlOf(baseUrl, route, query),
      method: verb,
      headers: { ...headers, signature, "Content-Type": "application/json" },
      body,
    };
  }
  const query = encodeQuery({ ...parameters, ...own });
  const signature = sign({ secret, payload: query });
  return { url: urlOf(baseUrl, route, query), method: verb, headers: { ...headers, signature } };
}

function urlOf(baseUrl: string, { path }: Route<unknown>, query: string): string {
  return `${baseUrl}${path}${query === "" ? "" : `?${query}`}`;
}

const DIGITS = /^-?[0-9]+$/;

/** In JSON an id is a number; a bigint is written as its digits. */
function withExactIds(parameters: RequestParameters): RequestParameters {
  const { orderId } = parameters;
  return typeof orderId === "string" && DIGITS.test(orderId)
    ? { ...parameters, orderId: BigInt(orderId) }
    : parameters;
}
