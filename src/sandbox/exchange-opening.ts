import type { Engine, EngineOptions, EngineSettings } from "../engine/index.ts";
import type { PaperVenue } from "../paper-exchange/index.ts";
import type { Clock, Instruments, MarketSink } from "../ports/index.ts";
import { createCatalogue, syntheticMarket } from "./catalogue.ts";
import { type CrashPoints, createCrashPoints } from "./crash-points.ts";
import type { Disk } from "./disk.ts";
import type { Exchange, ExchangeHost } from "./exchange-api.ts";
import { InputError } from "./input-error.ts";
import type { SandboxClock } from "./manual-clock.ts";
import {
  createManualMarket,
  createReplayMarket,
  type Market,
  openReplayPosition,
  type ReplayPosition,
  type ReplayRow,
  readReplay,
} from "./markets/index.ts";
import { withNativeFaults } from "./native-faults.ts";
import type { Outside } from "./outside.ts";
import type { SandboxSettings } from "./settings.ts";
import { type FaultyStore, withFaults } from "./store-faults.ts";
import { type Trading, tradeElsewhere, tradeHere } from "./trading.ts";
import { connectVenue, type VenueElsewhere } from "./venue-elsewhere.ts";
import { createVolumeFaults, type VolumeFaults } from "./volume-faults.ts";

/** What an exchange is opened in. */
export type Surroundings = Readonly<{
  settings: SandboxSettings;
  host: ExchangeHost;
  /** The venue if it runs in a process of its own. */
  elsewhere: VenueElsewhere | undefined;
  instruments: Instruments;
  rows: readonly ReplayRow[];
}>;

/** Connects to a venue in a process of its own, if there is one, and leaves it if the opening fails. */
export async function withSurroundings<T>(
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
export const portsOf = (venue: PaperVenue | VenueElsewhere): VenuePorts =>
  "exposure" in venue ? { venue: venue.venue, exposure: venue.exposure } : { venue, exposure: venue };

/** Parts inside of the engine's options that the controls for tests reach. */
export type Inner = Readonly<{ store: FaultyStore; crashPoints: CrashPoints; volumeFaults: VolumeFaults }>;

/** Creates the parts inside of the engine's options that the controls for tests reach. */
export function innerOf(
  { crashAt }: SandboxSettings,
  { disk, clock }: Readonly<{ disk: Disk; clock: Clock }>,
): Inner & Readonly<{ clock: Clock }> {
  const crashPoints = createCrashPoints();
  if (crashAt !== undefined) crashPoints.arm(crashAt);
  return { clock, crashPoints, store: withFaults(disk.orders, clock), volumeFaults: createVolumeFaults() };
}

/** Returns the options of an engine, without those that the accounts and the place of the venue decide. */
export function engineOptions(
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
export type Opened = Readonly<{
  disk: Disk;
  clock: Clock;
  manualClock: SandboxClock | undefined;
  outside: Outside;
  engine: Engine;
  inner: Inner;
}>;

/** Joins an engine with its market, and resolves when the market has delivered what is due. */
export async function traded(
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
