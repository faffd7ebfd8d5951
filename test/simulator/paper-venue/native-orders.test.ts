import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualClock } from "../../../src/adapters/memory/index.ts";
import { createCatalogue } from "../../../src/sandbox/index.ts";
import { openPaperVenue } from "../../../src/simulator/paper-venue/index.ts";
import { quoteOf, START_MS } from "../../sandbox/venue-world.ts";
import { type NativeHost, type NativePlace, nativeSuite } from "../../support/native-suite.ts";

/** A paper venue on a file; every opening acts as another process. */
async function paperPlace(): Promise<NativePlace> {
  const directory = await mkdtemp(join(tmpdir(), "native-orders-"));
  const path = join(directory, "venue.jsonl");
  const clock = createManualClock({ startMs: START_MS });
  const open = async (): Promise<NativeHost> => {
    const venue = await openPaperVenue({ clock, instruments: createCatalogue(), path });
    for (const accountId of [1, 2]) {
      if (!venue.hasAccount(accountId)) {
        await venue.setBalances(accountId, { USD: "1000000", BTC: "10", ETH: "10" });
      }
    }
    return {
      native: venue.native,
      quote: (bid, ask, symbol = "BTC/USD") => venue.quote(quoteOf({ symbol, bids: [bid], asks: [ask] })),
      pass: (ms) => clock.advanceBy(ms),
      nowMs: () => clock.nowMs(),
      idle: () => venue.idle(),
      close: () => venue.close(),
    };
  };
  return { open, remove: () => rm(directory, { recursive: true, force: true }) };
}

nativeSuite("paper venue", paperPlace);
