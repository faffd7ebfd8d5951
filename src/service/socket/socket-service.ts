import { OrderError } from "../../errors/index.ts";
import { type AnyRoute, ROUTES } from "../../requests/index.ts";
import {
  type Parameters,
  readQuery,
  splitTarget,
  type WireRequest,
  type WireResponse,
} from "../../wire/index.ts";
import { demandConnection, demandWeight, tellRefusal, weigh } from "../access/rate-limits.ts";
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

type Kind = "private" | "public";

/** The kind of connection at each path. Source: contract, WebSocket request methods and Events; decision 43. */
const PATHS: ReadonlyMap<string, Kind> = new Map([
  ["/ws/listenKey", "private"],
  ["/ws-api/v3", "private"],
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
  const { engine, clock, entropy, native } = service;
  const { accountEvents, requestToken, realClock = clock } = options;
  const served = new Set<AnyRoute["name"]>(
    ROUTES.filter((route) => isServed(route, service.settings)).map(({ name }) => name),
  );
  let made: SocketParts | undefined;
  return new Sockets(settings.maxFramesPerSecond, () => {
    made ??= {
      service,
      settings,
      realClock,
      requestToken,
      serves: ({ name }) => served.has(name),
      streams: new AccountStreams({ engine, clock, entropy, accountEvents, native }),
      markets: new MarketStreams({ engine, clock }),
    };
    return made;
  });
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
      const leads = leadsSomewhere(request) && service.crossOrigin.admits(request.rawHeaders);
      const verdict = await weigh(service, { address, weight: leads ? CONNECT_WEIGHT : UNKNOWN_WEIGHT });
      usedWeight = verdict.used;
      tellRefusal(service, address, verdict);
      if (!leads) throw new OrderError("NOT_FOUND");
      destinationOf(request.target);
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
    const destination = destinationOf(peer.target);
    if (destination === undefined) throw new RangeError("no such WebSocket path");
    const { kind, returnRateLimits } = destination;
    const onEnd = (): void => void this.#sessions.delete(session);
    const session: LiveSession =
      kind === "private"
        ? new PrivateSession(this.#parts(), { peer, returnRateLimits, onEnd })
        : new LiquiditySession(this.#parts(), { peer, onEnd });
    this.#sessions.add(session);
    if (this.#stopping) session.shutdown();
    return transportSide(session);
  }

  shutdown(): void {
    this.#stopping = true;
    for (const session of [...this.#sessions]) session.shutdown();
  }
}

const leadsSomewhere = ({ method, target }: WireRequest): boolean =>
  method === "GET" && PATHS.has(splitTarget(target)?.path ?? "");

/**
 * Returns the destination of a target, or undefined for an unknown path. Paths are matched on raw bytes. Throws an
 * OrderError for a query with anything but returnRateLimits=true or false on a private path.
 */
function destinationOf(target: string): Destination | undefined {
  const split = splitTarget(target);
  const kind = PATHS.get(split?.path ?? "");
  if (split === undefined || kind === undefined) return undefined;
  const parameters = readQuery(split.query);
  return { kind, returnRateLimits: readSwitch(kind, parameters) };
}

function readSwitch(kind: Kind, parameters: Parameters): boolean {
  for (const [name, { text }] of parameters) {
    const isKnown = kind === "private" && name === "returnRateLimits";
    if (!isKnown) throw new OrderError("PARAMETER_NOT_REQUIRED", { field: name });
    if (text !== "true" && text !== "false") {
      throw new OrderError("INVALID_PARAMETER", { field: name, advice: "Send true or false." });
    }
  }
  return parameters.get("returnRateLimits")?.text !== "false";
}
