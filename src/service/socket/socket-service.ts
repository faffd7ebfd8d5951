import { networkOf } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { AccountEvents } from "../../ports/index.ts";
import { type AnyRoute, COMPAT_ROUTES, METHODS, ROUTES } from "../../requests/index.ts";
import type { WireRequest, WireResponse } from "../../wire/index.ts";
import { refuseExcess, requireConnection, weigh } from "../access/rate-limits.ts";
import type { EntryParts, ServiceParts } from "../rest/parts.ts";
import { refusalOf, refusalReply, requestIdOf, wireReply } from "../rest/replies.ts";
import { isServed, type ServiceSettings, UNKNOWN_WEIGHT } from "../rest/routing.ts";
import { AccountStreams } from "./account-streams.ts";
import { OwnAnswers } from "./answers.ts";
import {
  resolveSocketSettings,
  type SocketOptions,
  type SocketPeer,
  type SocketService,
  type SocketSession,
  type SocketSettings,
} from "./api.ts";
import { type LiveSession, type SocketParts, transportSide } from "./connection.ts";
import { countStreamNames, destinationOf, leadsSomewhere } from "./destinations.ts";
import { MarketStreams } from "./market-streams.ts";
import { PrivateSession } from "./private-session.ts";
import { PublicSession } from "./public-session.ts";

/** Weight of opening a connection, besides that of the streams that its target names (convention 4.1). */
const CONNECT_WEIGHT = 2;

/**
 * Returns a function that makes the parts of a service's WebSocket interface when it is first called, so that a service
 * without connections costs nothing.
 */
export function socketPartsOf(
  service: ServiceParts,
  options: Omit<SocketOptions, "accountEvents">,
  accountEvents: AccountEvents | undefined,
): () => SocketParts {
  const settings = resolveSocketSettings(options.settings);
  const { requestToken, realClock = service.clock } = options;
  let made: SocketParts | undefined;
  return () => {
    if (made !== undefined) return made;
    const streams = new AccountStreams({ ...service, accountEvents });
    made = {
      ...{ service, settings, realClock, streams, requestToken, hasTokens: requestToken !== undefined },
      serves: servedBy(service.settings),
      answers: new OwnAnswers({
        ...{ service, streams, requestToken, maxWaitingBytes: settings.maxWaitingEventBytes },
      }),
      markets: new MarketStreams(service),
    };
    return made;
  };
}

/**
 * Returns a function that tells whether the settings serve the operation of a route, at any of its paths of the same
 * dialect.
 */
export function servedBy(settings: ServiceSettings): (route: AnyRoute) => boolean {
  const ofMethods = METHODS.flatMap((method) => ("route" in method ? [method.route] : []));
  const nameOf = ({ name, compat }: AnyRoute): string => (compat === true ? `compat ${name}` : name);
  const served = new Set(
    [...ROUTES, ...COMPAT_ROUTES, ...ofMethods].filter((route) => isServed(route, settings)).map(nameOf),
  );
  return (route) => served.has(nameOf(route));
}

/**
 * Resolves to the response that refuses an upgrade request, or to undefined if it may become a connection. `requireAdmission` throws
 * the OrderError of further refusals, after the request was weighed.
 */
export async function admitSocket(
  service: EntryParts,
  request: WireRequest,
  requireAdmission: () => void,
): Promise<WireResponse | undefined> {
  const requestId = requestIdOf(service);
  let usedWeight = 0;
  try {
    const address = service.clientAddress(request);
    // Browsers open WebSockets to any origin. Refuse here the origins that may not read replies over REST.
    const leads = leadsSomewhere(request, service) && service.crossOrigin.admits(request.rawHeaders);
    const weight = leads ? CONNECT_WEIGHT + countStreamNames(request.target) : UNKNOWN_WEIGHT;
    const verdict = await weigh(service, { address, weight });
    usedWeight = verdict.used;
    // The names of streams are looked up in the host's catalogue, which a banned address must not cause.
    refuseExcess(service, address, verdict);
    if (!leads) throw new OrderError("NOT_FOUND");
    requireAdmission();
    await requireConnection(service, address);
    return undefined;
  } catch (error) {
    const refusal = refusalOf(service, error, { fields: { requestId, route: "socket" }, onlyReads: true });
    return wireReply(refusalReply(refusal, { businessAs200: false }), { requestId, usedWeight, headers: {} });
  }
}

/**
 * The WebSocket interface of a service, without a transport. `parts` makes what its connections share.
 * Source: contract, WebSocket request methods, Events; decisions 43, 45, 49.
 */
export class Sockets implements SocketService {
  readonly #parts: () => SocketParts;
  readonly #sessions: Set<LiveSession> = new Set();
  #stopping = false;
  readonly maxFramesPerSecond: number;

  constructor(parts: () => SocketParts, settings: SocketSettings = {}) {
    this.#parts = parts;
    this.maxFramesPerSecond = resolveSocketSettings(settings).maxFramesPerSecond;
  }

  async admit(request: WireRequest): Promise<WireResponse | undefined> {
    const parts = this.#parts();
    return await admitSocket(parts.service, request, () => {
      const destination = destinationOf(request.target, parts);
      if (destination?.kind === "public") {
        const { traffic, clientAddress } = parts.service;
        traffic.streams.requirePlaces(networkOf(clientAddress(request)), destination.first.length);
      }
      if (this.#stopping) throw new OrderError("SHUTTING_DOWN");
    });
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
    session.begin?.();
    if (this.#stopping) session.shutdown();
    return transportSide(session);
  }

  shutdown(): void {
    this.#stopping = true;
    for (const session of [...this.#sessions]) session.shutdown();
  }
}
