import { type OrderPreview, type PreviewContext, previewOrder } from "../../lifecycle/index.ts";
import type { FilterReply, TickerReply } from "../../replies/index.ts";
import type { OrderFields } from "../../requests/index.ts";
import { RefusedError } from "../errors/refused-error.ts";
import type { Client } from "../methods/api.ts";
import type { CallOptions } from "../methods/parameters.ts";

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
  const [ticker, info] = await Promise.all([
    tickerOf(client, order.symbol, options),
    client.exchangeInfo(options),
  ]);
  const filters =
    info.symbols.find(({ symbol }) => symbol === (ticker?.symbol ?? order.symbol))?.filters ?? [];
  const minimumNotional = memberOf(filters, "NOTIONAL", "minNotional");
  const maxIcebergParts = memberOf(filters, "ICEBERG_PARTS", "limit");
  return previewOrder(order, {
    nowMs: info.serverTime,
    ...(ticker?.bid !== undefined &&
      ticker.ask !== undefined && { quote: { bid: ticker.bid, ask: ticker.ask } }),
    ...(typeof minimumNotional === "string" && { minimumNotional }),
    ...(typeof maxIcebergParts === "number" && { maxIcebergParts }),
    ...context,
  });
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
