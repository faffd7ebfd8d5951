import { hostname } from "node:os";
import {
  type ClusterNode,
  type ClusterOptions,
  type Engine,
  type EngineOptions,
  type EngineSettings,
  openEngine,
  openNode,
  openStandby,
  type Standby,
} from "../engine/index.ts";
import type { PaperVenue } from "../paper-exchange/index.ts";
import type {
  Accounts,
  Clock,
  Entropy,
  Instruments,
  MarketSink,
  NativeOrders,
  Rejections,
  Telemetry,
} from "../ports/index.ts";
import type { Directory, KeyPair } from "./accounts.ts";
import { createCatalogue, syntheticMarket } from "./catalogue.ts";
import {
  type CrashPoints,
  createCrashPoints,
  createVolumeFaults,
  type FaultyStore,
  type NativeFaultMode,
  type VolumeFaultMode,
  type VolumeFaults,
  withFaults,
  withNativeFaults,
} from "./faults.ts";
import { InputError, SettingsError } from "./input.ts";
import { openManualClock, type SandboxClock } from "./manual-clock.ts";
import { createManualMarket, type Market } from "./market.ts";
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
  createReplayMarket,
  openReplayPosition,
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
  Readonly<{
    engine: Engine;
    /** Stops all prints on their way to the engine, or lets them through. */
    setVolumeFault: (mode: VolumeFaultMode) => void;
    /** Ordinary orders at the venue, with injected faults. */
    native: NativeOrders;
    setNativeFault: (mode: NativeFaultMode) => void;
    rejections: Rejections;
    openRateLimiter: Disk["openRateLimiter"];
    store: FaultyStore;
    /** Accounts and keys as the control interface changes them. */
    directory: Directory;
    /** The same as engine and service ask for them. */
    accounts: Accounts;
    demoKey: KeyPair;
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
    return await open({
      settings,
      host,
      elsewhere,
      instruments,
      rows: await readRows(settings, instruments),
    });
  } catch (error) {
    elsewhere?.close();
    throw error;
  }
}

type VenuePorts = Pick<EngineOptions, "venue" | "exposure">;

/** Returns the parts of a venue that an engine asks. */
const portsOf = (venue: PaperVenue | VenueElsewhere): VenuePorts =>
  "exposure" in venue ? { venue: venue.venue, exposure: venue.exposure } : { venue, exposure: venue };

/** Parts inside of the engine's options that the controls for tests reach. */
type Inner = Readonly<{ store: FaultyStore; crashPoints: CrashPoints; volumeFaults: VolumeFaults }>;

/** Creates the parts inside of the engine's options that the controls for tests reach. */
function innerOf(
  { crashAt }: SandboxSettings,
  { disk, clock }: Readonly<{ disk: Disk; clock: Clock }>,
): Inner & Readonly<{ clock: Clock }> {
  const crashPoints = createCrashPoints();
  if (crashAt !== undefined) crashPoints.arm(crashAt);
  return { clock, crashPoints, store: withFaults(disk.orders, clock), volumeFaults: createVolumeFaults() };
}

/** Returns the options of an engine, without those that the accounts and the place of the venue decide. */
function engineOptions(
  { settings, host, elsewhere, instruments }: Surroundings,
  { clock, crashPoints, store, volumeFaults }: ReturnType<typeof innerOf>,
): Omit<EngineOptions, "accounts" | "exposure" | "venue"> {
  const { entropy, telemetry } = host;
  const probe = crashPoints.probe;
  const marketData = elsewhere && {
    ...elsewhere.marketData,
    subscribe: (sink: MarketSink) => elsewhere.marketData.subscribe(volumeFaults.around(sink)),
  };
  const given = { store, instruments, clock, entropy, telemetry, probe, settings: engineSettings(settings) };
  return marketData === undefined ? given : { ...given, marketData };
}

/** An engine that was opened, and what it was opened on. */
type Opened = Readonly<{
  disk: Disk;
  clock: Clock;
  manualClock: SandboxClock | undefined;
  outside: Outside;
  engine: Engine;
  inner: Inner;
}>;

/** Joins an engine with its market, and resolves when the market has delivered what is due. */
async function traded(
  surroundings: Surroundings,
  { disk, clock, manualClock, outside, engine, inner }: Opened,
): Promise<Exchange> {
  const { settings, host, elsewhere, instruments, rows } = surroundings;
  const position = manualClock && (await openReplayPosition(disk.keyValue));
  const market = elsewhere ? createManualMarket() : marketOf(settings, { clock, rows, position });
  const { store, crashPoints, volumeFaults } = inner;
  const { rejections, openRateLimiter } = disk;
  const { directory, accounts, demoKey } = outside;
  const stored = { store, rejections, openRateLimiter };
  const parts = { engine, ...stored, directory, accounts, demoKey, instruments, clock, crashPoints };
  const { entropy, telemetry } = host;
  const joining = { engine, instruments, clock, entropy, telemetry, market, volumeFaults };
  const trading = outside.elsewhere
    ? tradeElsewhere(joining, outside.elsewhere)
    : tradeHere(joining, outside.paper);
  const exchange = joined(parts, {
    ...{ manualClock, market, trading },
    setVolumeFault: volumeFaults.setVolumeFault,
    closeOutside: () => outside.close(),
  });
  await market.settled();
  return exchange;
}

type Parts = Pick<
  Exchange,
  | ("engine" | "store" | "rejections" | "openRateLimiter")
  | ("directory" | "accounts" | "demoKey" | "instruments" | "clock" | "crashPoints")
>;

type Moving = Readonly<{
  manualClock: SandboxClock | undefined;
  market: Market;
  trading: Trading;
  setVolumeFault: Exchange["setVolumeFault"];
  closeOutside: () => Promise<void>;
}>;

function joined(
  parts: Parts,
  { manualClock, market, trading, setVolumeFault, closeOutside }: Moving,
): Exchange {
  const { engine } = parts;
  const { sink, paper, desk, balances, accountEvents, settle, orders } = trading;
  return {
    ...{ ...parts, sink, paper, desk, balances, accountEvents, settle, setVolumeFault },
    ...withNativeFaults(orders),
    async advance(target) {
      if (manualClock === undefined)
        throw new InputError("the clock is real and cannot be moved: start the sandbox with CLOCK=manual");
      const settleStep = async (): Promise<void> => void (await settle());
      if ("now" in target) await manualClock.advanceTo(target.now, settleStep);
      else await manualClock.advanceBy(target.advanceMs, settleStep);
    },
    async close() {
      market.stop();
      await settle();
      await engine.close();
      await closeOutside();
      trading.close();
    },
  };
}

function engineSettings(settings: SandboxSettings): Partial<EngineSettings> {
  return {
    advancedOrders: settings.advancedOrders,
    quoteMaxAgeMs: settings.quoteMaxAgeMs,
    submitDeadlineMs: settings.submitDeadlineMs,
    venueQuietMs: settings.venueQuietMs,
    retryMinMs: settings.retryMinMs,
    retryMaxMs: settings.retryMaxMs,
    retentionDays: settings.retentionDays,
    snapshotEvery: settings.snapshotEvery,
  };
}

async function readRows(
  { market }: SandboxSettings,
  instruments: Instruments,
): Promise<readonly ReplayRow[]> {
  if (market.kind !== "replay") return [];
  const { quotesPath, tradesPath } = market;
  return await readReplay({ quotesPath, instruments, ...(tradesPath === undefined ? {} : { tradesPath }) });
}

function marketOf(
  settings: SandboxSettings,
  from: Readonly<{ clock: Clock; rows: readonly ReplayRow[]; position: ReplayPosition | undefined }>,
): Market {
  const { clock, rows, position } = from;
  if (settings.market.kind === "manual") return createManualMarket();
  if (settings.market.kind === "synthetic") return syntheticMarket(clock, settings);
  return createReplayMarket({
    clock,
    rows,
    pace: settings.clock === "manual" ? "recorded" : settings.marketSpeed,
    position,
  });
}

/** A node of several sandboxes on one store: a standby, and the exchange that it becomes. */
export type ExchangeNode = Readonly<{
  standby: Standby;
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
  const standby = await openStandby({
    ...{ ...engineOptions(surroundings, inner), venue, accounts, exposure },
    cluster: clusterOf(settings, address),
  }).catch(async (error: unknown) => {
    await disk.orders.close();
    throw error;
  });
  standby.onStatus(({ state }) => {
    // Accounts and venue open while the engine does. A failure is met where the exchange waits for them.
    if (state === "taking-over") void late.open().catch(() => undefined);
    if (state === "following") void late.close();
  });
  const exchange = standby.takenOver.then(async (engine) => {
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
