/**
 * A host with its own HTTP server that hands every request but /health to the service, byte for byte. A client then
 * places an order with a signed request over the loopback, reads it back, and is refused once.
 */
import { createServer } from "node:http";
import { type Engine, openEngine } from "managed-orders/engine";
import {
  createMarketFeed,
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryRateLimiter,
  createMemoryStore,
} from "managed-orders/memory";
import { createEntropy, createNodeMount, createSystemClock } from "managed-orders/node";
import type { ExecutionVenue } from "managed-orders/ports";
import { createService } from "managed-orders/service";
import { signBody, signQuery } from "managed-orders/signing";

const KEY = { apiKey: "example-key", secret: "example-secret" };

const clock = createSystemClock();
const entropy = createEntropy();
const feed = createMarketFeed();
const instruments = createMemoryInstruments([
  {
    id: 1,
    symbol: "BTC/USD",
    aliases: ["BTCUSD", "BTC-USD"],
    baseAsset: "BTC",
    quoteAsset: "USD",
    name: "Bitcoin",
    kind: "liquidity",
    status: "TRADING",
  },
]);
const accounts = createMemoryAccounts([
  {
    account: { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false },
    keys: [{ ...KEY, userId: 1, accountId: 1, permissions: ["READ", "TRADE"], ipAllowlist: [] }],
  },
]);

/** A venue that rejects every child: the stop below never triggers. */
const venue: ExecutionVenue = {
  capabilities: { honoursDeadline: true, canVoid: false },
  submit: async ({ childId }) => ({ childId, state: "rejected", fills: [] }),
  lookup: async () => "not-found",
  subscribe: () => () => undefined,
};

/** Opens the engine. A real host keeps its orders in a file: `openSqliteStore({ path })` of managed-orders/sqlite. */
function openOrders(): Promise<Engine> {
  return openEngine({
    store: createMemoryStore(),
    instruments,
    accounts,
    exposure: createMemoryExposure(),
    venue,
    clock,
    entropy,
    marketData: feed,
    settings: { advancedOrders: true },
  });
}

const engine = await openOrders();
const rateLimiter = createMemoryRateLimiter({ clock });
const service = createService({ engine, accounts, instruments, clock, entropy, rateLimiter });
const mount = createNodeMount({ service });
const server = createServer((request, response) => {
  if (request.url === "/health") response.end("well");
  else void mount.answer(request, response);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = server.address();
const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;

type Reply = Readonly<{ code?: number; msg?: string } & Record<string, unknown>>;

async function show(response: Response): Promise<void> {
  const reply = (await response.json()) as Reply;
  const { code, msg, clientOrderId, orderId, type, stopPrice, status, apiState } = reply;
  console.log(
    response.status,
    ...(code === undefined ? [clientOrderId, orderId, type, stopPrice, status, apiState] : [code, msg]),
  );
}

feed.quote({ symbol: "BTC/USD", bid: "60000", ask: "60001" });
console.log("health:", await (await fetch(`${url}/health`)).text());

const query = `nonce=${clock.nowMs()}`;
const parameters = {
  symbol: "BTC/USD",
  side: "SELL",
  type: "STOP_MARKET",
  quantity: "0.5",
  stopPrice: "59500",
  newClientOrderId: "example-1",
};
const { body, signature } = signBody({ secret: KEY.secret, query, parameters });
const headers = { "X-MBX-APIKEY": KEY.apiKey, "Content-Type": "application/json" };
const order = `${url}/api/order?${query}`;
await show(await fetch(order, { method: "POST", headers: { ...headers, signature }, body }));
await show(await fetch(order, { method: "POST", headers: { ...headers, signature }, body }));

const lookup = { symbol: "BTC/USD", origClientOrderId: "example-1", timestamp: clock.nowMs() };
const status = `${url}/api/v2/order?${signQuery({ secret: KEY.secret, parameters: lookup })}`;
await show(await fetch(status, { headers: { "X-MBX-APIKEY": KEY.apiKey } }));
await show(await fetch(`${status}0`, { headers: { "X-MBX-APIKEY": KEY.apiKey } }));

const drained = mount.drain();
server.close();
await drained;
await engine.close();
