import { type AnyRoute, findRoute, type RouteMethod, routesAt } from "../../requests/index.ts";
import {
  type Parameters,
  percentEncode,
  readQuery,
  splitTarget,
  type WireRequest,
} from "../../wire/index.ts";
import type { ServiceSettings } from "./api.ts";

/** The paths below which every route is. Documents may be elsewhere. */
export const REST_PATHS: readonly string[] = ["/api/", "/compat/api/"];

/** The route of a request and its raw query. */
export type Destination = Readonly<{ route: AnyRoute; query: string }>;

/**
 * Returns the route of a request by method and exact raw path. Returns undefined for an unknown path, a wrong method, a
 * target that is not in origin-form, and a route that the allow list of its method leaves out. Source: decisions 44 and
 * 49.
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
 * Returns whether the settings serve a route: the allow list of its method contains it, and the compat prefix is not
 * turned off. Source: decisions 44 and NA.
 */
export function isServed(route: AnyRoute, settings: ServiceSettings): boolean {
  const { getAllowlist, postAllowlist, compatRoutes = true } = settings;
  if (route.compat === true && !compatRoutes) return false;
  const list = { GET: getAllowlist, POST: postAllowlist, DELETE: undefined }[route.method];
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

/** Weight of a request without a route. Source: decision GF. */
export const UNKNOWN_WEIGHT = 1;

/** Returns the weight of a request. Its query counts only if it can be parsed. */
export function weightOf({ route, query }: Destination): number {
  return typeof route.weight === "number" ? route.weight : route.weight(readableQuery(query));
}

function readableQuery(query: string): Parameters {
  try {
    return readQuery(query);
  } catch {
    return new Map();
  }
}
