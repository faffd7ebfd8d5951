import { type ErrorName, OrderError } from "../errors/index.ts";
import { type OrderPreview, type PreviewContext, previewOrder } from "../lifecycle/index.ts";
import type { FilterReply, TickerReply } from "../replies/index.ts";
import { type ListFields, type ListForm, listAsSent, type OrderFields } from "../requests/index.ts";
import type { CallOptions } from "./api.ts";
import { type LocalChecks, RefusedError } from "./errors.ts";
import type { Client } from "./routes.ts";

/** Refusals that depend on the market, the account or the volumes of the service, which only the service knows. */
const OF_THE_SERVICE: ReadonlySet<ErrorName> = new Set([
  "NO_DEPTH",
  "REDUCE_ONLY_REJECTED",
  "NO_VOLUME_HISTORY",
]);

/** What a signed request carries beside the fields. The text of a refusal counts it. */
const PROOF = { nonce: 0, timestamp: 0, recvWindow: 0 } as const;

/**
 * The service's own checks of orders and lists, run before anything is sent: the same rules, codes and texts. Pass them
 * as `checks` to `createClient`. They are not part of the client itself, because they add the rules to a bundle. They
 * do not check what depends on the market or the account; only the service can check that. They assume the default
 * opening minimum. For a service with another minimum, write an object like this one that calls `previewOrder` with
 * `minimumNotional`.
 *
 * @example
 * ```ts
 * import { createClient, localChecks, RefusedError } from "managed-orders/client";
 * const client = createClient({ baseUrl: "http://127.0.0.1:8080", apiKey: "a", secret: "b", checks: localChecks });
 * const order = { symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET", quantity: "0.0001" } as const;
 * client.placeOrder({ ...order, stopPrice: "58500" }).catch((error: unknown) => {
 *   if (error instanceof RefusedError) console.log(error.code, error.sent); // -1013 false
 * });
 * ```
 */
export const localChecks: LocalChecks = {
  order(fields, nowMs) {
    const { refusal } = previewOrder({ ...fields, ...PROOF } as unknown as OrderFields, { nowMs });
    return refusal !== undefined && OF_THE_SERVICE.has(refusal.reason) ? undefined : refusal;
  },
  list(form, fields) {
    try {
      const sent = { ...fields, ...PROOF } as unknown as ListFields[ListForm];
      listAsSent(form, sent, (field) => field);
      return undefined;
    } catch (error) {
      if (error instanceof OrderError) return error;
      throw error;
    }
  },
};

const NO_DEPTH = -1112;

/**
 * Previews an order with the service's own rules and its current quote, minimum and time: the refusal that the service
 * would answer, the price at which the minimum is checked and, for a schedule, its slots, in decimal strings as in replies. `context` adds what the
 * client cannot read, such as the position for a reduce-only order, and takes precedence over what the client reads.
 * Sends only public requests. Rejects with the ClientError of a request that fails.
 *
 * @example
 * ```ts
 * import { type Client, preview } from "managed-orders/client";
 * export async function slices(client: Client): Promise<string> {
 *   const order = { symbol: "BTC/USD", side: "BUY", type: "TWAP", quantity: "1" } as const;
 *   const { refusal, slots = [] } = await preview(client, { ...order, interval: 60_000, intervalCount: 10 });
 *   return refusal === undefined ? slots.map(({ quantity }) => quantity).join(" ") : refusal.remedy;
 * }
 * ```
 */
export async function preview(
  client: Pick<Client, "ticker" | "exchangeInfo">,
  order: OrderFields,
  context: PreviewContext = {},
  options: CallOptions = {},
): Promise<OrderPreview> {
  return previewOrder(order, { ...(await previewContext(client, order.symbol, options)), ...context });
}

/**
 * Resolves to what a preview needs of the service: its current quote of a market, its minimum and its time, as `previewOrder` and
 * `previewAmend` of `managed-orders` take them. Sends only public requests. Rejects with the ClientError of a request that fails.
 *
 * @example
 * ```ts
 * import { previewAmend } from "managed-orders";
 * import { type Client, type ManagedOrderReply, previewContext } from "managed-orders/client";
 * export async function raise(client: Client, stop: ManagedOrderReply, stopPrice: string): Promise<void> {
 *   const { symbol, orderId } = stop;
 *   const { refusal, actsAtOnce } = previewAmend(stop, { stopPrice }, await previewContext(client, symbol));
 *   if (refusal === undefined && actsAtOnce === false) await client.amendOrder({ symbol, orderId, stopPrice });
 * }
 * ```
 */
export async function previewContext(
  client: Pick<Client, "ticker" | "exchangeInfo">,
  market: string,
  options: CallOptions = {},
): Promise<PreviewContext> {
  const [ticker, info] = await Promise.all([tickerOf(client, market, options), client.exchangeInfo(options)]);
  const filters = info.symbols.find(({ symbol }) => symbol === (ticker?.symbol ?? market))?.filters ?? [];
  const minimumNotional = memberOf(filters, "NOTIONAL", "minNotional");
  const maxIcebergParts = memberOf(filters, "ICEBERG_PARTS", "limit");
  return {
    nowMs: info.serverTime,
    ...(ticker?.bid !== undefined &&
      ticker.ask !== undefined && { quote: { bid: ticker.bid, ask: ticker.ask } }),
    ...(typeof minimumNotional === "string" && { minimumNotional }),
    ...(typeof maxIcebergParts === "number" && { maxIcebergParts }),
  };
}

/** Resolves to the ticker of a market; to undefined before its first quote, or if it is unknown. */
async function tickerOf(
  client: Pick<Client, "ticker">,
  symbol: string,
  options: CallOptions,
): Promise<TickerReply | undefined> {
  try {
    return await client.ticker({ symbol }, options);
  } catch (error) {
    if (error instanceof RefusedError && error.code === NO_DEPTH) return undefined;
    throw error;
  }
}

function memberOf(filters: readonly FilterReply[], filterType: string, member: string): unknown {
  return filters.find((filter) => filter.filterType === filterType)?.[member];
}
