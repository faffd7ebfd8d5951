import { OrderError } from "../../errors/index.ts";
import type { Dialect } from "../../requests/index.ts";
import { type Parameters, readQuery, splitTarget, type WireRequest } from "../../wire/index.ts";
import type { ServiceParts } from "../rest/parts.ts";
import type { ServiceSettings } from "../rest/routing.ts";
import type { SocketParts } from "./connection.ts";
import { clientStreams, liquidityStreams } from "./market-events.ts";
import { type PublicForm, streamsNamed } from "./public-session.ts";

/** A dialect of requests, or public streams. */
type PathKind = Dialect | "public";

/** The dialect of requests, or public streams, at each path. Source: contract, WebSocket request methods and Events. */
const PATHS: ReadonlyMap<string, PathKind> = new Map<string, PathKind>([
  ["/ws/listenKey", "own"],
  ["/ws-api/v3", "own"],
  ["/compat/ws-api/v3", "convention"],
  ["/ws/liquidity", "public"],
]);

/** Returns the dialect of the requests at a target. Targets without requests have that of the service. */
export function dialectAt(target: string): Dialect {
  return PATHS.get(splitTarget(target)?.path ?? "") === "convention" ? "convention" : "own";
}

/** The form of a connection for requests. */
export type PrivateForm = Readonly<{ dialect: Dialect; returnRateLimits: boolean }>;

/** What a path is for, or the streams of the public convention. */
type Kind = PathKind | "client";

/** Limits of a path with names of streams, in characters and names. Strangers send paths, and nothing is counted yet. */
const MAX_PATH_LENGTH = 32_768;
const MAX_NAMES_IN_PATH = 1_024;

/** The path of a connection without streams, by a client that numbers its connections. */
const NUMBERED = /^[0-9]{1,4}$/;

/**
 * Returns the names of streams in a path of the public convention, and undefined for any other path. The paths are
 * `/stream` and `/ws/` with names, also below the prefix of the convention's REST routes.
 */
function namesInPath(path: string): readonly string[] | undefined {
  if (path.length > MAX_PATH_LENGTH) return undefined;
  const below = path.startsWith("/compat/") ? path.slice("/compat".length) : path;
  if (below === "/stream") return [];
  if (!below.startsWith("/ws/")) return undefined;
  const text = below.slice("/ws/".length);
  if (NUMBERED.test(text)) return [];
  const names = text.split("/", MAX_NAMES_IN_PATH + 1).map((name) => name.replaceAll("%40", "@"));
  return names.length <= MAX_NAMES_IN_PATH && names.every(isStreamName) ? names : undefined;
}

/** Returns whether a text has the form of a stream's name: text on both sides of its first `@`. */
function isStreamName(text: string): boolean {
  const at = text.indexOf("@");
  return at > 0 && at < text.length - 1;
}

/**
 * Returns whether a target in a server of a host is certainly one of the service. `/ws/0` and a `/stream` without names
 * are not: the host may have sockets of its own there.
 */
export function isSocketTarget(target: string): boolean {
  const { path = "", query = "" } = splitTarget(target) ?? {};
  if (PATHS.has(path)) return true;
  const names = namesInPath(path);
  if (names === undefined) return false;
  return path.startsWith("/compat/") || names.length > 0 || /(?:^|&)streams=/.test(query);
}

/** Returns whether a request is for a connection at a path of the service. Paths are matched on raw bytes. */
export function leadsSomewhere(
  { method, target }: WireRequest,
  { settings }: Pick<ServiceParts, "settings">,
): boolean {
  return method === "GET" && kindAt(splitTarget(target)?.path ?? "", settings) !== undefined;
}

/** Returns how many names of streams a target contains, known or not. Nothing of it is looked up, and nothing is thrown. */
export function countStreamNames(target: string): number {
  const { path = "", query = "" } = splitTarget(target) ?? {};
  if (!path.endsWith("/stream")) return namesInPath(path)?.length ?? 0;
  const [, streams = ""] = /(?:^|&)streams=([^&]*)/.exec(query) ?? [];
  return streams.split(/\/|%2f/i).filter((name) => name !== "").length;
}

function kindAt(path: string, { compatRoutes = true }: ServiceSettings): Kind | undefined {
  const kind: Kind | undefined = PATHS.get(path);
  if (!compatRoutes) return kind === "convention" ? undefined : kind;
  return kind ?? (namesInPath(path) && "client");
}

/** Returns the dialect and the unread parameters of a target for requests, and undefined for any other target. */
function requestsAt(
  target: string,
  settings: ServiceSettings,
): Readonly<{ dialect: Dialect; query: string }> | undefined {
  const split = splitTarget(target);
  const kind = split && kindAt(split.path, settings);
  if (split === undefined || kind === undefined || kind === "client" || kind === "public") return undefined;
  return { dialect: kind, query: split.query };
}

/** Returns whether a target is one for requests; its parameters are not read. */
export const isForRequests = (target: string, settings: ServiceSettings): boolean =>
  requestsAt(target, settings) !== undefined;

/**
 * Returns the form of a connection for requests at a target, and undefined for any other target. Throws an OrderError as
 * {@link publicForm}.
 */
export function privateForm(target: string, settings: ServiceSettings): PrivateForm | undefined {
  const found = requestsAt(target, settings);
  return found && { dialect: found.dialect, returnRateLimits: readSwitch(readQuery(found.query)) };
}

/**
 * Returns the form of a connection to public streams at a target, and undefined for any other target. Throws an OrderError: -1106 for a parameter
 * that the path does not have, -1130 for a value that it does not take, such as an unknown stream.
 */
export function publicForm(target: string, parts: SocketParts): PublicForm | undefined {
  const split = splitTarget(target);
  const kind = split && kindAt(split.path, parts.service.settings);
  if (split === undefined || (kind !== "client" && kind !== "public")) return undefined;
  const parameters = readQuery(split.query);
  if (kind === "client") return clientForm(split.path, parameters, parts);
  for (const field of parameters.keys()) throw new OrderError("PARAMETER_NOT_REQUIRED", { field });
  return { reader: () => liquidityStreams(parts.service), first: [], isCombined: false };
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

const STREAMS = "Send names such as btcusd@trade, separated by slashes. Take the symbols from exchangeInfo.";

function clientForm(path: string, parameters: Parameters, parts: SocketParts): PublicForm {
  for (const field of parameters.keys()) {
    if (!CLIENT_PARAMETERS.has(field)) throw new OrderError("PARAMETER_NOT_REQUIRED", { field });
  }
  if (!/^(?:millisecond)?$/i.test(parameters.get("timeUnit")?.text ?? "")) {
    throw new OrderError("INVALID_PARAMETER", { field: "timeUnit", advice: "Send MILLISECOND, or omit it." });
  }
  const isCombined = path.endsWith("/stream");
  const requested = parameters.get("streams")?.text ?? "";
  const names = isCombined ? requested.split("/").filter((name) => name !== "") : (namesInPath(path) ?? []);
  const reader: PublicForm["reader"] = () => clientStreams(parts.service);
  const first = names.length <= parts.settings.maxStreams ? streamsNamed(names, reader()) : undefined;
  if (first === undefined) throw new OrderError("INVALID_PARAMETER", { field: "streams", advice: STREAMS });
  return { reader, first, isCombined };
}
