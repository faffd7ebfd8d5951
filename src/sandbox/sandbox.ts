import { createEntropy, createSystemClock } from "../adapters/node/index.ts";
import { answerControl } from "./control-routes.ts";
import { type ExchangeHost, openExchange } from "./exchange.ts";
import { processTelemetry } from "./plain-words.ts";
import {
  type Control,
  openControl,
  type Sandbox,
  type Served,
  type StartedSandbox,
  serveExchange,
} from "./serving.ts";
import type { SandboxSettings } from "./settings.ts";
import { openSharing } from "./sharing-sandbox.ts";
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
  let rest: Served | undefined;
  let control: Control | undefined;
  const controlUrl = (): string | undefined => control?.controlUrl;
  try {
    const served = await serveExchange(exchange, settings, { telemetry, controlUrl });
    rest = served;
    control = await openControl(
      settings,
      (call) => answerControl(exchange, call),
      () => served.origins,
    );
  } catch (error) {
    await rest?.close();
    await exchange.close();
    throw error;
  }
  const { url, wsUrl, close } = rest;
  const { close: closeControl } = control;
  return {
    ...{ exchange, url, wsUrl, controlUrl: controlUrl() },
    replaced: new Promise<string>(() => undefined),
    drained: new Promise<string>(() => undefined),
    async stop() {
      exchange.engine.drain();
      closeControl();
      await close();
      await exchange.close();
    },
  };
}
