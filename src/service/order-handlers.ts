import type { Engine } from "../engine/index.ts";
import { OrderError } from "../errors/index.ts";
import type { ParentOrder } from "../model/index.ts";
import { type OrderKey, readOrderKey, readPlacement } from "../requests/index.ts";
import { clientIdsOf, managedId } from "./ids.ts";
import { accountOf } from "./ownership.ts";
import type { Answer, ServiceParts, SignedCall } from "./parts.ts";
import { orderCountHeaders } from "./placement-desk.ts";
import { canceledListView, canceledView, viewOf } from "./views.ts";

/**
 * POST /api/order: the whole managed order once it is durable. An order without newClientOrderId is named by the
 * signature, so that the same bytes sent again are the same order (decision 3).
 * Source: contract, Single-parent advanced creation; decisions 1, 14, 42.
 */
export async function placeOrder(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const { intent, ...actor } = readPlacement(call.parameters, {
    resolve: (symbol) => parts.instruments.resolve(symbol),
    clientId: clientIdsOf(call),
  });
  const accountId = await accountOf(parts, call, actor);
  const { placed, counts } = await parts.desk.placeOrder({ accountId, intent });
  return { body: viewOf(parts, placed), headers: orderCountHeaders(counts) };
}

/**
 * GET /api/v2/order and its aliases, for managed orders: by negative id, by client id or both, open or ended.
 * An unknown order, another account's, a positive id and another symbol are all -2013; two ids of two orders -2039.
 * Source: contract, Native status and history; decisions 5 and 39.
 */
export async function orderStatus(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const key = readOrderKey(call.parameters, {
    resolve: (symbol) => parts.instruments.resolve(symbol),
    exactSymbol: true,
    purpose: "status",
  });
  const order = await findOrder(parts, await accountOf(parts, call, key), key);
  if (order === undefined) throw new OrderError("NO_SUCH_ORDER");
  return { body: viewOf(parts, order) };
}

/**
 * DELETE /api/v2/order and its alias: the managed order after the cancel, with the client id it was canceled by as
 * `origClientOrderId` too. While a child is in flight that is the current status with cancelPending true. The cancel of
 * a leg is the cancel of its list and answers with that. What is unknown or has ended is -2011, a leg that has ended
 * before its list too: who cancels an entry that has just filled must not lose the exits. Symbol aliases resolve: what
 * was placed by an alias can be canceled by it. Source: decisions 13 and 43; convention 3.3.
 */
export async function cancelOrder(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const key = readOrderKey(call.parameters, {
    resolve: (symbol) => parts.instruments.resolve(symbol),
    exactSymbol: false,
    purpose: "cancel",
  });
  const accountId = await accountOf(parts, call, key);
  const found = await findOrder(parts, accountId, key);
  if (found === undefined) throw new OrderError("CANCEL_REJECTED");
  const order = await parts.engine.cancel({ accountId, orderId: found.orderId });
  if (order.list === undefined) return { body: canceledView(parts, order) };
  const list = await parts.engine.findList({ accountId, listId: order.list.listId });
  if (list === undefined) throw new OrderError("UNEXPECTED_RESPONSE");
  return { body: canceledListView(parts, list) };
}

/** The order that a key names; undefined when there is none with that symbol. Two ids must name one order (-2039). */
async function findOrder(
  { engine }: ServiceParts,
  accountId: number,
  { symbol, orderId, clientOrderId }: OrderKey,
): Promise<ParentOrder | undefined> {
  const order =
    orderId === undefined
      ? await engine.find({ accountId, clientOrderId: clientOrderId ?? "" })
      : await findById({ engine, accountId }, orderId);
  if (order?.intent.symbol !== symbol) return undefined;
  if (clientOrderId !== undefined && order.intent.clientOrderId !== clientOrderId) {
    throw new OrderError("CLIENT_ID_MISMATCH");
  }
  return order;
}

async function findById(
  { engine, accountId }: Readonly<{ engine: Engine; accountId: number }>,
  id: bigint,
): Promise<ParentOrder | undefined> {
  const orderId = managedId(id);
  return orderId === undefined ? undefined : await engine.find({ accountId, orderId });
}
