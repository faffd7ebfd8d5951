import type { PeerLink } from "../adapters/node/index.ts";
import { answerSharing } from "./control-routes.ts";
import { type ExchangeHost, openSharedExchange, type SharedExchange } from "./exchange.ts";
import { drained, handedOver, replaced } from "./node-ends.ts";
import type { PeerSetting } from "./peer-settings.ts";
import { type Control, openControl, openLink, type Sandbox, type Served, serveShared } from "./serving.ts";
import type { SandboxSettings } from "./settings.ts";

const DRAINED_SENTENCE =
  "an operator wanted a hand-over, and other sandboxes on the same store own its accounts: this one ends; start it again to share them";

const REPLACED_SENTENCE =
  "other sandboxes on the same store have taken over: this one ends; start it again to share the accounts with them";

/** The ports of a sandbox that shares the shards, and what answers on them. */
type SharingParts = Readonly<{
  shared: SharedExchange;
  rest: Served;
  control: Control;
  link: PeerLink;
}>;

/**
 * Opens a sandbox that shares the shards of its store with others, and its ports. Resolves when it serves. Rejects if a port
 * is in use.
 */
export async function openSharing(
  settings: SandboxSettings,
  peers: PeerSetting,
  host: ExchangeHost,
): Promise<Sandbox> {
  const { link, address } = await openLink(peers, host.telemetry);
  let shared: SharedExchange | undefined;
  let rest: Served | undefined;
  let control: Control | undefined;
  try {
    const opened = await openSharedExchange(settings, host, address);
    shared = opened;
    const served = await serveShared(opened, settings, {
      ...{ telemetry: host.telemetry, link },
      controlUrl: () => control?.controlUrl,
    });
    rest = served;
    control = await openControl(
      settings,
      (call) => answerSharing(opened, call),
      () => served.origins,
    );
    return sandboxOf({ shared, rest, control, link });
  } catch (error) {
    await rest?.close();
    await shared?.exchange.close();
    await link.close();
    throw error;
  }
}

function sandboxOf({ shared, rest, control, link }: SharingParts): Sandbox {
  const { exchange } = shared;
  const { engine } = exchange;
  const closePorts = async (): Promise<void> => {
    control.close();
    await rest.close();
    await link.close();
  };
  const handOver = async (): Promise<boolean> => {
    if (!(await handedOver(exchange))) return false;
    await closePorts();
    return true;
  };
  return {
    ...{ exchange, url: rest.url, wsUrl: rest.wsUrl, controlUrl: control.controlUrl },
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
