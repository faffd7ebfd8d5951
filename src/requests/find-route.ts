import { COMPAT_ROUTES } from "./compat-routes.ts";
import { type AnyRoute, ROUTES } from "./routes.ts";

const ALL: readonly AnyRoute[] = [...ROUTES, ...COMPAT_ROUTES];

const BY_PATH: ReadonlyMap<string, readonly AnyRoute[]> = new Map(
  ALL.map(({ path }) => [path, ALL.filter((route) => route.path === path)]),
);

/** Returns the routes at an exact raw path; none for an unknown path. */
export function routesAt(path: string): readonly AnyRoute[] {
  return BY_PATH.get(path) ?? [];
}

/**
 * Returns the route of a method and an exact raw path, or "wrong-method" if the path has other methods only, or
 * undefined for an unknown path.
 * Source: decision 49, hostile input 44.
 */
export function findRoute(method: string, path: string): AnyRoute | "wrong-method" | undefined {
  const here = BY_PATH.get(path);
  return here && (here.find((route) => route.method === method) ?? "wrong-method");
}
