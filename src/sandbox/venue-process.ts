import { createServer } from "node:http";
import * as z from "zod";
import { createMarketFeed } from "../adapters/memory/index.ts";
import { createEntropy, createSystemClock } from "../adapters/node/index.ts";
import { createVenueServer } from "../adapters/venue-http/index.ts";
import { DEFAULT_SETTINGS } from "../engine/index.ts";
import { QuoteGate } from "../engine/internal.ts";
import { openPaperVenue, type PaperVenue } from "../paper-exchange/index.ts";
import type { Clock, ExecutionVenue, Instruments, MarketData, MarketSink } from "../ports/index.ts";
import type { JsonInput } from "../wire/index.ts";
import { DEMO_ACCOUNT_ID } from "./accounts.ts";
import { createCatalogue, demoBalances, syntheticMarket } from "./catalogue.ts";
import { decimalText, MissingError, positiveId, readInput } from "./input.ts";
import { MANUAL_MARKET } from "./market.ts";
import { lockRecord } from "./outside.ts";
import { processTelemetry } from "./plain-words.ts";
import { type Control, closeNow, listenAt, openControl, portOf } from "./serving.ts";
import type { VenueSettings } from "./settings.ts";
import {
  type ControlCall,
  idOf,
  marketControls,
  paperDesk,
  readVenueFault,
  type VenueDesk,
} from "./venue-desk.ts";

/** A paper venue that runs in this process, behind HTTP. */
export type VenueProcess = Readonly<{
  url: string;
  /** Base address of the control interface; undefined if it is off. */
  controlUrl: string | undefined;
  stop: () => Promise<void>;
}>;

/** Time without a look-up after which a settled child may be forgotten: twice the longest pause of an engine. */
const QUIET_MS = 600_000;

/** Opens the venue on its record, its market and its ports. Rejects if a port is in use. */
export async function startVenue(settings: VenueSettings): Promise<VenueProcess> {
  const clock = createSystemClock();
  const instruments = createCatalogue(settings.catalogue);
  const telemetry = processTelemetry();
  // A process that cannot open it ends, which unlocks it.
  const { path, unlock } = lockRecord(settings.recordPath);
  const venue = await openPaperVenue({
    ...{ clock, instruments, telemetry, path },
    forgetting: { afterMs: settings.forgetsAfterMs, quietMs: QUIET_MS },
  });
  if (!venue.hasAccount(DEMO_ACCOUNT_ID)) await venue.setBalances(DEMO_ACCOUNT_ID, demoBalances(instruments));
  const { marketData, sink } = createVenueMarket(venue, clock, instruments);
  const market = settings.market.kind === "manual" ? MANUAL_MARKET : syntheticMarket(clock, settings);
  market.start(sink);
  const entropy = createEntropy();
  const server = createVenueServer({
    ...{ venue: timed(venue, clock), secret: settings.secret, clock, entropy, telemetry },
    ...{ marketData, nativeOrders: venue.native, exposure: venue, instruments },
    balances: { balances: (accountId) => venue.funds(accountId) },
  });
  const requested = { sink, venue, instruments, clock, settle: () => venue.idle() };
  const desk = paperDesk({ ...requested, ...marketControls(market, entropy) });
  const http = createServer();
  server.attach(http);
  let control: Control | undefined;
  const stop = async (): Promise<void> => {
    market.stop();
    server.close();
    closeNow(http);
    control?.close();
    await venue.close().finally(unlock);
  };
  try {
    const url = await listenAt(http, { host: settings.host, port: portOf(settings.port) });
    control = await openControl(
      settings,
      (call) => answer(desk, clock, call),
      () => [],
    );
    return { url, controlUrl: control.controlUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The venue with the time of the clock by which it judges deadlines, which a client on another machine needs. */
function timed(venue: PaperVenue, clock: Clock): ExecutionVenue {
  return {
    capabilities: venue.capabilities,
    submit: (child, limits) => venue.submit(child, limits),
    lookup: (child) => venue.lookup(child),
    venueTimeMs: async () => clock.nowMs(),
    subscribe: (listener) => venue.subscribe(listener),
  };
}

/**
 * Creates the market of a venue: quotes that the gate of an engine with default settings counts reach the book of the
 * venue and then its readers. Its own fills are trades of the market.
 */
function createVenueMarket(
  venue: PaperVenue,
  clock: Clock,
  instruments: Instruments,
): Readonly<{ marketData: MarketData; sink: MarketSink }> {
  const feed = createMarketFeed();
  const gates = new Map<string, QuoteGate>();
  for (const { symbol } of instruments.all()) gates.set(symbol, new QuoteGate(DEFAULT_SETTINGS));
  venue.onPrint((print) => feed.print(print));
  const sink: MarketSink = {
    quote(input) {
      const now = { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
      const quote = gates.get(input.symbol)?.take(input, now) ?? "unknown-symbol";
      if (typeof quote === "string") return quote;
      venue.quote(quote);
      feed.quote(input);
      return "counted";
    },
    heartbeat: (symbol) => feed.heartbeat(symbol),
    print: (print) => feed.print(print),
  };
  return { marketData: feed, sink };
}

const accountBody = z.strictObject({
  accountId: positiveId,
  balances: z.record(z.string(), decimalText).optional(),
  positions: z.record(z.string(), decimalText).optional(),
});

/** Answers a call of the control interface. Rejects with InputError, MissingError or VenueInputError. */
async function answer(desk: VenueDesk, clock: Clock, call: ControlCall): Promise<JsonInput> {
  const ofDesk = desk.answer(call);
  if (ofDesk !== undefined) return await ofDesk;
  const [first, id = ""] = call.path;
  switch (`${call.method} ${first} ${call.path.length}`) {
    case "GET health 1":
      return { ok: true, now: clock.nowMs() };
    case "POST faults 1":
      await desk.setFault(readVenueFault(readInput(z.strictObject({ venue: z.unknown() }), call.body).venue));
      return { ok: true };
    case "POST accounts 1": {
      const { accountId, ...funds } = readInput(accountBody, call.body);
      await desk.setFunds(accountId, funds);
      return await showAccount(desk, accountId);
    }
    case "GET accounts 2":
      return await showAccount(desk, readInput(positiveId, idOf(id)));
    default:
      throw new MissingError(`unknown call ${call.method} /control/${call.path.join("/").slice(0, 64)}`);
  }
}

const showAccount = async (desk: VenueDesk, accountId: number): Promise<JsonInput> => ({
  ...{ accountId, ...(await desk.funds(accountId)) },
});
