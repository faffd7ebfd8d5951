/**
 * An engine whose venue is behind HTTP. The first order fills. For the second one, every connection breaks after its
 * child has executed and before the answer was sent: the engine looks the child up, and it is executed once.
 */
import { Price, Quantity } from "managed-orders";
import { openEngine } from "managed-orders/engine";
import { createMemoryHost } from "managed-orders/memory";
import { createSystemClock } from "managed-orders/node";
import { openVenueClient } from "managed-orders/venue-http";
import { startExchange } from "./exchange.ts";

const SYMBOL = "BTC/USD";
const SECRET = "a secret that both sides share";

const exchange = await startExchange(SECRET);
const clock = createSystemClock();
const client = await openVenueClient({ url: exchange.url, secret: SECRET, clock });
const { venue, marketData } = client;
if (marketData === undefined) throw new Error("the exchange has no quotes");
const engine = await openEngine({
  ...createMemoryHost({ symbols: [SYMBOL] }),
  ...{ clock, venue, marketData },
  telemetry: { event: () => undefined },
  settings: { advancedOrders: true },
});
// A quote that is sent before the stream of quotes is connected would be missed.
while (!client.status().streams.every(({ isLive }) => isLive))
  await new Promise((resolve) => setTimeout(resolve, 10));

engine.events.on("child", ({ clientOrderId, state }) =>
  console.log(`${clientOrderId}: its child is ${state}`),
);
engine.events.on("fill", ({ clientOrderId, fill }) =>
  console.log(`${clientOrderId}: ${Quantity.format(fill.quantity)} at ${Price.format(fill.price)}`),
);

/** Places a buy order, and lets the market reach its price. Resolves when it has ended. */
async function trade(newClientOrderId: string, price: string): Promise<void> {
  const ended = new Promise<string>((resolve) =>
    engine.events.once("ended", ({ status }) => resolve(status)),
  );
  const order = { symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "0.5" } as const;
  await engine.account(1).place({ ...order, price, newClientOrderId });
  exchange.quotes.quote({ symbol: SYMBOL, bid: String(Number(price) - 1), ask: price });
  console.log(`${newClientOrderId}: ${await ended}`);
}

await trade("first", "60000");
exchange.loseNextAnswer();
await trade("second", "59900");

await engine.close();
client.close();
exchange.close();
