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
import { type MessageAnswers, OwnAnswers } from "./answers.ts";
import {
  resolveSocketSettings,
  type SocketOptions,
  type SocketPeer,
  type SocketService,
  type SocketSession,
  type SocketSettings,
} from "./api.ts";
import { type LiveSession, type SessionParts, type SocketParts, transportSide } from "./connection.ts";
import { countStreamNames, isForRequests, leadsSomewhere, privateForm, publicForm } from "./destinations.ts";
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
  const { requestToken } = options;
  let made: SocketParts | undefined;
  return () => {
    if (made !== undefined) return made;
    const streams = new AccountStreams({ ...service, accountEvents });
    const session = sessionPartsOf(
      service,
      options,
      ({ maxWaitingEventBytes: maxWaitingBytes }) =>
        new OwnAnswers({ service, streams, requestToken, maxWaitingBytes }),
    );
    made = { ...session, service, streams, requestToken, markets: new MarketStreams(service) };
    return made;
  };
}

/** Returns the parts of connections for requests, whose messages are answered by what `answersOf` makes. */
export function sessionPartsOf(
  service: EntryParts,
  { settings, requestToken, realClock = service.clock }: Omit<SocketOptions, "accountEvents">,
  answersOf: (settings: Required<SocketSettings>) => MessageAnswers,
): SessionParts {
  const resolved = resolveSocketSettings(settings);
  return {
    ...{ service, settings: resolved, realClock, hasTokens: requestToken !== undefined },
    serves: servedBy(service.settings),
    answers: answersOf(resolved),
  };
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

/**
 * Resolves to the response that refuses an upgrade request, or to undefined if it may become a connection. `requireAdmission` throws
 * the OrderError of further refusals, after the request was weighed.
 */
async function admitSocket(
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

/** The open connections of an interface. */
class OpenSessions {
  readonly #open: Set<LiveSession> = new Set();
  #isShut = false;

  /** Opens the connection that `make` makes. It is told at once if the interface stops. */
  open(make: (onEnd: () => void) => LiveSession): SocketSession {
    const session = make(() => void this.#open.delete(session));
    this.#open.add(session);
    session.begin?.();
    if (this.#isShut) session.shutdown();
    return transportSide(session);
  }

  get isShut(): boolean {
    return this.#isShut;
  }

  /** Throws an OrderError -1016 while the interface stops. */
  requireOpen(): void {
    if (this.#isShut) throw new OrderError("SHUTTING_DOWN");
  }

  shutdown(): void {
    this.#isShut = true;
    for (const session of [...this.#open]) session.shutdown();
  }
}

/** The connections to public streams, without a transport. Source: convention 4.12. */
export class StreamSockets implements SocketService {
  readonly #parts: () => SocketParts;
  readonly #sessions: OpenSessions = new OpenSessions();

  constructor(parts: () => SocketParts) {
    this.#parts = parts;
  }

  async admit(request: WireRequest): Promise<WireResponse | undefined> {
    const parts = this.#parts();
    return await admitSocket(parts.service, request, () => {
      const { traffic, clientAddress } = parts.service;
      const form = publicForm(request.target, parts);
      if (form !== undefined)
        traffic.streams.requirePlaces(networkOf(clientAddress(request)), form.first.length);
      this.#sessions.requireOpen();
    });
  }

  connect(peer: SocketPeer): SocketSession {
    const parts = this.#parts();
    const form = publicForm(peer.target, parts);
    if (form === undefined) throw new RangeError("no such WebSocket path");
    return this.#sessions.open((onEnd) => new PublicSession(parts, { peer, onEnd, ...form }));
  }

  shutdown(): void {
    this.#sessions.shutdown();
  }
}

/**
 * The WebSocket interface of a service, or of a node of a cluster, without a transport. Connections for requests stay here,
 * whoever answers their messages. Those to public streams are given to the interface that `serve` names, because only a
 * service has the market. `parts` makes what the connections share. Source: contract, WebSocket request methods, Events.
 */
export class Sockets implements SocketService {
  readonly #parts: () => SessionParts;
  readonly #sessions: OpenSessions = new OpenSessions();
  readonly maxFramesPerSecond: number;
  #streams: SocketService | undefined;

  constructor(parts: () => SessionParts, settings: SocketSettings = {}) {
    this.#parts = parts;
    this.maxFramesPerSecond = resolveSocketSettings(settings).maxFramesPerSecond;
  }

  /** Passes connections to public streams to an interface from now on. */
  serve(streams: SocketService): void {
    this.#streams = streams;
    if (this.#sessions.isShut) streams.shutdown();
  }

  async admit(request: WireRequest): Promise<WireResponse | undefined> {
    const { service } = this.#parts();
    if (this.#streams !== undefined && !isForRequests(request.target, service.settings))
      return await this.#streams.admit(request);
    return await admitSocket(service, request, () => {
      if (privateForm(request.target, service.settings) === undefined) throw new OrderError("DISCONNECTED");
      this.#sessions.requireOpen();
    });
  }

  connect(peer: SocketPeer): SocketSession {
    const parts = this.#parts();
    const form = privateForm(peer.target, parts.service.settings);
    if (form !== undefined)
      return this.#sessions.open((onEnd) => new PrivateSession(parts, { peer, onEnd, ...form }));
    // Before, connections to public streams are not admitted.
    if (this.#streams === undefined) throw new OrderError("DISCONNECTED");
    return this.#streams.connect(peer);
  }

  shutdown(): void {
    this.#sessions.shutdown();
    this.#streams?.shutdown();
  }
}
