import type { RouteScheme } from "../../requests/index.ts";

/** Facts that a reader of a description needs before the first request. */
export const ABOUT_SERVICE: string =
  "Managed orders over REST and WebSocket. Prices and quantities are decimal strings. Ids of native orders have 64 bits: read integers of format int64 exactly. " +
  "An answer with a negative code is a refusal, whatever its HTTP status. After a 5xx, a timeout or apiState UNKNOWN look the order up by its client id before you send it again.";

/** Explains how to sign a REST request. Source: contract, Authentication; decision 40. */
export const SIGNING: string =
  "The key goes in the header X-MBX-APIKEY. The signature is the HMAC-SHA256, in hexadecimal, of the raw query (without the question mark) followed by the raw body, with the secret as key. " +
  "It goes in the header signature, or as the last pair of the query or of a form body, which it does not cover. A JSON body never carries it. " +
  "Each parameter is sent once: those of a POST in a JSON body, in a form body or in the query.";

/** Explains how to sign a WebSocket message. Source: contract, Authentication, WebSocket. */
export const SOCKET_SIGNING: string =
  "The signature is the HMAC-SHA256, in hexadecimal, with the secret as key, of all params but the signature as name=value, sorted by name and joined by &; booleans in lower case, values as they are sent. Each message is signed by itself; there is no login.";

/** Freshness requirements of each scheme. Source: decision 40. */
export const FRESHNESS: Readonly<Record<RouteScheme, string>> = {
  NONE: "",
  V2_QUERY: "Signed over the query, with a timestamp.",
  LEGACY: "Signed over query and body; a nonce or a timestamp makes each request another one.",
  V3: "Signed over query and body, with a nonce or a timestamp.",
};
