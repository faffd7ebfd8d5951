import type { CallOptions } from "./api.ts";
import { Caller } from "./caller.ts";
import { CLIENT_ROUTES, type Client, type Route } from "./routes.ts";
import { type ClientOptions, prepared, requireClientOptions } from "./settings.ts";
import { placesLists, placesOrders, readsOf, sharedMethods, type WriteParts } from "./writes.ts";

/**
 * Creates a client of the service. It runs in browsers, Node.js, Bun, Deno, workers and React Native, and sends nothing
 * by itself. Throws a TypeError for an option that cannot be used.
 *
 * @example
 * ```ts
 * import { createClient } from "managed-orders/client";
 * const client = createClient({ baseUrl: "http://127.0.0.1:8080", apiKey: "key", secret: "secret" });
 * export async function stop(): Promise<string> {
 *   const order = await client.placeOrder({
 *     symbol: "BTC/USD",
 *     side: "SELL",
 *     type: "STOP_MARKET",
 *     quantity: "0.01",
 *     stopPrice: "58500",
 *   });
 *   return `${order.clientOrderId} ${order.status}`;
 * }
 * ```
 */
export function createClient(options: ClientOptions): Client {
  requireClientOptions(options);
  const { settings, platform, redact } = prepared(options, "createClient");
  return clientOf({ caller: new Caller(settings, platform, redact), checks: options.checks });
}

function clientOf(parts: WriteParts): Client {
  const reads = readsOf(parts.caller);
  const routes = CLIENT_ROUTES;
  const methods = Object.entries<Route<unknown>>(routes).flatMap(([name, route]) => {
    const read = reads(route);
    if (route.access === "TRADE") return [];
    return [[name, route.isPlain ? (options?: CallOptions) => read({}, options) : read]];
  });
  return Object.freeze<Client>({
    ...Object.fromEntries(methods),
    ...sharedMethods(parts, routes),
    placeNativeOrder: placesOrders(parts, routes.placeNativeOrder),
    placeLegacyOco: placesLists(parts, routes.placeLegacyOco, "legacyOco"),
  });
}
