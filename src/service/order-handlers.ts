import { normalise } from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import type { ParentOrder } from "../model/index.ts";
import { type OrderKey, readOrderKey, readPlacement } from "../requests/index.ts";
import { derivedClientId } from "../signing/index.ts";
import { type ManagedOrder, managedOrderView } from "./managed-order.ts";
import { accountOf } from "./ownership.ts";
import type { Answer, ServiceParts, SignedCall } from "./parts.ts";

/** The public view of an order as it stands now. */
export function viewOf(parts: ServiceParts, order: ParentOrder): ManagedOrder {
  return managedOrderView(order, {
    instrumentId: parts.instruments.find(order.intent.symbol)?.id,
    runningLimit: parts.engine.runningLimit(order),
  });
}

/**
 * POST /api/order: the whole managed order once it is durable. An order without newClientOrderId is named by the
 * signature, so that the same bytes sent again are the same order (decision 3).
 * Source: contract, Single-parent advanced creation; decisions 1, 14, 42.
 */
export async function placeOrder(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const { signature, key } = call;
  const { intent, ...actor } = readPlacement(call.parameters, {
    resolve: (symbol) => parts.instruments.resolve(symbol),
    clientId: (field) => derivedClientId({ apiKey: key.apiKey, signature, field }),
  });
  const accountId = await accountOf(parts, call, actor);
  const { order, counts } = await parts.desk.place({ accountId, intent });
  return {
    body: viewOf(parts, order),
    headers: {
      "X-MBX-ORDER-COUNT-10S": String(counts.per10s),
      "X-MBX-ORDER-COUNT-1D": String(counts.perDay),
    },
  };
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
 * `origClientOrderId` too. While a child is in flight that is the current status with cancelPending true. What is
 * unknown or has ended is -2011. Symbol aliases resolve: what was placed by an alias can be canceled by it.
 * Source: decisions 13 and 43; convention 3.3.
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
  return { body: { ...viewOf(parts, order), origClientOrderId: order.intent.clientOrderId } };
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

/** Managed ids are negative safe integers; any other id names no managed order. */
async function findById(
  { engine, accountId }: Pick<ServiceParts, "engine"> & Readonly<{ accountId: number }>,
  orderId: bigint,
): Promise<ParentOrder | undefined> {
  const managedId = normalise(orderId);
  if (typeof managedId !== "number" || managedId >= 0) return undefined;
  return await engine.find({ accountId, orderId: managedId });
}
