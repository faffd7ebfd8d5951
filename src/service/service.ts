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
import type { AccountEvents, Telemetry } from "../ports/index.ts";
import { createReplayGuard } from "../signing/index.ts";
import { clientAddressBehind } from "./access/client-address.ts";
import { crossOriginOf } from "./access/cross-origin.ts";
import type { NodeShare, Service, ServiceOptions } from "./api.ts";
import { ClientSymbols } from "./rest/compat/symbols.ts";
import { CountedPlacements } from "./rest/counted-placements.ts";
import { Documents } from "./rest/documents.ts";
import { LongAnswers } from "./rest/long-answers.ts";
import type { ServiceParts } from "./rest/parts.ts";
import { QuoteSeries } from "./rest/quote-series.ts";
import { createRejectionBuffer } from "./rest/rejection-buffer.ts";
import { handleForwarded, handleRequest } from "./rest/rest-service.ts";
import { requireServiceOptions } from "./service-options.ts";
import type { SocketParts } from "./socket/connection.ts";
import { answerForwarded } from "./socket/forwarded-messages.ts";
import { OwnAnswers } from "./socket/own-answers.ts";
import { createSockets, socketPartsOf } from "./socket/socket-service.ts";
import { Traffic } from "./traffic/traffic.ts";
import { TrafficTurns } from "./traffic/turns.ts";

/**
 * Creates the service for REST and WebSocket. It serves public market data, and for signed requests managed orders,
 * order lists, and native orders if the host has them. It needs no transport: a mount hands it the raw request or
 * message.
 * Throws a TypeError or RangeError that names an option that is missing, unknown, of the wrong type or out of range.
 * Source: contract, Endpoints and Authentication; decisions 37-44 and KI; hostile inputs.
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
  requireServiceOptions(given);
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
    settings,
    replayGuard: replayGuard === false ? undefined : createReplayGuard(replayGuard),
    placements: new CountedPlacements({ engine, rateLimiter, clock }),
    clientAddress: clientAddressBehind(settings.trustedProxies),
    crossOrigin: crossOriginOf(settings.allowedOrigins),
    bans: traffic.bans,
    traffic,
    turns: new TrafficTurns((run) => realClock.soon(run), traffic),
    documents: new Documents(options.documents),
    longAnswers: new LongAnswers(clock),
    quoteSeries: new QuoteSeries(ports.entropy),
    clientSymbols: new ClientSymbols(ports.instruments, clock),
  };
  const events = accountEventsOf(options, ports.questions);
  watchFunds(parts, events.accountEvents);
  watchShards(parts);
  const sockets = socketPartsOf(parts, { ...options.sockets, ...events });
  return {
    handle: (request, front) => handleRequest(parts, request, { front }),
    forNode: (owns) => shareOf({ ...parts, owns }, sockets),
    documents: Object.keys(options.documents ?? {}),
    sockets: createSockets(sockets, options.sockets?.settings),
    traffic: parts.traffic,
    reportTo(receiver) {
      const ends = [telemetry.reportTo(receiver), engine.reportTo(receiver)];
      return () => {
        for (const end of ends) end();
      };
    },
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

type Ports = Pick<
  ServiceParts,
  | "questions"
  | "telemetry"
  | "accounts"
  | "instruments"
  | "entropy"
  | "rateLimiter"
  | "native"
  | "balances"
  | "rejections"
>;

/** Returns the ports of the host; every answer of them is checked. */
function checkedPorts(options: ServiceOptions & Readonly<{ telemetry: Telemetry }>): Ports {
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

function accountEventsOf(
  { sockets }: ServiceOptions,
  questions: Questions,
): Readonly<{ accountEvents?: AccountEvents }> {
  const events = sockets?.accountEvents;
  return events === undefined ? {} : { accountEvents: checkedAccountEvents(events, questions) };
}

/**
 * Tells the engine about funds that change elsewhere: balance updates from the host, and fills of native orders. The
 * engine already knows the fills of children. Subscribes when the service is created, even if no stream is ever opened
 * (decision HP).
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

/** Moves the order counts of accounts between nodes with their shards (decision XQ). */
function watchShards({ engine, rateLimiter }: Pick<ServiceParts, "engine" | "rateLimiter">): void {
  const isHere = (accountId: number): boolean => engine.owns(shardOf(accountId));
  engine.events.on("shards", ({ gained, lost }) => {
    if (lost.length > 0) void rateLimiter.lost?.();
    if (gained.length > 0) void rateLimiter.gained?.(isHere);
  });
}
