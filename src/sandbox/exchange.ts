import { openEngine } from "../engine/index.ts";
import { type Disk, openDisk } from "./disk.ts";
import type { Exchange, ExchangeHost } from "./exchange-api.ts";
import {
  engineOptions,
  innerOf,
  portsOf,
  type Surroundings,
  traded,
  withSurroundings,
} from "./exchange-opening.ts";
import { openManualClock, type SandboxClock } from "./manual-clock.ts";
import type { ReplayRow } from "./markets/index.ts";
import { openAccounts, openOutside } from "./outside.ts";
import type { SandboxSettings } from "./settings.ts";

export type { Exchange, ExchangeHost } from "./exchange-api.ts";

/** Opens store, clock, venue, engine and market according to the settings, which name a store of one process. */
export async function openExchange(settings: SandboxSettings, host: ExchangeHost): Promise<Exchange> {
  return await withSurroundings(settings, host, async (surroundings) => {
    const disk = await openDisk(settings, host.telemetry);
    try {
      return await openOn(disk, surroundings);
    } catch (error) {
      await disk.orders.close();
      throw error;
    }
  });
}

async function openOn(disk: Disk, surroundings: Surroundings): Promise<Exchange> {
  const { settings, host, elsewhere, instruments, rows } = surroundings;
  const manualClock = await openClock(settings, { disk, rows, host });
  const clock = manualClock ?? host.realClock;
  const parts = { settings, disk, clock, instruments, telemetry: host.telemetry };
  const inner = innerOf(settings, { disk, clock });
  const outside = elsewhere ? await openAccounts(parts, elsewhere) : await openOutside(parts);
  const ports = { ...portsOf(outside.elsewhere ?? outside.paper), accounts: outside.accounts };
  const engine = await openEngine({ ...engineOptions(surroundings, inner), ...ports });
  return await traded(surroundings, { disk, clock, manualClock, outside, engine, inner });
}

async function openClock(
  settings: SandboxSettings,
  from: Readonly<{ disk: Disk; rows: readonly ReplayRow[]; host: ExchangeHost }>,
): Promise<SandboxClock | undefined> {
  if (settings.clock === "real") return undefined;
  const startMs = settings.clockStartMs ?? from.rows[0]?.timeMs ?? from.host.realClock.nowMs();
  return await openManualClock({ store: from.disk.keyValue, startMs });
}
