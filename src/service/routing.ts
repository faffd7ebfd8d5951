import { findRoute, type RouteDescriptor } from "../requests/index.ts";
import { type Parameters, readQuery, splitTarget, type WireRequest } from "../wire/index.ts";
import type { ServiceSettings } from "./api.ts";

/** Where a request goes, and its raw query. */
export type Destination = Readonly<{ route: RouteDescriptor; query: string }>;

/**
 * The route of a request by method and exact raw path; undefined for an unknown path, a wrong method, a target that is
 * not origin-form and a route that the allow list of its method leaves out. Source: decisions 44 and 49.
 */
export function destinationOf(request: WireRequest, settings: ServiceSettings): Destination | undefined {
  const target = splitTarget(request.target);
  if (target === undefined) return undefined;
  const route = findRoute(request.method, target.path);
  if (route === undefined || route === "wrong-method" || !isServed(route, settings)) return undefined;
  return { route, query: target.query };
}

function isServed(route: RouteDescriptor, settings: ServiceSettings): boolean {
  const { getAllowlist, postAllowlist } = settings;
  const list = { GET: getAllowlist, POST: postAllowlist, DELETE: undefined }[route.method];
  return list === undefined || list.includes(route.path.slice(route.path.lastIndexOf("/") + 1));
}

/** Weight of a request; what its query says counts only when the query can be read. */
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
