import type { CallOptions, Client } from "./api.ts";
import { Caller } from "./caller.ts";
import { CLIENT_ROUTES, type Route } from "./routes.ts";
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
  const { caller } = parts;
  const reads = readsOf(caller);
  const query =
    <T>(route: Route<T>) =>
    (options: CallOptions = {}): Promise<T> =>
      caller.call({ route, parameters: {}, options });
  const routes = CLIENT_ROUTES;
  return Object.freeze<Client>({
    ...sharedMethods(parts, routes),
    status: query(routes.status),
    exchangeInfo: query(routes.exchangeInfo),
    instrumentPairs: reads(routes.instrumentPairs),
    ticker: reads(routes.ticker),
    dayTicker: reads(routes.dayTicker),
    dayTickers: query(routes.dayTickers),
    depth: reads(routes.depth),
    ping: query(routes.ping),
    time: query(routes.time),
    placeNativeOrder: placesOrders(parts, routes.placeNativeOrder),
    scaledOrder: reads(routes.scaledOrder),
    executions: reads(routes.executions),
    placeLegacyOco: placesLists(parts, routes.placeLegacyOco, "legacyOco"),
  });
}
