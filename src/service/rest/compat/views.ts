import {
  add,
  formatNotional,
  formatQuantity,
  type Notional,
  notionalOf,
  Price,
  Quantity,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../../decimal/index.ts";
import type { NativeExecution } from "../../../model/index.ts";
import type { JsonInput } from "../../../wire/index.ts";
import type { ServiceParts } from "../parts.ts";
import { typeForClient } from "./order-types.ts";
import { symbolForClient } from "./symbols.ts";

/** An object of a reply. */
export type Members = Readonly<Record<string, JsonInput | undefined>>;

/** Executions of a native order: their sum in USD if all are known, and the time of the order's acceptance. */
type Executed = Readonly<{ quote?: string; timeMs?: number }>;

/** Executions that one page may sum up. */
const MOST_EXECUTIONS = 1_000;

/**
 * Returns the reply about an order as clients of the convention read it: their name of the market, the convention's name
 * of the type, and the members that they read. All other members stay. `cummulativeQuoteQty` is the sum that the host
 * reports, else that of the fills; it and `time` are left out if the host no longer knows them. Source: decision NB; convention 3.1-3.3.
 */
export async function orderForClient(parts: ServiceParts, order: Members): Promise<Members> {
  const [shown = order] = await ordersForClient(parts, [order]);
  return shown;
}

/**
 * Returns the replies about orders and lists that were just placed or canceled as {@link ordersForClient} and
 * {@link listForClient} do; the native ones are of one account and market. If the host fails to tell the executions now,
 * what depends on them is left out: an error would say that nothing was done.
 */
export async function changedForClient(
  parts: ServiceParts,
  changed: readonly Members[],
): Promise<readonly Members[]> {
  const executed = await executedOf(parts, changed.filter(isExecutedNative)).catch(
    () => new Map<string, Executed>(),
  );
  return await parts.longAnswers.map(changed, (one) =>
    "orderReports" in one
      ? listForClient(parts, one)
      : shownOrder(parts, one, executed.get(String(one.orderId)) ?? {}),
  );
}

/** Returns orders as {@link orderForClient} does; the native ones are of one account and market. */
export async function ordersForClient(
  parts: ServiceParts,
  orders: readonly Members[],
): Promise<readonly Members[]> {
  const executed = await executedOf(parts, orders.filter(isExecutedNative));
  return await parts.longAnswers.map(orders, (order) =>
    shownOrder(parts, order, executed.get(String(order.orderId)) ?? {}),
  );
}

/** Returns a list with its legs as {@link orderForClient} shows them. */
export function listForClient(parts: ServiceParts, list: Members): Members {
  const { orders = [], orderReports = [] } = list as Readonly<Record<string, readonly Members[]>>;
  const symbol = symbolForClient(parts, String(list.symbol));
  return {
    ...list,
    symbol,
    orders: orders.map((leg) => ({ ...leg, symbol })),
    orderReports: orderReports.map((leg) => shownOrder(parts, leg, {})),
  };
}

/** Returns trades under the client's names of their markets. */
export function tradesForClient(parts: ServiceParts, trades: readonly Members[]): readonly Members[] {
  return trades.map((trade) => ({ ...trade, symbol: symbolForClient(parts, String(trade.symbol)) }));
}

function shownOrder(parts: ServiceParts, order: Members, { quote, timeMs }: Executed): Members {
  const type = typeForClient({ type: String(order.type), stopPrice: order.stopPrice });
  return merged(order, {
    symbol: symbolForClient(parts, String(order.symbol)),
    ...(order.type !== undefined && { type }),
    price: order.price ?? "0",
    stopPrice: order.stopPrice ?? "0",
    icebergQty: order.icebergQty ?? "0",
    origQuoteOrderQty: order.origQuoteOrderQty ?? "0",
    cummulativeQuoteQty: order.cummulativeQuoteQty ?? quoteOfFills(order) ?? quote,
    time: order.apiManaged === true ? order.transactTime : timeMs,
    selfTradePreventionMode: "NONE",
  });
}

/**
 * Returns an object with the members of both; those of `further` count. For objects of 30 members, spreading takes tens
 * of microseconds, and an answer may have thousands of them.
 */
export function merged(members: Members, further: Members): Members {
  return Object.assign({}, members, further);
}

/** Returns the sum in USD that a reply proves by itself: nothing is filled, or it lists all fills. */
function quoteOfFills({ executedQty, fills }: Members): string | undefined {
  if (executedQty === "0") return "0";
  if (!Array.isArray(fills)) return undefined;
  const listed = fills as readonly Readonly<{ price: string; qty: string }>[];
  return formatNotional(
    sumOf(listed.map(({ price, qty }) => [Price.parse(price), Quantity.parse(qty)])).quote,
  );
}

type FillAmounts = readonly [price: Price, quantity: Quantity];

function sumOf(fills: readonly FillAmounts[]): Readonly<{ quantity: Quantity; quote: Notional }> {
  return fills.reduce(
    (sum, [price, quantity]) => ({
      quantity: add(sum.quantity, quantity),
      quote: add(sum.quote, notionalOf(price, quantity)),
    }),
    { quantity: ZERO_QUANTITY, quote: ZERO_NOTIONAL },
  );
}

/** Returns whether a reply is about a native order whose fills it does not list. */
function isExecutedNative({ orderId, apiManaged, fills }: Members): boolean {
  return orderId !== undefined && apiManaged !== true && fills === undefined;
}

/**
 * Asks the host for the executions of native orders, at most 1,000 for all of them. A sum counts only if it accounts for
 * the whole executed quantity.
 */
async function executedOf(
  { native }: ServiceParts,
  orders: readonly Members[],
): Promise<ReadonlyMap<string, Executed>> {
  const [first] = orders;
  if (native === undefined || first === undefined) return new Map();
  const markets = new Set(orders.map(({ symbol }) => String(symbol)));
  const found = await native.executions({
    accountId: first.accountId as number,
    ...(markets.size === 1 && { symbol: String(first.symbol) }),
    ...(orders.length === 1 && { orderId: first.orderId as bigint }),
    limit: MOST_EXECUTIONS,
  });
  const byOrder = byOrderId(found);
  return new Map(
    orders.map((order) => {
      const own = byOrder.get(order.orderId as bigint) ?? [];
      const fills = own.flatMap(({ lastPrice, lastQuantity }) =>
        lastPrice === undefined || lastQuantity === undefined ? [] : [[lastPrice, lastQuantity] as const],
      );
      const { quantity, quote } = sumOf(fills);
      const isWhole = formatQuantity(quantity) === order.executedQty;
      const timeMs = own.find(({ execType }) => execType === "NEW")?.timeMs;
      return [
        String(order.orderId),
        {
          ...(isWhole && { quote: formatNotional(quote) }),
          ...(timeMs !== undefined && { timeMs }),
        },
      ];
    }),
  );
}

function byOrderId(executions: readonly NativeExecution[]): ReadonlyMap<bigint, readonly NativeExecution[]> {
  const found = new Map<bigint, NativeExecution[]>();
  for (const execution of executions) {
    const known = found.get(execution.order.orderId);
    if (known === undefined) found.set(execution.order.orderId, [execution]);
    else known.push(execution);
  }
  return found;
}
