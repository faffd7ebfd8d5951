import type { RouteMethod } from "../../requests/index.ts";
import { headerValues } from "./addresses.ts";

/** Headers of a reply by name. */
type Headers = Readonly<Record<string, string>>;

/** Rules for the scripts of web origins. */
export type CrossOrigin = Readonly<{
  /** Returns the CORS headers of the reply to a request with these headers. */
  headersOf: (rawHeaders: readonly string[]) => Headers;
  /**
   * Returns the headers that answer a preflight for a path with these methods, or undefined if its origin is not
   * allowed.
   */
  preflight: (rawHeaders: readonly string[], methods: readonly RouteMethod[]) => Headers | undefined;
  /** Returns whether a WebSocket may be opened. Browsers send no preflight for a WebSocket. */
  admits: (rawHeaders: readonly string[]) => boolean;
}>;

const ANY = "*";
/** A serialised origin, as browsers send it. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/;

/** An origin with its default port. Browsers omit that port. */
const USUAL_PORT = /^(?:http:.*:80|https:.*:443)$/;

const ALLOWED_HEADERS = "X-MBX-APIKEY, signature, Content-Type";
const EXPOSED_HEADERS =
  "Retry-After, X-MBX-USED-WEIGHT, X-MBX-USED-WEIGHT-1M, X-MBX-ORDER-COUNT-10S, X-MBX-ORDER-COUNT-1D, X-Request-Id";
/** Two hours, the longest that browsers keep a preflight. */
const MAX_AGE_SECONDS = "7200";

const NO_HEADERS: Headers = {};

/** Sends no CORS headers, so that browsers keep every reply from scripts of other origins. */
const CLOSED: CrossOrigin = { headersOf: () => NO_HEADERS, preflight: () => undefined, admits: () => true };

/**
 * Returns the rules for these origins, such as `https://desk.example.com`; `*` is every origin. Browser credentials such as
 * cookies are never allowed, so a script can do no more than any other client that sends requests. Without origins, no
 * script of another origin can read a reply, and the Origin header of a WebSocket is not checked.
 */
export function crossOriginOf(allowedOrigins: readonly string[] = []): CrossOrigin {
  if (allowedOrigins.length === 0) return CLOSED;
  const allowed = new Set(allowedOrigins);
  const isAllowed = (origin: string | undefined): origin is string =>
    origin !== undefined && (allowed.has(ANY) || allowed.has(origin));
  const grantTo = (origin: string): string => (allowed.has(ANY) ? ANY : origin);
  const varies = { Vary: "Origin" };
  return {
    headersOf(rawHeaders) {
      const origin = headerOf(rawHeaders, "origin");
      if (!isAllowed(origin)) return varies;
      return {
        ...varies,
        "Access-Control-Allow-Origin": grantTo(origin),
        "Access-Control-Expose-Headers": EXPOSED_HEADERS,
      };
    },
    preflight(rawHeaders, methods) {
      if (!isAllowed(headerOf(rawHeaders, "origin"))) return undefined;
      return {
        "Access-Control-Allow-Methods": methods.join(", "),
        "Access-Control-Allow-Headers": ALLOWED_HEADERS,
        "Access-Control-Max-Age": MAX_AGE_SECONDS,
      };
    },
    admits(rawHeaders) {
      const origins = headerValues(rawHeaders, "origin");
      if (origins.length === 0) return true;
      const [origin] = origins;
      return origins.length === 1 && (isAllowed(origin) || isOwn(origin, headerOf(rawHeaders, "host")));
    },
  };
}

/**
 * Returns whether a text is `*` or an origin as browsers send it. `null` is none, because any page can have that origin.
 */
export function isAllowableOrigin(text: string): boolean {
  return text === ANY || (ORIGIN.test(text) && !USUAL_PORT.test(text));
}

/** Returns whether an origin is the service itself. Some clients that are not browsers send that. */
function isOwn(origin = "", host = ""): boolean {
  return host !== "" && origin.replace(/^https?:\/\//, "") === host;
}

/** Returns the value of a header that was sent exactly once. */
function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  const values = headerValues(rawHeaders, name);
  return values.length === 1 ? values[0] : undefined;
}
