import type { Server } from "node:http";
import {
  createEntropy,
  createNodeServer,
  createSystemClock,
  type NodeServer,
} from "../adapters/node/index.ts";
import type { Standby } from "../engine/index.ts";
import type { RateLimiter, Telemetry } from "../ports/index.ts";
import { createService, type ServiceSettings } from "../service/index.ts";
import { type ControlAnswer, createControlServer } from "./control-server.ts";
import { descriptionsOf } from "./descriptions.ts";
import type { Exchange } from "./exchange.ts";
import { standbyHandle, withHealth } from "./health.ts";
import type { SandboxSettings } from "./settings.ts";

/** Addresses of REST and WebSocket, without a path. */
export type Addresses = Readonly<{ url: string; wsUrl: string }>;

/** A port on which a sandbox answers. */
export type Served = Addresses & Readonly<{ port: number; close: () => Promise<void> }>;

const LOOPBACK = "127.0.0.1";

/** Serves an exchange on a port. Rejects if the port is in use. */
export async function serveExchange(
  exchange: Exchange,
  settings: SandboxSettings,
  { telemetry, port }: Readonly<{ telemetry: Telemetry; port: number }>,
): Promise<Served> {
  let addresses: Addresses = { url: "", wsUrl: "" };
  const service = createService({
    engine: exchange.engine,
    accounts: exchange.directory,
    instruments: exchange.instruments,
    clock: exchange.clock,
    entropy: createEntropy(),
    rateLimiter: await openRateLimiter(settings, exchange),
    nativeOrders: exchange.native,
    balances: exchange.balances,
    rejections: exchange.rejections,
    telemetry,
    ...(settings.replayGuard ? {} : { replayGuard: false }),
    settings: serviceSettings(settings),
    documents: descriptionsOf(() => addresses),
    sockets: { accountEvents: exchange.accountEvents, realClock: createSystemClock() },
  });
  const handle = withHealth(exchange.engine, (request, front) => service.handle(request, front));
  const rest = createNodeServer({
    ...{ service: { ...service, handle }, sockets: service.sockets, telemetry },
    frontThreads: settings.frontThreads,
  });
  const served = await listening(rest, settings, port);
  addresses = served;
  return served;
}

/** Answers on a port while another process serves: 503 to every request. Rejects if the port is in use. */
export async function serveStandby(
  standby: Pick<Standby, "status">,
  settings: SandboxSettings,
  telemetry: Telemetry,
): Promise<Served> {
  const waiting = createNodeServer({ service: { handle: standbyHandle(standby) }, telemetry });
  const served = await listening(waiting, settings, portOf(settings.port));
  // Whoever waits for an answer of the standby gets none that is better.
  return { ...served, close: () => waiting.close({ graceMs: 0 }) };
}

async function listening(
  server: NodeServer,
  { host }: Pick<SandboxSettings, "host">,
  port: number,
): Promise<Served> {
  const bound = await server.listen({ host, port });
  const address = addressOf(bound.host, bound.port);
  const close = (): Promise<void> => server.close();
  return { url: `http://${address}`, wsUrl: `ws://${address}`, port: bound.port, close };
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
  const controlUrl = await listen(server, LOOPBACK, portOf(controlPort));
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
  { rateLimits }: SandboxSettings,
  exchange: Pick<Exchange, "clock" | "openRateLimiter">,
): Promise<RateLimiter> {
  const { clock } = exchange;
  if (rateLimits === "off") return exchange.openRateLimiter({ clock, enforce: false });
  const { ordersPer10Seconds: ordersPer10s, ...limits } = rateLimits;
  return exchange.openRateLimiter({ clock, ordersPer10s, ...limits });
}

/** Opens a server on a port and resolves to its URL. Rejects if the port is in use. */
export function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      const bound = server.address();
      const taken = typeof bound === "object" && bound !== null ? bound.port : port;
      resolve(`http://${addressOf(host, taken)}`);
    });
  });
}

/** Closes a server and all its connections. */
export function closeNow(server: Server): void {
  server.close();
  server.closeAllConnections();
}

const addressOf = (host: string, port: number): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;
