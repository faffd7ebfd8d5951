import { describe, it, onTestFinished } from "vitest";
import { createMarketFeed, type MarketFeed } from "../../../src/adapters/memory/index.ts";
import type { VenueClient } from "../../../src/adapters/venue-http/index.ts";
import { createScriptedVenue } from "../../support/scripted-venue.ts";
import { connect, serveVenue, until } from "./loopback.ts";

async function openFeed(): Promise<Readonly<{ feed: MarketFeed; open: () => Promise<VenueClient> }>> {
  const feed = createMarketFeed();
  const running = await serveVenue({ venue: createScriptedVenue(), marketData: feed });
  onTestFinished(running.close);
  const open = async (): Promise<VenueClient> => {
    const client = await connect(running.url);
    onTestFinished(() => client.close());
    return client;
  };
  return { feed, open };
}

/** Hears quotes and confirmations of a client. */
function listen({ marketData }: VenueClient): readonly string[] {
  const heard: string[] = [];
  marketData?.subscribe({
    quote: ({ symbol }) => {
      heard.push(symbol);
      return "counted";
    },
    heartbeat: (symbol) => void heard.push(`confirmed ${symbol}`),
    print: () => undefined,
  });
  return heard;
}

describe("decision ZE: the current quotes of a stream that begins anew", () => {
  it("decision ZD: more than 8 MB of what was missed arrives, because a reader is not slow before it could read", async () => {
    const { feed, open } = await openFeed();
    const side = Array.from({ length: 400 }, (_, n) => [`${10_000 + n}.12345678`, "123.456789"] as const);
    for (let n = 0; n < 400; n++)
      feed.quote({ symbol: `S${n}/USD`, bid: "1", ask: "2", bids: side, asks: side });
    const heard = listen(await open());
    await until(() => heard.length === 400, "the current quotes");
  });
});
