import type { Server } from "node:http";
import { createMemoryRateLimiter, type RateLimiterOptions } from "../adapters/memory/index.ts";
import {
  createEntropy,
  createNodeServer,
  createPeerLink,
  createSystemClock,
  type ListenAddress,
  type NodeServer,
  type PeerLink,
  type PeerLinkOptions,
} from "../adapters/node/index.ts";
import { listen } from "../adapters/node/internal.ts";
import type { ClusterNode } from "../cluster/index.ts";
import { errorMessage } from "../common/index.ts";
import type { Clock, RateLimiter, Telemetry } from "../ports/index.ts";
import {
  createClusterService,
  createService,
  type Service,
  type ServiceOptions,
  type ServiceSettings,
} from "../service/index.ts";
import { type ConsoleFiles, readConsoleFiles } from "./console-files.ts";
import { consoleDocuments, consoleOrigins, withConsole } from "./console-page.ts";
import { type ControlAnswer, createControlServer } from "./control-server.ts";
import { descriptionsOf } from "./descriptions.ts";
import type { Exchange } from "./exchange.ts";
import type { SharedExchange } from "./exchange-node.ts";
import { withHealth, withSharingHealth, withStandbyHealth } from "./health.ts";
import type { PeerSetting } from "./peer-settings.ts";
import type { SandboxSettings } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";

/** Addresses of REST and WebSocket, without a path. */
export type ServerAddresses = Readonly<{ url: string; wsUrl: string }>;

/** A port on which a sandbox answers. */
export type Served = ServerAddresses &
  Readonly<{
    port: number;
    /** Origins of the console page on this port. */
    origins: readonly string[];
    close: () => Promise<void>;
  }>;

/** Returns the address of the control interface once it is open; undefined if it is off. */
export type ControlUrl = () => string | undefined;

const LOOPBACK = "127.0.0.1";

/** Serves an exchange on a port. Rejects if the port is in use. */
export async function serveExchange(
  exchange: Exchange,
  settings: SandboxSettings,
  { telemetry, controlUrl }: Readonly<{ telemetry: Telemetry; controlUrl: ControlUrl }>,
): Promise<Served> {
  let addresses: ServerAddresses = { url: "", wsUrl: "" };
  const files = readConsoleFiles();
  const service = serviceOf(exchange, settings, {
    ...{ telemetry, documents: documentsOf(files, () => addresses) },
    rateLimiter: await openRateLimiter(settings, exchange),
  });
  const handle = withConsole(
    { files, settings, controlUrl },
    withHealth(exchange.engine, (request, front) => service.handle(request, front)),
  );
  const rest = createNodeServer({
    ...{ service: { ...service, handle }, sockets: service.sockets, telemetry },
    frontThreads: settings.frontThreads,
  });
  const served = await listening(rest, settings, portOf(settings.port));
  addresses = served;
  return served;
}

/** A port of a node of several, which answers from the start; `serve` gives it the exchange that the node becomes. */
export type ServedNode = Served & Readonly<{ serve: (exchange: Exchange) => Promise<void> }>;

type NodeParts = Readonly<{
  telemetry: Telemetry;
  link: PeerLink | undefined;
  clock: Clock;
  controlUrl: ControlUrl;
}>;

/** Answers on a port before and after the node has taken over. Rejects if the port is in use. */
export async function serveNode(
  standby: ClusterNode,
  settings: SandboxSettings,
  { telemetry, link, clock, controlUrl }: NodeParts,
): Promise<ServedNode> {
  let addresses: ServerAddresses = { url: "", wsUrl: "" };
  let own: Exchange | undefined;
  const files = readConsoleFiles();
  const documents = documentsOf(files, () => addresses);
  const node = createClusterService({
    ...{ standby, clock, entropy: createEntropy(), telemetry, documents },
    // Weight is counted by each node; the counts in the store are those of the node that takes orders.
    rateLimiter: createMemoryRateLimiter({ clock, ...limitsOf(settings) }),
    // The accounts are opened when the node takes over.
    accounts: {
      key: (apiKey) => own?.accounts.key(apiKey),
      account: (accountId) => own?.accounts.account(accountId),
    },
    ...(link && { peers: link }),
    settings: serviceSettings(settings),
    sockets: { realClock: createSystemClock() },
  });
  link?.serve(node);
  let handle = withStandbyHealth(standby, (request, front) => node.handle(request, front));
  const rest = createNodeServer({
    service: {
      handle: withConsole({ files, settings, controlUrl }, (request, front) => handle(request, front)),
      traffic: node.traffic,
    },
    ...{ sockets: node.sockets, telemetry, frontThreads: settings.frontThreads },
  });
  const served = await listening(rest, settings, portOf(settings.port));
  addresses = served;
  const serve = async (exchange: Exchange): Promise<void> => {
    const { traffic } = node;
    const rateLimiter = await openRateLimiter(settings, exchange);
    own = exchange;
    node.serve(serviceOf(exchange, settings, { telemetry, documents, rateLimiter, traffic }));
    handle = withHealth(exchange.engine, (request, front) => node.handle(request, front));
  };
  return { ...served, serve };
}

/**
 * Serves on a port what a node that shares the shards owns, and forwards the rest over the link. Rejects if the port is in
 * use.
 */
export async function serveShared(
  { exchange, node }: SharedExchange,
  settings: SandboxSettings,
  { telemetry, link, controlUrl }: Readonly<{ telemetry: Telemetry; link: PeerLink; controlUrl: ControlUrl }>,
): Promise<Served> {
  const { clock, accounts } = exchange;
  let addresses: ServerAddresses = { url: "", wsUrl: "" };
  const files = readConsoleFiles();
  const documents = documentsOf(files, () => addresses);
  const rateLimiter = await openRateLimiter(settings, exchange);
  const service = createClusterService({
    ...{ standby: node, accounts, clock, entropy: createEntropy(), rateLimiter, telemetry, documents },
    ...{ peers: link, settings: serviceSettings(settings), sockets: { realClock: createSystemClock() } },
  });
  const { traffic } = service;
  service.serve(serviceOf(exchange, settings, { telemetry, documents, rateLimiter, traffic }));
  link.serve(service);
  const handle = withConsole(
    { files, settings, controlUrl },
    withSharingHealth({ node }, (request, front) => service.handle(request, front)),
  );
  const rest = createNodeServer({
    ...{ service: { handle, traffic }, sockets: service.sockets, telemetry },
    frontThreads: settings.frontThreads,
  });
  const served = await listening(rest, settings, portOf(settings.port));
  addresses = served;
  return served;
}

/** Returns what every client may read: the descriptions, and the files of the console page. */
const documentsOf = (
  files: ConsoleFiles | undefined,
  addresses: Parameters<typeof descriptionsOf>[0],
): Record<string, () => string> => ({ ...descriptionsOf(addresses), ...consoleDocuments(files) });

type ServiceParts = Required<Pick<ServiceOptions, "telemetry" | "documents" | "rateLimiter">> &
  Pick<ServiceOptions, "traffic">;

function serviceOf(exchange: Exchange, settings: SandboxSettings, parts: ServiceParts): Service {
  return createService({
    ...parts,
    engine: exchange.engine,
    accounts: exchange.accounts,
    instruments: exchange.instruments,
    clock: exchange.clock,
    entropy: createEntropy(),
    nativeOrders: exchange.native,
    balances: exchange.balances,
    rejections: exchange.rejections,
    ...(settings.replayGuard ? {} : { replayGuard: false }),
    settings: serviceSettings(settings),
    sockets: { accountEvents: exchange.accountEvents, realClock: createSystemClock() },
  });
}

/** Opens the link of a sandbox to the others. Rejects with a SettingsError for files that cannot be read. */
export async function openLink(
  { host, port, secret, security }: PeerSetting,
  telemetry: Telemetry,
): Promise<Readonly<{ link: PeerLink; address: string }>> {
  const link = linkOf({ secret, security, telemetry });
  const bound = await link.listen({ host, port: portOf(port) });
  return { link, address: addressOf(bound.host, bound.port) };
}

function linkOf(options: PeerLinkOptions): PeerLink {
  try {
    return createPeerLink(options);
  } catch (error) {
    throw new SettingsError(`PEER_KEY, PEER_CERT or PEER_CA: ${errorMessage(error)}`);
  }
}

async function listening(
  server: NodeServer,
  { host }: Pick<SandboxSettings, "host">,
  port: number,
): Promise<Served> {
  const bound = await server.listen({ host, port });
  const address = addressOf(bound.host, bound.port);
  const close = (): Promise<void> => server.close();
  const url = `http://${address}`;
  const origins = consoleOrigins(host, { port: bound.port, url });
  return { url, wsUrl: `ws://${address}`, port: bound.port, origins, close };
}

/** A control interface: its address, undefined if it is off. */
export type Control = Readonly<{ controlUrl: string | undefined; close: () => void }>;

/** Opens a control interface on loopback. Rejects if its port is in use. */
export async function openControl(
  { controlPort }: Pick<SandboxSettings, "controlPort">,
  answer: ControlAnswer,
  origins: () => readonly string[],
): Promise<Control> {
  if (controlPort === "off") return { controlUrl: undefined, close: () => undefined };
  const server = createControlServer(answer, origins);
  const controlUrl = await listenAt(server, { host: LOOPBACK, port: portOf(controlPort) });
  return { controlUrl, close: () => closeNow(server) };
}

function serviceSettings(settings: SandboxSettings): ServiceSettings {
  const { businessErrors200, allowedOrigins, trustedProxies, getAllowlist, postAllowlist } = settings;
  return {
    businessErrorsAs200: businessErrors200,
    ...(allowedOrigins && { allowedOrigins }),
    ...(trustedProxies && { trustedProxies }),
    ...(getAllowlist && { getAllowlist }),
    ...(postAllowlist && { postAllowlist }),
  };
}

/** Returns a port to listen on; 0 selects a free one. */
export const portOf = (port: number | "auto" | "off"): number => (typeof port === "number" ? port : 0);

function openRateLimiter(
  settings: SandboxSettings,
  exchange: Pick<Exchange, "clock" | "openRateLimiter">,
): Promise<RateLimiter> {
  return exchange.openRateLimiter({ clock: exchange.clock, ...limitsOf(settings) });
}

function limitsOf({ rateLimits }: SandboxSettings): Omit<RateLimiterOptions, "clock"> {
  if (rateLimits === "off") return { enforce: false };
  const { ordersPer10Seconds: ordersPer10s, ...limits } = rateLimits;
  return { ordersPer10s, ...limits };
}

/** Opens a server on a port and resolves to its URL. Rejects with an Error for the operator if the port is in use. */
export async function listenAt(server: Server, address: ListenAddress): Promise<string> {
  const bound = await listen(server, address, BACKLOG);
  // A connection that cannot be accepted is lost alone.
  server.on("error", () => undefined);
  return `http://${addressOf(bound.host, bound.port)}`;
}

/** Connections that wait to be accepted: the default of Node.js. */
const BACKLOG = 511;

/** Closes a server and all its connections. */
export function closeNow(server: Server): void {
  server.close();
  server.closeAllConnections();
}

const addressOf = (host: string, port: number): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;
