import { OrderError } from "../../errors/index.ts";
import { type AnyRoute, COMPAT_ROUTES, METHODS, ROUTES } from "../../requests/index.ts";
import type { WireRequest, WireResponse } from "../../wire/index.ts";
import { demandConnection, demandWeight, tellRefusal, weigh } from "../access/rate-limits.ts";
import type { ServiceSettings } from "../rest/api.ts";
import { refusalOf } from "../rest/failures.ts";
import type { ServiceParts } from "../rest/parts.ts";
import { refusalReply, requestIdOf, wireReply } from "../rest/replies.ts";
import { isServed, UNKNOWN_WEIGHT } from "../rest/routing.ts";
import { AccountStreams } from "./account-streams.ts";
import type { SocketOptions, SocketPeer, SocketService, SocketSession } from "./api.ts";
import { type LiveSession, type SocketParts, transportSide } from "./connection.ts";
import { destinationOf, leadsSomewhere } from "./destinations.ts";
import { MarketStreams } from "./market-streams.ts";
import { PrivateSession } from "./private-session.ts";
import { PublicSession } from "./public-session.ts";
import { resolveSocketSettings } from "./settings.ts";

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
      const leads = leadsSomewhere(request, service) && service.crossOrigin.admits(request.rawHeaders);
      const verdict = await weigh(service, { address, weight: leads ? CONNECT_WEIGHT : UNKNOWN_WEIGHT });
      usedWeight = verdict.used;
      tellRefusal(service, address, verdict);
      // The names of streams are looked up in the host's catalogue, which a banned address must not cause.
      demandWeight(service, verdict);
      if (!leads) throw new OrderError("NOT_FOUND");
      destinationOf(request.target, this.#parts());
      if (this.#stopping) throw new OrderError("SHUTTING_DOWN");
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
    const destination = destinationOf(peer.target, parts);
    if (destination === undefined) throw new RangeError("no such WebSocket path");
    const onEnd = (): void => void this.#sessions.delete(session);
    const session: LiveSession =
      destination.kind === "public"
        ? new PublicSession(parts, { peer, onEnd, ...destination })
        : new PrivateSession(parts, { peer, onEnd, ...destination });
    this.#sessions.add(session);
    if (this.#stopping) session.shutdown();
    return transportSide(session);
  }

  shutdown(): void {
    this.#stopping = true;
    for (const session of [...this.#sessions]) session.shutdown();
  }
}
