import type { RequestParameters } from "../signing/index.ts";
import type { Client } from "./methods/api.ts";
import { Caller } from "./methods/caller.ts";
import type { CallOptions } from "./methods/parameters.ts";
import { CLIENT_ROUTES, type Route } from "./methods/routes.ts";
import { canceledAll, canceledList, canceledOrder } from "./outcome/looks.ts";
import { actorOf } from "./outcome/write.ts";
import { cancels, placesLists, placesOrders, type WriteParts } from "./outcome/writes.ts";
import { type ClientOptions, prepared } from "./settings.ts";

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
  const { settings, platform, redact } = prepared(options);
  return clientOf({ caller: new Caller(settings, platform, redact), checks: options.checks });
}

function clientOf(parts: WriteParts): Client {
  const { caller } = parts;
  const reads =
    <T>(route: Route<T>, fixed: RequestParameters = {}) =>
    (given: object = {}, options: CallOptions = {}): Promise<T> =>
      caller.call({ route, parameters: { ...(given as RequestParameters), ...fixed }, options });
  const asks =
    <T>(route: Route<T>) =>
    (options: CallOptions = {}): Promise<T> =>
      caller.call({ route, parameters: {}, options });
  const routes = CLIENT_ROUTES;
  const managed = { apiManaged: true };
  const cancelsAll = cancels(
    parts,
    routes.cancelOpenOrders,
    (sent, beforeMs) => canceledAll(actorOf(sent), beforeMs),
    managed,
  );
  return Object.freeze<Client>({
    status: asks(routes.status),
    exchangeInfo: asks(routes.exchangeInfo),
    instrumentPairs: reads(routes.instrumentPairs),
    ticker: reads(routes.ticker),
    dayTicker: reads(routes.dayTicker),
    dayTickers: asks(routes.dayTickers),
    depth: reads(routes.depth),
    ping: asks(routes.ping),
    time: asks(routes.time),
    placeOrder: placesOrders(parts, routes.placeOrder),
    placeNativeOrder: placesOrders(parts, routes.placeNativeOrder),
    order: reads(routes.order),
    scaledOrder: reads(routes.scaledOrder),
    cancelOrder: cancels(parts, routes.cancelOrder, canceledOrder),
    nativeOrders: reads(routes.nativeOrders),
    executions: reads(routes.executions),
    openOrders: reads(routes.openOrders, managed),
    cancelOpenOrders: (given = {}, options) => cancelsAll(given, options),
    placeOco: placesLists(parts, routes.placeOco, "oco"),
    placeOto: placesLists(parts, routes.placeOto, "oto"),
    placeOtoco: placesLists(parts, routes.placeOtoco, "otoco"),
    placeLegacyOco: placesLists(parts, routes.placeLegacyOco, "legacyOco"),
    orderList: reads(routes.orderList),
    cancelOrderList: cancels(parts, routes.cancelOrderList, canceledList),
    openOrderLists: reads(routes.openOrderLists),
    allOrderLists: reads(routes.allOrderLists),
  });
}
