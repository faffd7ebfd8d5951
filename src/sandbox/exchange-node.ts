import { hostname } from "node:os";
import { type ClusterNode, type ClusterOptions, openNode } from "../cluster/index.ts";
import type { Engine } from "../engine/index.ts";
import { openDisk } from "./disk.ts";
import type { Exchange, ExchangeHost } from "./exchange-api.ts";
import {
  engineOptions,
  innerOf,
  portsOf,
  type Surroundings,
  traded,
  withSurroundings,
} from "./exchange-opening.ts";
import { lateOutside, latePaper, openAccounts, openOutside } from "./outside.ts";
import type { SandboxSettings } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";
import type { VenueDesk } from "./venue-desk.ts";

/** A node of several sandboxes of which one serves: a standby, and the exchange that it becomes. */
export type ExchangeNode = Readonly<{
  standby: ClusterNode;
  /** Resolves once this node has taken over and the exchange is open. Rejects if that fails or the node is closed. */
  exchange: Promise<Exchange>;
  /** Answers calls about market and venue; undefined before the takeover if the venue is of this process. */
  desk: VenueDesk | undefined;
  /** Closes a node that has not taken over. */
  close: () => Promise<void>;
}>;

/**
 * Opens a node on a store with leases. A venue of this process is opened when the node has taken over. `address` is where
 * the other nodes reach it; empty if they cannot.
 */
export async function openExchangeNode(
  settings: SandboxSettings,
  host: ExchangeHost,
  address: string,
): Promise<ExchangeNode> {
  return await withSurroundings(settings, host, (surroundings) => openNodeIn(surroundings, address));
}

async function openNodeIn(surroundings: Surroundings, address: string): Promise<ExchangeNode> {
  const { settings, host, elsewhere, instruments } = surroundings;
  const disk = await openDisk(settings, host.telemetry);
  const clock = host.realClock;
  const inner = innerOf(settings, { disk, clock });
  const parts = { settings, disk, clock, instruments, telemetry: host.telemetry };
  const late =
    elsewhere === undefined
      ? latePaper(() => openOutside(parts))
      : { ...lateOutside(() => openAccounts(parts, elsewhere)), ...portsOf(elsewhere) };
  const { venue, accounts, exposure } = late;
  const standby = await openNode({
    ...{ ...engineOptions(surroundings, inner), venue, accounts, exposure },
    cluster: { ...clusterOf(settings, address), standby: true },
  }).catch(async (error: unknown) => {
    await disk.orders.close();
    throw error;
  });
  standby.onStatus(({ state }) => {
    // Accounts and venue open with the first shards. A failure is met where the exchange waits for them.
    if (state === "active") void late.open().catch(() => undefined);
    if (state === "following" || state === "ready") void late.close();
  });
  const exchange = takenOver(standby).then(async (engine) => {
    try {
      const outside = await late.open();
      return await traded(surroundings, { disk, clock, manualClock: undefined, outside, engine, inner });
    } catch (error) {
      await engine.close();
      throw error;
    }
  });
  // A caller that closes the standby does not wait for it.
  exchange.catch(() => undefined);
  const close = async (): Promise<void> => {
    await standby.close().finally(() => elsewhere?.close());
    await late.close();
  };
  return { standby, exchange, desk: elsewhere?.desk, close };
}

/** Resolves to the engine of a node once it runs shards: others may come one after the other. Rejects if it cannot any more. */
function takenOver(node: ClusterNode): Promise<Engine> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const { state, shards } = node.status();
      if (shards > 0) resolve(node.engine);
      if (state === "lost") reject(new Error("another sandbox on the same store has declared this one dead"));
      if (state === "closed") reject(new Error("the node is closed"));
    };
    node.onStatus(look);
    look();
  });
}

/** How a sandbox takes part in a cluster. Its name says on which machine an operator finds which process. */
const clusterOf = ({ leaseTtlMs: ttlMs }: SandboxSettings, address: string): ClusterOptions => ({
  ...{ name: `${hostname()}:${process.pid}`.slice(-200), ttlMs, address },
});

/** An exchange that shares the shards of its store with others, and the node that does so. */
export type SharedExchange = Readonly<{ exchange: Exchange; node: ClusterNode }>;

/**
 * Opens an exchange that shares the shards of its store with others, beside a venue elsewhere. `address` is where the others
 * reach it.
 */
export async function openSharedExchange(
  settings: SandboxSettings,
  host: ExchangeHost,
  address: string,
): Promise<SharedExchange> {
  return await withSurroundings(settings, host, (surroundings) => openSharedIn(surroundings, address));
}

async function openSharedIn(surroundings: Surroundings, address: string): Promise<SharedExchange> {
  const { settings, host, elsewhere, instruments } = surroundings;
  if (elsewhere === undefined) throw new SettingsError("SHARES: must be false without VENUE");
  const { telemetry, realClock: clock } = host;
  const disk = await openDisk(settings, telemetry);
  let node: ClusterNode | undefined;
  try {
    const inner = innerOf(settings, { disk, clock });
    const outside = await openAccounts({ settings, disk, clock, instruments, telemetry }, elsewhere);
    const { accounts } = outside;
    node = await openNode({
      ...{ ...engineOptions(surroundings, inner), ...portsOf(elsewhere), accounts },
      cluster: clusterOf(settings, address),
    });
    const { engine } = node;
    const opened = { disk, clock, manualClock: undefined, outside, engine, inner };
    return { exchange: await traded(surroundings, opened), node };
  } catch (error) {
    await (node ?? disk.orders).close();
    throw error;
  }
}
