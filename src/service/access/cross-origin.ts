import type { RouteMethod } from "../../requests/index.ts";
import { headerValues } from "./client-address.ts";

/** Headers by name, as they go out. */
type Headers = Readonly<Record<string, string>>;

/** What scripts of which web origins may do. */
export type CrossOrigin = Readonly<{
  /** Headers that every reply to a request with these headers bears. */
  headersOf: (rawHeaders: readonly string[]) => Headers;
  /** Headers of the answer to a preflight for a path with these methods; undefined when its origin is not allowed. */
  preflight: (rawHeaders: readonly string[], methods: readonly RouteMethod[]) => Headers | undefined;
  /** Whether a WebSocket may be opened: a browser asks nobody before it opens one. */
  admits: (rawHeaders: readonly string[]) => boolean;
}>;

const ANY = "*";
/** A serialised origin, as browsers send it. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/;

/** Browsers leave the usual port out. */
const USUAL_PORT = /^(?:http:.*:80|https:.*:443)$/;

const ALLOWED_HEADERS = "X-MBX-APIKEY, signature, Content-Type";
const EXPOSED_HEADERS =
  "Retry-After, X-MBX-USED-WEIGHT, X-MBX-USED-WEIGHT-1M, X-MBX-ORDER-COUNT-10S, X-MBX-ORDER-COUNT-1D, X-Request-Id";
/** Two hours, the longest that browsers keep a preflight. */
const MAX_AGE_SECONDS = "7200";

const NO_HEADERS: Headers = {};

/** Nothing is said to browsers, which then keep every reply from scripts of other origins. */
const CLOSED: CrossOrigin = { headersOf: () => NO_HEADERS, preflight: () => undefined, admits: () => true };

/**
 * The rules for these origins, such as `https://desk.example.com`; `*` is every origin. That is safe as far as it goes:
 * cookies and other credentials of the browser are never allowed, so that a script can do no more than anybody who sends
 * requests. Without origins no browser script of another origin reads anything, and the Origin of a WebSocket is not
 * looked at. Throws a RangeError for text that no browser sends as an origin, `null` included: any page can be that.
 * Source: decision 47.
 */
export function crossOriginOf(allowedOrigins: readonly string[] = []): CrossOrigin {
  const wrong = allowedOrigins.find((origin) => origin !== ANY && !isOrigin(origin));
  if (wrong !== undefined) {
    throw new RangeError(`allowedOrigins: no origin such as https://desk.example.com: ${wrong}`);
  }
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

const isOrigin = (text: string): boolean => ORIGIN.test(text) && !USUAL_PORT.test(text);

/** Some clients that are no browsers name the service itself as the origin. */
function isOwn(origin = "", host = ""): boolean {
  return host !== "" && origin.replace(/^https?:\/\//, "") === host;
}

/** The value of a header that came once. */
function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  const values = headerValues(rawHeaders, name);
  return values.length === 1 ? values[0] : undefined;
}
