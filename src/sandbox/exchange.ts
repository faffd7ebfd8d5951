import { hostname } from "node:os";
import {
  type AtRest,
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
  tapCountedQuotes,
} from "./markets/index.ts";
import { type NativeFaultMode, withNativeFaults } from "./native-faults.ts";
import { lateOutside, type Outside, openOutside } from "./outside.ts";
import type { SandboxSettings } from "./settings.ts";
import { type FaultyStore, withFaults } from "./store-faults.ts";
import { type VolumeFaultMode, withVolumeFaults } from "./volume-faults.ts";

/** A local exchange without its network side: engine, market, venue, accounts, and the controls for tests. */
export type Exchange = Readonly<{
  engine: Engine;
  /** Sink for quotes and prints. The venue also receives every counted quote. */
  sink: MarketSink;
  /** Stops all prints on their way to the engine, or lets them through. */
  setVolumeFault: (mode: VolumeFaultMode) => void;
  venue: PaperVenue;
  /** Ordinary orders at the venue, with injected faults. */
  native: NativeOrders;
  setNativeFault: (mode: NativeFaultMode) => void;
  rejections: Rejections;
  store: FaultyStore;
  directory: Directory;
  demoKey: KeyPair;
  instruments: Instruments;
  clock: Clock;
  crashPoints: CrashPoints;
  /** Resolves when nothing can happen without time or input, or when only calls that do not answer are pending. */
  settle: () => Promise<AtRest>;
  /** Moves a manual clock. Everything due on the way happens at its time. Rejects with InputError on a real clock. */
  advance: (target: Readonly<{ now: number } | { advanceMs: number }>) => Promise<void>;
  runMarket: (on: boolean) => Readonly<{ running: boolean }>;
  /** Returns a trade id for a print without one. */
  nextTradeId: () => string;
  close: () => Promise<void>;
}>;

/** Dependencies of an exchange on its environment. */
export type ExchangeHost = Readonly<{ realClock: Clock; entropy: Entropy; telemetry: Telemetry }>;

/** Length of the id that distinguishes the trade ids of different runs of the process. */
const RUN_ID_LENGTH = 12;

/**
 * Age up to which fills are repeated as prints after a restart. It is within the time for which the engine remembers
 * ids.
 */
const PRINTED_AGAIN_MS = 12 * 3_600_000;

/** Opens store, clock, venue, engine and market according to the settings, which name a store of one process. */
export async function openExchange(settings: SandboxSettings, host: ExchangeHost): Promise<Exchange> {
  const instruments = createCatalogue();
  const rows = await readRows(settings, instruments);
  const disk = await openDisk(settings, host.telemetry);
  try {
    return await openOn(disk, { settings, host, instruments, rows });
  } catch (error) {
    await disk.orders.close();
    throw error;
  }
}

type Surroundings = Readonly<{
  settings: SandboxSettings;
  host: ExchangeHost;
  instruments: Instruments;
  rows: readonly ReplayRow[];
}>;

async function openOn(disk: Disk, surroundings: Surroundings): Promise<Exchange> {
  const { settings, host, instruments, rows } = surroundings;
  const manualClock = await openClock(settings, { disk, rows, host });
  const clock = manualClock ?? host.realClock;
  const outside = await openOutside({ settings, disk, clock, instruments, telemetry: host.telemetry });
  const { directory, venue } = outside;
  const inner = innerOf(settings, { disk, clock });
  const engine = await openEngine({
    ...engineOptions(surroundings, inner),
    accounts: directory,
    exposure: venue,
    venue,
  });
  return await traded(surroundings, { disk, clock, manualClock, outside, engine, inner });
}

/** A node of several sandboxes on one store: a standby, and the exchange that it becomes. */
export type ExchangeNode = Readonly<{
  standby: Standby;
  /** Resolves once this node has taken over and the exchange is open. Rejects if that fails or the node is closed. */
  exchange: Promise<Exchange>;
}>;

/** Opens a node on a store with leases. The venue, which one process may run, is opened when it has taken over. */
export async function openExchangeNode(settings: SandboxSettings, host: ExchangeHost): Promise<ExchangeNode> {
  const instruments = createCatalogue();
  const surroundings = { settings, host, instruments, rows: await readRows(settings, instruments) };
  const disk = await openDisk(settings, host.telemetry);
  const clock = host.realClock;
  const inner = innerOf(settings, { disk, clock });
  const late = lateOutside(() =>
    openOutside({ settings, disk, clock, instruments, telemetry: host.telemetry }),
  );
  const { venue, accounts, exposure } = late;
  const standby = await openStandby({
    ...{ ...engineOptions(surroundings, inner), venue, accounts, exposure },
    cluster: { name: `${hostname()}:${process.pid}`.slice(-200), ttlMs: settings.leaseTtlMs },
  }).catch(async (error: unknown) => {
    await disk.orders.close();
    throw error;
  });
  standby.onStatus(({ state }) => {
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
  return { standby, exchange };
}

/** Parts inside of the engine's options that the controls for tests reach. */
type Inner = Readonly<{ store: FaultyStore; crashPoints: CrashPoints }>;

function innerOf(
  { crashAt }: SandboxSettings,
  { disk, clock }: Readonly<{ disk: Disk; clock: Clock }>,
): Inner & Readonly<{ clock: Clock }> {
  const crashPoints = createCrashPoints();
  if (crashAt !== undefined) crashPoints.arm(crashAt);
  return { clock, crashPoints, store: withFaults(disk.orders, clock) };
}

function engineOptions(
  { settings, host, instruments }: Surroundings,
  { clock, crashPoints, store }: ReturnType<typeof innerOf>,
): Omit<EngineOptions, "accounts" | "exposure" | "venue"> {
  const { entropy, telemetry } = host;
  const probe = crashPoints.probe;
  return { store, instruments, clock, entropy, telemetry, probe, settings: engineSettings(settings) };
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
  { settings, host, instruments, rows }: Surroundings,
  { disk, clock, manualClock, outside, engine, inner }: Opened,
): Promise<Exchange> {
  const position = manualClock && (await openReplayPosition(disk.keyValue));
  const market = marketOf(settings, { clock, rows, position });
  const { store, crashPoints } = inner;
  const { rejections } = disk;
  const { directory, venue, demoKey } = outside;
  const parts = { engine, venue, store, rejections, directory, demoKey, instruments, clock, crashPoints };
  const runId = host.entropy.token(RUN_ID_LENGTH);
  const exchange = joined(parts, { manualClock, market, runId, closeOutside: outside.close });
  await market.settled();
  return exchange;
}

type Parts = Omit<
  Exchange,
  | "sink"
  | "setVolumeFault"
  | "native"
  | "setNativeFault"
  | "settle"
  | "advance"
  | "runMarket"
  | "nextTradeId"
  | "close"
>;

function joined(
  parts: Parts,
  moving: Readonly<{
    manualClock: ManualClock | undefined;
    market: Market;
    runId: string;
    closeOutside: () => Promise<void>;
  }>,
): Exchange {
  const { engine, venue } = parts;
  const { market, manualClock, runId, closeOutside } = moving;
  const tapped = tapCountedQuotes(engine, (quote) => venue.quote(quote));
  const { sink, setVolumeFault } = withVolumeFaults(tapped);
  venue.onPrint((print) => sink.print(print));
  venue.printAgain(parts.clock.nowMs() - PRINTED_AGAIN_MS);
  market.start(sink);
  const settle = (): Promise<AtRest> => settled(engine, venue, market);
  let trades = 0;
  return {
    ...parts,
    ...withNativeFaults(venue.native),
    sink,
    setVolumeFault,
    settle,
    async advance(target) {
      if (manualClock === undefined)
        throw new InputError("the clock is real and cannot be moved: start the sandbox with CLOCK=manual");
      const settleStep = async (): Promise<void> => void (await settle());
      if ("now" in target) await manualClock.advanceTo(target.now, settleStep);
      else await manualClock.advanceBy(target.advanceMs, settleStep);
    },
    runMarket(on) {
      market.run(on);
      return { running: market.running };
    },
    // A manual clock may stand still over a restart, and a repeated id would not count.
    nextTradeId: () => `control-${runId}-${++trades}`,
    async close() {
      market.stop();
      await settle();
      await engine.close();
      await closeOutside();
    },
  };
}

/** Resolves when market, engine and venue are at rest at the same time. They can wake each other. */
async function settled(engine: Engine, venue: PaperVenue, market: Market): Promise<AtRest> {
  await market.settled();
  await engine.idle();
  while (venue.busy || market.busy) {
    await market.settled();
    await venue.idle();
    await engine.idle();
  }
  return await engine.idle();
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
