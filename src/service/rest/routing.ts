import { type AnyRoute, findRoute, type RouteMethod, routesAt } from "../../requests/index.ts";
import { percentEncode, readQuery, splitTarget, type WireRequest } from "../../wire/index.ts";

/** Optional features of the host, reported by GET /api/status. Each defaults to false. Source: contract, Status. */
export interface HostFeatures {
  readonly leveraged_trading?: boolean;
  readonly dark_pool_mode?: boolean;
  readonly bridge_required?: boolean;
}

/** Settings of a service. */
export interface ServiceSettings {
  /** Reported by GET /api/status. */
  readonly features?: HostFeatures;
  /** If true, business errors of signed routes return HTTP 200 instead of 400; default false. */
  readonly businessErrorsAs200?: boolean;
  /**
   * Last path segments that GET may serve, such as `orderStatus`. Any other route answers like an unknown one. Without a
   * list, every route is served (contract, Versioning).
   */
  readonly getAllowlist?: readonly string[];
  /** The same list for POST and PUT. */
  readonly postAllowlist?: readonly string[];
  /**
   * Whether the routes below `/compat/api/v3` are served, for clients of the public convention that cannot change the paths
   * they call; default true.
   */
  readonly compatRoutes?: boolean;
  /**
   * Web origins whose scripts may read replies and open WebSockets, such as `https://desk.example.com`, or `*` for every
   * origin; default none. Browser credentials are never allowed.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Proxies in front of the service: addresses or CIDR blocks, IPv4 or IPv6. Their X-Forwarded-For header gives the
   * client's address. Default none: the header is not read. Each proxy must append the address of its own peer.
   */
  readonly trustedProxies?: readonly string[];
}

/** Weight of a document. A document is as long as the answer of exchangeInfo. */
export const DOCUMENT_WEIGHT = 20;

/** The public documents of a host, each made once. */
export class Documents {
  readonly #makers: ReadonlyMap<string, () => string>;
  readonly #made: Map<string, string> = new Map();

  constructor(makers: Readonly<Record<string, () => string>> = {}) {
    this.#makers = new Map(Object.entries(makers));
  }

  /** Returns whether a request asks for a document by its exact raw target. */
  has({ method, target }: WireRequest): boolean {
    return method === "GET" && this.#makers.has(target);
  }

  /** Returns the document at a target, or undefined if there is none. */
  text(target: string): string | undefined {
    const made = this.#made.get(target) ?? this.#makers.get(target)?.();
    if (made !== undefined) this.#made.set(target, made);
    return made;
  }
}

/** The paths below which every route is. Documents may be elsewhere. */
export const REST_PATHS: readonly string[] = ["/api/", "/compat/api/"];

/** The route of a request and its raw query. */
export type Destination = Readonly<{ route: AnyRoute; query: string }>;

/**
 * Returns the route of a request by method and exact raw path. Returns undefined for an unknown path, a wrong method, a
 * target that is not in origin-form, and a route that the allow list of its method leaves out.
 */
export function destinationOf(request: WireRequest, settings: ServiceSettings): Destination | undefined {
  const target = splitTarget(request.target);
  if (target === undefined) return undefined;
  const route = findRoute(request.method, target.path);
  if (route === undefined || route === "wrong-method" || !isServed(route, settings)) return undefined;
  return { route, query: route.compat === true ? tolerated(route, target.query) : target.query };
}

/**
 * Returns a query without the raw brackets and quotes that some clients send in lists of symbols. A signed query stays
 * as it was signed.
 */
function tolerated({ scheme }: AnyRoute, query: string): string {
  return scheme === "NONE" ? query.replace(/["[\]]/g, percentEncode) : query;
}

/**
 * Returns whether the settings serve a route: the allow list of its method contains it (that of POST for PUT), and the compat prefix is not turned
 * off.
 */
export function isServed(route: AnyRoute, settings: ServiceSettings): boolean {
  const { getAllowlist, postAllowlist, compatRoutes = true } = settings;
  if (route.compat === true && !compatRoutes) return false;
  const list = { GET: getAllowlist, POST: postAllowlist, PUT: postAllowlist, DELETE: undefined }[
    route.method
  ];
  return list === undefined || list.includes(route.path.slice(route.path.lastIndexOf("/") + 1));
}

/**
 * Returns whether a request certainly changes nothing, whatever its method: some routes read by POST. A request without a
 * route here may have one at a newer node.
 */
export function onlyReads({ method }: Pick<WireRequest, "method">, route: AnyRoute | undefined): boolean {
  return route === undefined ? method === "GET" : route.access !== "TRADE";
}

/** Returns the methods that are served at the exact raw path of a target; none for an unknown path. */
export function methodsAt(target: string, settings: ServiceSettings): readonly RouteMethod[] {
  const path = splitTarget(target)?.path ?? "";
  return routesAt(path)
    .filter((route) => isServed(route, settings))
    .map(({ method }) => method);
}

/** Weight of a request without a route. */
export const UNKNOWN_WEIGHT = 1;

/** Returns the weight of a request. Its query counts only if it can be parsed. */
export function weightOf({ route, query }: Destination): number {
  return typeof route.weight === "number"
    ? route.weight
    : route.weight(readable(() => readQuery(query)) ?? new Map());
}

/** Returns what a client has sent as `read` reads it; undefined if it cannot be read. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
