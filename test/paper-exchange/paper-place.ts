import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import type {
  ExecutionVenuePlace,
  ExecutionVenueSupport,
  Offer,
  OpenVenue,
  RefusalReason,
} from "../../src/conformance/index.ts";
import { formatQuantity, quantity, subtract } from "../../src/decimal/index.ts";
import type { ChildRequest } from "../../src/model/index.ts";
import type { Clock, VenueEvent } from "../../src/ports/index.ts";
import { createCatalogue } from "../../src/sandbox/catalogue.ts";
import { openPaperVenue, type PaperVenue, type VenueFault } from "../../src/simulator/index.ts";
import { quoteOf, START_MS } from "../sandbox/venue-world.ts";

/** What the account has at first; every child of the suite can be paid from it. */
const FUNDS = { USD: "1000000000", BTC: "1000", ETH: "1000" };
/** An account without any. */
const POOR = 2;

/** How the paper venue refuses: by a fault, for an unknown market, and without funds. */
const REFUSALS: Readonly<Record<RefusalReason, { fault?: VenueFault; child?: Partial<ChildRequest> }>> = {
  now: { fault: { mode: "reject", count: 1 } },
  never: { child: { symbol: "NONE/USD" } },
  funds: { child: { accountId: POOR } },
};

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** What stands between the suite and the venue: an adapter that runs, and the moment when it is at rest. */
export type Front = OpenVenue & Readonly<{ idle: () => Promise<void>; setOutage?: (isOut: boolean) => void }>;

/** Puts a front before a venue. */
export type FrontOf = (venue: PaperVenue, clock: Clock) => Promise<Front>;

const direct: FrontOf = async (venue) => ({ venue, close: () => undefined, idle: async () => undefined });

/** The optional parts of the paper venue. */
export const PAPER_SUPPORT: ExecutionVenueSupport = {
  ...{ honoursDeadline: true, canVoid: false, venueTime: true, abortable: false },
  ...{ openChildren: true, partialReports: false, earlyEvents: false, lateFills: false },
  ...{ finalRefusals: true, fundsMark: false },
};

/** A paper venue on a file, so that it outlives its process. */
export async function paperPlace(frontOf: FrontOf = direct): Promise<ExecutionVenuePlace> {
  const directory = await mkdtemp(join(tmpdir(), "execution-venue-"));
  const clock = createManualClock({ startMs: START_MS });
  const offers = new Map<string, Offer["levels"]>();
  const last = new Map<string, VenueEvent>();
  let venue: PaperVenue;
  let front: Front;
  const show = (symbol: string): void => {
    const levelsOf = (side: Offer["side"]): readonly string[] =>
      (offers.get(`${symbol} ${side}`) ?? []).map((level) => `${level.price}x${level.quantity}`);
    venue.quote(quoteOf({ symbol, bids: levelsOf("SELL"), asks: levelsOf("BUY") }));
  };
  return {
    async open(): Promise<OpenVenue> {
      const path = join(directory, "venue.jsonl");
      venue = await openPaperVenue({ clock, instruments: createCatalogue(), path });
      if (!venue.hasAccount(1)) await venue.setBalances(1, FUNDS);
      venue.subscribe((event) => last.set(event.report.childId, event));
      front = await frontOf(venue, clock);
      const close = async (): Promise<void> => {
        await front.close();
        await venue.close();
      };
      return { venue: front.venue, close };
    },
    nowMs: () => clock.nowMs(),
    offer(offer) {
      offers.set(`${offer.symbol} ${offer.side}`, offer.levels);
      show(offer.symbol);
    },
    refuse(reason) {
      const { fault, child } = REFUSALS[reason];
      if (fault !== undefined) venue.setFault(fault);
      return child;
    },
    lose: (what) => venue.setFault({ mode: what === "child" ? "timeout-before" : "timeout-after", count: 1 }),
    setOutage(isOut) {
      venue.setFault(isOut ? { mode: "timeout-before", lookup: "fail" } : {});
      front.setOutage?.(isOut);
    },
    async idle() {
      // A call reaches the record after some promises, and its answer comes some promises after the record.
      await turn();
      await venue.idle();
      await turn();
      await front.idle();
    },
    position(symbol) {
      const asset = symbol.slice(0, 3) as keyof typeof FUNDS;
      const { [asset]: now = "0" } = venue.balances(1);
      return formatQuantity(subtract(quantity(now), quantity(FUNDS[asset])));
    },
    remove: () => rm(directory, { recursive: true, force: true }),
    hold: () => venue.setFault({ mode: "hold", count: 1 }),
    settle: async (childId) => void (await venue.release(childId)),
    repeat: (childId) => venue.publish(last.get(childId) as VenueEvent),
  };
}
