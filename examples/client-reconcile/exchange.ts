import type { FetchLike } from "managed-orders/client";
import { openEngine } from "managed-orders/engine";
import { createMemoryHost, createMemoryRateLimiter, type ManualClock } from "managed-orders/memory";
import { createNodeServer } from "managed-orders/node";
import { createService } from "managed-orders/service";

/** Key of the example's account. */
export const KEY = { apiKey: "example-key", secret: "example-secret" } as const;

/** When the connection of the next placement breaks: before the order arrives, or after it was placed. */
export type Break = "before" | "after";

/** An exchange on the loopback, and a network to it that can break. */
export type Exchange = Readonly<{
  baseUrl: string;
  clock: ManualClock;
  fetch: FetchLike;
  breakNext: (when: Break) => void;
  close: () => Promise<void>;
}>;

/** Opens an exchange in memory. Its clock stands still until the example moves it. */
export async function openExchange(): Promise<Exchange> {
  const host = createMemoryHost({ symbols: ["BTC/USD"] });
  const account = await host.accounts.account(1);
  if (account !== undefined) {
    const key = { ...KEY, userId: 1, accountId: 1, permissions: ["READ", "TRADE"], ipAllowlist: [] } as const;
    host.accounts.put({ account, keys: [key] });
  }
  const engine = await openEngine({
    ...host,
    venue: {
      capabilities: { honoursDeadline: true, canVoid: false },
      submit: async ({ childId }) => ({ childId, state: "rejected", fills: [] }),
      lookup: async () => "not-found",
      subscribe: () => () => undefined,
    },
    settings: { advancedOrders: true },
  });
  const rateLimiter = createMemoryRateLimiter({ clock: host.clock });
  const server = createNodeServer({ service: createService({ ...host, engine, rateLimiter }) });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  let next: Break | undefined;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    clock: host.clock,
    breakNext(when) {
      next = when;
    },
    async fetch(url, request) {
      const broken = request.method === "POST" ? next : undefined;
      if (broken !== undefined) next = undefined;
      if (broken === "before") throw new TypeError("connection reset");
      const reply = await fetch(url, request);
      if (broken === "after") throw new TypeError("connection reset");
      return reply;
    },
    async close() {
      await server.close({ graceMs: 0 });
      await engine.close();
    },
  };
}
