import { isAwaited } from "../../common/index.ts";
import { afterDecision, OrderError, replyAfterDecision } from "../../errors/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import type { ManagedOrder, NativeOrderView } from "../../replies/index.ts";
import {
  type OrderKey,
  type OrderKeyContext,
  placementFlow,
  readCancelAll,
  readOpenOrdersPage,
  readOrderAmend,
  readOrderKey,
  readPlacement,
  readQuantityAmend,
} from "../../requests/index.ts";
import { accountOf, inSeveralSteps, requireInTime } from "../access/ownership.ts";
import { canceledListView, canceledView, viewOf } from "../views/managed-order.ts";
import { nativeOrderView, scaledView, viewForRoute } from "../views/native-order.ts";
import {
  type AccountKey,
  clientIdsOf,
  type FoundOrder,
  findManaged,
  findOrder,
  nativeKeyOf,
  readWithCatalogue,
} from "./look-ups.ts";
import { cancelNative, placeNativeOrder, testNativeOrder } from "./native-handlers.ts";
import type { Answer, ServiceParts, SignedCall } from "./parts.ts";
import { retained } from "./rejections.ts";

/**
 * POST /api/order: returns the whole managed order once it is durable. A plain LIMIT or MARKET is a native order and is
 * answered as one. An order without newClientOrderId gets an id derived from the signature, so that the same bytes sent
 * again are the same order. Source: contract, Single-parent advanced creation.
 */
export async function placeOrder(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  if (placementFlow(call.parameters) === "native") return await placeNativeOrder(parts, call);
  const order = readOrder(parts, call);
  const { accountId, intent } = isAwaited(order) ? await order : order;
  try {
    const command = { accountId, intent, notAfterMs: parts.expiresAtMs };
    const { placed, counts } = await parts.placements.placeOrder(command);
    return { body: replyAfterDecision(() => viewOf(parts, placed.order, call.route)), counts };
  } catch (error) {
    throw retained(parts, { accountId, order: intent }, namedAsSent(call, error));
  }
}

/**
 * POST /compat/api/v3/order/test: checks an order as POST /api/order does, places nothing, counts nothing and returns an
 * empty object. Of a native order, the host's own checks are not made: only placing makes them.
 */
export async function testOrder(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  if (placementFlow(call.parameters) === "native") return await testNativeOrder(parts, call);
  const { accountId, intent } = await readOrder(parts, call);
  try {
    await parts.engine.check({ accountId, intent });
  } catch (error) {
    throw namedAsSent(call, error);
  }
  return { body: {} };
}

/** Names a wrong expiry as the request does: an intent has one expiry under both names. */
export function namedAsSent({ parameters }: SignedCall, error: unknown): unknown {
  const isNamed = parameters.get("expireTime") !== undefined || parameters.get("goodTillDate") === undefined;
  if (isNamed || !(error instanceof OrderError) || error.field !== "expireTime") return error;
  return new OrderError(error.reason, { ...error.details, field: "goodTillDate" });
}

/** Reads a managed order with the account that it is placed for. A copy of an accepted order needs no catalogue. */
const readOrder = (parts: ServiceParts, call: SignedCall) =>
  readWithCatalogue(
    parts,
    call,
    (resolve) => readPlacement(call.parameters, { resolve, clientId: clientIdsOf(call) }),
    async ({ accountId, intent: { symbol, clientOrderId } }) =>
      (await parts.engine.find({ accountId, clientOrderId }))?.intent.symbol === symbol,
  );

/**
 * GET /api/v2/order and its aliases: finds a managed or native order by id, by client id or by both, open or ended, or a
 * retained rejection by client id. An unknown order, an order of another account and an order of another symbol are all
 * -2013. Two ids that name different orders are -2039. Source: contract, Native status and history.
 */
export async function orderStatus(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  return { body: anyViewOf(parts, await requireOrder(parts, call), call.route) };
}

/**
 * POST /api/v2/orderStatus and its alias: returns the same order with prices in units of 1e-8 and quantities in units of
 * 1e-6, as whole numbers. Source: contract, Native status and history.
 */
export async function scaledOrderStatus(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  return { body: scaledView(anyViewOf(parts, await requireOrder(parts, call), call.route)) };
}

/**
 * DELETE /api/v2/order and its alias: cancels an order and returns it, with its client id as `origClientOrderId`, and with
 * the id of the cancel, if one was sent, as `clientOrderId`. An open order that does not meet cancelRestrictions stays as
 * it is (-2011). A client id finds a managed parent before a native order, as in look-ups, but an ended parent does not
 * hide an open native order. While a child of a managed order is in flight, the reply is the current status with
 * cancelPending true. Canceling a leg cancels its list and returns the list. An unknown or ended order is -2011, and so is
 * a leg that has ended before its list: a client that cancels an entry which has just filled must not lose its exits.
 * Symbol aliases resolve, so an order placed by an alias can be canceled by it. Source: convention 3.3.
 */
export async function cancelOrder(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  return await cancelNamed(
    parts,
    call,
    await readKey(parts, call, { exactSymbol: false, purpose: "cancel" }),
  );
}

/** Cancels the order that a key names, as {@link cancelOrder} does. */
export async function cancelNamed(parts: ServiceParts, call: SignedCall, key: CancelKey): Promise<Answer> {
  const { route } = call;
  const { accountId, restriction, cancelId } = key;
  const managed = await findManaged(parts, key);
  if (managed === undefined || (managed.ended !== undefined && key.orderId === undefined)) {
    const canceled = await cancelNativeOf(parts, call, key);
    if (canceled !== undefined) return canceled;
  }
  if (managed === undefined) throw new OrderError("CANCEL_REJECTED");
  requireInTime(parts);
  const order = await parts.engine.cancel({
    ...{ accountId, orderId: managed.orderId },
    ...(restriction !== undefined && { restriction }),
  });
  if (order.list === undefined)
    return { body: replyAfterDecision(() => canceledView(parts, order, { route, cancelId })) };
  const list = await afterDecision(parts.engine.findList({ accountId, listId: order.list.listId }));
  return { body: replyAfterDecision(() => canceledListView(parts, list, { route, cancelId })) };
}

/**
 * PUT /api/order: changes terms of a managed order, and returns the order. The same amend sent again
 * is answered with the order as it is now. Every amend counts as an order.
 */
export async function amendOrder(
  parts: ServiceParts,
  call: SignedCall,
  read: typeof readOrderAmend = readOrderAmend,
): Promise<Answer> {
  const { changes, amendId, ...key } = await readWithCatalogue(
    parts,
    call,
    (resolve) => read(call.parameters, { resolve, exactSymbol: false, clientId: clientIdsOf(call) }),
    async (named) => (await findOrder(parts, named)) !== undefined,
  );
  const order = await findOrder(parts, key);
  if (order === undefined) throw new OrderError("NO_SUCH_ORDER");
  if (!("intent" in order)) throw new OrderError("AMEND_REJECTED", { advice: NATIVE });
  const { accountId, orderId } = order;
  const command = { accountId, orderId, changes, amendId, notAfterMs: parts.expiresAtMs };
  const { placed, counts } = await parts.placements.amendOrder(command).catch((error: unknown) => {
    throw namedAsSent(call, error);
  });
  return { body: replyAfterDecision(() => viewOf(parts, placed.order, call.route)), counts };
}

/**
 * PUT /compat/api/v3/order/amend/keepPriority: changes the quantity of a managed order as {@link amendOrder} does. The order keeps
 * its client id: `newClientOrderId` is that of the amend.
 */
export const amendQuantity = (parts: ServiceParts, call: SignedCall): Promise<Answer> =>
  amendOrder(parts, call, readQuantityAmend);

const NATIVE = "This is a native order. Cancel it and place a new one.";

/** Cancels the open native order of a key. If two ids were sent, checks before the cancel that both name one order. */
async function cancelNativeOf(
  parts: ServiceParts,
  call: SignedCall,
  key: CancelKey,
): Promise<Answer | undefined> {
  const { orderId, clientOrderId } = key;
  if (orderId !== undefined && orderId <= 0n) return undefined;
  if (orderId !== undefined && clientOrderId !== undefined && (await findOrder(parts, key)) === undefined) {
    return undefined;
  }
  return await cancelNative(parts, call, { ...key, key: nativeKeyOf(key) });
}

/** The key of an order to cancel, with what else a cancel may have. */
type CancelKey = AccountKey & Pick<OrderKey, "restriction" | "cancelId">;

/** Reads the key that a call sends, with the account that the call is about. */
const readKey = (
  parts: ServiceParts,
  call: SignedCall,
  use: Pick<OrderKeyContext, "exactSymbol" | "purpose">,
): Awaitable<CancelKey> =>
  readWithCatalogue(
    parts,
    call,
    (resolve): OrderKey => readOrderKey(call.parameters, { resolve, ...use }),
    async (key) => (await findOrder(parts, key)) !== undefined,
  );

async function requireOrder(parts: ServiceParts, call: SignedCall): Promise<FoundOrder> {
  // The compat prefix has made a canonical symbol of the client's name, unless the catalogue lacks the market.
  const use = { exactSymbol: call.route.compat !== true, purpose: "status" } as const;
  const found = await findOrder(parts, await readKey(parts, call, use));
  if (found === undefined) throw new OrderError("NO_SUCH_ORDER");
  return found;
}

/** Returns the view of an order, managed or native, or of a retained rejection, as the clients of a route read it. */
export function anyViewOf(
  parts: ServiceParts,
  order: FoundOrder,
  route: SignedCall["route"],
): ManagedOrder | NativeOrderView {
  if ("intent" in order) return viewOf(parts, order, route);
  const isPaperTrade = parts.native?.isPaperTrade ?? false;
  return viewForRoute(route, order, nativeOrderView({ order, isPaperTrade }));
}

/**
 * GET /api/v3/openOrders: returns a page of managed orders over all markets. `newestFirst` is present only if it was
 * requested.
 * Source: contract, Managed-order page envelope.
 */
export async function openOrders(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const { includeHistory, newestFirst, limit, afterOrderId, ...actor } = readOpenOrdersPage(call.parameters);
  const accountId = await accountOf(parts, call, actor);
  const page = await parts.engine.page({ accountId, includeHistory, newestFirst, limit, afterOrderId });
  return {
    body: {
      apiManaged: true,
      includesHistory: includeHistory,
      ...(newestFirst && { newestFirst }),
      total: page.total,
      nextOrderId: page.nextOrderId,
      orders: await parts.longAnswers.map(page.orders, (order) => viewOf(parts, order, call.route)),
    },
  };
}

/** DELETE /api/v3/openOrders: cancels all managed orders of the account. Source: contract, Cancel-all result. */
export async function cancelAllOrders(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const accountId = await accountOf(parts, call, readCancelAll(call.parameters));
  const { matchedCount, canceledCount, cancelPendingCount } = await inSeveralSteps(
    parts.engine.cancelAll(accountId),
  );
  return { body: { matchedCount, canceledCount, cancelPendingCount } };
}
