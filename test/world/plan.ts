import { createRandom, type Random } from "../../src/common/random.ts";
import { DEFAULT_SETTINGS, type EngineSettings } from "../../src/engine/index.ts";
import type { VenueCapabilities } from "../../src/ports/index.ts";
import { FAULTS, type Fault, type FaultRates, HABITS } from "./faults.ts";

/** Style of a market's price: small steps, small steps with occasional jumps, or the rows of a recorded day. */
export type MarketStyle = "walk" | "jumpy" | "calm" | "recorded";

/** One market of a world. */
export type MarketPlan = Readonly<{
  symbol: string;
  style: MarketStyle;
  sized: boolean;
  /** Whether its quotes have the time of their source. */
  stamped: boolean;
  /**
   * Its prices are whole multiples of this number of units of 0.0001 USD. With large steps the same price recurs often.
   */
  tick: number;
}>;

/** Options of one client. All orders of a reducing client reduce a position. */
export type ClientPlan = Readonly<{ accountId: number; reduces: boolean; streams: boolean }>;

/** What is decided about the nodes of a cluster before it begins. */
export type ClusterPlan = Readonly<{
  /** Most nodes that live at once. */
  most: number;
  ttlMs: number;
  /** By how much the clocks of a node and of the store may differ before the node drains. */
  clockApartMs: number;
  /**
   * When clients cancel everything that is open at the end: at once, after the markets went through their range, or not
   * before everything has had the time to end by itself.
   */
  cancels: "at once" | "after a sweep" | "never";
  /** Whether the nodes share the shards. Otherwise one owns all of them, and the others are its standbys. */
  shares: boolean;
  /** Whether a further node joins when the faults are over. */
  joinsLate: boolean;
}>;

/** A form of clusters: one node owns all shards, or the nodes share them. */
export type ClusterForm = "standby" | "sharing";

/** Everything about a world that is decided before it begins. */
export type Plan = Readonly<{
  seed: number;
  steps: number;
  markets: readonly MarketPlan[];
  clients: readonly ClientPlan[];
  rates: FaultRates;
  settings: EngineSettings;
  venue: VenueCapabilities;
  /**
   * Whether the venue reports the time at which it did not find a child. A venue whose clock is not the engine's must
   * do so, or tell its time when it is asked for it.
   */
  venueTellsTime: boolean;
  /**
   * Whether the venue tells its time when it is asked for it, and how far its clock is ahead of true time. It may then
   * answer "not-found" without a time.
   */
  venueClock?: Readonly<{ aheadMs: number }>;
  /** How long the venue remembers a settled child that is not looked up; without it forever. */
  venueForgetsAfterMs?: number;
  /** Maximum number of placements that clients send. */
  orders: number;
  /** Number of orders in 10 s that the rate limiter allows; without it there is no limit. */
  ordersPer10s?: number;
  /** Number of bytes of events that may wait for one reader of a private stream. */
  maxWaitingEventBytes: number;
  /** Whether the host has its own native orders, and its own volumes for VWAP profiles. */
  brings: Readonly<{ nativeOrders: boolean; volumeHistory: boolean }>;
  /** Whether records leave the store with the rows of their orders. Then hours pass, and retention is short. */
  forgets: boolean;
  /** Present if the processes are nodes of a cluster. */
  cluster?: ClusterPlan;
}>;

/**
 * Reductions of a plan that make a failing run smaller. The rest of the run keeps its draws. `form` forces the form of a
 * cluster.
 */
export type Cuts = Readonly<{
  steps?: number;
  orders?: number;
  without?: readonly Fault[];
  form?: ClusterForm;
}>;

/**
 * Returns whether every print that an engine counts is durable. Nodes that share the shards do not store those that they
 * count while another node keeps the market journal.
 */
export const storesEveryPrint = ({ cluster }: Plan): boolean => cluster === undefined;

const DAY_MS = 86_400_000;

/** A factor with which a jump still lands in the range traded at the end of a world. */
export const NEAR_JUMP = 2;

const SYMBOLS = ["BTC/USD", "ETH/USD", "SOL/USD"];
const TICKS = [1, 1, 10_000, 20_000];
const STYLES: readonly MarketStyle[] = ["walk", "walk", "jumpy", "calm", "recorded"];

/**
 * Returns the plan of a seed, with its cuts. Each part has its own generator, so that a new part does not change the
 * others.
 */
export function drawPlan(seed: number, steps: number, cuts: Cuts = {}): Plan {
  const random = createRandom(seed).of("plan");
  const rates = drawRates(random, cuts.without ?? []);
  const venueClock = drawVenueClock(random.of("clock of the venue"));
  const lifetime = drawLifetime(random.of("lifetime of the journal"));
  const isStepped = rates["clock steps back"] !== undefined || rates["clock steps forward"] !== undefined;
  return {
    seed,
    steps: Math.min(steps, cuts.steps ?? steps),
    markets: drawMarkets(random.of("markets")),
    clients: drawClients(random.of("clients")),
    settings: { ...drawSettings(random.of("settings")), ...lifetime.settings },
    venue: drawVenue(random.of("venue")),
    rates,
    venueTellsTime:
      random.of("venue tells its time").chance(0.5) || (isStepped && venueClock.venueClock === undefined),
    ...venueClock,
    ...drawMemory(random.of("how long the venue remembers")),
    orders: cuts.orders ?? Number.POSITIVE_INFINITY,
    ...drawLimits(random.of("limits")),
    brings: drawBrings(random.of("what the host brings")),
    forgets: lifetime.forgets,
  };
}

/** Draws whether records leave, and after how many days: at once, after ten minutes, or after an hour and a half. */
function drawLifetime(random: Random): Readonly<{ forgets: boolean; settings: Partial<EngineSettings> }> {
  const forgets = random.chance(0.35);
  const retentionDays = random.pick([0, 600_000, 5_400_000]) / DAY_MS;
  return { forgets, settings: forgets ? { retentionDays } : {} };
}

function drawMarkets(random: Random): readonly MarketPlan[] {
  return SYMBOLS.slice(0, 1 + random.below(SYMBOLS.length)).map((symbol) => ({
    symbol,
    style: random.pick(STYLES),
    sized: random.chance(0.4),
    stamped: random.chance(0.5),
    tick: random.of(`tick of ${symbol}`).pick(TICKS),
  }));
}

function drawLimits(random: Random): Pick<Plan, "ordersPer10s" | "maxWaitingEventBytes"> {
  const isLimited = random.chance(0.2);
  const ordersPer10s = random.pick([2, 5, 20]);
  return { ...(isLimited && { ordersPer10s }), maxWaitingEventBytes: random.pick([4_000, 200_000]) };
}

function drawBrings(random: Random): Plan["brings"] {
  return { nativeOrders: random.chance(0.6), volumeHistory: random.chance(0.6) };
}

function drawClients(random: Random): readonly ClientPlan[] {
  const count = 2 + random.below(4);
  return Array.from({ length: count }, (_, index) => ({
    accountId: index + 1,
    reduces: index > 0 && random.chance(0.3),
    streams: random.chance(0.6),
  }));
}

function drawSettings(random: Random): EngineSettings {
  return {
    ...DEFAULT_SETTINGS,
    advancedOrders: true,
    snapshotEvery: random.pick([10, 40, 200, 20_000]),
    reconcileEveryMs: random.pick([1_000, 3_000, 5_000]),
    retryMaxMs: random.of("pace of retries").pick([1_000, 5_000]),
    escalateAfterMs: random.pick([5_000, 20_000]),
    maxOpenParentsPerAccount: random.pick([40, 250_000]),
    maxPendingCommands: random.pick([4, 100_000]),
    quoteJumpFactor: random.pick([NEAR_JUMP, DEFAULT_SETTINGS.quoteJumpFactor]),
    maxPendingPrints: random.of("prints that wait").pick([4, 100_000]),
    residualCountsAsFilled: random.of("residuals that count as filled").chance(0.5),
  };
}

function drawVenue(random: Random): VenueCapabilities {
  const kind = random.below(6);
  const ratePerSecond = random.pick([undefined, 5, 50]);
  const fillsMayFollowCloseMs = random
    .of("executions after a close")
    .pick([undefined, undefined, 2_000, 8_000]);
  return {
    honoursDeadline: kind < 4,
    canVoid: kind === 3 || kind === 4,
    ...(ratePerSecond !== undefined && { ratePerSecond }),
    ...(fillsMayFollowCloseMs !== undefined && { fillsMayFollowCloseMs }),
  };
}

function drawVenueClock(random: Random): Pick<Plan, "venueClock"> {
  const aheadMs = random.pick([0, -10_000, 10_000, random.below(20_000) - 10_000]);
  return random.chance(0.5) ? { venueClock: { aheadMs } } : {};
}

/** Draws a time that is longer than an engine's pause between two look-ups, and shorter than some absences. */
function drawMemory(random: Random): Pick<Plan, "venueForgetsAfterMs"> {
  const venueForgetsAfterMs = random.pick([undefined, 6_500, 20_000]);
  return venueForgetsAfterMs === undefined ? {} : { venueForgetsAfterMs };
}

/**
 * Draws the rates: about half of the faults, from rare to frequent; sometimes all of them, or none. Each fault has its
 * own generator.
 */
export function drawRates(
  random: Random,
  without: readonly Fault[],
  faults: readonly Fault[] = FAULTS,
): FaultRates {
  const mood = random.next();
  const rates: Partial<Record<Fault, number>> = {};
  for (const fault of faults) {
    const own = random.of(fault);
    const isOn = mood < 0.05 ? false : mood > 0.85 || own.chance(HABITS.includes(fault) ? 0.25 : 0.5);
    const rate = 0.3 + own.next() * own.next() * 3;
    if (isOn && !without.includes(fault)) rates[fault] = rate;
  }
  return rates;
}
