import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createManualClock, type ManualClock } from "../../src/adapters/memory/index.ts";
import { price, quantity } from "../../src/decimal/index.ts";
import type { ChildRequest, Level, Quote } from "../../src/model/index.ts";
import type { PrintInput, VenueEvent } from "../../src/ports/index.ts";
import { createCatalogue } from "../../src/sandbox/catalogue.ts";
import { readVenueFault } from "../../src/sandbox/venue-desk.ts";
import {
  type ExecutionTerms,
  openPaperVenue,
  type PaperVenue,
  type Pruning,
} from "../../src/simulator/index.ts";

export const START_MS: number = 1_700_000_000_000;
export const DEADLINE_MS: number = START_MS + 2_000;

/** A venue on a manual clock, with its reports and prints. */
export type VenueWorld = Readonly<{
  clock: ManualClock;
  venue: PaperVenue;
  events: VenueEvent[];
  prints: PrintInput[];
}>;

export async function openVenueWorld(
  options: Readonly<{
    path?: string;
    startMs?: number;
    forgetting?: Pruning;
    terms?: ExecutionTerms;
  }> = {},
): Promise<VenueWorld> {
  const { startMs = START_MS, ...parts } = options;
  const clock = createManualClock({ startMs });
  const venue = await openPaperVenue({ clock, instruments: createCatalogue(), ...parts });
  const events: VenueEvent[] = [];
  const prints: PrintInput[] = [];
  venue.subscribe((event) => events.push(event));
  venue.onPrint((print) => prints.push(print));
  return { clock, venue, events, prints };
}

/** A venue where account 1 has 1,000,000 USD and 10 BTC, and BTC/USD is at 100 to 101 without sizes. */
export async function openFundedWorld(
  options: Readonly<{ path?: string; forgetting?: Pruning; terms?: ExecutionTerms }> = {},
): Promise<VenueWorld> {
  const world = await openVenueWorld(options);
  await world.venue.setBalances(1, { USD: "1000000", BTC: "10" });
  world.venue.quote(quoteOf({ bids: ["100"], asks: ["101"] }));
  return world;
}

/** A level as text: "100" without a size, "100x0.5" with one. */
const levelOf = (text: string): Level => {
  const [at = "", size] = text.split("x");
  return size === undefined ? { price: price(at) } : { price: price(at), size: quantity(size) };
};

export function quoteOf(
  sides: Readonly<{ bids: readonly string[]; asks: readonly string[]; symbol?: string }>,
): Quote {
  const bids = sides.bids.map(levelOf);
  const asks = sides.asks.map(levelOf);
  const best = (levels: readonly Level[]): Level["price"] => levels[0]?.price ?? price("1");
  const symbol = sides.symbol ?? "BTC/USD";
  return { symbol, bid: best(bids), ask: best(asks), bids, asks, timeMs: START_MS, sequence: 1 };
}

let children = 0;

/** A child with its own id; money as text. */
export function childOf(
  of: Readonly<
    Partial<Omit<ChildRequest, "quantity" | "limitPrice">> & { quantity?: string; limitPrice?: string }
  > = {},
): ChildRequest {
  const { quantity: size = "1", limitPrice, ...rest } = of;
  return {
    childId: `aqc-test-${++children}`,
    parentOrderId: -256,
    accountId: 1,
    symbol: "BTC/USD",
    side: "BUY",
    timeInForce: "IOC",
    reduceOnly: false,
    ...rest,
    quantity: quantity(size),
    ...(limitPrice === undefined ? {} : { limitPrice: price(limitPrice) }),
  };
}

/** Activates a fault from a body of the control interface. */
export const faulty = (venue: PaperVenue, body: unknown): void => venue.setFault(readVenueFault(body));

/** Whether a promise has an answer once all work that needs no time is done. */
export async function isAnswered(venue: PaperVenue, answer: Promise<unknown>): Promise<boolean> {
  let answered = false;
  answer.then(
    () => (answered = true),
    () => (answered = true),
  );
  await venue.idle();
  await new Promise(setImmediate);
  return answered;
}

/** A separate directory of this test, removed after it. */
export async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "paper-venue-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
