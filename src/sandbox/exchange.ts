import { realpathSync } from "node:fs";
import { basename } from "node:path";
import { createMemoryKeyValueStore, createMemoryStore } from "../adapters/memory/index.ts";
import { openSqliteStore } from "../adapters/sqlite/index.ts";
import { type AtRest, type Engine, type EngineSettings, openEngine } from "../engine/index.ts";
import type {
  Clock,
  Entropy,
  Instruments,
  KeyValueStore,
  MarketSink,
  NativeOrders,
  OrderStore,
  Rejections,
  Telemetry,
} from "../ports/index.ts";
import { createRejectionBuffer } from "../service/index.ts";
import { type Forgetting, openPaperVenue, type PaperVenue } from "../simulator/index.ts";
import { createCatalogue, demoBalances } from "./catalogue.ts";
import { type CrashPoints, createCrashPoints } from "./crash-points.ts";
import { DEMO_ACCOUNT_ID, type Directory, type KeyPair, openDirectory } from "./directory.ts";
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
import type { StoreSetting } from "./setting-readers.ts";
import { type SandboxSettings, venueRecordPath } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";
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

/** Time within which an engine asks again for an unknown outcome, unless longer pauses are set. */
const ASKED_AGAIN_MS = 300_000;

/** Rejections kept per account if they are to be persisted but the store is in memory. */
const REJECTIONS_IN_MEMORY = 10_000;

type Disk = Readonly<{ orders: OrderStore; keyValue: KeyValueStore; rejections: Rejections }>;

/** Opens store, clock, venue, engine and market according to the settings. */
export async function openExchange(settings: SandboxSettings, host: ExchangeHost): Promise<Exchange> {
  const instruments = createCatalogue();
  const rows = await readRows(settings, instruments);
  const disk = openDisk(settings, host);
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

async function openOn(disk: Disk, { settings, host, instruments, rows }: Surroundings): Promise<Exchange> {
  const manualClock = await openClock(settings, { disk, rows, host });
  const clock = manualClock ?? host.realClock;
  const directory = await openDirectory(disk.keyValue);
  const venue = await openVenue(settings, { clock, instruments, directory, telemetry: host.telemetry });
  const demoKey = await directory.ensureDemo(settings.demoKey);
  if (!venue.hasAccount(DEMO_ACCOUNT_ID)) await venue.setBalances(DEMO_ACCOUNT_ID, demoBalances(instruments));
  const crashPoints = createCrashPoints();
  if (settings.crashAt !== undefined) crashPoints.arm(settings.crashAt);
  const store = withFaults(disk.orders, clock);
  const engine = await openEngine({
    store,
    instruments,
    accounts: directory,
    exposure: venue,
    venue,
    clock,
    entropy: host.entropy,
    telemetry: host.telemetry,
    probe: crashPoints.probe,
    settings: engineSettings(settings),
  });
  const { rejections } = disk;
  const parts = { engine, venue, store, rejections, directory, demoKey, instruments, clock, crashPoints };
  const position = manualClock && (await openReplayPosition(disk.keyValue));
  const market = marketOf(settings, { clock, rows, position });
  const exchange = joined(parts, { manualClock, market, runId: host.entropy.token(RUN_ID_LENGTH) });
  await market.settled();
  return exchange;
}

/**
 * Opens the venue on its record. A store without accounts is new. If the record then is not new, it belongs to another
 * store: children of new orders could get the ids of its children, and would be answered with their fills.
 */
async function openVenue(
  settings: SandboxSettings,
  parts: Readonly<{ clock: Clock; instruments: Instruments; directory: Directory; telemetry: Telemetry }>,
): Promise<PaperVenue> {
  const { directory, ...venueParts } = parts;
  const path = venueRecordPath(realStore(settings.store));
  const venue = await openPaperVenue({ ...venueParts, path, forgetting: forgettingOf(settings) });
  const isForeign = venue.hasAccount(DEMO_ACCOUNT_ID) && directory.account(DEMO_ACCOUNT_ID) === undefined;
  if (!isForeign) return venue;
  await venue.close();
  throw new SettingsError(
    `${basename(path ?? "")} is the record of another store: remove it, or restore its store`,
  );
}

/**
 * Returns the times after which children are forgotten. A child is not forgotten while an engine still looks it up: the
 * engine asks again within its longest pause.
 */
function forgettingOf({ venueForgetsAfterMs, submitDeadlineMs, retryMaxMs }: SandboxSettings): Forgetting {
  const quietMs = 2 * Math.max(ASKED_AGAIN_MS, submitDeadlineMs, retryMaxMs);
  return { afterMs: venueForgetsAfterMs, quietMs };
}

/** Returns the store setting with its real path, because the venue's record is stored beside it. */
const realStore = (store: StoreSetting): StoreSetting =>
  store.kind === "memory" ? store : { ...store, path: realpathSync(store.path) };

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
  moving: Readonly<{ manualClock: ManualClock | undefined; market: Market; runId: string }>,
): Exchange {
  const { engine, venue } = parts;
  const { market, manualClock, runId } = moving;
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
      await venue.close();
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

function openDisk(settings: SandboxSettings, { telemetry }: ExchangeHost): Disk {
  const { store, persistRejections, retentionDays } = settings;
  if (store.kind === "memory") {
    const rejections = createRejectionBuffer(persistRejections ? { perAccount: REJECTIONS_IN_MEMORY } : {});
    return { orders: createMemoryStore(), keyValue: createMemoryKeyValueStore(), rejections };
  }
  // The venue's record is beside the store; two venues that write it would corrupt it.
  const rejecting = { retentionDays, telemetry };
  const orders = openSqliteStore({ path: store.path, exclusive: true, rejections: rejecting });
  const rejections = persistRejections ? orders.rejections : createRejectionBuffer();
  return { orders, keyValue: orders.keyValue, rejections };
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
