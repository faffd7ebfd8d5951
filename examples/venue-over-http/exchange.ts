/**
 * The process of the exchange: a venue that fills every child at the price of its limit, quotes, and the server that
 * puts both behind HTTP. In the example it runs in the process of the engine; nothing but HTTP connects the two.
 */
import { createServer } from "node:http";
import type { ChildReport } from "managed-orders";
import { createMarketFeed, type MarketFeed } from "managed-orders/memory";
import { createEntropy, createSystemClock } from "managed-orders/node";
import type { ExecutionVenue } from "managed-orders/ports";
import { createVenueServer } from "managed-orders/venue-http";

/** A running exchange. */
export type Exchange = Readonly<{
  url: string;
  quotes: MarketFeed;
  /** Ends every connection when the next child has executed, before the answer is sent. */
  loseNextAnswer: () => void;
  close: () => void;
}>;

/** Starts the exchange on a free port. Its requests are signed with this secret. */
export async function startExchange(secret: string): Promise<Exchange> {
  const clock = createSystemClock();
  const http = createServer();
  const reports = new Map<string, ChildReport>();
  let losesAnswer = false;
  const venue: ExecutionVenue = {
    capabilities: { honoursDeadline: true, canVoid: false },
    async submit({ childId, quantity, limitPrice }) {
      const price = limitPrice;
      if (price === undefined) return { childId, state: "rejected", fills: [] };
      const fill = { executionId: `exec-${reports.size + 1}`, quantity, price, timeMs: clock.nowMs() };
      const report: ChildReport = { childId, state: "closed", fills: [fill] };
      reports.set(childId, report);
      if (losesAnswer) http.closeAllConnections();
      losesAnswer = false;
      return report;
    },
    lookup: async ({ childId }) => reports.get(childId) ?? { notFoundAtMs: clock.nowMs() },
    venueTimeMs: async () => clock.nowMs(),
    // This venue reports everything in its answers.
    subscribe: () => () => undefined,
  };
  const quotes = createMarketFeed();
  const server = createVenueServer({ venue, marketData: quotes, secret, clock, entropy: createEntropy() });
  server.attach(http);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    quotes,
    loseNextAnswer: () => {
      losesAnswer = true;
    },
    close: () => {
      server.close();
      http.close();
    },
  };
}
