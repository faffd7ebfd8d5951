import {
  flagOption,
  functionOption,
  listOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  portOption,
  textOption,
  wholeOption,
  wrongOption,
} from "../common/index.ts";
import type { Engine } from "../engine/index.ts";
import {
  checkedAccountEvents,
  checkedAccounts,
  checkedBalances,
  checkedClock,
  checkedEntropy,
  checkedInstruments,
  checkedNativeOrders,
  checkedRateLimiter,
  checkedRejections,
  Questions,
  QuietTelemetry,
} from "../host-answers/index.ts";
import { CHILD_PREFIX, shardOf } from "../lifecycle/index.ts";
import type {
  AccountEvents,
  Accounts,
  Balances,
  Clock,
  Entropy,
  Instruments,
  NativeOrders,
  RateLimiter,
  Rejections,
  Telemetry,
} from "../ports/index.ts";
import {
  accountEventsOption,
  accountsOption,
  balancesOption,
  clockOption,
  entropyOption,
  instrumentsOption,
  nativeOrdersOption,
  rateLimiterOption,
  rejectionsOption,
  telemetryOption,
} from "../ports/internal.ts";
import { createReplayGuard, type ReplayGuardOptions } from "../signing/index.ts";
import { replayGuardOption } from "../signing/internal.ts";
import type { WireRequest, WireResponse } from "../wire/index.ts";
import { clientAddressBehind, readAddressBlock } from "./access/addresses.ts";
import type { Front } from "./access/authentication.ts";
import { crossOriginOf, isAllowableOrigin } from "./access/cross-origin.ts";
import { ClientSymbols } from "./rest/compat/names.ts";
import { CountedPlacements } from "./rest/counted-placements.ts";
import { type EntryParts, LongAnswers, quoteSeriesOf, type ServiceParts } from "./rest/parts.ts";
import { createRejectionBuffer } from "./rest/rejections.ts";
import { type Arrival, handleForwarded, handleRequest, type ShardElsewhere } from "./rest/rest-service.ts";
import { Documents, type HostFeatures, type ServiceSettings } from "./rest/routing.ts";
import { type MessageAnswers, OwnAnswers, type StreamSink } from "./socket/answers.ts";
import type { SocketOptions, SocketService, SocketSettings } from "./socket/api.ts";
import type { SocketParts } from "./socket/connection.ts";
import { answerForwarded, type ForwardedMessage, type ForwardedReply } from "./socket/private-session.ts";
import { Sockets, StreamSockets, socketPartsOf } from "./socket/socket-service.ts";
import type { ByteLimits, StreamLimits, TrafficLimits } from "./traffic/api.ts";
import { Traffic } from "./traffic/traffic.ts";
import { TrafficTurns } from "./traffic/turns.ts";

/** Dependencies and settings of a service. */
export interface ServiceOptions {
  readonly engine: Engine;
  readonly accounts: Accounts;
  readonly instruments: Instruments;
  readonly clock: Clock;
  /** Generates request ids. */
  readonly entropy: Entropy;
  readonly rateLimiter: RateLimiter;
  /** The host's ordinary order flow; without it native orders and their history answer 404 -1020. */
  readonly nativeOrders?: NativeOrders;
  /** Balances of the accounts; without them GET /compat/api/v3/account answers 404 -1020. */
  readonly balances?: Balances;
  /** Store of early business rejections; default {@link createRejectionBuffer}: 16 per account, in memory. */
  readonly rejections?: Rejections;
  /** Limits of the replay guard; `false` turns it off. */
  readonly replayGuard?: ReplayGuardOptions | false;
  readonly telemetry?: Telemetry;
  readonly settings?: ServiceSettings;
  /**
   * Limits on what clients may hold at once: connections, and bytes of requests and answers. In a cluster, `traffic` of
   * the node's `createClusterService`, which counts what its clients hold before and after a takeover.
   */
  readonly traffic?: TrafficLimits | Traffic;
  /**
   * Documents that GET serves without authentication, as JSON text by path, such as `/openapi.json`. Each is made on
   * its first request and has weight 20.
   */
  readonly documents?: Readonly<Record<string, () => string>>;
  /** Optional settings of the WebSocket interface. */
  readonly sockets?: SocketOptions;
}

/**
 * The service of one node of a cluster: it executes nothing for accounts of the shards of other nodes.
 *
 * @internal
 */
export interface NodeShare {
  /**
   * Answers one request of a client, like that of {@link Service}. A request that is allowed, but about an account of
   * another node, goes to `elsewhere` after it was weighed.
   */
  handle(request: WireRequest, arrival: Arrival): Promise<WireResponse>;
  /**
   * Answers one request that another node has received, weighed and sealed. `remoteAddress` is the client's, and
   * X-Forwarded-For is not read. `usedWeight` goes into the headers of the reply, and after `expiresAtMs` nothing is
   * decided. Returns the shard of an account that this node does not own.
   */
  handleForwarded(
    request: WireRequest,
    told: Readonly<{ usedWeight: number; expiresAtMs: number }>,
  ): Promise<WireResponse | ShardElsewhere>;
  /** Answers the messages of this node's own connections. Throws as soon as an account turns out to be elsewhere. */
  readonly answers: MessageAnswers;
  /** Answers one message that another node has received, and opens the stream that it asks for if there is a sink. */
  message(message: ForwardedMessage, sink?: StreamSink): Promise<ForwardedReply | ShardElsewhere>;
  /** The rate limiter of the service. */
  readonly rateLimiter: RateLimiter;
}

/** REST and WebSocket without a transport. */
export interface Service {
  /**
   * Answers one request. A failure is also returned as a response. `front` is the front thread that the request came
   * through, if any.
   */
  handle(request: WireRequest, front?: Front): Promise<WireResponse>;
  /**
   * Returns the service as a node of a cluster uses it. `owns` says whether the node owns a shard. `createClusterService`
   * calls it.
   *
   * @internal
   */
  forNode?(owns: (shard: number) => boolean): NodeShare;
  /** Paths of the documents that the service serves besides its routes below `/api/`. */
  readonly documents?: readonly string[];
  /** The same orders over WebSocket, and the streams. */
  readonly sockets: SocketService;
  /**
   * The bytes and connections that all clients of the service hold together. A mount counts with it, or with one of its
   * own if it is missing.
   */
  readonly traffic?: Traffic;
  /**
   * Reports warnings and errors of the service, and of its engine, to a telemetry if they have none of their own, until
   * the returned function is called. A mount passes its own telemetry. Of several telemetries the first is told.
   */
  reportTo?(telemetry: Telemetry): () => void;
}

const flag = optionalOption(flagOption);
const positive = optionalOption(wholeOption({ from: 1 }));
const positiveMs = optionalOption(wholeOption({ from: 1 }, " of milliseconds"));
const names = (wanted: string): OptionCheck => optionalOption(listOption(wanted, textOption()));

const isBlock = (text: string): boolean => readAddressBlock(text) !== undefined;

const serviceSettingsOption: OptionCheck = optionsOf<ServiceSettings>({
  features: optionalOption(
    optionsOf<HostFeatures>({ leveraged_trading: flag, dark_pool_mode: flag, bridge_required: flag }),
  ),
  businessErrorsAs200: flag,
  getAllowlist: names('a list of last path segments, such as ["orderStatus"]'),
  postAllowlist: names('a list of last path segments, such as ["order"]'),
  compatRoutes: flag,
  allowedOrigins: optionalOption(
    listOption(
      "a list of web origins",
      textOption("* or an origin such as https://desk.example.com", isAllowableOrigin),
    ),
  ),
  trustedProxies: optionalOption(
    listOption(
      "a list of addresses or CIDR blocks",
      textOption("an IP address or a CIDR block such as 10.0.0.0/8", isBlock),
    ),
  ),
});

const byteLimits = optionalOption(
  optionsOf<ByteLimits>({ perConnection: positive, perAddress: positive, inAll: positive }),
);

const trafficOption: OptionCheck = optionsOf<TrafficLimits>({
  connectionsPerAddress: positive,
  unread: byteLimits,
  unanswered: byteLimits,
  unsent: byteLimits,
  streams: optionalOption(optionsOf<StreamLimits>({ perAddress: positive, inAll: positive })),
});

/** Checks limits, or the traffic of a cluster service. */
const sharedTraffic: OptionCheck = Object.assign(
  (value: unknown, name: string) => {
    if (!(value instanceof Traffic)) trafficOption(value, name);
  },
  { names: trafficOption.names ?? [] },
);

const ofEverySocket = {
  settings: optionalOption(
    optionsOf<SocketSettings>({
      maxMessageBytes: positive,
      maxFramesPerSecond: positive,
      maxPingsPerMinute: positive,
      maxUnanswered: positive,
      maxMalformedPerMinute: positive,
      maxWaitingEventBytes: positive,
      maxWaitingReplyBytes: positive,
      maxWaitingMarketBytes: positive,
      maxStreams: positive,
      pingEveryMs: positiveMs,
      pongWithinMs: positiveMs,
      lifeMs: positiveMs,
    }),
  ),
  requestToken: optionalOption(functionOption("returns the account of a session token")),
  realClock: optionalOption(clockOption),
};

const socketsOption: OptionCheck = optionsOf<SocketOptions>({
  ...ofEverySocket,
  accountEvents: optionalOption(accountEventsOption),
});

const replayGuard: OptionCheck = (value, name) => {
  if (value !== undefined && value !== false) replayGuardOption(value, name);
};

const documentsOption: OptionCheck = (value, name) => {
  if (value === undefined) return;
  if (typeof value !== "object" || value === null)
    throw wrongOption(value, name, "an object of functions by path, such as /openapi.json");
  for (const [path, make] of Object.entries(value))
    functionOption("returns the text of the document")(make, `${name}[${JSON.stringify(path)}]`);
};

/** Checks the options that a service has in common with the node of a cluster that it is in. */
export const ENTRY_CHECKS: Readonly<
  Record<"telemetry" | "settings" | "traffic" | "documents" | "sockets", OptionCheck>
> = {
  telemetry: optionalOption(telemetryOption),
  settings: optionalOption(serviceSettingsOption),
  traffic: optionalOption(trafficOption),
  documents: documentsOption,
  sockets: optionalOption(optionsOf<Omit<SocketOptions, "accountEvents">>(ofEverySocket)),
};

const serviceOptions: OptionCheck = optionsOf<ServiceOptions>(
  {
    engine: portOption<Pick<Engine, "place" | "cancel" | "status">>("Engine (managed-orders/engine)", {
      ...{ place: "required", cancel: "required", status: "required" },
    }),
    accounts: accountsOption,
    instruments: instrumentsOption,
    clock: clockOption,
    entropy: entropyOption,
    rateLimiter: rateLimiterOption,
    nativeOrders: optionalOption(nativeOrdersOption),
    balances: optionalOption(balancesOption),
    rejections: optionalOption(rejectionsOption),
    replayGuard,
    ...ENTRY_CHECKS,
    traffic: optionalOption(sharedTraffic),
    sockets: optionalOption(socketsOption),
  },
  { open: true },
);

/**
 * Creates the service for REST and WebSocket. It serves public market data, and for signed requests managed orders, order
 * lists, and native orders if the host has them. It needs no transport: a mount hands it the raw request or message. Throws
 * a TypeError or RangeError that names an option that is missing, unknown, of the wrong type or out of range. Source:
 * contract, Endpoints and Authentication; hostile inputs.
 *
 * @example
 * ```ts
 * import { createMemoryRateLimiter } from "managed-orders/memory";
 * import { createNodeServer, type NodeServer } from "managed-orders/node";
 * import { createService, type ServiceOptions } from "managed-orders/service";
 * const serve = (parts: Omit<ServiceOptions, "rateLimiter">): NodeServer => {
 *   const rateLimiter = createMemoryRateLimiter({ clock: parts.clock });
 *   const service = createService({ ...parts, rateLimiter });
 *   return createNodeServer({ service, sockets: service.sockets });
 * };
 * ```
 */
export function createService(given: ServiceOptions): Service {
  serviceOptions(given, "createService");
  const telemetry = new QuietTelemetry(given.telemetry);
  const options = { ...given, telemetry, clock: checkedClock(given.clock, telemetry) };
  const { engine, clock, replayGuard, settings = {} } = options;
  const { realClock = clock } = options.sockets ?? {};
  const ports = checkedPorts(options);
  const traffic =
    options.traffic instanceof Traffic
      ? options.traffic
      : new Traffic(options.traffic, settings.trustedProxies);
  const { rateLimiter } = ports;
  const parts: ServiceParts = {
    engine,
    clock,
    ...ports,
    ...entryOf({ settings, traffic, documents: options.documents, clock: realClock }),
    replayGuard: replayGuard === false ? undefined : createReplayGuard(replayGuard),
    placements: new CountedPlacements({ engine, rateLimiter, clock }),
    longAnswers: new LongAnswers(clock),
    quoteSeries: quoteSeriesOf(ports.entropy),
    clientSymbols: new ClientSymbols(ports.instruments, clock),
  };
  const { accountEvents } = options.sockets ?? {};
  const events = accountEvents && checkedAccountEvents(accountEvents, ports.questions);
  watchFunds(parts, events);
  watchShards(parts);
  const socketParts = socketPartsOf(parts, options.sockets ?? {}, events);
  const sockets = new Sockets(socketParts, options.sockets?.settings);
  sockets.serve(new StreamSockets(socketParts));
  return {
    handle: (request, front) => handleRequest(parts, request, { front }),
    forNode: (owns) => shareOf({ ...parts, owns }, socketParts),
    documents: Object.keys(options.documents ?? {}),
    sockets,
    traffic: parts.traffic,
    reportTo(receiver) {
      const ends = [telemetry.reportTo(receiver), engine.reportTo(receiver)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** Returns the parts that admit requests, which the node of a cluster has before it has a service. */
export function entryOf({
  settings,
  traffic,
  documents,
  clock,
}: Readonly<{
  settings: ServiceSettings;
  traffic: Traffic;
  documents: ServiceOptions["documents"];
  clock: Pick<Clock, "soon">;
}>): Pick<
  EntryParts,
  "settings" | "clientAddress" | "crossOrigin" | "bans" | "traffic" | "turns" | "documents"
> {
  return {
    ...{ settings, traffic, bans: traffic.bans, documents: new Documents(documents) },
    clientAddress: clientAddressBehind(settings.trustedProxies),
    crossOrigin: crossOriginOf(settings.allowedOrigins),
    turns: new TrafficTurns((run) => clock.soon(run), traffic),
  };
}

/** Returns the service as its node uses it. */
function shareOf(parts: ServiceParts, sockets: () => SocketParts): NodeShare {
  // Events are numbered from here on, whichever node a client reaches.
  const { streams, requestToken, settings, ...session } = sockets();
  const maxWaitingBytes = settings.maxWaitingEventBytes;
  const answers = new OwnAnswers({ service: parts, streams, requestToken, maxWaitingBytes });
  return {
    answers,
    rateLimiter: parts.rateLimiter,
    handle: (request, arrival) => handleRequest(parts, request, arrival),
    handleForwarded: (request, told) => handleForwarded(parts, request, told),
    message: (message, sink) =>
      answerForwarded({ ...session, settings, service: parts, answers }, message, sink),
  };
}

/** Returns the ports of the host; every answer of them is checked. */
function checkedPorts(options: ServiceOptions & Readonly<{ telemetry: Telemetry }>) {
  const { engine, clock, telemetry, nativeOrders, balances, rejections } = options;
  const questions = new Questions({ clock, telemetry, timeoutMs: engine.settings.hostTimeoutMs });
  return {
    questions,
    telemetry,
    accounts: checkedAccounts(options.accounts, questions),
    instruments: checkedInstruments(options.instruments, questions),
    entropy: checkedEntropy(options.entropy, questions),
    rateLimiter: checkedRateLimiter(options.rateLimiter, questions),
    native: nativeOrders && checkedNativeOrders(nativeOrders, questions),
    balances: balances && checkedBalances(balances, questions),
    rejections: checkedRejections(rejections ?? createRejectionBuffer(), questions),
  };
}

/**
 * Tells the engine about funds that change elsewhere: balance updates from the host, and fills of native orders. The engine
 * already knows the fills of children. Subscribes when the service is created, even if no stream is ever opened.
 */
function watchFunds({ engine, native }: ServiceParts, accountEvents: AccountEvents | undefined): void {
  native?.subscribe(({ order, lastQuantity }) => {
    const isChild = order.clientOrderId.startsWith(CHILD_PREFIX);
    if (lastQuantity !== undefined && !isChild) engine.fundsChanged(order.accountId);
  });
  accountEvents?.subscribe((event) => {
    if ("update" in event) engine.fundsChanged(event.accountId);
  });
}

/** Moves the order counts of accounts between nodes with their shards. */
function watchShards({ engine, rateLimiter }: Pick<ServiceParts, "engine" | "rateLimiter">): void {
  const isHere = (accountId: number): boolean => engine.owns(shardOf(accountId));
  engine.events.on("shards", ({ gained, lost }) => {
    if (lost.length > 0) void rateLimiter.lost?.();
    if (gained.length > 0) void rateLimiter.gained?.(isHere);
  });
}
