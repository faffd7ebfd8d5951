import type { Server } from "node:http";
import { createMemoryRateLimiter, type RateLimiterOptions } from "../adapters/memory/index.ts";
import {
  createEntropy,
  createNodeServer,
  createSystemClock,
  type ListenAddress,
} from "../adapters/node/index.ts";
import { listen } from "../adapters/node/internal.ts";
import type { ClusterNode } from "../cluster/index.ts";
import { createClusterService, createPeerLink, type PeerLink } from "../cluster/index.ts";
import { errorMessage } from "../common/index.ts";
import type { Clock, RateLimiter, Telemetry } from "../ports/index.ts";
import {
  asyncApiDocument,
  createService,
  openApiDocument,
  type Service,
  type ServiceOptions,
  type ServiceSettings,
} from "../service/index.ts";
import { writeJson } from "../wire/index.ts";
import { consoleDocuments, consoleOrigins, readConsoleFiles, withConsole } from "./console-page.ts";
import { type ControlAnswer, createControlServer } from "./control-server.ts";
import type { Exchange, SharedExchange } from "./exchange.ts";
import { engineHealth, sharingHealth, stateOfStandby, withHealth } from "./health.ts";
import { SettingsError } from "./input.ts";
import type { PeerSetting } from "./peer-settings.ts";
import type { SandboxSettings } from "./settings.ts";

/** A running sandbox. */
export type Sandbox = Readonly<{
  exchange: Exchange;
  /** Base address of REST, without a path. */
  url: string;
  /** Base address of WebSocket, without a path. */
  wsUrl: string;
  /** Base address of the control interface; undefined if it is off. */
  controlUrl: string | undefined;
  /** Resolves to a sentence if another sandbox on the same store has taken over. This one can only end then. */
  replaced: Promise<string>;
  /** Resolves to a sentence once it has handed over because an operator wanted it, and is closed. */
  drained: Promise<string>;
  /** Stops accepting orders, answers pending requests within ten seconds, and closes. */
  stop: () => Promise<void>;
}>;

/** A sandbox that does not serve yet. */
type WaitingSandbox = Pick<Sandbox, "url" | "wsUrl" | "controlUrl"> &
  Readonly<{
    /** Whether another process serves. A sandbox that starts alone does not serve at once either. */
    isBehindAnother: () => boolean;
  }>;

/** A sandbox that runs, or that waits for another one on the same store. */
export type StartedSandbox = Readonly<{
  /** What it tells while it does not serve yet; undefined if the store has one process only. */
  standby: WaitingSandbox | undefined;
  active: Promise<Sandbox>;
  stop: () => Promise<void>;
}>;

/** A port on which a sandbox answers. */
export type Served = Pick<Sandbox, "url" | "wsUrl"> &
  Readonly<{
    port: number;
    /** Origins of the console page on this port. */
    origins: readonly string[];
    close: () => Promise<void>;
  }>;

/** What a port needs of its process. `controlUrl`: address of the control interface once it is open, if it is not off. */
type ServingHost = Readonly<{ telemetry: Telemetry; controlUrl: () => string | undefined }>;

type Documents = NonNullable<ServiceOptions["documents"]>;

/** Opens the port of REST, WebSocket and the console page. `create` makes its service, given what every client may read. */
async function openPort(
  settings: SandboxSettings,
  { telemetry, controlUrl }: ServingHost,
  create: (documents: Documents) => Pick<Service, "handle" | "reportTo" | "sockets" | "traffic">,
): Promise<Served> {
  const { host, port, frontThreads } = settings;
  let addresses = { url: "", wsUrl: "" };
  const files = readConsoleFiles();
  const { handle, sockets, ...created } = create({
    "/openapi.json": () => writeJson(openApiDocument({ version: VERSION, serverUrl: addresses.url })),
    "/asyncapi.json": () => writeJson(asyncApiDocument({ version: VERSION, serverUrl: addresses.wsUrl })),
    ...consoleDocuments(files),
  });
  const service = { ...created, handle: withConsole({ files, settings, controlUrl }, handle) };
  const server = createNodeServer({ service, sockets, telemetry, frontThreads });
  const bound = await server.listen({ host, port: portOf(port) });
  const address = addressOf(bound.host, bound.port);
  addresses = { url: `http://${address}`, wsUrl: `ws://${address}` };
  const origins = consoleOrigins(host, { port: bound.port, url: addresses.url });
  return { ...addresses, port: bound.port, origins, close: () => server.close() };
}

/** Version of the interface. Source: contract, Versioning. */
const VERSION = "0.1.0";

/** Serves an exchange on a port. Rejects if the port is in use. */
export async function serveExchange(
  exchange: Exchange,
  settings: SandboxSettings,
  host: ServingHost,
): Promise<Served> {
  const { telemetry } = host;
  const rateLimiter = await openRateLimiter(settings, exchange);
  return await openPort(settings, host, (documents) => {
    const service = serviceOf(exchange, settings, { telemetry, documents, rateLimiter });
    return { ...service, handle: withHealth(() => engineHealth(exchange.engine), handleOf(service)) };
  });
}

const handleOf =
  (service: Pick<Service, "handle">): Service["handle"] =>
  (request, front) =>
    service.handle(request, front);

/** A port of a node of several, which answers from the start; `serve` gives it the exchange that the node becomes. */
export type ServedNode = Served & Readonly<{ serve: (exchange: Exchange) => Promise<void> }>;

/** Answers on a port before and after the node has taken over. Rejects if the port is in use. */
export async function serveNode(
  standby: ClusterNode,
  settings: SandboxSettings,
  { link, clock, ...host }: ServingHost & Readonly<{ link: PeerLink | undefined; clock: Clock }>,
): Promise<ServedNode> {
  const { telemetry } = host;
  let own: Exchange | undefined;
  let serve: ServedNode["serve"] = async () => undefined;
  const served = await openPort(settings, host, (documents) => {
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
    const { traffic, sockets } = node;
    serve = async (exchange) => {
      const rateLimiter = await openRateLimiter(settings, exchange);
      node.serve(serviceOf(exchange, settings, { telemetry, documents, rateLimiter, traffic }));
      own = exchange;
    };
    const health = (): ReturnType<typeof engineHealth> =>
      own === undefined
        ? { status: 503, body: { state: stateOfStandby(standby), reasons: [] } }
        : engineHealth(own.engine);
    return { traffic, sockets, handle: withHealth(health, handleOf(node)) };
  });
  return { ...served, serve };
}

/**
 * Serves on a port what a node that shares the shards owns, and forwards the rest over the link. Rejects if the port is in
 * use.
 */
export async function serveShared(
  { exchange, node }: SharedExchange,
  settings: SandboxSettings,
  { link, ...host }: ServingHost & Readonly<{ link: PeerLink }>,
): Promise<Served> {
  const { clock, accounts } = exchange;
  const { telemetry } = host;
  const rateLimiter = await openRateLimiter(settings, exchange);
  return await openPort(settings, host, (documents) => {
    const service = createClusterService({
      ...{ standby: node, accounts, clock, entropy: createEntropy(), rateLimiter, telemetry, documents },
      ...{ peers: link, settings: serviceSettings(settings), sockets: { realClock: createSystemClock() } },
    });
    const { traffic, sockets } = service;
    service.serve(serviceOf(exchange, settings, { telemetry, documents, rateLimiter, traffic }));
    link.serve(service);
    return { traffic, sockets, handle: withHealth(() => sharingHealth(node), handleOf(service)) };
  });
}

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
  { host, port, ...options }: PeerSetting,
  telemetry: Telemetry,
): Promise<Readonly<{ link: PeerLink; address: string }>> {
  let link: PeerLink;
  try {
    link = createPeerLink({ ...options, telemetry });
  } catch (error) {
    throw new SettingsError(`PEER_KEY, PEER_CERT or PEER_CA: ${errorMessage(error)}`);
  }
  const bound = await link.listen({ host, port: portOf(port) });
  return { link, address: addressOf(bound.host, bound.port) };
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
  const controlUrl = await listenAt(server, { host: "127.0.0.1", port: portOf(controlPort) });
  return { controlUrl, close: () => closeNow(server) };
}

/** The ports of a sandbox: that of REST, and the control interface. */
export type Ports<Rest extends Served = Served> = Pick<Sandbox, "controlUrl"> &
  Readonly<{ rest: Rest; close: () => Promise<void> }>;

/** Opens the port of REST with `serve`, and a control interface. Rejects if a port is in use; none is open then. */
export async function openPorts<Rest extends Served>(
  settings: Pick<SandboxSettings, "controlPort">,
  serve: (controlUrl: () => string | undefined) => Promise<Rest>,
  answer: ControlAnswer,
): Promise<Ports<Rest>> {
  let controlUrl: string | undefined;
  const rest = await serve(() => controlUrl);
  try {
    const control = await openControl(settings, answer, () => rest.origins);
    controlUrl = control.controlUrl;
    const close = async (): Promise<void> => {
      control.close();
      await rest.close();
    };
    return { rest, controlUrl, close };
  } catch (error) {
    await rest.close();
    throw error;
  }
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

const openRateLimiter = (settings: SandboxSettings, exchange: Exchange): Promise<RateLimiter> =>
  exchange.openRateLimiter({ clock: exchange.clock, ...limitsOf(settings) });

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
