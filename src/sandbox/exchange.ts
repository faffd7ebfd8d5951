import { hostname } from "node:os";
import {
  type Engine,
  type EngineOptions,
  type EngineSettings,
  openEngine,
  openStandby,
  type Standby,
} from "../engine/index.ts";
import type {
  Clock,
  Entropy,
  Instruments,
  MarketSink,
  NativeOrders,
  Rejections,
  Telemetry,
} from "../ports/index.ts";
import type { PaperVenue } from "../simulator/index.ts";
import { createCatalogue } from "./catalogue.ts";
import { type CrashPoints, createCrashPoints } from "./crash-points.ts";
import type { Directory, KeyPair } from "./directory.ts";
import { type Disk, openDisk } from "./disk.ts";
import { InputError } from "./input-error.ts";
import { type ManualClock, openManualClock } from "./manual-clock.ts";
import {
  createManualMarket,
  createReplayMarket,
  createSyntheticMarket,
  type Market,
  openReplayPosition,
  type ReplayPosition,
  type ReplayRow,
  readReplay,
} from "./markets/index.ts";
import { type NativeFaultMode, withNativeFaults } from "./native-faults.ts";
import { lateOutside, latePaper, type Outside, openAccounts, openOutside } from "./outside.ts";
import type { SandboxSettings } from "./settings.ts";
import { type FaultyStore, withFaults } from "./store-faults.ts";
import { type Trading, tradeElsewhere, tradeHere } from "./trading.ts";
import type { VenueDesk } from "./venue-desk.ts";
import { connectVenue, type VenueElsewhere } from "./venue-elsewhere.ts";
import { createVolumeFaults, type VolumeFaultMode, type VolumeFaults } from "./volume-faults.ts";

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
    directory: Directory;
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
    const instruments = elsewhere?.instruments ?? createCatalogue();
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

async function openOn(disk: Disk, surroundings: Surroundings): Promise<Exchange> {
  const { settings, host, elsewhere, instruments, rows } = surroundings;
  const manualClock = await openClock(settings, { disk, rows, host });
  const clock = manualClock ?? host.realClock;
  const parts = { settings, disk, clock, instruments, telemetry: host.telemetry };
  const inner = innerOf(settings, { disk, clock });
  const outside = elsewhere ? await openAccounts(parts, elsewhere) : await openOutside(parts);
  const ports = { ...portsOf(outside.elsewhere ?? outside.paper), accounts: outside.directory };
  const engine = await openEngine({ ...engineOptions(surroundings, inner), ...ports });
  return await traded(surroundings, { disk, clock, manualClock, outside, engine, inner });
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
    cluster: { name: `${hostname()}:${process.pid}`.slice(-200), ttlMs: settings.leaseTtlMs, address },
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

type VenuePorts = Pick<EngineOptions, "venue" | "exposure">;

const portsOf = (venue: PaperVenue | VenueElsewhere): VenuePorts =>
  "exposure" in venue ? { venue: venue.venue, exposure: venue.exposure } : { venue, exposure: venue };

/** Parts inside of the engine's options that the controls for tests reach. */
type Inner = Readonly<{ store: FaultyStore; crashPoints: CrashPoints; volumeFaults: VolumeFaults }>;

function innerOf(
  { crashAt }: SandboxSettings,
  { disk, clock }: Readonly<{ disk: Disk; clock: Clock }>,
): Inner & Readonly<{ clock: Clock }> {
  const crashPoints = createCrashPoints();
  if (crashAt !== undefined) crashPoints.arm(crashAt);
  return { clock, crashPoints, store: withFaults(disk.orders, clock), volumeFaults: createVolumeFaults() };
}

function engineOptions(
  { settings, host, elsewhere, instruments }: Surroundings,
  { clock, crashPoints, store, volumeFaults }: ReturnType<typeof innerOf>,
): Omit<EngineOptions, "accounts" | "exposure" | "venue"> {
  const { entropy, telemetry } = host;
  const probe = crashPoints.probe;
  const marketData = elsewhere && {
    subscribe: (sink: MarketSink) => elsewhere.marketData.subscribe(volumeFaults.around(sink)),
  };
  const given = { store, instruments, clock, entropy, telemetry, probe, settings: engineSettings(settings) };
  return marketData === undefined ? given : { ...given, marketData };
}

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
  const { settings, host, elsewhere, instruments, rows } = surroundings;
  const position = manualClock && (await openReplayPosition(disk.keyValue));
  const market = elsewhere ? createManualMarket() : marketOf(settings, { clock, rows, position });
  const { store, crashPoints, volumeFaults } = inner;
  const { rejections, openRateLimiter } = disk;
  const { directory, demoKey } = outside;
  const kept = { store, rejections, openRateLimiter };
  const parts = { engine, ...kept, directory, demoKey, instruments, clock, crashPoints };
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
  | ("directory" | "demoKey" | "instruments" | "clock" | "crashPoints")
>;

type Moving = Readonly<{
  manualClock: ManualClock | undefined;
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

async function openClock(
  settings: SandboxSettings,
  from: Readonly<{ disk: Disk; rows: readonly ReplayRow[]; host: ExchangeHost }>,
): Promise<ManualClock | undefined> {
  if (settings.clock === "real") return undefined;
  const startMs = settings.clockStartMs ?? from.rows[0]?.timeMs ?? from.host.realClock.nowMs();
  return await openManualClock({ store: from.disk.keyValue, startMs });
}

function marketOf(
  settings: SandboxSettings,
  from: Readonly<{ clock: Clock; rows: readonly ReplayRow[]; position: ReplayPosition | undefined }>,
): Market {
  const { clock, rows, position } = from;
  if (settings.market.kind === "manual") return createManualMarket();
  if (settings.market.kind === "synthetic")
    return createSyntheticMarket({ clock, seed: settings.marketSeed });
  return createReplayMarket({
    clock,
    rows,
    pace: settings.clock === "manual" ? "recorded" : settings.marketSpeed,
    position,
  });
}
