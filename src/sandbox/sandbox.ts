import { createEntropy, createSystemClock } from "../adapters/node/index.ts";
import type { PeerLink } from "../cluster/index.ts";
import { answerControl, answerSharing } from "./control-routes.ts";
import { type Exchange, type ExchangeHost, openExchange, openSharedExchange } from "./exchange.ts";
import { drained, handedOver, replaced } from "./node-ends.ts";
import type { PeerSetting } from "./peer-settings.ts";
import { processTelemetry } from "./plain-words.ts";
import {
  openLink,
  openPorts,
  type Ports,
  type Sandbox,
  type StartedSandbox,
  serveExchange,
  serveShared,
} from "./serving.ts";
import type { SandboxSettings } from "./settings.ts";
import { openSandboxNode } from "./standby-sandbox.ts";

export type { Sandbox, StartedSandbox } from "./serving.ts";

/** Opens the exchange and its ports, and resolves when it serves. Rejects if a port is in use. */
export async function startSandbox(settings: SandboxSettings): Promise<Sandbox> {
  return await (await openSandbox(settings)).active;
}

/**
 * Opens the exchange and its ports, or on a store that several processes share a standby, which waits until no other one
 * owns the orders. With SHARES, it serves beside the others. Rejects if a port is in use.
 */
export async function openSandbox(settings: SandboxSettings): Promise<StartedSandbox> {
  const telemetry = processTelemetry();
  const host = { realClock: createSystemClock(), entropy: createEntropy(), telemetry };
  const { store, shares, peers } = settings;
  const isSharing = shares && peers !== undefined;
  if (store.kind === "postgres" && !isSharing) return await openSandboxNode(settings, host);
  const sandbox = await (isSharing ? openSharing(settings, peers, host) : openAlone(settings, host));
  return { standby: undefined, active: Promise.resolve(sandbox), stop: sandbox.stop };
}

async function openAlone(settings: SandboxSettings, host: ExchangeHost): Promise<Sandbox> {
  const exchange = await openExchange(settings, host);
  const { telemetry } = host;
  try {
    const { rest, controlUrl, close } = await openPorts(
      settings,
      (controlUrl) => serveExchange(exchange, settings, { telemetry, controlUrl }),
      (call) => answerControl(exchange, call),
    );
    return {
      ...{ exchange, url: rest.url, wsUrl: rest.wsUrl, controlUrl },
      replaced: new Promise<string>(() => undefined),
      drained: new Promise<string>(() => undefined),
      async stop() {
        exchange.engine.drain();
        await close();
        await exchange.close();
      },
    };
  } catch (error) {
    await exchange.close();
    throw error;
  }
}

const DRAINED_SENTENCE =
  "an operator wanted a hand-over, and other sandboxes on the same store own its accounts: this one ends; start it again to share them";

const REPLACED_SENTENCE =
  "other sandboxes on the same store have taken over: this one ends; start it again to share the accounts with them";

/**
 * Opens a sandbox that shares the shards of its store with others, and its ports. Resolves when it serves. Rejects if a port
 * is in use.
 */
async function openSharing(
  settings: SandboxSettings,
  peers: PeerSetting,
  host: ExchangeHost,
): Promise<Sandbox> {
  const { telemetry } = host;
  const { link, address } = await openLink(peers, telemetry);
  let exchange: Exchange | undefined;
  try {
    const shared = await openSharedExchange(settings, host, address);
    exchange = shared.exchange;
    const ports = await openPorts(
      settings,
      (controlUrl) => serveShared(shared, settings, { telemetry, link, controlUrl }),
      (call) => answerSharing(shared, call),
    );
    return sharingSandbox(exchange, ports, link);
  } catch (error) {
    await exchange?.close();
    await link.close();
    throw error;
  }
}

function sharingSandbox(exchange: Exchange, { rest, controlUrl, close }: Ports, link: PeerLink): Sandbox {
  const { engine } = exchange;
  const closePorts = async (): Promise<void> => {
    await close();
    await link.close();
  };
  const handOver = async (): Promise<boolean> => {
    if (!(await handedOver(exchange))) return false;
    await closePorts();
    return true;
  };
  return {
    ...{ exchange, url: rest.url, wsUrl: rest.wsUrl, controlUrl },
    replaced: replaced(engine).then(() => REPLACED_SENTENCE),
    drained: drained(engine, handOver).then(() => DRAINED_SENTENCE),
    async stop() {
      if (await handOver()) return;
      engine.drain();
      await closePorts();
      await exchange.close();
    },
  };
}
