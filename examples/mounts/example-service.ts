import { openEngine } from "managed-orders/engine";
import {
  createMarketFeed,
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryRateLimiter,
  createMemoryStore,
} from "managed-orders/memory";
import { createEntropy, createSystemClock } from "managed-orders/node";
import { createService, type Service } from "managed-orders/service";

/** The service's only key. */
export const KEY = { apiKey: "example-key", secret: "example-secret" } as const;

/** Opens a service in memory with one market, one account and a venue that rejects every child. */
export async function openExampleService(): Promise<
  Readonly<{ service: Service; close: () => Promise<unknown> }>
> {
  const clock = createSystemClock();
  const entropy = createEntropy();
  const feed = createMarketFeed();
  const instruments = createMemoryInstruments([
    {
      ...{ id: 1, symbol: "BTC/USD", aliases: ["BTCUSD"], baseAsset: "BTC", quoteAsset: "USD" },
      ...{ name: "Bitcoin", kind: "liquidity", status: "TRADING" },
    },
  ]);
  const accounts = createMemoryAccounts([
    {
      account: { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false },
      keys: [{ ...KEY, userId: 1, accountId: 1, permissions: ["READ", "TRADE"], ipAllowlist: [] }],
    },
  ]);
  const engine = await openEngine({
    store: createMemoryStore(),
    exposure: createMemoryExposure(),
    venue: {
      capabilities: { honoursDeadline: true, canVoid: false },
      submit: async ({ childId }) => ({ childId, state: "rejected", fills: [] }),
      lookup: async () => "not-found",
      subscribe: () => () => undefined,
    },
    ...{ instruments, accounts, clock, entropy, marketData: feed },
    settings: { advancedOrders: true },
  });
  feed.quote({ symbol: "BTC/USD", bid: "60000", ask: "60001" });
  const rateLimiter = createMemoryRateLimiter({ clock });
  const service = createService({ engine, accounts, instruments, clock, entropy, rateLimiter });
  return { service, close: () => engine.close() };
}
