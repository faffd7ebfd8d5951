import type { Server } from "node:http";
import { createMemoryRateLimiter } from "../adapters/memory/index.ts";
import {
  createConsoleTelemetry,
  createEntropy,
  createNodeServer,
  createSystemClock,
} from "../adapters/node/index.ts";
import type { RateLimiter, Telemetry } from "../ports/index.ts";
import { createService, type ServiceSettings } from "../service/index.ts";
import { createAccountEvents } from "./account-events.ts";
import { createControlServer } from "./control-server.ts";
import { descriptionsOf } from "./descriptions.ts";
import { type Exchange, openExchange } from "./exchange.ts";
import { inPlainWords } from "./plain-words.ts";
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
  /** Stops accepting orders, answers pending requests within ten seconds, and closes. */
  stop: () => Promise<void>;
}>;

const LOOPBACK = "127.0.0.1";

/** Opens the exchange and its ports. Rejects if a port is in use. */
export async function startSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const realClock = createSystemClock();
  const telemetry = inPlainWords(createConsoleTelemetry({ level: "error" }), (sentence) =>
    process.stderr.write(`managed-orders: ${sentence}\n`),
  );
  const exchange = await openExchange(settings, { realClock, entropy: createEntropy(), telemetry });
  try {
    return await serve(settings, exchange, telemetry);
  } catch (error) {
    await exchange.close();
    throw error;
  }
}

async function serve(settings: SandboxSettings, exchange: Exchange, telemetry: Telemetry): Promise<Sandbox> {
  const service = createService({
    engine: exchange.engine,
    accounts: exchange.directory,
    instruments: exchange.instruments,
    clock: exchange.clock,
    entropy: createEntropy(),
    rateLimiter: rateLimiterOf(settings, exchange),
    nativeOrders: exchange.native,
    balances: { balances: (accountId) => exchange.venue.funds(accountId) },
    rejections: exchange.rejections,
    telemetry,
    ...(settings.replayGuard ? {} : { replayGuard: false }),
    settings: serviceSettings(settings),
    documents: descriptionsOf(() => ({ url, wsUrl })),
    sockets: { accountEvents: createAccountEvents(exchange), realClock: createSystemClock() },
  });
  const rest = createNodeServer({
    ...{ service, sockets: service.sockets, telemetry },
    frontThreads: settings.frontThreads,
  });
  const bound = await rest.listen({ host: settings.host, port: portOf(settings.port) });
  const address = `${bound.host.includes(":") ? `[${bound.host}]` : bound.host}:${bound.port}`;
  const url = `http://${address}`;
  const wsUrl = `ws://${address}`;
  const control = settings.controlPort === "off" ? undefined : createControlServer(exchange, () => [url]);
  try {
    const controlUrl = control && (await listen(control, portOf(settings.controlPort)));
    return {
      exchange,
      url,
      wsUrl,
      controlUrl,
      async stop() {
        exchange.engine.drain();
        control?.close();
        control?.closeAllConnections();
        await rest.close();
        await exchange.close();
      },
    };
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

const portOf = (port: number | "auto" | "off"): number => (typeof port === "number" ? port : 0);

function rateLimiterOf({ rateLimits }: SandboxSettings, { clock }: Exchange): RateLimiter {
  if (rateLimits === "off") return createMemoryRateLimiter({ clock, enforce: false });
  const { ordersPer10Seconds: ordersPer10s, ...limits } = rateLimits;
  return createMemoryRateLimiter({ clock, ordersPer10s, ...limits });
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: LOOPBACK, port }, () => {
      const bound = server.address();
      resolve(`http://${LOOPBACK}:${typeof bound === "object" && bound !== null ? bound.port : port}`);
    });
  });
}
