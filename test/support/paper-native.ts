import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import type { NativeMarket, NativeOrdersPlace, NativeOrdersSubject } from "../../src/conformance/index.ts";
import type { NativeOrders } from "../../src/ports/index.ts";
import { createCatalogue } from "../../src/sandbox/catalogue.ts";
import { openPaperVenue, type PaperVenue } from "../../src/simulator/index.ts";
import { quoteOf, START_MS } from "../sandbox/venue-world.ts";

/** Native orders between the paper venue and the suite; a fresh change for each opening. */
export type NativeChange = (honest: NativeOrders) => NativeOrders;

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Native orders of a paper venue on a file; every opening acts as another process. */
export async function paperNativePlace(
  change: NativeChange = (honest) => honest,
): Promise<NativeOrdersPlace> {
  const directory = await mkdtemp(join(tmpdir(), "native-orders-"));
  const clock = createManualClock({ startMs: START_MS });
  const markets = new Map<string, NativeMarket>();
  let venue: PaperVenue;
  const show = ({ symbol, bid, ask }: NativeMarket): void =>
    venue.quote(quoteOf({ symbol, bids: [bid], asks: [ask] }));
  return {
    async open() {
      const opened = await openPaperVenue({
        ...{ clock, instruments: createCatalogue(), path: join(directory, "venue.jsonl") },
        terms: { fees: { maker: "0", taker: "0" } },
      });
      for (const accountId of [1, 2])
        if (!opened.hasAccount(accountId))
          await opened.setBalances(accountId, { USD: "1000000", BTC: "10", ETH: "10" });
      venue = opened;
      for (const market of markets.values()) show(market);
      return { native: change(opened.native), close: () => opened.close() };
    },
    quote(market) {
      markets.set(market.symbol, market);
      show(market);
    },
    nowMs: () => clock.nowMs(),
    pass: (ms) => clock.advanceBy(ms),
    async idle() {
      // A call reaches the record after some promises, and its answer comes some promises after the record.
      await turn();
      await venue.idle();
      await turn();
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** The native orders of the paper venue as the suite tests them. */
export const paperNative: NativeOrdersSubject = {
  name: "paper venue",
  supports: { cancelIf: true, open: true, byAmount: true, notionals: true, commissions: true },
  createPlace: () => paperNativePlace(),
};
