import { request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMarketFeed, type MarketFeed } from "../../../src/adapters/memory/index.ts";
import type { VenueClient } from "../../../src/adapters/venue-http/index.ts";
import { sign } from "../../../src/signing/index.ts";
import { createScriptedVenue } from "../../support/scripted-venue.ts";
import { connect, SECRET, serveVenue, until } from "./loopback.ts";

async function openFeed(
  limits: Readonly<{ history?: number }> = {},
): Promise<Readonly<{ feed: MarketFeed; open: () => Promise<VenueClient> }>> {
  const feed = createMarketFeed();
  const running = await serveVenue({ venue: createScriptedVenue(), marketData: feed, limits });
  onTestFinished(running.close);
  const open = async (): Promise<VenueClient> => {
    const client = await connect(running.url);
    onTestFinished(() => client.close());
    return client;
  };
  return { feed, open };
}

/** Levels of a quote of 20 KB. */
const side = Array.from({ length: 400 }, (_, n) => [`${10_000 + n}.12345678`, "123.456789"] as const);

/** Hears quotes and confirmations of a client. */
function listen({ marketData }: VenueClient): readonly string[] {
  const received: string[] = [];
  marketData?.subscribe({
    quote: ({ symbol }) => {
      received.push(symbol);
      return "counted";
    },
    heartbeat: (symbol) => void received.push(`confirmed ${symbol}`),
    print: () => undefined,
  });
  return received;
}

describe("the current quotes of a stream that begins anew", () => {
  it("more than 8 MB of what was missed arrives, because a reader is not slow before it could read", async () => {
    const { feed, open } = await openFeed();
    for (let n = 0; n < 400; n++)
      feed.quote({ symbol: `S${n}/USD`, bid: "1", ask: "2", bids: side, asks: side });
    const received = listen(await open());
    await until(() => received.length === 400, "the current quotes");
  });

  it("a reader that does not read is cut off when 8 MB wait for it beside what it had missed", async () => {
    const feed = createMarketFeed();
    const reported: string[] = [];
    const telemetry = { event: (_level: string, name: string) => void reported.push(name) };
    const running = await serveVenue({ venue: createScriptedVenue(), marketData: feed, telemetry });
    onTestFinished(running.close);
    const say = (): void =>
      void feed.quote({ symbol: "BTC/USD", bid: "1", ask: "2", bids: side, asks: side });
    say();
    const timeMs = Date.now();
    const path = "/v1/market";
    const signature = sign({ secret: SECRET, payload: `GET\n${path}\n${timeMs}\n` });
    const headers = { "x-venue-time": String(timeMs), "x-venue-signature": signature };
    const requested = request(`${running.url}${path}`, { headers }, (response) => {
      response.pause().on("error", () => undefined);
    });
    requested.on("error", () => undefined).end();
    onTestFinished(() => void requested.destroy());
    await until(() => {
      for (let n = 0; n < 10; n++) say();
      return reported.length > 0;
    }, "the end of the reader");
    expect(reported).toEqual(["venue-http.slow-reader"]);
  });

  it("a quiet market's is there after more trades of others than are kept", async () => {
    const { feed, open } = await openFeed({ history: 3 });
    feed.quote({ symbol: "QUIET/USD", bid: "1", ask: "2" });
    for (let n = 0; n < 4; n++)
      feed.print({ symbol: "BUSY/USD", price: "1", quantity: "1", id: String(n), timeMs: 5 });
    const client = await open();
    const received = listen(client);
    await until(() => client.status().streams.every(({ isLive }) => isLive), "the stream");
    feed.heartbeat("QUIET/USD");
    await until(() => received.includes("confirmed QUIET/USD"), "the confirmation");
    expect(received).toEqual(["QUIET/USD", "confirmed QUIET/USD"]);
  });
});
