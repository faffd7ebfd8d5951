import { OrderError } from "../../errors/index.ts";
import type { Dialect } from "../../requests/index.ts";
import { type Parameters, readQuery, splitTarget, type WireRequest } from "../../wire/index.ts";
import type { ServiceSettings } from "../rest/api.ts";
import type { ServiceParts } from "../rest/parts.ts";
import { clientStream } from "./client-streams.ts";
import type { SocketParts } from "./connection.ts";
import { liquidityNames, type NamedStream, type PublicForm } from "./public-session.ts";

/** What a connection at a target is for. */
export type Destination =
  | Readonly<{ kind: "private"; dialect: Dialect; returnRateLimits: boolean }>
  | (Readonly<{ kind: "public" }> & PublicForm);

/** A dialect of requests, public streams, or those of the public convention. */
type Kind = Dialect | "public" | "client";

/**
 * The dialect of requests, or public streams, at each path. Source: contract, WebSocket request methods and Events;
 * decisions 43 and NO.
 */
const PATHS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["/ws/listenKey", "own"],
  ["/ws-api/v3", "own"],
  ["/compat/ws-api/v3", "convention"],
  ["/ws/liquidity", "public"],
]);

/**
 * The paths of the streams of the public convention, also below the prefix of its REST routes: `/stream`, and `/ws/` with
 * names of streams. A name is a number if a client numbers its connections; it names no stream.
 */
const CLIENT_PATH =
  /^(?:\/compat)?\/(?:stream|ws\/(?<names>[0-9]{1,4}|[^/@]+(?:@|%40)[^/]+(?:\/[^/@]+(?:@|%40)[^/]+)*))$/;

/**
 * Returns whether a target in a server of a host is certainly one of the service. `/ws/0` and a `/stream` without names
 * are not: the host may have sockets of its own there.
 */
export function isSocketTarget(target: string): boolean {
  const { path = "", query = "" } = splitTarget(target) ?? {};
  if (PATHS.has(path)) return true;
  if (!CLIENT_PATH.test(path)) return false;
  return path.startsWith("/compat/") || /@|%40/.test(path) || /(?:^|&)streams=/.test(query);
}

/** Returns whether a request is for a connection at a path of the service. Paths are matched on raw bytes. */
export function leadsSomewhere({ method, target }: WireRequest, { settings }: ServiceParts): boolean {
  return method === "GET" && kindAt(splitTarget(target)?.path ?? "", settings) !== undefined;
}

function kindAt(path: string, { compatRoutes = true }: ServiceSettings): Kind | undefined {
  const kind = PATHS.get(path) ?? (CLIENT_PATH.test(path) ? "client" : undefined);
  const isCompat = kind === "convention" || kind === "client";
  return isCompat && !compatRoutes ? undefined : kind;
}

/**
 * Returns the destination of a target, or undefined for an unknown path. Throws an OrderError: -1106 for a parameter
 * that the path does not have, -1130 for a value that it does not take, such as an unknown stream.
 */
export function destinationOf(target: string, parts: SocketParts): Destination | undefined {
  const split = splitTarget(target);
  const kind = split && kindAt(split.path, parts.service.settings);
  if (split === undefined || kind === undefined) return undefined;
  const parameters = readQuery(split.query);
  if (kind === "client") return { kind: "public", ...clientForm(split.path, parameters, parts) };
  if (kind !== "public") return { kind: "private", dialect: kind, returnRateLimits: readSwitch(parameters) };
  for (const field of parameters.keys()) throw new OrderError("PARAMETER_NOT_REQUIRED", { field });
  return { kind, read: liquidityNames(parts.service), first: [], isCombined: false };
}

function readSwitch(parameters: Parameters): boolean {
  for (const [field, { text }] of parameters) {
    if (field !== "returnRateLimits") throw new OrderError("PARAMETER_NOT_REQUIRED", { field });
    if (text !== "true" && text !== "false") {
      throw new OrderError("INVALID_PARAMETER", { field, advice: "Send true or false." });
    }
  }
  return parameters.get("returnRateLimits")?.text !== "false";
}

/** Parameters that clients of the convention append. Times are in milliseconds. */
const CLIENT_PARAMETERS: ReadonlySet<string> = new Set(["streams", "timeUnit"]);

function clientForm(path: string, parameters: Parameters, parts: SocketParts): PublicForm {
  for (const field of parameters.keys()) {
    if (!CLIENT_PARAMETERS.has(field)) throw new OrderError("PARAMETER_NOT_REQUIRED", { field });
  }
  if (!/^(?:millisecond)?$/i.test(parameters.get("timeUnit")?.text ?? "")) {
    throw new OrderError("INVALID_PARAMETER", { field: "timeUnit", advice: "Send MILLISECOND, or omit it." });
  }
  const isCombined = path.endsWith("/stream");
  const inPath = CLIENT_PATH.exec(path)?.groups?.names ?? "";
  const names = isCombined ? (parameters.get("streams")?.text ?? "") : inPath.replaceAll("%40", "@");
  const read = (name: string): NamedStream | undefined => clientStream(parts.service, name);
  return { read, first: isNumber(names) ? [] : firstStreams(names, read, parts), isCombined };
}

const isNumber = (names: string): boolean => /^[0-9]*$/.test(names);

const STREAMS = "Send names such as btcusd@trade, separated by slashes. Take the symbols from exchangeInfo.";

function firstStreams(
  names: string,
  read: PublicForm["read"],
  { settings }: SocketParts,
): readonly NamedStream[] {
  const wanted = names.split("/").filter((name) => name !== "");
  const found = wanted.slice(0, settings.maxStreams).map(read);
  const known = found.filter((stream) => stream !== undefined);
  if (known.length === wanted.length) return known;
  throw new OrderError("INVALID_PARAMETER", { field: "streams", advice: STREAMS });
}
