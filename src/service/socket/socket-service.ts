import { OrderError } from "../../errors/index.ts";
import { type AnyRoute, COMPAT_ROUTES, type Dialect, METHODS, ROUTES } from "../../requests/index.ts";
import {
  type Parameters,
  readQuery,
  splitTarget,
  type WireRequest,
  type WireResponse,
} from "../../wire/index.ts";
import { demandConnection, demandWeight, tellRefusal, weigh } from "../access/rate-limits.ts";
import type { ServiceSettings } from "../rest/api.ts";
import { refusalOf } from "../rest/failures.ts";
import type { ServiceParts } from "../rest/parts.ts";
import { refusalReply, requestIdOf, wireReply } from "../rest/replies.ts";
import { isServed, UNKNOWN_WEIGHT } from "../rest/routing.ts";
import { AccountStreams } from "./account-streams.ts";
import type { SocketOptions, SocketPeer, SocketService, SocketSession } from "./api.ts";
import { type LiveSession, type SocketParts, transportSide } from "./connection.ts";
import { LiquiditySession } from "./liquidity-session.ts";
import { MarketStreams } from "./market-streams.ts";
import { PrivateSession } from "./private-session.ts";
import { resolveSocketSettings } from "./settings.ts";

/** The kind of a connection: one for public streams, or one for requests and private streams in a dialect. */
type Kind = Dialect | "public";

/** The kind of connection at each path. Source: contract, WebSocket request methods and Events; decisions 43 and NO. */
const PATHS: ReadonlyMap<string, Kind> = new Map([
  ["/ws/listenKey", "own"],
  ["/ws-api/v3", "own"],
  ["/compat/ws-api/v3", "convention"],
  ["/ws/liquidity", "public"],
]);

/**
 * The paths at which connections are opened, as they appear in a target. Source: contract, WebSocket request methods
 * and Events.
 */
export const SOCKET_PATHS: readonly string[] = [...PATHS.keys()];

/** Weight of opening a connection (convention 4.1). */
const CONNECT_WEIGHT = 2;

/**
 * Creates the WebSocket interface of a service, without a transport.
 * Source: contract, WebSocket request methods, Events; decisions 43, 45, 49.
 */
export function createSockets(service: ServiceParts, options: SocketOptions): SocketService {
  const settings = resolveSocketSettings(options.settings);
  const { engine, clock, entropy, native, instruments } = service;
  const { accountEvents, requestToken, realClock = clock } = options;
  let made: SocketParts | undefined;
  return new Sockets(settings.maxFramesPerSecond, () => {
    made ??= {
      service,
      settings,
      realClock,
      requestToken,
      serves: servedBy(service.settings),
      streams: new AccountStreams({ engine, clock, entropy, accountEvents, native, instruments }),
      markets: new MarketStreams({ engine, clock }),
    };
    return made;
  });
}

/**
 * Returns a function that tells whether the settings serve the operation of a route, at any of its paths of the same
 * dialect.
 */
function servedBy(settings: ServiceSettings): (route: AnyRoute) => boolean {
  const ofMethods = METHODS.flatMap((method) => ("route" in method ? [method.route] : []));
  const nameOf = ({ name, compat }: AnyRoute): string => (compat === true ? `compat ${name}` : name);
  const served = new Set(
    [...ROUTES, ...COMPAT_ROUTES, ...ofMethods].filter((route) => isServed(route, settings)).map(nameOf),
  );
  return (route) => served.has(nameOf(route));
}

type Destination = Readonly<{ kind: Kind; returnRateLimits: boolean }>;

class Sockets implements SocketService {
  readonly #parts: () => SocketParts;
  readonly #sessions: Set<LiveSession> = new Set();
  #stopping = false;

  readonly maxFramesPerSecond: number;

  /** `parts` is called when the first connection arrives, so that a service without connections costs nothing. */
  constructor(maxFramesPerSecond: number, parts: () => SocketParts) {
    this.maxFramesPerSecond = maxFramesPerSecond;
    this.#parts = parts;
  }

  async admit(request: WireRequest): Promise<WireResponse | undefined> {
    const { service } = this.#parts();
    const requestId = requestIdOf(service);
    let usedWeight = 0;
    try {
      const address = service.clientAddress(request);
      // Browsers open WebSockets to any origin. Refuse here the origins that may not read replies over REST.
      const leads =
        leadsSomewhere(request, service.settings) && service.crossOrigin.admits(request.rawHeaders);
      const verdict = await weigh(service, { address, weight: leads ? CONNECT_WEIGHT : UNKNOWN_WEIGHT });
      usedWeight = verdict.used;
      tellRefusal(service, address, verdict);
      if (!leads) throw new OrderError("NOT_FOUND");
      destinationOf(request.target, service.settings);
      if (this.#stopping) throw new OrderError("SHUTTING_DOWN");
      demandWeight(service, verdict);
      await demandConnection(service, address);
      return undefined;
    } catch (error) {
      const refusal = refusalOf(service, error, { fields: { requestId, route: "socket" }, onlyReads: true });
      return wireReply(refusalReply(refusal, { businessAs200: false }), {
        requestId,
        usedWeight,
        headers: {},
      });
    }
  }

  connect(peer: SocketPeer): SocketSession {
    const parts = this.#parts();
    const destination = destinationOf(peer.target, parts.service.settings);
    if (destination === undefined) throw new RangeError("no such WebSocket path");
    const { kind, returnRateLimits } = destination;
    const onEnd = (): void => void this.#sessions.delete(session);
    const session: LiveSession =
      kind === "public"
        ? new LiquiditySession(parts, { peer, onEnd })
        : new PrivateSession(parts, { peer, dialect: kind, returnRateLimits, onEnd });
    this.#sessions.add(session);
    if (this.#stopping) session.shutdown();
    return transportSide(session);
  }

  shutdown(): void {
    this.#stopping = true;
    for (const session of [...this.#sessions]) session.shutdown();
  }
}

const leadsSomewhere = ({ method, target }: WireRequest, settings: ServiceSettings): boolean =>
  method === "GET" && kindAt(splitTarget(target)?.path ?? "", settings) !== undefined;

function kindAt(path: string, { compatRoutes = true }: ServiceSettings): Kind | undefined {
  const kind = PATHS.get(path);
  return kind === "convention" && !compatRoutes ? undefined : kind;
}

/**
 * Returns the destination of a target, or undefined for an unknown path. Paths are matched on raw bytes. Throws an
 * OrderError for a query with anything but returnRateLimits=true or false on a private path.
 */
function destinationOf(target: string, settings: ServiceSettings): Destination | undefined {
  const split = splitTarget(target);
  const kind = kindAt(split?.path ?? "", settings);
  if (split === undefined || kind === undefined) return undefined;
  const parameters = readQuery(split.query);
  return { kind, returnRateLimits: readSwitch(kind, parameters) };
}

function readSwitch(kind: Kind, parameters: Parameters): boolean {
  for (const [name, { text }] of parameters) {
    const isKnown = kind !== "public" && name === "returnRateLimits";
    if (!isKnown) throw new OrderError("PARAMETER_NOT_REQUIRED", { field: name });
    if (text !== "true" && text !== "false") {
      throw new OrderError("INVALID_PARAMETER", { field: name, advice: "Send true or false." });
    }
  }
  return parameters.get("returnRateLimits")?.text !== "false";
}
