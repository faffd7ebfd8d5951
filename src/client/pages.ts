import type {
  ExecutionReply,
  ManagedOrderReply,
  NativeOrderReply,
  OrderListReply,
} from "../replies/index.ts";
import type {
  CallOptions,
  ExecutionsParameters,
  NativeOrdersParameters,
  OpenOrdersParameters,
  RangeParameters,
} from "./api.ts";
import { ProtocolError } from "./errors.ts";
import type { Client } from "./routes.ts";

const PAGE = 500;

/**
 * Yields the managed orders of an account, page after page, each once. An order that is placed or ends meanwhile may
 * or may not be among them; no other order is left out or comes twice. Throws the ClientError of a page.
 * Source: contract, GET /api/v3/openOrders parameters.
 *
 * @example
 * ```ts
 * import { type Client, eachOpenOrder } from "managed-orders/client";
 * export async function symbols(client: Client): Promise<ReadonlySet<string>> {
 *   const found = new Set<string>();
 *   for await (const { symbol } of eachOpenOrder(client)) found.add(symbol);
 *   return found;
 * }
 * ```
 */
export async function* eachOpenOrder(
  client: Pick<Client, "openOrders">,
  parameters: Omit<OpenOrdersParameters, "afterOrderId"> = {},
  options: CallOptions = {},
): AsyncGenerator<ManagedOrderReply, void, undefined> {
  const cursors = new Set<string>();
  const seen = new Set<string>();
  for (let afterOrderId = "0"; ; ) {
    const page = await client.openOrders({ limit: PAGE, ...parameters, afterOrderId }, options);
    for (const order of page.orders) if (isNew(seen, order.orderId)) yield order;
    afterOrderId = page.nextOrderId;
    if (afterOrderId === "0") return;
    if (!isNew(cursors, afterOrderId)) throw cursorError();
  }
}

/**
 * Yields the native orders of a market by rising id, each once, beginning with `orderId` or the first. Orders that are
 * placed meanwhile come at the end. Throws the ClientError of a page. Source: contract, Native status and history.
 *
 * @example
 * ```ts
 * import { type Client, eachNativeOrder } from "managed-orders/client";
 * export async function filled(client: Client): Promise<number> {
 *   let count = 0;
 *   for await (const { status } of eachNativeOrder(client, { symbol: "BTC/USD" })) if (status === "FILLED") count++;
 *   return count;
 * }
 * ```
 */
export async function* eachNativeOrder(
  client: Pick<Client, "nativeOrders">,
  parameters: NativeOrdersParameters,
  options: CallOptions = {},
): AsyncGenerator<NativeOrderReply, void, undefined> {
  const { limit = PAGE } = parameters;
  for (let next = BigInt(parameters.orderId ?? 1); ; ) {
    const page = await client.nativeOrders({ ...parameters, limit, orderId: next }, options);
    for (const order of page) {
      const orderId = BigInt(order.orderId ?? 0);
      if (orderId < next) throw cursorError();
      next = orderId + 1n;
      yield order;
    }
    if (page.length < limit) return;
  }
}

/**
 * Yields the lists of an account, the newest first, each once; with `openOnly`, those with a leg that has not ended.
 * Throws the ClientError of a page. Source: contract, List queries.
 *
 * @example
 * ```ts
 * import { type Client, eachOrderList } from "managed-orders/client";
 * export async function newest(client: Client): Promise<string | undefined> {
 *   for await (const { listClientOrderId } of eachOrderList(client)) return listClientOrderId;
 *   return undefined;
 * }
 * ```
 */
export function eachOrderList(
  client: Pick<Client, "openOrderLists" | "allOrderLists">,
  { openOnly = false, ...parameters }: RangeParameters & { readonly openOnly?: boolean } = {},
  options: CallOptions = {},
): AsyncGenerator<OrderListReply, void, undefined> {
  return backwards(
    (page) => (openOnly ? client.openOrderLists(page, options) : client.allOrderLists(page, options)),
    parameters,
    { idOf: ({ orderListId }) => orderListId, timeOf: ({ transactionTime }) => transactionTime },
  );
}

/**
 * Yields the executions of native orders that the service retains, the newest first, each once. Throws the ClientError
 * of a page. Source: contract, Native status and history.
 *
 * @example
 * ```ts
 * import { type Client, eachExecution } from "managed-orders/client";
 * export async function lastTrade(client: Client): Promise<string | undefined> {
 *   for await (const { execType, lastPrice } of eachExecution(client)) if (execType === "TRADE") return lastPrice;
 *   return undefined;
 * }
 * ```
 */
export function eachExecution(
  client: Pick<Client, "executions">,
  parameters: ExecutionsParameters = {},
  options: CallOptions = {},
): AsyncGenerator<ExecutionReply, void, undefined> {
  return backwards(async (page) => (await client.executions(page, options)).orders, parameters, {
    idOf: ({ symbol, ...row }) => `${symbol} ${row.executionId} ${row.execType} ${row.clientOrderId}`,
    timeOf: ({ time }) => time,
  });
}

/** The largest page of these routes. */
const LARGEST_PAGE = 1000;

/** How the rows of a page are told apart and ordered. */
type Rows<Row> = Readonly<{ idOf: (row: Row) => string; timeOf: (row: Row) => number }>;

/**
 * Pages backwards through rows that a route returns as the newest of a range, oldest first. The next page ends with the
 * time of the oldest row, which it includes; rows that came before are dropped. A page that is full of rows of one time
 * grows; if it is the largest, there is no way past it. A page that lies after its range is an error.
 */
async function* backwards<Row>(
  read: (page: RangeParameters) => Promise<readonly Row[]>,
  parameters: RangeParameters,
  { idOf, timeOf }: Rows<Row>,
): AsyncGenerator<Row, void, undefined> {
  const seen = new Set<string>();
  let { limit = PAGE, endTime } = parameters;
  for (;;) {
    const range = endTime === undefined ? {} : { endTime };
    const rows = await read({ ...parameters, ...range, limit });
    for (const row of [...rows].reverse()) if (isNew(seen, idOf(row))) yield row;
    const [oldest] = rows;
    if (oldest === undefined || rows.length < limit) return;
    const before = endTime;
    endTime = timeOf(oldest);
    if (before === undefined || endTime < before) continue;
    if (endTime > before || limit === LARGEST_PAGE) throw cursorError();
    limit = LARGEST_PAGE;
  }
}

function isNew(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  return true;
}

const cursorError = (): ProtocolError => new ProtocolError({ problem: "cursor", status: 200 });
