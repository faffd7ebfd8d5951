import type { Dialect } from "../../requests/index.ts";
import { splitTarget } from "../../wire/index.ts";

/** A dialect of requests, or public streams. */
export type PathKind = Dialect | "public";

/**
 * The dialect of requests, or public streams, at each path. Source: contract, WebSocket request methods and Events;
 * decisions 43 and NO.
 */
export const PATHS: ReadonlyMap<string, PathKind> = new Map<string, PathKind>([
  ["/ws/listenKey", "own"],
  ["/ws-api/v3", "own"],
  ["/compat/ws-api/v3", "convention"],
  ["/ws/liquidity", "public"],
]);

/** Returns the dialect of the requests at a target. Targets without requests have that of the service. */
export function dialectAt(target: string): Dialect {
  return PATHS.get(splitTarget(target)?.path ?? "") === "convention" ? "convention" : "own";
}
