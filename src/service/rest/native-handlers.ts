import { OrderError } from "../../errors/index.ts";
import type { CancelRestriction, NativeOrder } from "../../model/index.ts";
import type { Awaitable, ExecutionQuery, NativeKey, NativeOrders, NativePlaced } from "../../ports/index.ts";
import type { NativeOrderView } from "../../replies/index.ts";
import {
  type AllOrdersPage,
  readAllOrdersPage,
  readNativePlacement,
  readOrderHistoryPage,
} from "../../requests/index.ts";
import { requireInTime } from "../access/ownership.ts";
import {
  canceledNativeView,
  executionView,
  nativeOrderView,
  placedNativeView,
  rejectedExecutionView,
  viewForRoute,
} from "../views/native-order.ts";
import { clientIdsOf, readWithCatalogue } from "./look-ups.ts";
import type { Answer, ServiceParts, SignedCall } from "./parts.ts";
import { retained } from "./rejections.ts";

/** Returns the native orders of the host. Throws 404 -1020 if the host has none. */
export function nativeOf({ native }: ServiceParts): NativeOrders {
  if (native === undefined) throw new OrderError("UNSUPPORTED_OPERATION");
  return native;
}

/**
 * POST /api/v2/order, and POST /api/order with a plain LIMIT or MARKET: returns the order once it is durable, with its
 * fills so far. The same signed bytes always return the same order. Another request with the client id of an open order is
 * -2010. No consent is needed. Source: contract, Ordinary order flow; convention 3.1.
 */
export async function placeNativeOrder(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const native = nativeOf(parts);
  const { accountId, requestKey, terms } = await readNativeOrder(parts, call, native);
  const request = { accountId, requestKey };
  const { symbol, clientOrderId } = terms;
  const findKnown = (): Awaitable<NativePlaced | undefined> => native.findRequest(request);
  const place = async (): Promise<NativePlaced> => {
    const known = await findKnown();
    if (known !== undefined) return known;
    await requireTrading(parts, { accountId, symbol });
    requireInTime(parts);
    return await native.place({ ...terms, ...request });
  };
  const isKnown = async (): Promise<boolean> => (await findKnown()) !== undefined;
  const placement = parts.placements.placeNative({ accountId, isKnown, place }, clientOrderId);
  const { placed, counts } = await placement.catch((error: unknown) => {
    throw retained(parts, { accountId, order: terms }, error);
  });
  const { order, fills } = placed;
  return { body: viewForRoute(call.route, order, placedNativeView(order, fills)), counts };
}

/** Checks a native order without placing it: its fields and the conditions of a new order. */
export async function testNativeOrder(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const { accountId, terms } = await readNativeOrder(parts, call, nativeOf(parts));
  await requireTrading(parts, { accountId, symbol: terms.symbol });
  return { body: {} };
}

/**
 * Reads a native order with the account that it is placed for, and the key of the request. A copy of an accepted request
 * needs no catalogue: its key stands for all that was signed, an alias of the symbol included.
 */
const readNativeOrder = (parts: ServiceParts, call: SignedCall, native: NativeOrders) => {
  const clientId = clientIdsOf(call);
  return readWithCatalogue(
    parts,
    call,
    (resolve) => ({
      ...readNativePlacement(call.parameters, { resolve, clientId }),
      requestKey: clientId("request"),
    }),
    async ({ accountId, requestKey }) => (await native.findRequest({ accountId, requestKey })) !== undefined,
  );
};

/**
 * Checks the conditions of a new order: the service is not draining, the market is open, and the account is not restricted.
 */
async function requireTrading(
  { engine, instruments, accounts }: ServiceParts,
  { accountId, symbol }: Readonly<{ accountId: number; symbol: string }>,
): Promise<void> {
  if (instruments.find(symbol)?.status !== "TRADING") throw new OrderError("MARKET_CLOSED");
  const restricted = (await accounts.account(accountId))?.restricted ?? true;
  if (restricted === true) throw new OrderError("ACCOUNT_RESTRICTED");
  if (restricted !== false && restricted.includes(symbol)) throw new OrderError("SYMBOL_RESTRICTED");
  if (engine.draining) throw new OrderError("SHUTTING_DOWN");
}

/** The cancel of a native order. It may have a condition, and an id of its own. */
type NativeCancel = Readonly<{
  key: NativeKey;
  restriction?: CancelRestriction;
  cancelId?: string;
}>;

/**
 * Cancels a native order. Returns undefined if the key names no order or the order has ended. Throws an OrderError -1145
 * for a restriction if the host cannot cancel under a condition.
 */
export async function cancelNative(
  parts: ServiceParts,
  { route }: SignedCall,
  { key, restriction, cancelId }: NativeCancel,
): Promise<Answer | undefined> {
  const { native } = parts;
  requireInTime(parts);
  const canceled: NativeOrder | undefined =
    restriction === undefined ? await native?.cancel(key) : await cancelIf(native, key, restriction);
  return canceled && { body: viewForRoute(route, canceled, canceledNativeView(canceled, cancelId)) };
}

const UNCONDITIONAL = "Omit it: plain orders of this service are canceled without a condition.";

async function cancelIf(
  native: NativeOrders | undefined,
  key: NativeKey,
  restriction: CancelRestriction,
): Promise<NativeOrder | undefined> {
  if (native === undefined || native.cancelIf !== undefined)
    return await native?.cancelIf?.(key, restriction);
  const status = (await native.find(key))?.status;
  if (status !== "NEW" && status !== "PARTIALLY_FILLED") return undefined;
  throw new OrderError("BAD_CANCEL_RESTRICTIONS", { field: "cancelRestrictions", advice: UNCONDITIONAL });
}

/**
 * GET /api/v2/allOrders and its alias: the latest snapshot of each native order, including children of managed parents,
 * by rising id. A client id narrows the result. With a client id and no lowest id, the page also has the retained
 * rejections of that client id. Rejections come first, because they have no id to continue from. Source: contract,
 * Native status and history.
 */
export async function allOrders(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const native = nativeOf(parts);
  const page = await readWithCatalogue(
    parts,
    call,
    (resolve) => readAllOrdersPage(call.parameters, { resolve, exactSymbol: true }),
    (wanted) => hasOrders(native, wanted),
  );
  return { body: await nativeOrders(parts, call.route, page) };
}

/** Returns whether an account has native orders in a market. */
export async function hasOrders(
  native: NativeOrders,
  { accountId, symbol }: Pick<AccountPage, "accountId" | "symbol">,
): Promise<boolean> {
  return (await native.page({ accountId, symbol, limit: 1 })).length > 0;
}

/** A page of native orders with the account that the call is about. */
export type AccountPage = AllOrdersPage & Readonly<{ accountId: number }>;

/** Returns the orders and rejections of a page as the clients of a route read them. Throws as {@link allOrders} does. */
export async function nativeOrders(
  parts: ServiceParts,
  route: SignedCall["route"],
  page: AccountPage,
): Promise<readonly NativeOrderView[]> {
  const native = nativeOf(parts);
  const { orderId, ...range } = page;
  const { isPaperTrade } = native;
  const orders = await native.page({ ...range, ...(orderId !== undefined && { fromOrderId: orderId }) });
  const hasRejections = page.clientOrderId !== undefined && orderId === undefined;
  const rejected = hasRejections ? await parts.rejections.list(page) : [];
  const room = page.limit - orders.length;
  const shown = [...rejected.slice(Math.max(0, rejected.length - room)), ...orders];
  const viewed = (order: (typeof shown)[number]): NativeOrderView =>
    viewForRoute(route, order, nativeOrderView({ order, isPaperTrade }));
  return await parts.longAnswers.map(shown, viewed);
}

/**
 * POST /api/v2/getOrderHistory: the newest executions of native orders, including retained rejections, oldest first.
 * Managed parents are not included. Source: contract, Native status and history.
 */
export async function orderHistory(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const native = nativeOf(parts);
  const page = await readWithCatalogue(
    parts,
    call,
    (resolve) => readOrderHistoryPage(call.parameters, resolve),
    (wanted) => hasExecutions(native, wanted),
  );
  const executions = await native.executions(page);
  // A rejection has no order id, so a page for one order id has none.
  const rejected = page.orderId === undefined ? await parts.rejections.list(page) : [];
  const views = [
    ...(await parts.longAnswers.map(executions, executionView)),
    ...rejected.map(rejectedExecutionView),
  ];
  return { body: { orders: views.sort((a, b) => a.time - b.time).slice(-page.limit) } };
}

/** Returns whether an account has executions in a market. */
export async function hasExecutions(
  native: NativeOrders,
  { accountId, symbol }: Pick<ExecutionQuery, "accountId" | "symbol">,
): Promise<boolean> {
  const newest = { accountId, ...(symbol !== undefined && { symbol }), limit: 1 };
  return (await native.executions(newest)).length > 0;
}
