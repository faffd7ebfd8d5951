import { Price } from "managed-orders";
import { openEngine } from "managed-orders/engine";
import { createMemoryHost, createMemoryRateLimiter } from "managed-orders/memory";
import { createNodeServer } from "managed-orders/node";
import { createService } from "managed-orders/service";

const SYMBOL = "BTC/USD";
const KEY = { apiKey: "example-key", secret: "example-secret" } as const;

/** An exchange on the loopback. */
export type Exchange = Readonly<{
  /** Address and key for a client. */
  access: Readonly<{ baseUrl: string; apiKey: string; secret: string }>;
  /** Feeds a quote and waits until all its effects are complete. */
  quote: (bid: string, ask: string) => Promise<void>;
  close: () => Promise<void>;
}>;

/** Opens an exchange in memory, with a venue that fills each child completely, and a clock that stands still. */
export async function openExchange(): Promise<Exchange> {
  const host = createMemoryHost({ symbols: [SYMBOL] });
  const { accounts, clock } = host;
  const account = await accounts.account(1);
  if (account !== undefined) {
    const key = { ...KEY, userId: 1, accountId: 1, permissions: ["READ", "TRADE"], ipAllowlist: [] } as const;
    accounts.put({ account, keys: [key] });
  }
  let bid = "";
  let ask = "";
  const engine = await openEngine({
    ...host,
    venue: {
      capabilities: { honoursDeadline: true, canVoid: false },
      submit: async ({ childId, side, quantity }) => {
        const at = Price.parse(side === "BUY" ? ask : bid);
        const fill = { executionId: `x-${childId}`, quantity, price: at, timeMs: clock.nowMs() };
        return { childId, state: "closed", fills: [fill] };
      },
      lookup: async () => "not-found",
      subscribe: () => () => undefined,
    },
    settings: { advancedOrders: true },
  });
  const service = createService({ ...host, engine, rateLimiter: createMemoryRateLimiter({ clock }) });
  const server = createNodeServer({ service, sockets: service.sockets });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    access: { ...KEY, baseUrl: `http://127.0.0.1:${port}` },
    async quote(newBid, newAsk) {
      [bid, ask] = [newBid, newAsk];
      engine.market.quote({ symbol: SYMBOL, bid, ask });
      await engine.idle();
    },
    async close() {
      await server.close();
      await engine.close();
    },
  };
}
