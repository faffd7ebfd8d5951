import type { RouteScheme } from "../../requests/index.ts";

/** Facts that a reader of a description needs before the first request. */
export const ABOUT_SERVICE: string =
  "Managed orders over REST and WebSocket. Prices and quantities are decimal strings. Ids of native orders have 64 bits: parse integers of format int64 exactly, not as doubles. " +
  "A reply with a negative code is a refusal, whatever its HTTP status. After a 5xx, a timeout or apiState UNKNOWN, look the order up by its client id before you send it again.";

/** Explains how to sign a REST request. Source: contract, Authentication; decision 40. */
export const SIGNING: string =
  "Send the API key in the header X-MBX-APIKEY. The signature is the HMAC-SHA256, in hexadecimal, of the raw query (without the question mark) followed by the raw body, with the secret as key. " +
  "Send it in the header signature, or as the last pair of the query or of a form body; it does not cover that pair. Never send it in a JSON body. " +
  "Send each parameter once. A POST takes its parameters in a JSON body, in a form body or in the query.";

/** Explains how to sign a WebSocket message. Source: contract, Authentication, WebSocket. */
export const SOCKET_SIGNING: string =
  "The signature is the HMAC-SHA256, in hexadecimal, with the secret as key, of all params except the signature, written as name=value, sorted by name and joined by &, with booleans in lower case and other values exactly as sent. Every message is signed; there is no login.";

/** Freshness requirements of each scheme. Source: decision 40. */
export const FRESHNESS: Readonly<Record<RouteScheme, string>> = {
  NONE: "",
  V2_QUERY: "The signature covers the query. A timestamp is required.",
  LEGACY: "The signature covers the query and the body. A nonce or a timestamp makes each request distinct.",
  V3: "The signature covers the query and the body. A nonce or a timestamp is required.",
};
