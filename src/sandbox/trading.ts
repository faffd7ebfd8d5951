import type { AtRest, Engine } from "../engine/index.ts";
import type { PaperVenue } from "../paper-exchange/index.ts";
import type {
  AccountEvents,
  Balances,
  Clock,
  Entropy,
  Instruments,
  MarketSink,
  NativeOrders,
  Telemetry,
} from "../ports/index.ts";
import { createAccountEvents, RemoteAccountEvents } from "./account-events.ts";
import type { VolumeFaults } from "./faults.ts";
import { type Market, tapCountedQuotes } from "./market.ts";
import { marketControls, paperDesk, type VenueDesk } from "./venue-desk.ts";
import type { VenueElsewhere } from "./venue-elsewhere.ts";

/**
 * Age up to which fills are repeated as prints after a restart. It is within the time for which the engine remembers
 * ids.
 */
const PRINTED_AGAIN_MS = 12 * 3_600_000;

/** Venue and market of an exchange, by the place of the venue. */
export type Trading = Readonly<{
  /** Sink for quotes and prints. A paper venue of this process also receives every counted quote. */
  sink: MarketSink;
  /** The paper venue; undefined if the venue runs in a process of its own. */
  paper: PaperVenue | undefined;
  /** What the control interface asks of market and venue. */
  desk: VenueDesk;
  balances: Balances;
  accountEvents: AccountEvents;
  /** Resolves when nothing can happen without time or input, or when only calls that do not answer are pending. */
  settle: () => Promise<AtRest>;
  /** Ordinary orders at the venue. */
  orders: NativeOrders;
  /** Called when engine and accounts are closed. */
  close: () => void;
}>;

/** What is joined with a venue. */
type Joining = Readonly<{
  engine: Engine;
  instruments: Instruments;
  clock: Clock;
  entropy: Entropy;
  telemetry: Telemetry;
  market: Market;
  volumeFaults: VolumeFaults;
}>;

/** Joins an engine with the paper venue of this process, and starts the market. */
export function tradeHere(joining: Joining, paper: PaperVenue): Trading {
  const { engine, instruments, clock, entropy, market, volumeFaults } = joining;
  const sink = volumeFaults.around(tapCountedQuotes(engine, (quote) => paper.quote(quote)));
  paper.onPrint((print) => sink.print(print));
  paper.printAgain(clock.nowMs() - PRINTED_AGAIN_MS);
  market.start(sink);
  const settle = (): Promise<AtRest> => settled(engine, paper, market);
  const venue = { sink, venue: paper, instruments, clock, settle };
  return {
    ...{ sink, paper, settle, desk: paperDesk({ ...venue, ...marketControls(market, entropy) }) },
    orders: paper.native,
    balances: { balances: (accountId) => paper.funds(accountId) },
    accountEvents: createAccountEvents({ venue: paper, instruments }),
    close: () => market.stop(),
  };
}

/** Joins an engine with a venue that runs elsewhere, whose market the engine follows itself. */
export function tradeElsewhere(joining: Joining, elsewhere: VenueElsewhere): Trading {
  const { engine, instruments, clock, telemetry, volumeFaults } = joining;
  const { desk, balances, exposure, nativeOrders: orders } = elsewhere;
  const accountEvents = new RemoteAccountEvents({ balances, exposure, instruments, clock, telemetry });
  return {
    ...{ sink: volumeFaults.around(engine.market), paper: undefined, desk, orders, balances, accountEvents },
    settle: () => engine.idle(),
    close() {
      accountEvents.close();
      elsewhere.close();
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
