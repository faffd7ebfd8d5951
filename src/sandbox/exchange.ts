import { hostname } from "node:os";
import { type ClusterNode, type ClusterOptions, openNode } from "../cluster/index.ts";

import { type Engine, type EngineOptions, openEngine } from "../engine/index.ts";
import type { PaperVenue } from "../paper-exchange/index.ts";
import type { Clock, Entropy, Instruments, MarketSink, Telemetry } from "../ports/index.ts";
import { createCatalogue, syntheticMarket } from "./catalogue.ts";
import {
  type CrashPoints,
  createCrashPoints,
  createVolumeFaults,
  type FaultyNative,
  type FaultyStore,
  type VolumeFaults,
  withNativeFaults,
  withStoreFaults,
} from "./faults.ts";
import { InputError, SettingsError } from "./input.ts";
import { type ManualClock, openManualClock } from "./manual-clock.ts";
import { MANUAL_MARKET, type Market } from "./market.ts";
import {
  type Disk,
  lateOutside,
  latePaper,
  type Outside,
  openAccounts,
  openDisk,
  openOutside,
} from "./outside.ts";
import {
  openReplayPosition,
  ReplayMarket,
  type ReplayPosition,
  type ReplayRow,
  readReplay,
} from "./replay-market.ts";
import type { SandboxSettings } from "./settings.ts";
import { type Trading, tradeElsewhere, tradeHere } from "./trading.ts";
import type { VenueDesk } from "./venue-desk.ts";
import { connectVenue, type VenueElsewhere } from "./venue-elsewhere.ts";

/** A local exchange without its network side: engine, market, venue, accounts, and the controls for tests. */
export type Exchange = Omit<Trading, "orders" | "close"> &
  Pick<Disk, "rejections" | "openRateLimiter"> &
  Pick<Outside, "directory" | "accounts" | "demoKey"> &
  Pick<FaultyStore, "setStoreFault"> &
  Pick<VolumeFaults, "setVolumeFault"> &
  FaultyNative &
  Readonly<{
    engine: Engine;
    instruments: Instruments;
    clock: Clock;
    crashPoints: CrashPoints;
    /** Moves a manual clock. Everything due on the way happens at its time. Rejects with InputError on a real clock. */
    advance: (target: Readonly<{ now: number } | { advanceMs: number }>) => Promise<void>;
    close: () => Promise<void>;
  }>;

/** Dependencies of an exchange on its environment. */
export type ExchangeHost = Readonly<{ realClock: Clock; entropy: Entropy; telemetry: Telemetry }>;

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
  const { realClock, telemetry } = host;
  const startMs = settings.clockStartMs ?? rows[0]?.timeMs ?? realClock.nowMs();
  const isManual = settings.clock === "manual";
  const manualClock = isManual ? await openManualClock({ store: disk.keyValue, startMs }) : undefined;
  const clock = manualClock ?? realClock;
  const parts = { settings, disk, clock, instruments, telemetry };
  const inner = innerOf(settings, disk, clock);
  const outside = elsewhere ? await openAccounts(parts, elsewhere) : await openOutside(parts);
  const ports = { ...portsOf(outside.elsewhere ?? outside.paper), accounts: outside.accounts };
  const engine = await openEngine({ ...engineOptions(surroundings, inner), ...ports });
  return await traded(surroundings, { disk, clock, manualClock, outside, engine, inner });
}

/** What an exchange is opened in. */
type Surroundings = Readonly<{
  settings: SandboxSettings;
  host: ExchangeHost;
  /** The venue if it runs in a process of its own. */
  elsewhere: VenueElsewhere | undefined;
  instruments: Instruments;
  rows: readonly ReplayRow[];
}>;

/** Connects to a venue in a process of its own, if there is one, and leaves it if the opening fails. */
async function withSurroundings<T>(
  settings: SandboxSettings,
  host: ExchangeHost,
  open: (surroundings: Surroundings) => Promise<T>,
): Promise<T> {
  const { telemetry, realClock: clock } = host;
  const elsewhere = settings.venue && (await connectVenue(settings.venue, { telemetry, clock }));
  try {
    const instruments = elsewhere?.instruments ?? createCatalogue(settings.catalogue);
    const { market } = settings;
    const rows = market.kind === "replay" ? await readReplay({ ...market, instruments }) : [];
    return await open({ settings, host, elsewhere, instruments, rows });
  } catch (error) {
    elsewhere?.close();
    throw error;
  }
}

/** Returns the parts of a venue that an engine asks. */
const portsOf = (venue: PaperVenue | VenueElsewhere): Pick<EngineOptions, "venue" | "exposure"> =>
  "exposure" in venue ? { venue: venue.venue, exposure: venue.exposure } : { venue, exposure: venue };

/** Parts inside of the engine's options that the controls for tests reach. */
type Inner = FaultyStore & Readonly<{ clock: Clock; crashPoints: CrashPoints; volumeFaults: VolumeFaults }>;

function innerOf({ crashAt }: SandboxSettings, disk: Disk, clock: Clock): Inner {
  const crashPoints = createCrashPoints();
  if (crashAt !== undefined) crashPoints.arm(crashAt);
  return {
    ...{ clock, crashPoints, volumeFaults: createVolumeFaults() },
    ...withStoreFaults(disk.orders, clock),
  };
}

/** Returns the options of an engine, without those that the accounts and the place of the venue decide. */
function engineOptions(
  { settings, host, elsewhere, instruments }: Surroundings,
  { clock, crashPoints, store, volumeFaults }: Inner,
): Omit<EngineOptions, "accounts" | "exposure" | "venue"> {
  const { entropy, telemetry } = host;
  const { advancedOrders, quoteMaxAgeMs, submitDeadlineMs, venueQuietMs } = settings;
  const { retryMinMs, retryMaxMs, retentionDays, snapshotEvery } = settings;
  return {
    ...{ store, instruments, clock, entropy, telemetry, probe: crashPoints.probe },
    ...(elsewhere && {
      marketData: {
        ...elsewhere.marketData,
        subscribe: (sink: MarketSink) => elsewhere.marketData.subscribe(volumeFaults.around(sink)),
      },
    }),
    settings: {
      ...{ advancedOrders, quoteMaxAgeMs, submitDeadlineMs, venueQuietMs },
      ...{ retryMinMs, retryMaxMs, retentionDays, snapshotEvery },
    },
  };
}

/** An engine that was opened, and what it was opened on. */
type Opened = Readonly<{
  disk: Disk;
  clock: Clock;
  manualClock: ManualClock | undefined;
  outside: Outside;
  engine: Engine;
  inner: Inner;
}>;

/** Joins an engine with its market, and resolves when the market has delivered what is due. */
async function traded(
  surroundings: Surroundings,
  { disk, clock, manualClock, outside, engine, inner }: Opened,
): Promise<Exchange> {
  const { host, elsewhere, instruments } = surroundings;
  const position = manualClock && (await openReplayPosition(disk.keyValue));
  const market = elsewhere ? MANUAL_MARKET : marketOf(surroundings, clock, position);
  const { setStoreFault, crashPoints, volumeFaults } = inner;
  const { rejections, openRateLimiter } = disk;
  const { directory, accounts, demoKey } = outside;
  const { entropy, telemetry } = host;
  const joining = { engine, instruments, clock, entropy, telemetry, market, volumeFaults };
  const { orders, close, ...trading } = outside.elsewhere
    ? tradeElsewhere(joining, outside.elsewhere)
    : tradeHere(joining, outside.paper);
  const settleStep = async (): Promise<void> => void (await trading.settle());
  await market.settled();
  return {
    ...{ ...trading, engine, instruments, clock, crashPoints, rejections, openRateLimiter },
    ...{ directory, accounts, demoKey, setStoreFault, setVolumeFault: volumeFaults.setVolumeFault },
    ...withNativeFaults(orders),
    async advance(target) {
      if (manualClock === undefined)
        throw new InputError("the clock is real and cannot be moved: start the sandbox with CLOCK=manual");
      if ("now" in target) await manualClock.advanceTo(target.now, settleStep);
      else await manualClock.advanceBy(target.advanceMs, settleStep);
    },
    async close() {
      market.stop();
      await settleStep();
      await engine.close();
      await outside.close();
      close();
    },
  };
}

function marketOf(
  { settings, rows }: Surroundings,
  clock: Clock,
  position: ReplayPosition | undefined,
): Market {
  if (settings.market.kind === "manual") return MANUAL_MARKET;
  if (settings.market.kind === "synthetic") return syntheticMarket(clock, settings);
  const pace = settings.clock === "manual" ? "recorded" : settings.marketSpeed;
  return new ReplayMarket({ clock, rows, pace, position });
}

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
  const inner = innerOf(settings, disk, clock);
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
    const inner = innerOf(settings, disk, clock);
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
