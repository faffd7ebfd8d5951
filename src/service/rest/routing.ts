import { findRoute, ROUTES, type RouteDescriptor, type RouteMethod } from "../../requests/index.ts";
import { type Parameters, readQuery, splitTarget, type WireRequest } from "../../wire/index.ts";
import type { ServiceSettings } from "./api.ts";

/** The path below which every route is. Documents may be elsewhere. */
export const REST_PATH = "/api/";

/** The route of a request and its raw query. */
export type Destination = Readonly<{ route: RouteDescriptor; query: string }>;

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
  return { route, query: target.query };
}

/** Returns whether the allow list of a route's method contains the route. Source: decision 44. */
export function isServed(route: RouteDescriptor, settings: ServiceSettings): boolean {
  const { getAllowlist, postAllowlist } = settings;
  const list = { GET: getAllowlist, POST: postAllowlist, DELETE: undefined }[route.method];
  return list === undefined || list.includes(route.path.slice(route.path.lastIndexOf("/") + 1));
}

/** Returns the methods that are served at the exact raw path of a target; none for an unknown path. */
export function methodsAt(target: string, settings: ServiceSettings): readonly RouteMethod[] {
  const path = splitTarget(target)?.path;
  return ROUTES.filter((route) => route.path === path && isServed(route, settings)).map(
    ({ method }) => method,
  );
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
